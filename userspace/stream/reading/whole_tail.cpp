#include "stream/reading/whole_tail.hpp"

#include <algorithm>

#include "stream/lines/output_index.hpp"

namespace flowtap {

void WholeTail::end(std::size_t output) {
  if (unfinished_.at(output)) lines_.at(output).push_back(*unfinished_.at(output));
  unfinished_.at(output).reset();
}

void WholeTail::take(flow::LogPosition at, const flow::CriLine& line) {
  const std::size_t output = flow::output_index(line.output);
  std::optional<Line>& unfinished = unfinished_.at(output);
  ++stored_;
  at_ = at;
  if (line.full) end(output);  // what comes behind it begins anew
  if (line.missing) {
    if (gaps_) lines_.at(output).push_back({at, at, stored_});
  } else if (unfinished) {
    unfinished->begin = at;
    unfinished->stored = stored_;
  } else {
    unfinished = Line{at, at, stored_};
  }
  if (!had_enough_at_ && found() >= wanted_) had_enough_at_ = at;
}

// How many lines begin behind it.
std::uint64_t WholeTail::found_behind(flow::LogPosition at) const {
  std::uint64_t found = 0;
  for (const std::vector<Line>& lines : lines_)
    found += static_cast<std::uint64_t>(
        std::ranges::lower_bound(lines, at, std::ranges::greater(), &Line::begin) - lines.begin());
  return found;
}

// A line whose beginning is not known yet may be one of the last, unless there are enough behind what is known of it.
bool WholeTail::is_enough() const {
  if (!had_enough_at_) return wanted_ == 0;
  if (*had_enough_at_ - at_ > kLookBack) return true;
  return std::ranges::all_of(unfinished_, [this](const std::optional<Line>& line) {
    return !line || found_behind(line->begin) >= wanted_;
  });
}

void WholeTail::finish() {
  end(0);
  end(1);
}

std::uint64_t WholeTail::lines() const {
  return std::min(found(), wanted_);
}

std::optional<WholeTail::Start> WholeTail::start() const {
  std::vector<Line> all;
  for (std::size_t output = 0; output < lines_.size(); ++output) {
    all.insert(all.end(), lines_.at(output).begin(), lines_.at(output).end());
    // It has looked far enough for its beginning.
    if (unfinished_.at(output)) all.push_back(*unfinished_.at(output));
  }
  if (wanted_ == 0 || all.size() < wanted_) return std::nullopt;
  const auto nth = all.begin() + static_cast<std::ptrdiff_t>(wanted_ - 1);
  std::ranges::nth_element(all, nth, std::ranges::greater(), &Line::begin);
  Start start{.at = nth->begin, .stored = nth->stored, .within = {}};
  const auto reaches = [&start](const Line& line) { return line.begin < start.at && line.last >= start.at; };
  for (std::size_t output = 0; output < lines_.size(); ++output)
    start.within.at(output) = std::ranges::any_of(lines_.at(output), reaches) ||
                              (unfinished_.at(output) && reaches(*unfinished_.at(output)));
  return start;
}

}  // namespace flowtap
