#include "diagnosis/reasons.hpp"

#include <algorithm>
#include <map>

namespace flowtap::diagnosis {
namespace {

constexpr std::string_view kBetween = ", ";

std::string_view skip_digits(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of("0123456789"), text.size()));
}

// "2/8 CardInsufficientMemory"
bool is_counted(std::string_view part) {
  const std::string_view slash = skip_digits(part);
  if (slash.size() == part.size() || !slash.starts_with('/')) return false;
  const std::string_view space = skip_digits(slash.substr(1));
  return space.size() + 1 < slash.size() && space.size() > 1 && space.starts_with(' ') &&
         space.find_first_of(" ,", 1) == std::string_view::npos;
}

template <typename Part>
std::string joined(const std::vector<Part>& parts) {
  std::string out;
  for (const Part& part : parts) {
    if (!out.empty()) out += kBetween;
    out += part;
  }
  return out;
}

}  // namespace

std::string sorted_reason(std::string_view reason) {
  if (reason.starts_with("node:"))
    if (const auto at = reason.find(" resaon:"); at != std::string_view::npos) reason.remove_prefix(at + 8);
  std::vector<std::string_view> parts;
  for (std::string_view rest = reason;;) {
    const std::size_t end = rest.find(kBetween);
    parts.push_back(rest.substr(0, end));
    if (!is_counted(parts.back())) return std::string(reason);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + kBetween.size());
  }
  std::ranges::sort(parts);
  return joined(parts);
}

std::string with_reason(std::string_view list, std::string_view reason) {
  std::vector<std::string_view> parts{reason};
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(kBetween), list.size());
    if (list.substr(0, end) != reason) parts.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + kBetween.size(), list.size()));
  }
  std::ranges::sort(parts);
  return joined(parts);
}

std::string counted_reasons(const std::vector<std::string_view>& reasons, std::size_t cards) {
  std::map<std::string_view, std::size_t> counts;
  for (const std::string_view reason : reasons) ++counts[reason];
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) {
    const std::string ratio = cards == 0 ? "" : std::to_string(count) + '/' + std::to_string(cards) + ' ';
    parts.push_back(ratio + std::string(reason));
  }
  std::ranges::sort(parts);
  return joined(parts);
}

}  // namespace flowtap::diagnosis
