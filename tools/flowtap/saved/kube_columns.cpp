#include "kube_columns.hpp"

#include <algorithm>
#include <cstddef>

#include "base/ascii.hpp"
#include "stream/lines/flow_key.hpp"

namespace flowtap::cli {
namespace {

// "48s", "3m20s", "2y35d", and words in brackets for times that are missing or in the future.
bool is_age(std::string_view word) {
  if (word == "<unknown>" || word == "<invalid>") return true;
  if (word.empty()) return false;
  while (!word.empty()) {
    const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(word, is_digit) - word.begin());
    if (digits == 0 || digits == word.size() || !std::string_view("smhdy").contains(word[digits]))
      return false;
    word.remove_prefix(digits + 1);
  }
  return true;
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
  if (!is_age(word())) return false;
  if (!rest_.starts_with("(x")) return true;
  word();
  return word() == "over" && word().ends_with(')');
}

void KubeColumns::take_source() {
  if (word().ends_with(',')) word();
}

void KubeColumns::take_subobject() {
  KubeColumns behind = *this;
  const std::string_view first = behind.word();
  if (first.starts_with("spec.") && first.contains('{')) *this = behind;
}

bool KubeColumns::take_end(std::string_view name_begins) {
  KubeColumns before = *this;
  const std::string_view name = before.last_word();
  const std::string_view count = before.last_word();
  if (!flow::is_dns_subdomain(name) || !name.starts_with(name_begins)) return false;
  if (count.empty() || !std::ranges::all_of(count, is_digit) || !is_age(before.last_word())) return false;
  *this = before;
  return true;
}

bool KubeColumns::begins_with(std::initializer_list<std::string_view> words) const {
  KubeColumns columns = *this;
  return std::ranges::all_of(words, [&](std::string_view expected) { return columns.word() == expected; });
}

}  // namespace flowtap::cli
