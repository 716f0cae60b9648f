#include "stream/lines/cri_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "base/rfc3339.hpp"
#include "stream/lines/output_index.hpp"
#include "stream/lines/shown_lines.hpp"

namespace flowtap::flow {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::size_t kFraction = 9;
constexpr std::string_view kMissing = "missing=";
constexpr std::string_view kCause = "cause=";
constexpr std::string_view kApproximate = "approximate";
// Of a gap's sentence.
constexpr std::string_view kGapBegin = "[flowtap: ";
constexpr std::string_view kUpTo = "up to ";
constexpr std::string_view kOfBoth = " of stdout and stderr";
constexpr std::string_view kRecords = "records may be missing here: ";
constexpr std::string_view kUncounted = "bytes may be missing here";

std::string_view cut(std::string_view& text, char until) {
  const std::size_t at = text.find(until);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

std::optional<std::uint64_t> missing_of(std::string_view tags) {
  while (!tags.empty()) {
    std::string_view tag = cut(tags, ':');
    if (!tag.starts_with(kMissing)) continue;
    tag.remove_prefix(kMissing.size());
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(tag.data(), tag.data() + tag.size(), bytes);
    if (error == std::errc{} && end == tag.data() + tag.size()) return bytes;
  }
  return std::nullopt;
}

MissingCause cause_of(std::string_view tags) {
  while (!tags.empty())
    if (const std::string_view tag = cut(tags, ':'); tag.starts_with(kCause))
      return missing_cause(tag.substr(kCause.size()));
  return MissingCause::kUnknown;
}

constexpr std::size_t kToSeconds = std::string_view("2006-01-02T15:04:05").size();
constexpr std::size_t kTime = kToSeconds + 1 + kFraction + 1;

/// The last one that a thread has read.
struct Second {
  std::array<char, kToSeconds> text{};
  std::uint64_t ns = 0;  ///< 0: none yet
};
constinit thread_local Second known;

// Times in one log are close to each other, and so is their text: mostly only the fraction is new.
std::optional<std::uint64_t> time_in_known_second(std::string_view text) {
  using Text = std::char_traits<char>;
  if (known.ns == 0 || text.size() != kTime || text[kToSeconds] != '.' || text.back() != 'Z')
    return std::nullopt;
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the size goes with it
  if (Text::compare(text.data(), known.text.data(), kToSeconds) != 0) return std::nullopt;
  std::uint32_t fraction = 0;
  bool is_number = true;
  for (std::size_t i = 0; i < kFraction; ++i) {
    const auto digit = static_cast<unsigned char>(text[kToSeconds + 1 + i] - '0');
    is_number = is_number && digit <= 9;
    fraction = fraction * 10 + digit;
  }
  return is_number ? std::optional(known.ns + fraction) : std::nullopt;
}

std::optional<std::uint64_t> time_of(std::string_view text) {
  if (const auto time = time_in_known_second(text)) return time;
  const auto time = parse_rfc3339(text);
  if (!time) return std::nullopt;
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time->time_since_epoch()).count();
  if (ns < 0) return std::nullopt;
  const auto parsed = static_cast<std::uint64_t>(ns);
  if (text.size() == kTime && text[kToSeconds] == '.' && text.back() == 'Z') {
    std::ranges::copy(text.substr(0, kToSeconds), known.text.begin());
    known.ns = parsed - parsed % kSecond;
  }
  return parsed;
}

// A line as put_cri_line() writes almost all of them: each part has its place, so nothing has to be looked for.
std::optional<CriLine> parse_usual_line(std::string_view line) {
  constexpr std::size_t kOutputAt = kTime + 1;
  constexpr std::size_t kTagAt = kOutputAt + std::string_view("stdout").size() + 1;
  constexpr std::size_t kTextAt = kTagAt + 2;
  if (line.size() < kTextAt || line[kTime] != ' ' || line[kTagAt - 1] != ' ' || line[kTextAt - 1] != ' ')
    return std::nullopt;
  const std::string_view output = line.substr(kOutputAt, kTagAt - 1 - kOutputAt);
  const char tag = line[kTagAt];
  if ((!is_word(output, "stdout") && !is_word(output, "stderr")) || (tag != 'F' && tag != 'P'))
    return std::nullopt;
  const auto time = time_in_known_second(line.substr(0, kTime));
  if (!time) return std::nullopt;
  CriLine out;
  out.time = *time;
  out.output = output;
  out.full = tag == 'F';
  out.text = line.substr(kTextAt);
  return out;
}

}  // namespace

