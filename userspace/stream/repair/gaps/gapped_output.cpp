#include "stream/repair/gaps/gapped_output.hpp"

#include <algorithm>
#include <utility>

#include "stream/lines/line_assembler.hpp"

namespace flowtap {

void GappedOutput::take(const flow::CriLine& line) {
  side.push_back({captured.size(), line.time});
  if (!begins) begins = line.time;
  approximate = line.approximate;
  captured.append(line.text).append(line.full ? 1 : 0, '\n');
  while (side.size() > 1 && side[1].at + flow::kGapSide <= captured.size()) side.pop_front();
}

void GappedOutput::forget_text() {
  captured.clear();
  side.clear();
}

void GappedOutput::take_gap(const flow::CriLine& line, LoggedGap gap) {
  const auto before = std::exchange(side, {});
  // The rest of a gap that was filled approximately is decided. Of uncounted bytes one cannot tell when all are found.
  gap.wanted = gap.wanted && !approximate && line.counted();
  places.push_back({captured.size(), *line.missing});
  // All bytes that are looked for are read, however slowly they were written.
  gap.from = before.empty() ? gap.time : std::min(gap.time, before.front().time);
  if (gap.wanted) first = std::min(first.value_or(gap.from), gap.from);
  gaps.push_back(std::move(gap));
}

bool GappedOutput::falls_short_of(std::size_t gap, std::uint64_t slack) const {
  if (!is_full()) return false;
  const std::uint64_t from = gaps[gap].from - std::min(gaps[gap].from, slack);
  // A part more, since lines that stood in a pipe when the captured ones were written may be dated as late as these.
  const std::size_t needs = std::min<std::uint64_t>(kept.size(), places[gap].length + most_kept / 16);
  return time_at(kept.size() - needs) < from;
}

bool GappedOutput::falls_short(std::uint64_t slack) const {
  const auto wanted = std::ranges::find(gaps, true, &LoggedGap::wanted);
  return wanted != gaps.end() && falls_short_of(static_cast<std::size_t>(wanted - gaps.begin()), slack);
}

void GappedOutput::read_close() {
  kept.clear();
  reads.clear();
  leaves_out = reads_kept = close = true;
}

std::uint64_t GappedOutput::time_at(std::size_t at) const {
  const auto next = std::ranges::upper_bound(reads, at, {}, &Read::at);
  return next == reads.begin() ? 0 : std::prev(next)->time;
}

std::size_t GappedOutput::kept_since(std::uint64_t time) const {
  const auto since = std::ranges::find_if(reads, [time](const Read& read) { return read.time >= time; });
  return since == reads.end() ? kept.size() : since->at;
}

flow::GapFill GappedOutput::fill(const LoggedGap& gap, const flow::Refill& found, std::uint64_t missing,
                                 flow::CriTime& clock) const {
  flow::GapFill fill{gap.at, gap.line, {}, std::min<std::uint64_t>(found.bytes.size(), missing)};
  flow::LineAssembler lines;
  const auto put = [&](const flow::LineView& line) {
    flow::put_cri_line(fill.text, clock, {line.time, name, line.full, {}, line.text, found.approximate});
  };
  const bool dated = found.at != std::string_view::npos;
  for (std::size_t at = 0; at < found.bytes.size();) {
    std::size_t end = found.bytes.find('\n', at);
    end = end == std::string::npos ? found.bytes.size() : end + 1;
    const std::uint64_t time = dated ? time_at(found.at + at) : 0;
    lines.add(std::string_view(found.bytes).substr(at, end - at), time != 0 ? time : gap.time, put);
    at = end;
  }
  lines.finish(put);
  if (fill.bytes < missing)
    flow::put_cri_line(fill.text, clock,
                       {gap.time, name, true, missing - fill.bytes,
                        flow::gap_text(missing - fill.bytes, gap.cause), false, gap.cause});
  return fill;
}

}  // namespace flowtap
