// What the tests of the history share: lines that own their text, and what runtimes wrote.
#pragma once

#include <cstdint>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "stream/repair/runtime_files/runtime_lines.hpp"
#include "tests/support/paths/paths.hpp"

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

/// Throws if there is no such file, since a test proves nothing without it.
inline std::string golden_history(const std::string& name) {
  const std::ifstream in(paths::golden() + "/history/" + name, std::ios::binary);
  if (!in) throw std::runtime_error("no golden file " + name);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::vector<Kept> lines_in(RuntimeFormat format, std::string_view bytes) {
  std::vector<Kept> out;
  RuntimeLines lines(format);
  lines.add(bytes, [&out](const RuntimeLine& line) { out.push_back(kept(line)); });
  lines.finish();
  return out;
}

}  // namespace flowtap::flow
