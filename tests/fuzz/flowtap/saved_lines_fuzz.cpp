// Any bytes as a saved file: whatever stands around the lines, no more comes out than a collector's objects have, and pieces of
// any size give the same.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/require.hpp"
#include "tools/flowtap/saved/unwrap/saved_lines.hpp"

using flowtap::fuzz::require;

namespace {

std::string given(std::string_view bytes, std::size_t piece) {
  std::string out;
  flowtap::cli::SavedLines lines([&out](const flowtap::cli::SavedLine& line) {
    out.append(line.source).append(1, '|').append(line.text).append(line.full ? "\n" : "~");
    out += std::to_string(static_cast<int>(line.kind)) + std::to_string(line.time);
  });
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
    lines.add(bytes.substr(0, piece), 0);
  lines.finish();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = given(bytes, size + 1);
  require(whole == given(bytes, 7));
  return 0;
}
