#include "unwrapper.hpp"

#include <algorithm>
#include <utility>

#include "around/columns_behind.hpp"
#include "around/literal.hpp"
#include "around/outer_time.hpp"
#include "around/prefix.hpp"
#include "base/ascii.hpp"
#include "fullest_record.hpp"
#include "joined_records.hpp"
#include "objects/merged_record.hpp"
#include "stream/lines/klog/klog_time.hpp"

namespace flowtap::cli {
namespace {

using Kind = SavedLine::Kind;

constexpr std::size_t kMostBefore = 1024;  // bytes of what stands before a record that are remembered
constexpr std::string_view kMergedSource = "{}";
constexpr std::string_view kBeforeMember = "{[, \t";

// Nothing stands around it.
bool is_bare(const Enclosed& found) {
  return found.at == 0 && found.quoting == Quoting::kNone;
}

// JSON of other programs may begin with `ts`, too.
bool is_whole_line(std::string_view line, const Enclosed& found) {
  if (!is_bare(found)) return false;
  if (found.form == flow::KlogForm::kText) return true;
  return flow::parse_klog_record(found.form, line).message.data() != nullptr;
}

// In JSON and CSV, other values stand before the one that has the record.
std::string_view own_part(std::string_view before, Quoting quoting) {
  if (const std::string_view opening = opening_of_string(before); !opening.empty()) return opening;
  const std::string_view signs = quoting == Quoting::kDoubled ? "{[,;\t" : "{[,";
  const std::size_t from = is_between_quotes(quoting) ? before.find_last_of(signs) : std::string_view::npos;
  return from == std::string_view::npos ? before : before.substr(from);
}

// journalctl sets the further lines of a text roughly below its first one, which stands behind a time, a machine and a unit.
bool is_under(std::string_view before, std::string_view line) {
  constexpr std::size_t kShortest = 16;
  return before.size() >= kShortest && line.size() > before.size() &&
         std::ranges::any_of(before, is_alphanumeric) && line.find_first_not_of(' ') >= before.size() - 1;
}

// A terminal may have made blanks of a tab.
bool is_indented(std::string_view text) {
  return text.starts_with('\t') || text.starts_with(' ');
}

}  // namespace

bool begins_like_a_block(std::string_view text) {
  return text.starts_with('\t') || text.starts_with(kValueEnds);
}

void Unwrapper::add(std::string_view text, bool full, std::uint64_t time, const Take& every, PieceOf piece) {
  const char* const as_given = text.data();
  while (full && text.ends_with('\r')) text.remove_suffix(1);
  text = without_colours(text, clean_);
  const bool of_block = is_of_block(text);
  text = arrays_.undo(characters_.undo(text, of_block));
  const std::string_view with_id = text;
  if (!in_field_ && !of_block) text = without_ids(text);
  const bool had_id = text.data() != with_id.data();
  text = rows_.quoted(text, row_);
  resume(text);
  const bool opens_field = characters_.is_field_open();
  Line line{.text = text, .full = full, .time = time};
  if (text.data() == as_given) line.piece = piece;
  look_around(text);
  auto found = is_of_block(line.text) ? std::nullopt : find(line.text);
  if (scouts_) doubted_.note(line.text, found ? found : find_merged(line.text));
  if (scouts_ && found) note_row(with_id, had_id ? find(with_id) : found);
  if (scouts_ && !found && !in_field_) rows_.note_rest(with_id);
  if (scouts_ && !found && !in_field_ && !of_block) rows_.note_heading(line.text);
  if (scouts_ && found && found->quoting == Quoting::kDoubled) rows_.note_row(line.text, found->at);
  if (found && is_whole_line(line.text, *found)) {
    if (scouts_ && found->form == flow::KlogForm::kText) rows_.note_plain(line.text);
    last_.plain = true;
    in_field_ = last_.in_part = false;
    note_record(line.text);
    return give_each({.kind = Kind::kRecord, .source = {}, .text = line.text, .full = full, .time = time}, "",
                     every);
  }
  if (in_field_ && !found) return give_field(line, every);
  // A value of a merged record may have what looks like a record.
  const bool is_klogs = found && found->form == flow::KlogForm::kJson && found->quoting == Quoting::kNone;
  if (!is_klogs && !is_of_block(line.text) && give_merged(line, every)) {
    in_field_ = opens_field;
    return;
  }
  if (found && is_bare(*found)) found = find(line.text, 1);  // another program's JSON
  bool given = false;
  FullestRecord once(every, last_.named);
  const Take fullest = [&once](const SavedLine& one) { once.add(one); };
  const Take& take = found && is_between_quotes(found->quoting) ? fullest : every;
  while (true) {
    if (!give_continuation(line, found ? found->at : line.text.size(), take)) {
      if (!found) break;
      give_record(line, *found, take);
    }
    given = true;
    if (line.from >= line.text.size()) break;
    if (found && found->at < line.from) found = find(line.text, line.from);
  }
  once.finish();
  in_field_ = in_field_ || (given && opens_field);
  note_line(line.text, given);
  if (given) return;
  if (is_between_lines(line.text))
    return take({.kind = Kind::kAround, .source = {}, .text = line.text, .full = full, .time = time});
  // No other margin than the tab is known to be a value's, unless it is open.
  if (last_.plain && last_.in_block) line.text = last_.margin.undo(line.text);
  take({.kind = kind_of(line.text), .source = {}, .text = line.text, .full = full, .time = time});
}

// What stands there may be a sentence of somebody's who says what a record is like, and each one has other words.
std::string_view Unwrapper::without_ids(std::string_view text) {
  const std::string_view without = rows_.without_ids(text, without_id_);
  if (without.data() == text.data()) return text;
  auto found = find_record(text);
  if (!found) found = find_merged(text);
  const bool doubted = found && found->behind == PrefixKind::kDoubted;
  return doubted && (scouts_ || is_quotation(text, *found)) ? text : without;
}

void Unwrapper::note_row(std::string_view text, const std::optional<Enclosed>& found) {
  if (found && found->at <= text.size()) rows_.note_record(text, found->at);
}

std::optional<Enclosed> Unwrapper::find(std::string_view text, std::size_t from) const {
  auto found = find_record(text, from);
  if (found && is_quotation(text, *found)) found.reset();
  if (!found) return found;
  // Nothing in a text without quotes tells how they would stand in it.
  const bool is_known = found->quoting != Quoting::kEscaped && found->quoting != Quoting::kNone;
  if (!is_known && rows_.is_field(text, found->at)) found->quoting = Quoting::kDoubled;
  if (found->quoting == Quoting::kEscaped && is_as_raw(text, *found))
    *found = {.at = found->at, .quoting = Quoting::kRaw, .form = found->form, .behind = found->behind};
  return found;
}

// The record before stands between quotes, and its own are as they were. This one has none, and is the last text of its line, too.
bool Unwrapper::is_as_raw(std::string_view text, Enclosed found) const {
  if (last_.plain || last_.enclosed.quoting != Quoting::kRaw || !begins_alike(last_.before, text))
    return false;
  found.quoting = Quoting::kRaw;
  std::string buffer;
  return !open_text(text, found, buffer).text.contains('"');
}

bool Unwrapper::is_quotation(std::string_view text, const Enclosed& found) const {
  return found.behind == PrefixKind::kDoubted && !scouts_ && !doubted_.is_trusted(text.substr(0, found.at));
}

// A value of several lines may have a tenant's text, which looks as it likes.
bool Unwrapper::is_of_block(std::string_view text) const {
  if (!last_.in_block) return false;
  if (in_field_) return begins_like_a_block(text);
  if (last_.plain) return last_.margin.holds(text);
  if (last_.enclosed.quoting != Quoting::kNone) return false;
  // Some tools put something before the first line of a text only.
  const auto at = end_of_own_prefix(last_.before, last_.source, text);
  if (at) return last_.margin.holds(text.substr(*at));
  return begins_like_a_block(text) || is_under(last_.before, text);
}

// Whether a line without a record may belong to the form in which the records are given: another field of journalctl's or JSON's,
// or a bracket.
bool Unwrapper::is_around(std::string_view text) const {
  if (last_.enclosed.quoting == Quoting::kDoubled) return false;
  if (last_.enclosed.quoting == Quoting::kEscaped) return !(is_object_ && text.starts_with('{'));
  const bool is_field =
      last_.before.ends_with('=') || last_.before.ends_with(": ") || last_.before.ends_with('\'');
  return is_field && !begins_alike(last_.before, text);
}

// Behind the line that opens a value, klog has no blank one: somebody has put one behind each line.
bool Unwrapper::is_between_lines(std::string_view text) {
  if (!last_.plain || !last_.in_block) return false;
  if (std::exchange(last_.opens, false)) last_.spaced = text.empty();
  return last_.spaced && text.empty();
}

Kind Unwrapper::kind_of(std::string_view text) {
  if (!scouts_ && doubted_.is_of_fields()) return Kind::kAround;
  if (!last_.plain) return is_around(text) ? Kind::kAround : Kind::kStrange;
  const Kind kind = last_.in_block ? Kind::kGoesOn : Kind::kLoose;
  note(text);
  return kind;
}

// A value that has not ended ends here.
void Unwrapper::note_record(std::string_view text) {
  last_.in_block = false;
  last_.margin.reset();
  note(text);
}

void Unwrapper::note(std::string_view text) {
  if (!last_.in_block) last_.opens = text.ends_with(kValueBegins);
  last_.in_block = text.ends_with(kValueBegins) || (last_.in_block && !text.starts_with(kValueEnds));
}

void Unwrapper::give_record(Line& line, const Enclosed& found, const Take& take) {
  const std::string_view before = line.text.substr(line.from, found.at - line.from);
  const Opened opened = open_text(line.text, found, buffer_);
  const std::string_view behind = line.text.substr(opened.end);
  const std::string_view part = own_part(before, found.quoting);
  const std::string_view near = part.substr(part.size() - std::min(part.size(), kMostBefore));
  const bool may_be_named = found.quoting == Quoting::kEscaped || found.form == flow::KlogForm::kJson;
  const std::string_view name =
      may_be_named && found.at > 0 ? name_at(line, found.at - 1) : std::string_view();
  if (scouts_) names_.note(name);
  std::string named(names_.known(name));
  if (is_between_quotes(found.quoting) && opened.closed) {
    // Some collectors keep the line in a second member. What goes on with a record stands there, too, and is looked for in the first.
    const bool again = line.given == opened.text && named == last_.named;
    line.from = std::max(opened.end, found.at + 1);
    if (again) return;
    line.given = opened.text;
  }
  std::string source = named.empty() ? source_of(near) : named;
  leave(source);
  // A collector may write its members in another order next time.
  last_.before.assign(
      named.empty() ? near : near.substr(std::min(near.find_first_not_of(kBeforeMember), near.size())));
  last_.source = std::move(source);
  last_.named = std::move(named);
  last_.looked_in = 0;
  is_object_ = line.text.starts_with('{');
  last_.enclosed = found;
  last_.plain = false;
  in_field_ = found.quoting == Quoting::kDoubled && !opened.closed;
  last_.in_part = is_divided(line, found, opened);
  const std::uint64_t time = line.time != 0 ? line.time : time_of(opened.text, before, behind);
  note_record(opened.text.substr(opened.text.rfind('\n') + 1));
  line.from = std::max(opened.end, found.at + 1);
  if (opened.text.contains('\n') && give_text(line, found, take)) return;
  give_each({.kind = Kind::kRecord,
             .source = last_.source,
             .text = opened.text,
             .full = !last_.in_part,
             .time = time},
            found.quoting == Quoting::kNone ? std::optional(line.text.substr(0, found.at)) : std::nullopt,
            take);
}

// Gives a record, and those that stand behind it in its line. `before`: what stands before it, if it has no quotes around it.
void Unwrapper::give_each(SavedLine line, std::optional<std::string_view> before, const Take& take) {
  while (const auto joined = first_of_joined(line.text)) {
    SavedLine first = line;
    first.text = joined->text;
    first.full = true;
    take(first);
    line.text.remove_prefix(joined->next);
  }
  if (before) line.text = without_columns_behind(line.text, *before);
  take(line);
}

// A string may be a whole log, each line of which has its own prefix. False: the string begins with the record.
bool Unwrapper::give_text(const Line& line, const Enclosed& found, const Take& take) {
  if (found.quoting != Quoting::kEscaped || found.depth > 0) return false;
  // A string that is too long is read in parts, and only the first one has the quote.
  Enclosed all = found;
  all.at = line.text.substr(0, found.at).rfind('"') + 1;  // npos + 1 is 0
  if (all.at == found.at) return false;
  std::string buffer;
  std::string_view rest = open_text(line.text, all, buffer).text;
  if (!inner_ || inner_named_ != last_.named) inner_ = std::make_unique<Unwrapper>(doubted_, names_, rows_);
  inner_named_ = last_.named;
  last_.in_block = false;
  const Take of_named = [&](const SavedLine& one) {
    const std::string source =
        std::string(inner_named_).append(one.source.empty() ? "" : " ").append(one.source);
    SavedLine own = one;
    own.source = source;
    take(own);
  };
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    inner_->add(rest.substr(0, end), true, line.time, inner_named_.empty() ? take : of_named);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

// Some exports have a line for each field, and the time's is not always the one before the record's.
void Unwrapper::note_line(std::string_view text, bool has_record) {
  if (has_record)
    line_before_.clear();
  else if (!has_time(text))
    return;
  line_before_.append(1, ' ').append(text.substr(text.size() - std::min(text.size(), kMostBefore)));
  if (line_before_.size() > kMostBefore) line_before_.erase(0, line_before_.size() - kMostBefore);
}

// Tools that give each line a time may put it anywhere around the line. The one of a line before tells the year as well.
std::uint64_t Unwrapper::time_of(std::string_view text, std::string_view before, std::string_view behind) {
  const auto record = flow::parse_klog_record(text);
  if (!record) return 0;
  std::uint64_t time = outer_time(*record, before, behind);
  if (time == 0) time = outer_time(*record, line_before_, {});
  if (time == 0 && flow::klog_instant(*record, last_time_)) time = last_time_;
  last_time_ = time != 0 ? time : last_time_;
  return time;
}

// What is between quotes or brackets is whole, also in a file's last line without a newline, and more may stand behind it.
bool Unwrapper::is_divided(const Line& line, const Enclosed& enclosed, const Opened& opened) {
  if (enclosed.quoting != Quoting::kNone || opened.closed) return false;
  return !line.full || is_of_a_part(line.text.substr(0, enclosed.at));
}

bool Unwrapper::give_continuation(Line& line, std::size_t until, const Take& take) {
  if (!open_.empty()) resume_in_quotes(line, until);
  if (last_.plain || !(last_.in_block || last_.in_part)) return false;
  Enclosed enclosed = last_.enclosed;
  if (const auto at = continuation(line, until)) {
    enclosed.at = *at;
  } else {
    // Some tools put something before the first line of a text only.
    if (line.from > 0 || until < line.text.size()) return false;
    if (!begins_like_a_block(line.text) && !is_under(last_.before, line.text)) return false;
    enclosed = {};
  }
  Opened opened = open_text(line.text, enclosed, buffer_);
  const bool is_line = enclosed.quoting == Quoting::kNone && !last_.in_part && last_.in_block;
  if (is_line && is_indented(opened.text)) opened.text = last_.margin.undo(opened.text);
  // Another value may stand in the same place.
  if (!last_.in_part && !begins_like_a_block(opened.text)) return false;
  last_.in_part = is_divided(line, enclosed, opened);
  note(opened.text.substr(opened.text.rfind('\n') + 1));
  line.from = std::max(opened.end, enclosed.at + 1);
  take({.kind = Kind::kGoesOn,
        .source = last_.source,
        .text = opened.text,
        .full = !last_.in_part,
        .time = line.time});
  return true;
}

// A field of CSV has the newlines of its text.
void Unwrapper::give_field(const Line& line, const Take& take) {
  const Opened opened = open_text(line.text, {.at = 0, .quoting = Quoting::kDoubled}, buffer_);
  in_field_ = !opened.closed;
  note(opened.text);
  take({.kind = Kind::kGoesOn, .source = last_.source, .text = opened.text, .full = true, .time = line.time});
}

bool Unwrapper::give_merged(const Line& line, const Take& take) {
  const auto found = find_merged(line.text);
  if (!found || is_quotation(line.text, *found)) return false;
  const auto records = merged_records(line.text.substr(found->at));
  for (const ObjectRecord& record : records) {
    last_.plain = last_.in_block = last_.in_part = false;
    last_.enclosed = {.quoting = Quoting::kEscaped};  // what is around it is JSON, too
    is_object_ = line.text.starts_with('{');
    if (scouts_) names_.note(record.source);
    const std::string_view name = names_.known(record.source);
    const std::uint64_t time = line.time != 0 ? line.time : record.time;
    take({.kind = record.event ? Kind::kEvent : Kind::kRecord,
          .source = name.empty() ? kMergedSource : name,
          .text = record.text,
          .full = true,
          .time = time,
          .event = record.event ? &*record.event : nullptr});
  }
  return !records.empty();
}

}  // namespace flowtap::cli
