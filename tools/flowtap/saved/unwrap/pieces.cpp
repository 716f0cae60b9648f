#include "pieces.hpp"

#include <algorithm>
#include <cstddef>

#include "enclosed_record.hpp"
#include "plain_text.hpp"
#include "stream/lines/klog/klog_pairs.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kPrefixed = 400;  // bytes of a string within which its record begins

// Its escapes are still there.
bool is_line_of_a_log(std::string_view string) {
  return is_of_block_in_quotes(string) || find_record(string.substr(0, kPrefixed)).has_value();
}

// The place behind the last string in the second half that one of these follows; npos: there is none.
std::size_t behind_string(std::string_view line, std::string_view followed_by) {
  for (std::size_t at = line.rfind('"'); at != std::string_view::npos && 2 * at > line.size();
       at = line.rfind('"', at - 1)) {
    if (at + 1 == line.size() || !followed_by.contains(line[at + 1])) continue;
    // A quote behind these begins a string.
    if (std::string_view(":,[{\\").contains(line[at - 1])) continue;
    return std::min(line.find_first_not_of("]}", at + 1), line.size());
  }
  return std::string_view::npos;
}

// The place behind the last newline in the second half that stands in a string as an escape; npos: there is none.
std::size_t behind_newline(std::string_view line) {
  for (std::size_t at = line.rfind(R"(\n)"); at != std::string_view::npos && 2 * at > line.size();
       at = line.rfind(R"(\n)", at - 1))
    if (line[at - 1] != '\\') return at + 2;
  return std::string_view::npos;
}

}  // namespace

std::size_t dividing_place(std::string_view line) {
  std::size_t place = behind_string(line, "]}");
  if (place == std::string_view::npos) place = behind_string(line, ",");
  if (place == std::string_view::npos) place = behind_newline(line);
  return std::min(place, line.size());
}

std::vector<std::string_view> pieces_of(std::string_view line) {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  // The quotes of a row of CSV are not those of the object in it.
  if (has_object_in_field(line)) return {line};
  if (const auto record = find_record(line); !record || record->quoting != Quoting::kEscaped) return {line};
  for (std::size_t quote = line.find('"'); quote != std::string_view::npos; quote = line.find('"', quote)) {
    const std::size_t end = flow::end_of_quoted(line, quote + 1);
    if (end == std::string_view::npos) break;
    const bool is_line = is_line_of_a_log(line.substr(quote + 1, end - quote - 2));
    quote = std::min(line.find_first_not_of("]}, \n", end), line.size());
    if (!is_line) continue;
    pieces.push_back(line.substr(begin, quote - begin));
    begin = quote;
  }
  if (begin < line.size() || pieces.empty()) pieces.push_back(line.substr(begin));
  return pieces;
}

}  // namespace flowtap::cli
