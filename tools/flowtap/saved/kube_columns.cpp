#include "kube_columns.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

#include "base/ascii.hpp"
#include "stream/lines/flow_key.hpp"

namespace flowtap::cli {
namespace {

std::optional<std::chrono::seconds> unit(char letter) {
  switch (letter) {
    case 's':
      return std::chrono::seconds(1);
    case 'm':
      return std::chrono::minutes(1);
    case 'h':
      return std::chrono::hours(1);
    case 'd':
      return std::chrono::days(1);
    case 'y':
      return std::chrono::days(365);
    default:
      return std::nullopt;
  }
}

// "48s", "3m20s", "2y35d", and words in brackets for times that are missing or in the future: max. Nothing: it is no age.
std::optional<std::chrono::seconds> age_of(std::string_view word) {
  if (word == "<unknown>" || word == "<invalid>") return std::chrono::seconds::max();
  if (word.empty()) return std::nullopt;
  std::chrono::seconds age{0};
  while (!word.empty()) {
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const auto digits = static_cast<std::size_t>(end - word.data());
    if (error != std::errc{} || digits == word.size() || !is_digit(word.front())) return std::nullopt;
    const auto one = unit(word[digits]);
    if (!one) return std::nullopt;
    age += *one * number;
    word.remove_prefix(digits + 1);
  }
  return age;
}

// 1 if it is no number.
std::uint64_t count_of(std::string_view digits) {
  std::uint64_t count = 1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return error == std::errc{} && end == digits.data() + digits.size() && count > 0 ? count : 1;
}

}  // namespace

std::string_view KubeColumns::word() {
  const std::string_view first = rest_.substr(0, rest_.find_first_of(kSpace));
  rest_ = trimmed(rest_.substr(first.size()), kSpace);
  return first;
}

std::string_view KubeColumns::last_word() {
  const std::string_view last = rest_.substr(rest_.find_last_of(kSpace) + 1);
  rest_ = trimmed(rest_.substr(0, rest_.size() - last.size()), kSpace);
  return last;
}

bool KubeColumns::take_age() {
  const auto age = age_of(word());
  if (!age) return false;
  age_ = *age;
  if (!rest_.starts_with("(x")) return true;
  count_ = count_of(word().substr(2));
  return word() == "over" && word().ends_with(')');
}

std::string_view KubeColumns::take_source() {
  std::string_view component = word();
  if (!component.ends_with(',')) return component;
  (void)word();  // the machine
  component.remove_suffix(1);
  return component;
}

void KubeColumns::take_subobject() {
  KubeColumns behind = *this;
  const std::string_view first = behind.word();
  if (first.starts_with("spec.") && first.contains('{')) *this = behind;
}

std::string_view KubeColumns::take(KubeColumn column) {
  switch (column) {
    case KubeColumn::kSource:
      return take_source();
    case KubeColumn::kSubobject:
      take_subobject();
      return {};
    case KubeColumn::kCount:
      count_ = count_of(word());
      return {};
  }
  return {};
}

bool KubeColumns::take_end(std::string_view name_begins) {
  KubeColumns before = *this;
  const std::string_view name = before.last_word();
  const std::string_view count = before.last_word();
  if (!flow::is_dns_subdomain(name) || !name.starts_with(name_begins)) return false;
  if (count.empty() || !std::ranges::all_of(count, is_digit) || !age_of(before.last_word())) return false;
  *this = before;
  count_ = count_of(count);
  return true;
}

// "FIRST SEEN" is one column's name.
KubeColumns::Behind KubeColumns::behind() const {
  Behind out{.count = 0, .at = place()};
  KubeColumns names = *this;
  for (std::string_view name = names.word(); !name.empty(); name = names.word())
    out.count += name == "SEEN" && out.count > 0 ? 0 : 1;
  return out;
}

// A row has its values below the names, unless its message is longer or its spaces are lost. Some columns may be empty.
void KubeColumns::take_behind(const Behind& columns) {
  constexpr std::string_view kBetween = "  ";
  if (columns.count == 0 || rest_.empty()) return;
  const std::size_t width = columns.at - std::min(columns.at, place());
  if (width >= kBetween.size() && width < rest_.size() && rest_.substr(0, width).ends_with(kBetween)) {
    rest_ = trimmed(rest_.substr(0, width), kSpace);
    return;
  }
  std::string_view message = rest_;
  for (std::size_t i = 0; i < columns.count; ++i) {
    const std::size_t behind =
        std::max(message.rfind(kBetween) + 1, message.rfind('\t') + 1);  // npos + 1 is 0
    if (behind == 0) break;
    message = trimmed(message.substr(0, behind - 1), kSpace);
    if (message.ends_with('.')) break;
  }
  KubeColumns words = *this;
  for (std::size_t i = 0; i < columns.count; ++i) (void)words.last_word();
  if (words.rest().ends_with('.'))
    rest_ = words.rest();
  else if (width < rest_.size() || message.ends_with('.'))
    rest_ = message;
}

bool KubeColumns::begins_with(std::initializer_list<std::string_view> words) const {
  KubeColumns columns = *this;
  return std::ranges::all_of(words, [&](std::string_view expected) { return columns.word() == expected; });
}

}  // namespace flowtap::cli
