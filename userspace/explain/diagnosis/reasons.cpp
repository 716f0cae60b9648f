#include "explain/diagnosis/reasons.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace flowtap::diagnosis {
namespace {

std::string_view skip_digits(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of("0123456789"), text.size()));
}

// The text behind "2/8"; nothing if the text does not begin so.
std::string_view behind_ratio(std::string_view text) {
  const std::string_view slash = skip_digits(text);
  if (slash.size() == text.size() || !slash.starts_with('/')) return {};
  const std::string_view behind = skip_digits(slash.substr(1));
  return behind.size() + 1 < slash.size() ? behind : std::string_view{};
}

// "2/8 CardInsufficientMemory"
bool is_counted(std::string_view part) {
  const std::string_view space = behind_ratio(part);
  return space.size() > 1 && space.starts_with(' ') && space.find_first_of(" ,", 1) == std::string_view::npos;
}

template <typename Part>
std::string joined(const std::vector<Part>& parts) {
  std::string out;
  for (const Part& part : parts) {
    if (!out.empty()) out += kBetweenReasons;
    out += part;
  }
  return out;
}

}  // namespace

std::string_view without_counts(std::string_view reason) {
  for (;;) {
    std::string_view behind = behind_ratio(reason);
    if (behind.empty()) behind = skip_digits(reason);
    if (behind.size() == reason.size() || !behind.starts_with(' ')) return reason;
    reason = behind.substr(1);
  }
}

std::size_t cards_in(std::string_view reason) {
  std::size_t cards = 0;
  if (without_counts(reason).size() < reason.size())
    std::from_chars(reason.data(), reason.data() + reason.size(), cards);
  return cards;
}

std::string sorted_reason(std::string_view reason) {
  if (reason.starts_with("node:"))
    if (const auto at = reason.find(" resaon:"); at != std::string_view::npos) reason.remove_prefix(at + 8);
  std::vector<std::string_view> parts;
  bool counted = !reason.ends_with(kBetweenReasons);
  each_reason(reason, [&](std::string_view part) {
    counted = counted && is_counted(part);
    if (counted) parts.push_back(part);
  });
  if (!counted) return std::string(reason);
  std::ranges::sort(parts);
  return joined(parts);
}

std::string with_reason(std::string_view list, std::string_view reason) {
  std::vector<std::string_view> parts{reason};
  each_reason(list, [&](std::string_view part) {
    if (part != reason) parts.push_back(part);
  });
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
