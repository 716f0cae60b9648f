// Any bytes as a CPU list of sysfs: the answer is an error, or ascending numbers within the bound.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/node/cpu_list.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto cpus = flowtap::parse_cpu_list({reinterpret_cast<const char*>(data), size});
  if (!cpus) return 0;
  if (!std::ranges::is_sorted(*cpus) || std::ranges::adjacent_find(*cpus) != cpus->end()) std::abort();
  if (!cpus->empty() && cpus->back() > 65535) std::abort();
  return 0;
}
