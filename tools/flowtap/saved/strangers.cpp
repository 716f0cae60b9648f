#include "strangers.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "stream/lines/klog/klog_pairs.hpp"

namespace flowtap::cli {
namespace {

// What a line is before words are looked for in it. A row may take several forms.
enum Form : unsigned {
  kProse = 1U,       // a record of klog's in free text
  kStructured = 2U,  // a record of klog's with a quoted message, or in JSON
  kKlog = kProse | kStructured,
  kLine = 4U,
  kAnyText = kKlog | kLine,
  kUtf16 = 8U,
  kBinary = 16U,
  kEmpty = 32U,
  kEncoded = 512U,  // base64 or percent signs, which leave no blank
  kUnread = 64U,    // a record with a scheduler's own message of a pod
  kIsRead = 128U,   // no form: the row is about a scheduler whose logs are read
  kCut = 256U,      // such a message, structured, that is not whole
  kJoined = 1024U,  // behind the record stand others in its line
  kBehind = 2048U,  // a line has a record's whole header behind something that is not believed
};

// How much a row tells, the most first.
enum class Grade : std::uint8_t { kOwn, kShared, kForm, kNothing };
constexpr std::array kGrades = {Grade::kOwn, Grade::kShared, Grade::kForm, Grade::kNothing};

// Those that are not used are empty and stand last.
template <std::size_t Most>
using Marks = std::array<std::string_view, Most>;
using FileMarks = Marks<100>;
using WordMarks = Marks<40>;

template <typename Of, typename... Names>
constexpr Of marks(Names... names) {
  return Of{std::string_view(names)...};
}

struct StrangerRow {
  Grade grade;
  unsigned forms;
  std::string_view what;  // empty: the first line is shown
  std::string_view hint;
  FileMarks files;
  WordMarks words;

  [[nodiscard]] constexpr bool takes_all() const { return files[0].empty() && words[0].empty(); }
};

#define FILES marks<FileMarks>
#define WORDS marks<WordMarks>
#define STRANGER(grade, forms, what, hint, files, words) \
  StrangerRow{Grade::grade, forms, what, hint, files, words},
constexpr auto kStrangers = std::to_array<StrangerRow>({
#include "strangers.def"
});
#undef STRANGER
#undef WORDS
#undef FILES

// Such a record says something, unless its form is not known.
constexpr std::array<std::string_view, 2> kOwnWords = {"Unable to schedule pod; ",
                                                       "Successfully bound pod to node"};

// Whatever tells a program stands at the beginning of its lines.
constexpr std::size_t kLookedAt = 300;  // bytes
// Up to there another record may begin behind one.
constexpr std::size_t kSearched = 4096;
// So many are all looked at, and then fewer and fewer, since a log may have a hundred million lines.
constexpr std::uint64_t kAllLookedAt = 1024;
// A program's lines win from a tenth on: the rest of its log may be other programs' messages, or libraries'.
constexpr std::uint64_t kShare = 10;

template <std::size_t Most, typename Fits>
bool has(const Marks<Most>& of, Fits fits) {
  const auto end = std::ranges::find(of, std::string_view());
  return std::any_of(of.begin(), end, fits);
}

// Behind what stands before it in a list or an object of YAML.
std::string_view unindented(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  while (text.starts_with("- ")) text.remove_prefix(2);
  return text;
}

std::size_t row_of(unsigned form, std::string_view file, std::string_view text) {
  const std::string_view begin = unindented(text);
  const auto is_said = [&](std::string_view word) {
    return word.starts_with('^') ? begin.starts_with(word.substr(1)) : text.contains(word);
  };
  const auto is_file = [&](std::string_view name) { return name == file; };
  for (const Grade grade : kGrades) {
    const auto first = [&](auto fits) {
      const auto row = std::ranges::find_if(kStrangers, [&](const StrangerRow& each) {
        return each.grade == grade && (each.forms & form) != 0 && fits(each);
      });
      return static_cast<std::size_t>(row - kStrangers.begin());
    };
    // A message may speak of other programs, and a file is the program's own.
    std::size_t found = first([&](const StrangerRow& row) { return has(row.files, is_file); });
    if (found == kStrangers.size())
      found = first([&](const StrangerRow& row) { return row.takes_all() || has(row.words, is_said); });
    if (found != kStrangers.size()) return found;
  }
  return kStrangers.size() - 1;
}

// "scheduler/filter.go:155" is filter.go.
std::string_view file_of(std::string_view source) {
  source = source.substr(0, source.find(':'));
  return source.substr(source.rfind('/') + 1);  // npos + 1 is 0
}

// Text that is ASCII has a zero in each second byte.
bool is_utf16(std::string_view text) {
  const auto zeros = static_cast<std::size_t>(std::ranges::count(text, '\0'));
  return text.size() >= 8 && zeros * 5 >= text.size() * 2 && !text.contains(std::string_view("\0\0", 2));
}

// Colours and tabs belong to text.
bool is_binary(std::string_view text) {
  const auto controls = std::ranges::count_if(text, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20U && c != '\t' && c != '\r' && c != '\n' && c != '\x1b') ||
           c == '\x7f';
  });
  return static_cast<std::size_t>(controls) * 20 > text.size();
}

