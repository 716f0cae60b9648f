#include "stream/main_log/written_tail.hpp"

#include <algorithm>

namespace flowtap {

std::size_t written_before(std::string_view tail, std::string_view again) {
  while (true) {
    if (again.starts_with(tail)) return tail.size();
    const std::size_t newline = tail.find('\n');
    if (newline == std::string_view::npos) return 0;
    tail.remove_prefix(newline + 1);
  }
}

std::optional<std::size_t> written_up_to(std::string_view tail, std::string_view text) {
  // As much as lines that are alike may take.
  constexpr std::size_t kEnd = 4096;
  if (tail.size() > kEnd) {
    tail.remove_prefix(tail.size() - kEnd);
    tail.remove_prefix(std::min(tail.find('\n'), tail.size() - 1) + 1);
  }
  // The text may begin amid the tail, and the file may lack a line of it. A few bytes, such as a "}", do not tell where they
  // stood.
  constexpr std::size_t kTelling = 64;
  for (bool whole = true; tail.contains('\n'); whole = false) {
    if (text.starts_with(tail) || whole || tail.size() >= kTelling) {
      std::size_t at = text.rfind(tail);
      while (at != std::string_view::npos && at > 0 && text[at - 1] != '\n') at = text.rfind(tail, at - 1);
      if (at != std::string_view::npos) return at + tail.size();
    }
    tail.remove_prefix(tail.find('\n') + 1);
  }
  return std::nullopt;
}

}  // namespace flowtap
