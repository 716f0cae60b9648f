#include "doubled_backslashes.hpp"

#include <algorithm>
#include <cstddef>

#include "base/ascii.hpp"

namespace flowtap::cli {
namespace {

constexpr char kBackslash = '\\';

// A text that ends with a backslash has two before its last quote, and nothing goes on behind that.
bool are_backslashes_doubled(std::string_view line) {
  bool found = false;
  for (std::size_t at = line.find(kBackslash); at != std::string_view::npos; at = line.find(kBackslash, at)) {
    const std::size_t end = std::min(line.find_first_not_of(kBackslash, at), line.size());
    const std::string_view behind = line.substr(end);
    if (behind.starts_with('"') && (end - at) % 2 == 1) return false;
    found = found || (behind.starts_with('"') && behind.size() > 1 && is_alphanumeric(behind[1]));
    at = end;
  }
  return found;
}

}  // namespace

std::string_view without_doubled_backslashes(std::string_view line, std::string& buffer) {
  if (!line.contains('\t') || !line.contains(R"(\\")") || !are_backslashes_doubled(line)) return line;
  buffer.clear();
  for (std::size_t at = 0; at < line.size(); ++at) {
    buffer += line[at];
    if (line.substr(at, 2) == R"(\\)") ++at;
  }
  return buffer;
}

}  // namespace flowtap::cli
