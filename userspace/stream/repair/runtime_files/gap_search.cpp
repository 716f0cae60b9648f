#include "stream/repair/runtime_files/gap_search.hpp"

#include <algorithm>
#include <utility>

#include "stream/repair/runtime_files/beginning.hpp"
#include "stream/repair/runtime_files/kept_form.hpp"

namespace flowtap::flow {
namespace {

constexpr std::size_t kNear = std::size_t{1} << 20U;

// From which gap on, and up to before which one, they stand at the place of this one, with nothing captured between them.
std::pair<std::size_t, std::size_t> at_one_place(std::span<const GapPlace> gaps, std::size_t index) {
  const auto is_with = [&](std::size_t other) {
    return gaps[index].length > 0 && gaps[other].length > 0 && gaps[other].at == gaps[index].at;
  };
  std::size_t first = index;
  while (first > 0 && is_with(first - 1)) --first;
  std::size_t last = index + 1;
  while (last < gaps.size() && is_with(last)) ++last;
  return {first, last};
}

constexpr auto kAll = std::string::npos;

// What belongs into one of several gaps. The last one takes all the rest, since what a runtime has replaced is longer.
std::optional<Refill> part_of(const Refill& found, std::size_t done, std::size_t length) {
  if (done >= found.bytes.size()) return std::nullopt;
  Refill part{found.bytes.substr(done, length), found.approximate, found.at};
  if (part.at != std::string_view::npos) part.at += done;
  return part;
}

class Search {
 public:
  explicit Search(const GapSearch& of) : of_(of) {}

  // For the gaps up to before `end`, which stand at one place.
  std::optional<Refill> next(std::size_t end) {
    const GapPlace& gap = of_.gaps[index_];
    const std::size_t from = index_ > 0 ? of_.gaps[index_ - 1].at : 0;
    const bool is_first = index_ == 0;
    const Gap sides = gap_sides(of_.captured, of_.gaps, index_);
    index_ = end;
    const bool is_last = index_ == of_.gaps.size();
    auto found = behind_last(sides, from, gap.at);
    // Where the capture broke off nothing is looked for. What comes behind it is searched for anew if something is missing there.
    if (gap.length == 0) {
      anchored_ = found.has_value();
      if (found) behind_ = found->at;
      return std::nullopt;
    }
    // A side says nothing if it is an end that may not be final, or a beginning that may be amid the text.
    const bool known = !sides.before.empty() && (!sides.after.empty() || (is_last && of_.ended));
    const bool is_beginning = gap.at == 0 && is_first && (!sides.after.empty() || (is_last && of_.ended));
    if (!found && is_beginning)
      found = find_beginning(
          {sides.after, sides.length, line_ends(of_.captured)},
          {of_.text, of_.format, of_.from_start, of_.earliest, of_.drops_returns, of_.lacks_lines});
    if (!found && known && searches_ < kMostSearches) {
      ++searches_;
      found = find_missing(sides, near_text(sides), of_.format);
      if (found && found->at != std::string_view::npos) found->at += behind_;
    }
    // The text may end before what was written did, and so be as long as that only because of them.
    if (found && sides.after.empty() && of_.format == RuntimeFormat::kJsonFile)
      found->approximate = found->approximate || found->bytes.contains(kReplacement);
    anchored_ = found && !found->approximate && found->at != std::string_view::npos;
    if (found && found->at != std::string_view::npos) behind_ = found->at + found->bytes.size();
    return found;
  }

 private:
  // The next gap is near behind one that was found.
  std::string_view near_text(const Gap& gap) const {
    const bool all = behind_ == 0 || gap.after.empty();
    return of_.text.substr(behind_, all ? std::string_view::npos : gap.length + kNear);
  }

  // Finds the gap if all that was captured since the last gap, and what is behind this gap, stand exactly where they should.
  std::optional<Refill> behind_last(const Gap& gap, std::size_t from, std::size_t to) const {
    const std::string_view between = of_.captured.substr(from, to - from);
    const std::string_view text = of_.text.substr(behind_);
    if (!anchored_ || !text.starts_with(between)) return std::nullopt;
    const std::string_view rest = text.substr(between.size());
    if (gap.length > rest.size()) return std::nullopt;
    const std::string_view after = rest.substr(gap.length);
    if (gap.after.empty() ? !(after.empty() && of_.ended) : !after.starts_with(gap.after))
      return std::nullopt;
    return Refill{std::string(rest.substr(0, gap.length)), false, behind_ + between.size()};
  }

  const GapSearch& of_;
  std::size_t index_ = 0;
  std::size_t behind_ = 0;  // where the last one that was found ends, in the text
  bool anchored_ = false;   // and it was found at exactly that place
  std::size_t searches_ = 0;
};

}  // namespace

Gap gap_sides(std::string_view captured, std::span<const GapPlace> gaps, std::size_t index) {
  const auto [first, last] = at_one_place(gaps, index);
  const std::size_t at = gaps[index].at;
  const std::size_t from = first > 0 ? gaps[first - 1].at : 0;
  const std::size_t to = last < gaps.size() ? gaps[last].at : captured.size();
  const std::size_t begin = std::max(from, at - std::min(at, kGapSide));
  Gap sides{captured.substr(begin, at - begin), captured.substr(at, std::min(to - at, kGapSide))};
  for (const GapPlace& gap : gaps.subspan(first, last - first)) sides.length += gap.length;
  return sides;
}

std::vector<std::optional<Refill>> find_gaps(const GapSearch& search) {
  Search at(search);
  std::vector<std::optional<Refill>> all;
  all.reserve(search.gaps.size());
  while (all.size() < search.gaps.size()) {
    const auto [first, last] = at_one_place(search.gaps, all.size());
    const auto found = at.next(last);
    std::size_t done = 0;
    for (std::size_t i = first; i < last; done += search.gaps[i++].length)
      all.push_back(found ? part_of(*found, done, i + 1 < last ? search.gaps[i].length : kAll)
                          : std::nullopt);
  }
  return all;
}

}  // namespace flowtap::flow
