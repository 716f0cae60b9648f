// What a runtime has kept is divided where what was captured begins. What is given is a beginning of the kept lines. If the
// captured bytes were found, they stand right behind it, or as many of them as the runtime has got. The first byte says how the
// lines are made. The next two say which part of the text was captured, or, by the lowest bit, that something else was.
#include <cstdint>
#include <string>
#include <string_view>

#include "stream/repair/runtime_files/seam.hpp"
#include "tests/fuzz/require.hpp"

using namespace flowtap::flow;
using flowtap::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const unsigned how = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::size_t from = data[1] * text.size() / 256;
  const std::size_t length = 1 + data[2] * text.size() / 512;
  const auto format = static_cast<RuntimeFormat>(how % 3);
  const bool is_other = (how & 4U) != 0;
  const std::uint64_t second = 1'000'000'000;
  SeamKey key{std::string(is_other ? text.substr(0, length) : text.substr(from, length)),
              (1 + how / 8) * second};
  if (is_other)
    for (char& c : key.bytes) c = static_cast<char>(c ^ 1);
  Seam seam(key, format);
  std::string given;
  const auto take = [&given](const RuntimeLine& line) {
    given += line.text;
    if (line.full) given += '\n';
  };
  std::string all;
  std::uint64_t time = 0;
  for (std::string_view rest = text; !rest.empty();) {
    // These are parts of lines, as from a runtime with a small buffer.
    const std::size_t newline = rest.substr(0, 64).find('\n');
    const bool full = newline != std::string_view::npos;
    const std::string_view line = rest.substr(0, full ? newline : 64);
    rest.remove_prefix(line.size() + (full ? 1 : 0));
    all.append(line).append(full ? "\n" : "");
    seam.add(RuntimeLine{++time * second / 2, "stdout", full, line}, take);
  }
  seam.finish(take);
  require(seam.passed());
  require(all.starts_with(given));
  if (seam.found() && format == RuntimeFormat::kK8sFile) {
    // The runtime may not have come so far yet.
    const std::string_view behind = std::string_view(all).substr(given.size());
    require(behind.starts_with(key.bytes) || key.bytes.starts_with(behind));
  }
  return 0;
}
