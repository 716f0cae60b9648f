// Any bytes as how containers ended: what is read can be written, and is then read back as the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/json/exits_json.hpp"

using namespace flowtap::api;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = exits_from_json({reinterpret_cast<const char*>(data), size});
  if (!read) return 0;
  const std::string written = exits_to_json(*read);
  const auto again = exits_from_json(written);
  if (!again || exits_to_json(*again) != written) std::abort();
  return 0;
}
