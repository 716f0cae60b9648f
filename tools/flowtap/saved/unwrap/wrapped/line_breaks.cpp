#include "line_breaks.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "base/utf8.hpp"
#include "unfinished.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kEdges = " \t\r";
// Blanks at the end of a terminal's line may be lost. klog has no more side by side.
constexpr std::size_t kMostBlanks = 8;

// "1 node(s) had taints," and "2 Insufficient cpu": a terminal keeps the blank between them.
bool are_counts(std::string_view text, std::string_view next) {
  return text.ends_with(',') && !next.empty() && is_digit(next.front());
}

bool ends_pair(std::string_view text) {
  const auto found = long_text(text);
  return found && found->ending == Ending::kWhole;
}

// A word was divided: "web-7f9c-" and "abcde".
bool ends_in_word(std::string_view text) {
  return text.size() > 1 && text.back() == '-' && is_alphanumeric(text[text.size() - 2]);
}

void add_words(std::string& text, std::string_view next) {
  text.resize(std::min(text.find_last_not_of(kEdges), text.size()) + 1);
  next.remove_prefix(std::min(next.find_first_not_of(kEdges), next.size()));
  // YAML marks its own breaks, and the blanks beside them.
  const bool marked = text.ends_with('\\') && !text.ends_with(R"(\\)");
  if (marked) text.pop_back();
  if (marked && next.starts_with('\\')) next.remove_prefix(1);
  if (!marked && !ends_in_word(text)) text += ' ';
  text += next;
}

}  // namespace

std::string_view own_text(const BrokenLine& line, std::string_view part) {
  // "  12 | " before the first part, "     | " before the others.
  std::string twin = line.before;
  std::ranges::replace_if(twin, is_alphanumeric, ' ');
  return part.substr(part.starts_with(twin) ? twin.size() : 0);
}

void LineBreaks::note(const BrokenLine& line) {
  for (std::size_t i = 0; i + 1 < line.parts.size(); ++i) {
    const std::string_view part = line.parts[i];
    const std::string_view next = own_text(line, line.parts[i + 1]);
    count(utf8_length(part));
    const bool indented = next.starts_with("  ") && !part.starts_with("  ");
    by_words_ = by_words_ || indented || utf8_length(line.parts[i + 1]) > width_ + 1;
    between_counts_ = are_counts(part, next);
  }
}

void LineBreaks::count(std::size_t width) {
  ++breaks_;
  if (width > width_) {
    narrower_ = width == width_ + 1 ? widest_ : 0;
    widest_ = 0;
    width_ = width;
  }
  widest_ += width == width_ ? 1 : 0;
  narrower_ += width + 1 == width_ ? 1 : 0;
}

// Where words are kept, parts differ by more than a blank that was lost.
bool LineBreaks::at_width() const {
  constexpr std::size_t kTenths = 9;
  if (breaks_ == 1) return !by_words_ && !between_counts_;
  if (by_words_ || 10 * (widest_ + narrower_) < kTenths * breaks_) return false;
  return 2 * widest_ > breaks_ || breaks_ > 2;
}

std::string LineBreaks::joined(const BrokenLine& line, std::size_t& used) const {
  std::string out = line.parts.front();
  used = 1;
  for (; used < line.parts.size(); ++used) {
    const std::size_t width = utf8_length(line.parts[used - 1]);
    if (!line.whole && (!at_width() || width != width_)) break;
    const std::string_view next = own_text(line, line.parts[used]);
    if (!at_width() || (!next.starts_with(' ') && begins_pair(next) && ends_pair(out))) {
      add_words(out, next);
      continue;
    }
    const std::size_t lost = width_ - std::min(width, width_);
    out.append(lost > kMostBlanks ? 1 : lost, ' ').append(next);
  }
  return out;
}

}  // namespace flowtap::cli
