#include "daemon/stream/written_tail.hpp"

namespace flowtap {

std::size_t written_before(std::string_view tail, std::string_view again) {
  while (true) {
    if (again.starts_with(tail)) return tail.size();
    const std::size_t newline = tail.find('\n');
    if (newline == std::string_view::npos) return 0;
    tail.remove_prefix(newline + 1);
  }
}

}  // namespace flowtap
