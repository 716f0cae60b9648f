// What the tests of runtime files share: lines that own their text, and what runtimes wrote.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "stream/repair/runtime_files/runtime_lines.hpp"
#include "tests/support/golden.hpp"

namespace flowtap::flow {

/// A RuntimeLine that owns its text.
struct Kept {
  std::uint64_t time = 0;
  std::string output;
  bool full = false;
  std::string text;

  bool operator==(const Kept&) const = default;
};

inline Kept kept(const RuntimeLine& line) {
  return {line.time, std::string(line.output), line.full, std::string(line.text)};
}

inline std::ostream& operator<<(std::ostream& out, const Kept& line) {
  return out << line.time << ' ' << line.output << (line.full ? " F " : " P ") << line.text.substr(0, 80);
}

inline std::string golden_runtime_file(const std::string& name) {
  return flowtap::test::golden("runtime_files/" + name);
}

inline std::vector<Kept> lines_in(RuntimeFormat format, std::string_view bytes) {
  std::vector<Kept> out;
  RuntimeLines lines(format);
  lines.add(bytes, [&out](const RuntimeLine& line) { out.push_back(kept(line)); });
  lines.finish();
  return out;
}

}  // namespace flowtap::flow
