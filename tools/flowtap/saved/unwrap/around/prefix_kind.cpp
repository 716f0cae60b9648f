#include "prefix_kind.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "field_name.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kOpening = "(\"'`";
constexpr std::string_view kClosing = ")\"'`,.;:!?";
// What ends a clause. A colon may also end a name.
constexpr std::string_view kEndsClause = ",.;!?";
constexpr char kSign = '\xe2';         // box drawing, arrows and bullets begin so in UTF-8
constexpr std::size_t kMostNames = 2;  // side by side

bool is_letter(char c) {
  return is_lower(c) || is_upper(c) || static_cast<unsigned char>(c) >= 0x80;
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// A word between spaces, and what it may be.
struct PrefixWord {
  bool prose = false;   ///< letters alone: it may be of a sentence, or a name
  bool time = false;    ///< a part of a time, or another number
  bool ends = false;    ///< a tool's prefix ends with such a sign
  bool level = false;   ///< how grave a message is
  bool colon = false;   ///< one ends it
  bool clause = false;  ///< a sign ends it that only sentences have
};

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), to_lower);
  return out;
}

// "<13>Nov": syslog's priority stands before the time.
std::string_view without_priority(std::string_view word) {
  const std::size_t end = word.starts_with('<') ? word.find('>') + 1 : 0;  // npos + 1 is 0
  return is_name_of_time(word.substr(end)) ? word.substr(end) : word;
}

PrefixWord word_of(std::string_view text) {
  constexpr std::array<std::string_view, 2> kOutputs = {"stdout", "stderr"};
  constexpr std::array<std::string_view, 11> kLevels = {
      "trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "critical", "panic", "severe"};
  PrefixWord out;
  out.colon = text.ends_with(':');
  out.clause = kEndsClause.contains(text.back());
  out.ends = std::string_view("]|>:-").contains(text.back());
  std::string_view bare = text.substr(std::min(text.find_first_not_of(kOpening), text.size()));
  bare = bare.substr(0, bare.find_last_not_of(kClosing) + 1);
  const bool digits =
      is_digit(text.front()) && text.find_first_not_of("0123456789:.,/+-TZ") == std::string_view::npos;
  out.time = digits || is_name_of_time(bare);
  out.level =
      is_one_of(kLevels, in_lower_case(trimmed(bare.substr(bare.rfind('=') + 1), "[]<>|")));  // npos + 1 is 0
  // Zones and a runtime's marks are in capitals, and a field may be called textPayload.
  const bool is_name = std::ranges::all_of(bare, is_upper) ||
                       std::ranges::any_of(bare.substr(std::min<std::size_t>(bare.size(), 1)), is_upper);
  out.prose = !bare.empty() && !out.time && !out.level && std::ranges::all_of(bare, is_letter) &&
              !bare.contains(kSign) && !is_name && !is_one_of(kOutputs, bare);
  return out;
}

std::vector<PrefixWord> prefix_words(std::string_view text) {
  std::vector<PrefixWord> out;
  while (!(text = text.substr(std::min(text.find_first_not_of(kBlanks), text.size()))).empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    out.push_back(word_of(without_priority(word)));
    text.remove_prefix(word.size());
  }
  return out;
}

// Languages that shorten a month's name by a full stop: "nov. 26 10:00:00 ".
bool is_month(const std::vector<PrefixWord>& words, const PrefixWord& word) {
  const auto behind = static_cast<std::size_t>(&words.back() - &word);
  return word.prose && word.clause && behind >= 2 && (&word)[1].time && (&word)[2].time;
}

// Of YAML: "  message: ", "- log: ".
bool is_key(std::string_view text, const std::vector<PrefixWord>& words) {
  const bool indented = kBlanks.contains(text.front()) && words.size() == 1;
  return words.back().colon && (indented || (words.size() == 2 && trimmed(text).starts_with("- ")));
}

// syslog has a host and a program behind the time: "Nov 26 10:00:00 master scheduler: ".
bool is_host_and_program(const std::vector<PrefixWord>& words) {
  const std::size_t size = words.size();
  return size >= 3 && words.back().colon && words[size - 3].time && !words[size - 2].ends &&
         !words[size - 2].time && !words.front().prose;
}

// stern has a container's name behind the pod's: "kube-scheduler-cp1 scheduler ".
bool is_pod_and_container(const std::vector<PrefixWord>& words) {
  const std::size_t size = words.size();
  return size >= 2 && !words.back().colon && !words[size - 2].prose && !words[size - 2].time &&
         !words[size - 2].ends;
}

// Python marks bytes by a letter before their quote.
std::string_view without_opening(std::string_view text) {
  const std::size_t end = text.find_last_not_of(std::string(kBlanks).append(kOpening)) + 1;
  const bool bytes = end == 1 && text.starts_with("b'");
  return text.substr(0, bytes ? 0 : end);
}

// syslog says so of lines that are alike: "message repeated 2 times: [ ", before which its own prefix stands.
std::string_view without_repetition(std::string_view text) {
  constexpr std::string_view kRepeated = "message repeated ";
  const std::size_t at = text.rfind(kRepeated);
  if (at == std::string_view::npos) return text;
  std::string_view rest = text.substr(at + kRepeated.size());
  rest.remove_prefix(std::min(rest.find_first_not_of("0123456789"), rest.size()));
  return trimmed(rest) == "times: [" ? text.substr(0, at) : text;
}

// grep calls its input so, in the user's own language: "(standard input):12:".
std::string_view without_input_name(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  const std::size_t close =
      text.starts_with('(') ? text.substr(0, kLongest).find(')') : std::string_view::npos;
  if (close == std::string_view::npos) return text;
  const std::string_view behind = text.substr(close + 1);
  const bool is_place = !behind.empty() && std::string_view(":-").contains(behind.front()) &&
                        behind.find_first_not_of("0123456789:-") == std::string_view::npos;
  return is_place ? behind : text;
}

// LTSV has a label before each value, and tabs between them: "time:10:00:02\tlog:".
bool is_labelled(std::string_view text) {
  if (!text.contains('\t') || !text.ends_with(':')) return false;
  const auto of_label = [](char c) { return is_alphanumeric(c) || std::string_view("_.-").contains(c); };
  while (!text.empty()) {
    const std::size_t tab = std::min(text.find('\t'), text.size());
    const std::string_view field = text.substr(0, tab);
    const std::size_t colon = field.find(':');
    if (colon == 0 || colon == std::string_view::npos) return false;
    if (!std::ranges::all_of(field.substr(0, colon), of_label)) return false;
    text.remove_prefix(std::min(tab + 1, text.size()));
  }
  return true;
}

// Columns between tabs may have names of several words. A sentence has no tabs, and no time as its last word.
bool ends_with_time_column(std::string_view text) {
  const std::size_t tab = text.rfind('\t');
  if (tab == std::string_view::npos) return false;
  const std::vector<PrefixWord> words = prefix_words(text.substr(tab));
  return !words.empty() && std::ranges::all_of(words, &PrefixWord::time);
}

}  // namespace

