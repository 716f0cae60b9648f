// The base file: what is accepted is exactly what was written.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "stats/backends/spectatord_base.hpp"

using namespace flowtap::stats;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto values = parse_base(text); values && parse_base(format_base(*values)).value() != *values)
    std::abort();
  return 0;
}