// A log in base64 or in a URL, so that no blank is left.
bool is_encoded(std::string_view text) {
  constexpr std::size_t kShortest = 40;
  while (text.ends_with('\r')) text.remove_suffix(1);
  const auto of_code = [](char c) { return is_alphanumeric(c) || std::string_view("+/=%-_.~").contains(c); };
  const auto capitals = static_cast<std::size_t>(std::ranges::count_if(text, is_upper));
  return text.size() >= kShortest && std::ranges::all_of(text, of_code) &&
         (text.contains("%20") || capitals * 5 > text.size());
}

// Its quoted message is not closed, and it is a scheduler's.
bool ends_in_message(const flow::KlogRecord& record) {
  constexpr std::size_t kTelling = 12;  // bytes of a message
  if (record.form != flow::KlogForm::kText || !record.body.starts_with('"') ||
      flow::end_of_quoted(record.body, 1) != std::string_view::npos)
    return false;
  const std::string_view begun = record.body.substr(1, kTelling);
  return file_of(record.source) == "schedule_one.go" ||
         std::ranges::any_of(kOwnWords, [begun](std::string_view words) {
           return begun.size() == kTelling && words.starts_with(begun);
         });
}

bool is_records_header(std::string_view text) {
  text = text.substr(0, kLookedAt);
  return flow::klog_form(text) == flow::KlogForm::kText &&
         flow::parse_klog_record(flow::KlogForm::kText, text).source.contains(':');
}

// Where a record's header stands behind other text, with its place in the program; npos: there is none. A page may show it right
// behind a field's name.
std::size_t place_of_header(std::string_view text) {
  constexpr std::string_view kLetters = "IWEF";
  text = text.substr(0, kSearched);
  for (std::size_t at = text.find_first_of(kLetters, 1); at != std::string_view::npos;
       at = text.find_first_of(kLetters, at + 1))
    if (is_records_header(text.substr(at))) return at;
  return std::string_view::npos;
}

// Then the record's own text may have ended there.
bool has_another(const flow::KlogRecord& record) {
  if (record.form != flow::KlogForm::kText) return false;
  const std::string_view body = record.body.substr(0, kSearched);
  for (std::size_t at = body.find(' '); at != std::string_view::npos; at = body.find(' ', at + 1))
    if (is_records_header(body.substr(at + 1))) return true;
  return false;
}