bool is_name_of_time(std::string_view word) {
  constexpr std::array<std::string_view, 19> kOfTimes = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul",
                                                         "Aug", "Sep", "Oct", "Nov", "Dec", "Mon", "Tue",
                                                         "Wed", "Thu", "Fri", "Sat", "Sun"};
  return is_one_of(kOfTimes, word);
}

PrefixKind prefix_kind(std::string_view text) {
  text = without_input_name(without_repetition(text));
  if (ends_with_time_column(text) || is_labelled(text)) return PrefixKind::kTools;
  // Somebody may have named a field before what he quotes, too, but not in most lines, and nobody begins a sentence so.
  constexpr std::string_view kTimeOfDocument = "@timestamp:";
  if (ends_row_of_fields(text))
    return text.starts_with(kTimeOfDocument) ? PrefixKind::kTools : PrefixKind::kDoubted;
  text = without_opening(text);
  const std::vector<PrefixWord> words = prefix_words(text);
  bool level = false;
  std::size_t side_by_side = 0;
  std::size_t most = 0;
  for (const PrefixWord& word : words) {
    level = level || word.level;
    if (is_month(words, word)) continue;
    side_by_side = word.prose ? side_by_side + 1 : 0;
    most = std::max(most, side_by_side);
    const bool in_middle = &word != &words.back();
    if (word.prose && (level || word.clause || (in_middle && word.colon))) return PrefixKind::kProse;
  }
  if (most > kMostNames) return PrefixKind::kProse;
  const bool begins_as_sentence = most == kMostNames && words.front().prose;
  if (most == 0 || (!words.back().prose && !begins_as_sentence)) return PrefixKind::kTools;
  if (is_key(text, words) || is_host_and_program(words)) return PrefixKind::kTools;
  if (most < kMostNames && is_pod_and_container(words)) return PrefixKind::kTools;
  const auto is_of_prefix = [](const PrefixWord& word) { return word.prose || word.time; };
  const bool says = words.back().colon && !std::ranges::all_of(words, is_of_prefix);
  return says || (words.back().colon && most == kMostNames) ? PrefixKind::kProse : PrefixKind::kDoubted;
}

}  // namespace flowtap::cli
