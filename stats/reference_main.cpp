// Prints the reference page.
#include <cstdio>

#include "stats/reference.hpp"

int main() {
  const std::string page = flowtap::stats::reference_page();
  return std::fwrite(page.data(), 1, page.size(), stdout) == page.size() ? 0 : 1;
}
