// Prints the head of the table, to which the other benchmarks add rows.
#include "tools/bench/measure/figures.hpp"

int main() {
  flowtap::bench::print_head();
}
