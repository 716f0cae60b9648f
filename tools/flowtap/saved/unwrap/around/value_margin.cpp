#include "value_margin.hpp"

#include <algorithm>
#include <cstddef>

namespace flowtap::cli {
namespace {

constexpr std::string_view kMarginOf = " \t";
constexpr std::size_t kWidest = 8;  // blanks that a tab becomes

// The first line of a value is seldom indented.
std::string_view margin_of(std::string_view line) {
  const std::string_view blanks = line.substr(0, line.find_first_not_of(kMarginOf));
  const std::size_t tab = blanks.find('\t');
  return tab == std::string_view::npos ? blanks.substr(0, kWidest) : blanks.substr(0, tab + 1);
}

}  // namespace

// klog ends a value by one blank. A line of the value may begin with the sign, too, and then the value's margin stands before it.
bool ValueMargin::is_end(std::string_view blanks) const {
  if (!margin_->ends_with('\t')) return margin_->empty() || blanks.size() < margin_->size();
  return blanks.size() == margin_->size() && !blanks.contains('\t');
}

bool ValueMargin::holds(std::string_view line) const {
  if (line.starts_with(kValueEnds) || line.starts_with('\t')) return true;
  if (!margin_) return line.starts_with(' ');
  return !margin_->empty() && line.starts_with(*margin_);
}

std::string_view ValueMargin::undo(std::string_view line) {
  if (line.starts_with(kValueEnds)) return line;
  if (!margin_) margin_ = margin_of(line);
  if (line.starts_with('\t')) return line;
  const std::string_view text = line.substr(std::min(line.find_first_not_of(kMarginOf), line.size()));
  const bool has_sign = text == ">" || text.starts_with("> ");
  if (has_sign && is_end(line.substr(0, line.size() - text.size())))
    buffer_.assign(1, ' ').append(text);
  else
    buffer_.assign(1, '\t').append(line.starts_with(*margin_) ? line.substr(margin_->size()) : text);
  return buffer_;
}

}  // namespace flowtap::cli