// A collector has put a line into a field of JSON or CSV. Empty: there is no such field.
std::string without_escapes(std::string_view line) {
  const bool is_object = unindented(line).starts_with('{');
  if (!is_object && !line.contains(R"("")")) return {};
  std::string out;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const std::string_view two = line.substr(at, 2);
    const bool escaped = is_object ? two.size() == 2 && two.front() == '\\' : two == R"("")";
    if (escaped) ++at;
    out += escaped && two.back() == 't' ? '\t' : line[at];
  }
  return out;
}

unsigned form_of(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return kEmpty;
  if (is_utf16(text)) return kUtf16;
  if (is_binary(text)) return kBinary;
  if (is_encoded(text)) return kEncoded;
  return kLine;
}

}  // namespace

Strangers::Strangers() : lines_(kStrangers.size()) {}

void Strangers::add(const flow::KlogRecord& record) {
  if (!is_looked_at()) return;
  const std::string_view body = record.body.substr(0, kLookedAt);
  const auto is_said = [body](std::string_view words) { return body.contains(words); };
  const bool own_words = std::ranges::any_of(kOwnWords, is_said);
  const unsigned structured = own_words || ends_in_message(record) ? kCut : kStructured;
  const unsigned whole = record.structured ? structured : (own_words ? kUnread : kProse);
  const std::size_t row = count(has_another(record) ? kJoined : whole, file_of(record.source), body);
  const StrangerRow& found = kStrangers[row];
  const bool own = found.grade == Grade::kOwn && (found.forms & (kIsRead | kUnread | kCut | kJoined)) == 0;
  // No scheduler that is read has such a file.
  if (own || found.grade == Grade::kForm) others_records_ += weight_;
}

void Strangers::add_line(std::string_view line) {
  if (!is_looked_at()) return;
  const std::string in_field = without_escapes(line.substr(0, 2 * kLookedAt));
  const std::size_t header = place_of_header(line.substr(0, 2 * kLookedAt));
  const std::string_view record = line.substr(std::min(header, line.size()), kLookedAt);
  line = line.substr(0, kLookedAt);
  unsigned form = form_of(line);
  if (form == kLine && !record.empty()) form |= kBehind;
  const Grade grade = kStrangers[row_of(form, {}, line)].grade;
  // Much may stand before a record, and what it says is behind its header.
  if (grade != Grade::kOwn && (form & kBehind) != 0 &&
      (kStrangers[row_of(form, {}, record)].forms & kBehind) != 0)
    line = record;
  const bool told = !in_field.empty() && grade != Grade::kOwn &&
                    kStrangers[row_of(form, {}, in_field)].grade == Grade::kOwn;
  (void)count(form, {}, told ? std::string_view(in_field) : line);
}

bool Strangers::is_looked_at() {
  if (++seen_ < next_) return false;
  weight_ = 1 + seen_ / kAllLookedAt;
  next_ = seen_ + weight_;
  return true;
}

std::size_t Strangers::count(unsigned form, std::string_view file, std::string_view text) {
  const std::size_t row = row_of(form, file, text);
  lines_[row] += weight_;
  if (kStrangers[row].what.empty() && first_.empty())
    first_ = text.substr(std::min(text.find_first_not_of(" \t"), text.size()), 64);
  return row;
}

std::optional<Strangers::Guess> Strangers::guess() const {
  for (const Grade grade : kGrades) {
    std::size_t most = 0;
    std::uint64_t of_most = 0;
    std::uint64_t tell_less = 0;
    for (std::size_t i = 0; i < kStrangers.size(); ++i) {
      if (kStrangers[i].grade > grade && kStrangers[i].grade != Grade::kNothing) tell_less += lines_[i];
      if (kStrangers[i].grade != grade || lines_[i] <= of_most) continue;
      most = i;
      of_most = lines_[i];
    }
    if (of_most == 0 || of_most * kShare < tell_less) continue;
    const StrangerRow& row = kStrangers[most];
    return Guess{row.what.empty() ? in_quotes(first_, 40) : std::string(row.what), std::string(row.hint)};
  }
  return std::nullopt;
}

}  // namespace flowtap::cli
