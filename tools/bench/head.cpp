// Prints the head of the table that the other benchmarks print rows of.
#include "tools/bench/measure/figures.hpp"

int main() {
  flowtap::bench::print_head();
}
