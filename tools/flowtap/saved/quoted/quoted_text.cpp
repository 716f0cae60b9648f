#include "quoted_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "base/utf8.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "tools/flowtap/saved/unwrap/enclosed_record.hpp"
#include "tools/flowtap/saved/unwrap/wrapped/unfinished.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kMostHeader = 300;
constexpr std::size_t kLongestParagraph = std::size_t{64} << 10U;
constexpr std::string_view kAroundLine = " \t\r";
constexpr std::string_view kReply = ">";  // before the lines of a mail that is answered

// What closes a quotation that the text before a record opens. Empty: nothing opens one.
std::string_view closer_behind(std::string_view before) {
  using Around = std::pair<std::string_view, std::string_view>;
  constexpr std::array kAround = {
      Around{"`", "`"},
      Around{"'", "'"},
      Around{"(", ")"},
      Around{"[", "]"},
      Around{"\xe2\x80\x9c", "\xe2\x80\x9d"},  // English
      Around{"\xe2\x80\x98", "\xe2\x80\x99"},
      Around{"\xe2\x80\x9e", "\xe2\x80\x9c"},  // German
      Around{"\xc2\xab", "\xc2\xbb"},          // French
  };
  const auto* const found =
      std::ranges::find_if(kAround, [before](const Around& one) { return before.ends_with(one.first); });
  return found != kAround.end() ? found->second : std::string_view();
}

// Of a record whose own quotes are as klog writes them; 0: none begins there.
std::size_t length_of_header(std::string_view text) {
  const std::string_view near = text.substr(0, kMostHeader);
  if (flow::klog_form(near) != flow::KlogForm::kText) return 0;
  const flow::KlogRecord record = flow::parse_klog_record(flow::KlogForm::kText, near);
  if (!record.source.contains(':')) return 0;
  const auto length = static_cast<std::size_t>(record.body.data() - near.data());
  const std::string_view body = text.substr(length);
  return body.starts_with('\\') || body.starts_with(R"("")") ? 0 : length;
}

// As klog writes it in JSON.
bool is_object(std::string_view text) {
  constexpr std::string_view kBegins = R"({"ts":)";
  return text.starts_with(kBegins) && text.size() > kBegins.size() && is_digit(text[kBegins.size()]);
}

bool begins_record(std::string_view text, std::size_t at) {
  if (is_object(text.substr(at))) return true;
  return (at == 0 || !is_alphanumeric(text[at - 1])) && length_of_header(text.substr(at)) > 0;
}

// npos: none begins at `from` or behind it.
std::size_t place_of_record(std::string_view text, std::size_t from) {
  constexpr std::string_view kFirst = "IWEF{";
  std::size_t at = text.find_first_of(kFirst, from);
  while (at != std::string_view::npos && !begins_record(text, at)) at = text.find_first_of(kFirst, at + 1);
  return at;
}

/// The lines of a paragraph in one.
struct Joined {
  std::string text;
  std::vector<std::size_t> breaks;  // where a line ended
};

// A terminal breaks lines where they are full, within a word, and keeps a blank that stands there. A mail breaks them between words.
Joined joined(const std::vector<std::string>& lines) {
  Joined out;
  const auto own = [reply = std::ranges::all_of(lines, [](const std::string& line) {
                      return line.starts_with(kReply);
                    })](const std::string& line) {
    std::string_view text = trimmed(line, "\r");
    if (!reply) return text;
    text.remove_prefix(kReply.size());
    return text.substr(text.starts_with(' ') ? 1 : 0);
  };
  const auto width_of = [&own](const std::string& line) { return utf8_length(own(line)); };
  const std::size_t widest = width_of(*std::ranges::max_element(lines, {}, width_of));
  const auto is_full = [&](const std::string& line) { return width_of(line) == widest; };
  const auto full = static_cast<std::size_t>(std::ranges::count_if(lines, is_full));
  const bool at_width = full > 1 && 2 * full >= lines.size();
  bool goes_on = false;  // in the next line, within a word
  for (const std::string& line : lines) {
    const std::string_view text = own(line);
    if (!out.text.empty()) {
      out.breaks.push_back(out.text.size());
      if (!goes_on && !out.text.ends_with(' ')) out.text += ' ';
    }
    out.text += goes_on ? text : text.substr(std::min(text.find_first_not_of(kAroundLine), text.size()));
    goes_on = at_width && is_full(line);
  }
  return out;
}

// Where the quotation is closed, the next record begins, or a line ends with a whole pair behind which there is no other one.
std::size_t end_of_record(const Joined& all, std::size_t from, std::string_view closer) {
  const std::string_view text = all.text;
  auto next_break = std::ranges::lower_bound(all.breaks, from);
  bool in_value = false;
  std::size_t nested = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (begins_record(text, at)) return at;  // somebody may have left out the end of the value before it
    if (next_break != all.breaks.end() && at >= *next_break) {
      ++next_break;
      if (!in_value && closer.empty() && !begins_pair(rest)) return at;
    }
    if (text[at] == '"') {
      in_value = !in_value;
    } else if (in_value) {
      at += text[at] == '\\' ? 1 : 0;
    } else if ((closer == ")" && text[at] == '(') || (closer == "]" && text[at] == '[')) {
      ++nested;
    } else if (!closer.empty() && rest.starts_with(closer)) {
      const bool is_word = rest.size() > closer.size() && is_alphanumeric(rest[closer.size()]);
      if (!is_word && nested == 0) return at;  // "node(s)" and "didn't" go on
      nested -= nested > 0 ? 1 : 0;
    }
  }
  return text.size();
}

}  // namespace

bool quotes_verdict(std::string_view line) {
  return line.contains(" schedule_one.go:") && place_of_record(line, 0) != std::string_view::npos;
}

void QuotedText::add(std::string_view line, const Take& take) {
  const std::string_view shown = trimmed(line, kAroundLine);
  // Another program's object tells what that has seen.
  const bool is_programs = shown.starts_with(R"({")") && shown.ends_with('}');
  if (shown.empty() || shown == kReply || is_programs || bytes_ + line.size() > kLongestParagraph)
    finish(take);
  if (is_programs || shown.empty() || line.size() > kLongestParagraph) return take(line);
  lines_.emplace_back(line);
  bytes_ += line.size();
}

void QuotedText::finish(const Take& take) {
  const std::vector<std::string> lines = std::exchange(lines_, {});
  bytes_ = 0;
  if (lines.empty()) return;
  const Joined all = joined(lines);
  std::size_t begin = place_of_record(all.text, 0);
  if (begin == std::string_view::npos)
    for (const std::string& line : lines) take(line);
  while (begin != std::string_view::npos) {
    const std::string_view text = all.text;
    const std::size_t from = begin + length_of_header(text.substr(begin));
    const std::size_t end = is_object(text.substr(begin))
                                ? std::min(end_of_object(text, begin), text.size())
                                : end_of_record(all, from, closer_behind(text.substr(0, begin)));
    take(text.substr(begin, end - begin));
    begin = place_of_record(all.text, end);
  }
}

}  // namespace flowtap::cli
