// How an Unwrapper keeps the logs apart whose lines stand in one file: of pods that kubectl or stern follow, or whose lines a
// collector has put into one export.
#include <algorithm>
#include <iterator>
#include <utility>

#include "around/prefix.hpp"
#include "pieces.hpp"
#include "unwrapper.hpp"

namespace flowtap::cli {
namespace {

// Values that have begun and not ended. What the others still say is given to nobody.
constexpr std::size_t kMostOpen = 16;

// What was divided behind a string goes on so (pieces.hpp).
bool is_later_part(std::string_view line) {
  return line.starts_with(',');
}

// More than half of a line that is too long is in its first part.
bool is_divided_line(std::string_view line) {
  return 2 * line.size() > kLongestWhole;
}

// Only a member has a colon behind its key.
bool has_members(std::string_view line) {
  return line.contains("\":") || line.contains("\" :");
}

// The member's name, and what its program has put before the text: a time is another one in each line.
std::pair<std::string_view, std::string_view> divided_at_quote(std::string_view before) {
  const std::size_t quote = before.rfind('"');
  if (quote == std::string_view::npos) return {before, {}};
  std::string_view member = before.substr(0, quote + 1);
  // In logfmt, other members stand before it.
  if (member.ends_with("=\"")) member.remove_prefix(member.rfind(' ') + 1);  // npos + 1 is 0
  return {member, before.substr(quote + 1)};
}

}  // namespace

void Unwrapper::look_around(std::string_view text) {
  ++number_;
  before_ = is_part_ && sources_ && sources_->is_open() ? std::exchange(sources_, {}) : std::nullopt;
  sources_.reset();
  is_part_ = is_divided_line(text);
  if (before_ && is_later_part(text))
    sources_.emplace(text, &*before_);
  else if (is_part_ && has_members(text))
    sources_.emplace(text);
}

// Two logs in one export are told apart by what a collector has put around their lines.
std::string_view Unwrapper::name_at(const Line& line, std::size_t place) {
  if (line.piece.whole != nullptr) return line.piece.whole->at(line.piece.at + place);
  if (!sources_) sources_ = has_members(line.text) ? ObjectSources(line.text) : ObjectSources();
  return sources_->at(place);
}

std::unique_ptr<ObjectSources> Unwrapper::sources_of_part() {
  return before_ && sources_ ? std::make_unique<ObjectSources>(*sources_) : nullptr;
}

// Between quotes, what stands around a line is the same in each log, unless it names the log.
bool Unwrapper::stays_open(const Around& one) {
  return !one.plain && one.in_block && (one.enclosed.quoting == Quoting::kNone || !one.named.empty());
}

// A line without its log's name goes on with the only value that has not ended.
bool Unwrapper::is_of(const Around& one, std::string_view named) const {
  if (named == one.named) return true;
  const auto open = std::ranges::count_if(open_, stays_open) + (stays_open(last_) ? 1 : 0);
  return named.empty() && open == 1;
}

// Another source's record comes between the lines of a value: kubectl, stern and collectors follow several pods at once.
void Unwrapper::leave(std::string_view source) {
  std::erase_if(open_, [source](const Around& one) { return one.source == source; });
  if (!stays_open(last_) || last_.source == source) return;
  if (open_.size() == kMostOpen) open_.pop_front();
  open_.push_back(last_);
}

void Unwrapper::go_on_with(const std::deque<Around>::iterator& one) {
  std::swap(last_, *one);
  if (!stays_open(*one)) open_.erase(one);
}

void Unwrapper::resume(std::string_view text) {
  if (open_.empty() || is_of_block(text)) return;
  const auto is_its = [text](const Around& one) {
    const auto at = end_of_own_prefix(one.before, one.source, text);
    return at && one.margin.holds(text.substr(*at));
  };
  if (const auto found = std::ranges::find_if(open_, is_its); found != open_.end()) go_on_with(found);
}

// A line may have many lines, of several logs.
void Unwrapper::resume_in_quotes(const Line& line, std::size_t until) {
  std::size_t first = until;
  auto next = open_.end();
  for (auto one = open_.begin(); one != open_.end(); ++one) {
    if (one->named.empty() || next_place(*one, line, until) >= first) continue;
    first = one->next;
    next = one;
  }
  if (next == open_.end()) return;
  const auto own =
      last_.in_block && is_between_quotes(last_.enclosed.quoting) ? continuation(line, until) : std::nullopt;
  if (!own || first < *own) go_on_with(next);
}

// Where a value between quotes goes on before `until`; npos: nowhere. Other values may stand in such places, too. A line of thousands
// of records is looked through once for each value.
std::size_t Unwrapper::next_place(Around& one, const Line& line, std::size_t until) {
  if (std::exchange(one.looked_in, number_) != number_) one.next = one.looked_to = 0;
  if (one.next > line.from) return one.next;
  const std::string_view looked_at = line.text.substr(0, until);
  const auto [member, own] = divided_at_quote(one.before);
  for (std::size_t at = looked_at.find(member, std::max(line.from, one.looked_to));
       at != std::string_view::npos; at = looked_at.find(member, at + 1)) {
    const auto skipped = end_of_prefix(own, looked_at.substr(at + member.size()));
    if (!skipped) continue;
    const std::size_t place = at + member.size() + *skipped;
    const std::string_view text = looked_at.substr(place);
    if (!is_of_block_in_quotes(text) && !text.starts_with('\\')) continue;
    if (is_of(one, names_.known(name_at(line, place - std::min<std::size_t>(place, 1)))))
      return one.next = place;
  }
  one.next = 0;
  one.looked_to = until - std::min(until, 2 * one.before.size());  // a number may have more digits there
  return std::string_view::npos;
}

// Where the text stands that goes on with a record whose lines were taken apart. Nothing: it is not in this line.
std::optional<std::size_t> Unwrapper::continuation(const Line& line, std::size_t until) {
  if (is_between_quotes(last_.enclosed.quoting)) {
    const std::size_t place = next_place(last_, line, until);
    return place < until ? std::optional(place) : std::nullopt;
  }
  if (line.from > 0 || until < line.text.size()) return std::nullopt;
  if (const auto end = end_of_own_prefix(last_.before, last_.source, line.text)) return end;
  if (!is_of_a_part(last_.before)) return std::nullopt;
  std::string last = last_.before;
  last[last.size() - 2] = 'F';
  return end_of_prefix(last, line.text);
}

}  // namespace flowtap::cli
