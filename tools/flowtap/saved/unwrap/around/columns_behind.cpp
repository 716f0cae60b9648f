#include "columns_behind.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "tools/flowtap/saved/kube_margin.hpp"
#include "value_margin.hpp"

namespace flowtap::cli {
namespace {

// What ends the tag that the text ends with: "</td>" of "<td class="x">". Empty: it ends with none.
std::string closing_tag(std::string_view text) {
  constexpr std::size_t kLongest = 1024;  // bytes of a tag
  text = trimmed(text.substr(text.size() - std::min(text.size(), kLongest)));
  if (!text.ends_with('>')) return {};
  const std::size_t open = text.rfind('<');
  if (open == std::string_view::npos) return {};
  const std::string_view tag = text.substr(open + 1);
  const std::string_view name(tag.begin(), std::ranges::find_if_not(tag, is_alphanumeric));
  return name.empty() || is_digit(name.front()) ? std::string()
                                                : std::string("</").append(name).append(1, '>');
}

// XML, OpenTelemetry's debug output and Markdown set something around a text, behind which a line may go on.
std::string_view without_closer(std::string_view record, std::string_view before) {
  using Around = std::pair<std::string_view, std::string_view>;
  constexpr std::array kAround = {Around{"<![CDATA[", "]]>"}, Around{"Str(", ")"}, Around{"`", "`"}};
  for (const auto& [opens, closes] : kAround) {
    if (!before.ends_with(opens)) continue;
    const std::size_t at = record.rfind(closes);
    if (at == std::string_view::npos) return record;
    const std::string_view behind = trimmed(record.substr(at + closes.size()), " |\t\r");
    return behind.empty() || behind.starts_with("</") ? record.substr(0, at) : record;
  }
  return record;
}

// cat -A shows where a line ends.
std::string_view without_end_sign(std::string_view record) {
  const bool has_sign =
      record.size() > 1 && record.ends_with('$') && is_alphanumeric(record[record.size() - 2]);
  return record.substr(0, record.size() - (has_sign ? 1 : 0));
}

std::string_view without_line_break(std::string_view text) {
  constexpr std::array<std::string_view, 3> kBreaks = {"<br>", "<br/>", "<br />"};
  for (const std::string_view one : kBreaks)
    if (const std::string_view shown = trimmed(text, " \r"); shown.ends_with(one))
      return shown.substr(0, shown.size() - one.size());
  return text;
}

}  // namespace

// klog writes a tab as an escape, but where a value of several lines begins.
std::string_view without_columns_behind(std::string_view record, std::string_view before) {
  record = without_end_sign(without_closer(record, before));
  const std::string tag = closing_tag(before);
  if (!tag.empty() || record.contains('\t')) {
    bool in_string = false;
    for (std::size_t at = 0; at < record.size() && record[at] != '\n'; ++at) {
      const std::string_view text = record.substr(0, at);
      if (record[at] == '"')
        in_string = !in_string;
      else if (record[at] == '\\' && in_string)
        ++at;
      else if (!in_string && ((record[at] == '\t' && !text.ends_with(kValueBegins)) ||
                              (!tag.empty() && record.substr(at).starts_with(tag))))
        return text;
    }
  }
  return without_block_end(without_line_break(record));
}

}  // namespace flowtap::cli
