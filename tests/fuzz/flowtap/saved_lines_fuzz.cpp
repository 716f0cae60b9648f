// Any bytes as a saved file: whatever stands around the lines, no more comes out than a collector's objects have, and pieces of
// any size give the same. Of a text that quotes records no more comes out than it has, and a blank for each line's end.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/require.hpp"
#include "tools/flowtap/saved/quoted/headerless_message.hpp"
#include "tools/flowtap/saved/quoted/quoted_text.hpp"
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

std::size_t bytes_quoted(std::string_view bytes) {
  std::size_t out = 0;
  flowtap::cli::QuotedText quoted;
  const flowtap::cli::QuotedText::Take take = [&out](std::string_view line) {
    out += line.size();
    if (const auto record = flowtap::cli::record_of_message(line)) require(record->time != 0);
  };
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    quoted.add(bytes.substr(0, end), take);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  quoted.finish(take);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = given(bytes, size + 1);
  require(whole == given(bytes, 7));
  require(bytes_quoted(bytes) <= size);
  return 0;
}
