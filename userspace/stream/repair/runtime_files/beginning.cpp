#include "stream/repair/runtime_files/beginning.hpp"

#include <algorithm>
#include <string>

#include "stream/repair/runtime_files/kept_form.hpp"

namespace flowtap::flow {
namespace {

/// Where the missing bytes may begin, and how many "\r" the text then lacks.
struct Start {
  std::size_t at = 0;
  std::uint64_t lacking = 0;
  std::uint64_t newlines = 0;  // of the missing bytes
  [[nodiscard]] bool lacks_none() const { return lacking == 0; }
  [[nodiscard]] bool lacks_all() const { return lacking > 0 && lacking == newlines; }
};

class Beginning {
 public:
  Beginning(const BeginningGap& gap, const KeptText& kept) : gap_(gap), kept_(kept), text_(kept.text) {}

  std::optional<Refill> find() {
    if (gap_.length == 0 || !find_end()) return std::nullopt;
    auto refill = drops_ ? find_with_returns() : find_as_kept();
    if (refill && kept_.lacks_lines) refill->approximate = true;
    return refill;
  }

 private:
  // Where what was captured stands. False: it is not there, or may be in several places.
  bool find_end() {
    drops_ = kept_.format == RuntimeFormat::kCri || kept_.drops_returns;
    end_ = text_.size();
    if (gap_.after.empty()) return kept_.from_start;
    std::string after(gap_.after);
    if (is_there(after)) {
      // This runtime keeps them.
      if (gap_.after.contains("\r\n")) drops_ = false;
    } else {
      after = as_containerd_keeps(after);
      if (!drops_ || !is_there(after)) return false;
    }
    if (text_.find(after, end_ + 1) != std::string_view::npos) return false;
    if (kept_.from_start && end_ <= gap_.length) return true;  // it stands where it has to
    return after.size() >= kLeastSide;
  }

  bool is_there(std::string_view after) {
    if (after.empty()) return false;
    end_ = text_.find(after, kept_.earliest);
    return end_ != std::string_view::npos;
  }

  // The text has all bytes. Only bytes that are not UTF-8 take more room in it.
  [[nodiscard]] std::optional<Refill> find_as_kept() const {
    if (gap_.length > end_) return std::nullopt;
    std::size_t begin = end_;
    const bool replaces = kept_.format == RuntimeFormat::kJsonFile;
    for (std::uint64_t left = gap_.length; left > 0 && begin > 0; --left)
      begin -= replaces && text_.substr(0, begin).ends_with(kReplacement) ? kReplacement.size() : 1;
    if (gap_.after.empty() && begin > 0) return std::nullopt;
    return of(begin, replaces && text_.substr(begin, end_ - begin).contains(kReplacement));
  }

  [[nodiscard]] std::optional<Refill> find_with_returns() const {
    if (kept_.from_start && end_ <= gap_.length) return find_whole();
    if (gap_.after.empty()) return std::nullopt;
    if (is_within_a_line()) return of(end_ - gap_.length, false);
    const Starts starts = find_starts();
    if (starts.best) return of(*starts.best, starts.count > 1 || !fits(*starts.best));
    // They begin amid a line, or there is no more of them.
    if (gap_.length > end_) return std::nullopt;
    return of(end_ - gap_.length, true);
  }

  // No "\r" can be lacking there.
  [[nodiscard]] bool is_within_a_line() const {
    return gap_.length <= end_ && newline_of_after() == 0 &&
           !text_.substr(end_ - gap_.length, gap_.length).contains('\n');
  }

  // They are all of the text before what was captured.
  [[nodiscard]] std::optional<Refill> find_whole() const {
    const auto newlines =
        static_cast<std::uint64_t>(std::ranges::count(text_.substr(0, end_), '\n')) + newline_of_after();
    const Start start{0, gap_.length - end_, newlines};
    if (start.lacking > start.newlines) return std::nullopt;
    return of(start, !start.lacks_none() && !fits(start));
  }

  // The "\r" in front of the newline that was captured first is missing as well.
  [[nodiscard]] std::uint64_t newline_of_after() const { return gap_.after.starts_with('\n') ? 1 : 0; }

  struct Starts {
    std::size_t count = 0;
    std::optional<Start> best;  // the one that fits what was captured, or else the nearest
  };
  // Finds the lines that can be the first of the missing ones.
  [[nodiscard]] Starts find_starts() const {
    Starts starts;
    std::uint64_t newlines = newline_of_after();
    for (std::size_t at = end_; at > 0 && end_ - at < gap_.length;) {
      --at;
      newlines += text_[at] == '\n' ? 1 : 0;
      const Start start{at, gap_.length - (end_ - at), newlines};
      if (start.lacking > newlines || (at > 0 && text_[at - 1] != '\n')) continue;
      ++starts.count;
      if (!starts.best || fits(start)) starts.best = start;
    }
    return starts;
  }

  [[nodiscard]] bool fits(const Start& start) const {
    return (start.lacks_none() && gap_.ends == LineEnds::kNewlines) ||
           (start.lacks_all() && gap_.ends == LineEnds::kReturns);
  }

  [[nodiscard]] Refill of(std::size_t begin, bool approximate) const {
    return {std::string(text_.substr(begin, end_ - begin)), approximate, begin};
  }
  [[nodiscard]] Refill of(const Start& start, bool approximate) const {
    if (!start.lacks_all()) return of(start.at, approximate);
    std::string bytes = with_carriage_returns(text_.substr(start.at, end_ - start.at));
    bytes.append(newline_of_after(), '\r');
    return {std::move(bytes), approximate, std::string_view::npos};
  }

  const BeginningGap& gap_;
  const KeptText& kept_;
  std::string_view text_;
  std::size_t end_ = 0;  // of the missing bytes
  bool drops_ = false;   // "\r" before newlines may be missing in the text
};

}  // namespace

LineEnds line_ends(std::string_view captured) {
  bool plain = false;
  bool returns = false;
  for (std::size_t at = captured.find('\n'); at != std::string_view::npos && !(plain && returns);
       at = captured.find('\n', at + 1)) {
    if (at == 0) continue;  // what is before it is missing
    (captured[at - 1] == '\r' ? returns : plain) = true;
  }
  if (plain && returns) return LineEnds::kBoth;
  if (plain) return LineEnds::kNewlines;
  return returns ? LineEnds::kReturns : LineEnds::kUnknown;
}

std::optional<Refill> find_beginning(const BeginningGap& gap, const KeptText& kept) {
  return Beginning(gap, kept).find();
}

}  // namespace flowtap::flow