std::string_view CriTime::text(std::uint64_t ns) {
  if (ns / kSecond != second_) {
    second_ = ns / kSecond;
    text_ = rfc3339_nano(std::chrono::system_clock::time_point(std::chrono::nanoseconds(second_ * kSecond)));
  }
  std::uint64_t fraction = ns % kSecond;
  const std::size_t end = text_.size() - 1;
  for (std::size_t i = 0; i < kFraction; ++i, fraction /= 10)
    text_[end - 1 - i] = static_cast<char>('0' + fraction % 10);
  return text_;
}

std::string gap_text(std::uint64_t bytes, MissingCause cause, const GapWords& words) {
  const bool is_counted = cause != MissingCause::kBrokeOff && bytes > 0;
  if (words.of_scheduler && is_counted) return scheduler_gap_text(bytes);
  std::string text(kGapBegin);
  if (words.of_scheduler) return text.append(kRecords).append(in_words(cause)).append("]");
  if (words.at_most) text += kUpTo;
  if (is_counted) {
    text.append(std::to_string(bytes)).append(bytes == 1 ? " byte" : " bytes");
    if (words.of_both) text += kOfBoth;
    text.append(bytes == 1 ? " is" : " are").append(" missing here");
  } else {
    text += kUncounted;
  }
  if (cause != MissingCause::kUnknown) text.append(": ").append(in_words(cause));
  return text + "]";
}

std::string scheduler_gap_text(std::uint64_t bytes) {
  return std::string(kGapBegin)
      .append(kRecords)
      .append(std::to_string(bytes))
      .append(bytes == 1 ? " byte of the scheduler's log was lost]"
                         : " bytes of the scheduler's log were lost]");
}

GapWords gap_words(std::string_view text) {
  if (!text.starts_with(kGapBegin)) return {};
  text.remove_prefix(kGapBegin.size());
  return {.at_most = text.starts_with(kUpTo),
          .of_both = text.contains(kOfBoth),
          .of_scheduler = text.starts_with(kRecords)};
}

void put_cri_line(std::string& out, CriTime& clock, const CriLine& line) {
  out.append(clock.text(line.time)).append(1, ' ').append(line.output).append(line.full ? " F" : " P");
  if (line.missing) out.append(":").append(kMissing).append(std::to_string(*line.missing));
  if (line.cause != MissingCause::kUnknown) out.append(":").append(kCause).append(to_string(line.cause));
  if (line.approximate) out.append(":").append(kApproximate);
  out.append(1, ' ').append(line.text).append(1, '\n');
}

CriPart cri_part(std::string_view line) {
  cut(line, ' ');
  CriPart part;
  part.output = cut(line, ' ');
  std::string_view tags = cut(line, ' ');
  part.full = cut(tags, ':') == "F";
  const auto missing = missing_of(tags);
  part.gap = missing.has_value();
  part.bytes = missing.value_or(line.size() + (part.full ? 1 : 0));
  part.text = line;
  return part;
}

std::optional<CriLine> parse_cri_line(std::string_view line) {
  if (auto usual = parse_usual_line(line)) return usual;
  CriLine out;
  const auto time = time_of(cut(line, ' '));
  if (!time) return std::nullopt;
  out.time = *time;
  out.output = cut(line, ' ');
  if (!is_word(out.output, "stdout") && !is_word(out.output, "stderr")) return std::nullopt;
  std::string_view tags = cut(line, ' ');
  const std::string_view first = cut(tags, ':');
  out.full = is_word(first, "F");
  if (!out.full && !is_word(first, "P")) return std::nullopt;
  if (!tags.empty()) {
    out.missing = missing_of(tags);
    if (out.missing) out.cause = cause_of(tags);
    out.approximate = tags == kApproximate;
  }
  out.text = line;
  return out;
}

std::uint64_t count_shown_lines(std::string_view text) {
  ShownLines lines;
  return count_shown_lines(text, lines);
}

std::uint64_t count_shown_lines(std::string_view text, ShownLines& lines) {
  std::uint64_t shown = 0;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    if (const auto line = parse_cri_line(text.substr(0, newline)); line && lines.take(*line)) ++shown;
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  return shown;
}

}  // namespace flowtap::flow
