#include "value_margin.hpp"

#include <algorithm>
#include <cstddef>

namespace flowtap::cli {
namespace {

constexpr std::string_view kMarginOf = " \t";
constexpr std::size_t kWidest = 8;  // blanks that a tab becomes

// The first line of a value is seldom indented.
std::string_view margin_of(std::string_view line) {
  if (line.starts_with('\t')) return line.substr(0, 1);
  const std::string_view blanks = line.substr(0, line.find_first_not_of(kMarginOf));
  const std::size_t tab = blanks.find('\t');
  return tab == std::string_view::npos ? blanks.substr(0, kWidest) : blanks.substr(0, tab + 1);
}

}  // namespace

std::string_view ValueMargin::undo(std::string_view line) {
  constexpr std::string_view kEnd = " >";
  if (line.starts_with(kEnd)) return line;
  if (!margin_) margin_ = margin_of(line);
  const std::string_view text = line.substr(std::min(line.find_first_not_of(kMarginOf), line.size()));
  const std::string_view blanks = line.substr(0, line.size() - text.size());
  const bool ends = text == ">" || text.starts_with("> ");
  // A line of the value may begin with the sign, too.
  if (ends && (margin_->empty() || blanks != *margin_)) {
    buffer_.assign(1, ' ').append(text);
    return buffer_;
  }
  if (*margin_ == "\t" && line.starts_with('\t')) return line;
  buffer_.assign(1, '\t').append(line.starts_with(*margin_) ? line.substr(margin_->size()) : text);
  return buffer_;
}

}  // namespace flowtap::cli
