// Any bytes as configuration: an answer comes in bounded time, an error is one line with a place, and what was read can be
// written and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/printable.hpp"
#include "daemon/config/config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = flowtap::parse_config(text, "fuzz");
  if (!config) {
    const auto& what = config.error().what;
    if (!what.starts_with("fuzz:") || flowtap::printable(what) != what) std::abort();
    return 0;
  }
  const auto again = flowtap::parse_config(flowtap::render_config(*config), "again");
  if (!again || *again != *config) std::abort();
  return 0;
}
