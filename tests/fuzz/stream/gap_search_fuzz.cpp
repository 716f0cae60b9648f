// Gaps between captured bytes are looked for in what a runtime has kept: what is found exactly is as long as what is missing, and
// stands in the text. Pairs of bytes in the first eighth say where the next gap is and how long it is. The lowest bit of the
// first byte says that the runtime has kept something else.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stream/repair/runtime_files/gap_search.hpp"
#include "tests/fuzz/require.hpp"

using namespace flowtap::flow;
using flowtap::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  const std::size_t says = size / 8 / 2 * 2;
  std::string text(reinterpret_cast<const char*>(data) + says, size - says);
  std::string captured;
  std::vector<GapPlace> gaps;
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < says; i += 2) {
    const std::size_t from = at + data[i];
    const std::size_t length = 1 + data[i + 1] * 4U;
    if (from + length > text.size()) break;
    captured.append(text, at, from - at);
    gaps.push_back({captured.size(), length});
    at = from + length;
  }
  captured.append(text, at);
  if ((data[0] & 1U) != 0) text.erase(text.size() / 3, text.size() / 7);
  for (const auto format : {RuntimeFormat::kCri, RuntimeFormat::kJsonFile, RuntimeFormat::kK8sFile})
    for (const bool ended : {false, true}) {
      const auto found = find_gaps({captured, gaps, text, format, ended});
      require(found.size() == gaps.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i] || found[i]->approximate) continue;
        require(found[i]->bytes.size() == gaps[i].length);
        if (format == RuntimeFormat::kK8sFile) require(text.find(found[i]->bytes) != std::string::npos);
      }
    }
  return 0;
}
