#include "close_fields.hpp"

#include <cstddef>

#include "base/ascii.hpp"
#include "field_name.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "value_margin.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kFarthestName = 300;  // bytes before a record

bool begins_whole_record(std::string_view text) {
  const auto form = flow::klog_form(text.substr(0, kFarthestName));
  return form == flow::KlogForm::kText &&
         flow::parse_klog_record(*form, text.substr(0, kFarthestName)).source.contains(':');
}

// npos: none is set right behind a field's name, or what is there is a value's own text.
std::size_t place_of_record_behind_name(std::string_view line) {
  const std::string_view near = line.substr(0, kFarthestName);
  for (std::size_t at = near.find_first_of("IWEF"); at != std::string_view::npos;
       at = near.find_first_of("IWEF", at + 1)) {
    const std::string_view before = line.substr(0, at);
    if (before.contains('"')) break;
    if (!begins_whole_record(line.substr(at))) continue;
    const bool is_close = at > 0 && is_alphanumeric(line[at - 1]);
    return is_close && place_of_field_of_lines(before) != std::string_view::npos ? at
                                                                                 : std::string_view::npos;
  }
  return std::string_view::npos;
}

// klog sets a blank behind each value; npos: nothing else is in the record.
std::size_t place_right_behind_quote(std::string_view record) {
  bool in_string = false;
  for (std::size_t at = 0; at < record.size(); ++at) {
    if (record[at] == '"')
      in_string = !in_string;
    else if (record[at] == '\\' && in_string)
      ++at;
    else if (!in_string && at > 0 && record[at - 1] == '"' && is_alphanumeric(record[at]))
      return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view CloseFields::undo(std::string_view line) {
  const std::size_t at = place_of_record_behind_name(line);
  if (at == std::string_view::npos) {
    const bool ends = !behind_.empty() && line.starts_with(kValueEnds) && line.ends_with(behind_);
    return line.substr(0, line.size() - (ends ? behind_.size() : 0));
  }
  std::string_view record = line.substr(at);
  if (const std::size_t end = place_right_behind_quote(record); end != std::string_view::npos)
    behind_ = record.substr(end);
  if (!behind_.empty() && record.ends_with(behind_)) record.remove_suffix(behind_.size());
  undone_.assign(line.substr(0, place_of_field_of_lines(line.substr(0, at))));
  return undone_.append(1, ' ').append(record);
}

}  // namespace flowtap::cli
