// Any bytes as a line of the file in which ends outlive flowtapd: what is read can be written, and is then read back as the
// same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "telemetry/workloads/end_record.hpp"

using namespace flowtap::telemetry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = parse_end_line({reinterpret_cast<const char*>(data), size});
  if (!read) return 0;
  std::string line = to_line(*read);
  // Written anew a value may be longer, by up to three times.
  if (line.empty()) return 0;
  line.pop_back();
  const auto again = parse_end_line(line);
  if (!again || *again != *read) std::abort();
  return 0;
}
