#include "stream/repair/runtime_files/gap_search.hpp"

#include <algorithm>

#include "stream/repair/runtime_files/beginning.hpp"
#include "stream/repair/runtime_files/kept_form.hpp"

namespace flowtap::flow {
namespace {

constexpr std::size_t kNear = std::size_t{1} << 20U;

class Search {
 public:
  explicit Search(const GapSearch& of) : of_(of) {}

  std::optional<Refill> next() {
    const GapPlace& gap = of_.gaps[index_];
    const std::size_t from = index_ > 0 ? of_.gaps[index_ - 1].at : 0;
    const std::size_t to = index_ + 1 < of_.gaps.size() ? of_.gaps[index_ + 1].at : of_.captured.size();
    ++index_;
    const std::size_t begin = std::max(from, gap.at - std::min(gap.at, kGapSide));
    const Gap sides{of_.captured.substr(begin, gap.at - begin),
                    of_.captured.substr(gap.at, std::min(to - gap.at, kGapSide)), gap.length};
    auto found = behind_last(sides, from, gap.at);
    // Where the capture broke off nothing is looked for. What comes behind it is searched for anew if something is missing there.
    if (gap.length == 0) {
      anchored_ = found.has_value();
      if (found) behind_ = found->at;
      return std::nullopt;
    }
    // A side says nothing if it is an end that may not be final, or a beginning that may be amid the text.
    const bool is_last = index_ == of_.gaps.size();
    const bool known = !sides.before.empty() && (!sides.after.empty() || (is_last && of_.ended));
    const bool is_beginning = gap.at == 0 && index_ == 1 && (!sides.after.empty() || (is_last && of_.ended));
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

std::vector<std::optional<Refill>> find_gaps(const GapSearch& search) {
  Search at(search);
  std::vector<std::optional<Refill>> all;
  all.reserve(search.gaps.size());
  while (all.size() < search.gaps.size()) all.push_back(at.next());
  return all;
}

}  // namespace flowtap::flow
