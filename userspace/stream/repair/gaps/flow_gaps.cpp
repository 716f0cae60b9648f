#include "stream/repair/gaps/flow_gaps.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "stream/lines/cri_line.hpp"
#include "stream/lines/output_index.hpp"
#include "stream/repair/gaps/gapped_output.hpp"
#include "stream/repair/runtime_files/gap_search.hpp"

namespace flowtap {
namespace {

constexpr std::array<std::string_view, kRefillResults> kRefillNames{"exact", "approximate", "unfilled",
                                                                    "no_source", "no_room"};
constexpr std::size_t kGapPart = std::size_t{256} << 10U;
// ns. A line that the runtime has dated this much earlier than a captured line was before it, whatever clocks and buffers do.
constexpr std::uint64_t kBefore = 10'000'000'000;
// ns. A gap of an output of which nothing was captured has the time when that was known, which is later than its bytes.
constexpr std::uint64_t kSilent = 100'000'000;

// It has many members, since it knows the log and the runtime's files, and what was found in them.
class FlowGaps {
 public:
  FlowGaps(flow::FlowStore& store, GapsDecided& decided, const GapOptions& options)
      : store_(store), decided_(decided), options_(options) {
    outputs_[0].name = "stdout";
    outputs_[1].name = "stderr";
    // Where memory is scarce, the sizes of the store say so. What is behind a gap that was filled is looked for in the next round.
    for (GappedOutput& output : outputs_)
      output.most_kept = std::min<std::size_t>(kMostKept, store.options().store_bytes / 2);
  }

  GapRound fill(const Histories& histories, const std::string& id) {
    flow_ = store_.find(id);
    const auto summary = store_.summary(id);
    ended_ = summary && !summary->open();  // asked before the log is read, so that it is read to its end
    const auto log = histories.find(id);
    // The flow's name may not be final yet, and the runtime's file is found by the name.
    if (flow_ && !log && !options_.last && (id.starts_with("pod/") || id.starts_with("container/"))) {
      round_.open = 1;
      return round_;
    }
    is_kept_ = log.has_value();
    if (!flow_ || !read_log()) return round_;
    if (!log || !read_kept(*log, kBefore)) {
      for (const GappedOutput& output : outputs_)
        for (std::size_t i = 0; i < output.gaps.size(); ++i)
          if (output.gaps[i].wanted) decide(RefillResult::kNoSource, output.places[i].length);
    } else {
      std::array<Found, 2> found{search(outputs_[0]), search(outputs_[1])};
      read_close(*log, found);
      for (std::size_t i = 0; i < outputs_.size(); ++i) take_found(outputs_.at(i), found.at(i));
      put();
    }
    if (round_.open == 0 || options_.last)
      for (std::size_t i = 0; i < outputs_.size(); ++i)
        decided_.before.at(i) = outputs_.at(i).waits_at.value_or(read_to_);
    return round_;
  }

 private:
  using Found = std::vector<std::optional<flow::Refill>>;  // of each gap

  void decide(RefillResult result, std::uint64_t bytes) {
    round_.bytes.at(static_cast<std::size_t>(result)) += bytes;
  }

  void put() {
    if (fills_.empty()) return;
    std::ranges::sort(fills_, {}, &flow::GapFill::at);
    const auto filled = store_.fill(flow_, fills_);
    const std::uint64_t bytes = exact_ + approximate_;
    if (filled)
      settle(*filled);
    else if (options_.last && !has_unseen_)
      decide(filled.error().code == ENOSPC ? RefillResult::kNoRoom : RefillResult::kUnfilled, bytes);
    else
      round_.open += bytes;  // they were found, and writing them may succeed the next time
  }

  // A gap that has moved meanwhile is found by another look.
  void settle(std::uint64_t filled) {
    const std::uint64_t exact = std::min(exact_, filled);
    const std::uint64_t approximate = std::min(approximate_, filled - exact);
    decide(RefillResult::kExact, exact);
    decide(RefillResult::kApproximate, approximate);
    round_.open += exact_ + approximate_ - exact - approximate;
  }

  // False: there is nothing to fill.
  bool read_log() {
    const auto bounds = store_.bounds(*flow_);
    if (!bounds || bounds->missing == 0) return false;
    terminal_ = bounds->terminal;
    from_start_ = bounds->from_start;
    read_to_ = bounds->end;
    move_decided(bounds->edits);
    std::string rest;
    flow::LogPosition line_at = bounds->begin;
    for (flow::LogPosition at = bounds->begin; at < bounds->end;) {
      const auto part = store_.read(*flow_, at, std::min<std::size_t>(kGapPart, bounds->end - at));
      if (!part || part->gone || part->text.empty() || part->from != at || part->edits != bounds->edits) {
        round_.open = 1;  // the log has changed meanwhile
        return false;
      }
      rest += part->text;
      at = part->next;
      std::size_t begin = 0;
      for (std::size_t newline = 0; (newline = rest.find('\n', begin)) != std::string::npos;
           begin = newline + 1) {
        const auto size = newline + 1 - begin;
        take(std::string_view(rest).substr(begin, size), line_at);
        line_at += size;
      }
      rest.erase(0, begin);
    }
    return outputs_[0].first || outputs_[1].first;
  }

  // Filled gaps have moved what stands behind them. Another flow of that name begins anew.
  void move_decided(std::size_t edits) {
    if (std::exchange(decided_.flow, flow_->number) != flow_->number) decided_ = {flow_->number, edits, {}};
    std::uint64_t ignored = 0;
    const std::array positions{decided_.before.data(), decided_.before.data() + 1};
    decided_.edits = store_.move(*flow_, decided_.edits, positions, ignored);
  }

  void take(std::string_view text, flow::LogPosition at) {
    const auto line = flow::parse_cri_line(text.substr(0, text.size() - 1));
    if (!line) return;
    const std::size_t index = flow::output_index(line->output);
    GappedOutput& output = outputs_.at(index);
    if (line->missing)
      output.take_gap(*line,
                      {at, std::string(text), line->time, 0, at >= decided_.before.at(index), line->cause});
    else
      output.take(*line);
    if (!is_kept_ && output.captured.size() > kGapPart)
      output.forget_text();  // its gaps are all that is told of it
  }

  // Reads lines that the runtime has dated at most so long (ns) before those that are looked for.
  bool read_kept(const identity::RuntimeFilePlace& log, std::uint64_t before) {
    auto files = open_files(log);
    if (!files) return false;
    flow_format_ = runtime_format(log);
    flow::RuntimeFileReader reader(std::move(files->files), flow_format_, terminal_);
    reader.keep_to(files->run);
    std::uint64_t first = ~std::uint64_t{0};
    for (const GappedOutput& output : outputs_)
      if (output.reads_kept) first = std::min(first, output.first.value_or(first));
    const std::uint64_t since = first - std::min(first, before);
    if (const auto oldest = reader.oldest(); oldest && *oldest < since)
      for (GappedOutput& output : outputs_) output.leaves_out = output.leaves_out || output.reads_kept;
    reader.start_at_time(since);
    const auto take = [&](const flow::RuntimeLine& line) {
      GappedOutput& output = outputs_.at(flow::output_index(line.output));
      // One output may have to be searched from much earlier than the other.
      if (!output.reads_kept || output.is_full()) return;
      if (line.time + before < *output.first) {
        output.leaves_out = true;
        return;
      }
      if (output.reads.empty() || output.reads.back().time != line.time)
        output.reads.push_back({output.kept.size(), line.time});
      flow::append_bytes(output.kept, line);
    };
    const auto has_all = [](const GappedOutput& output) { return !output.reads_kept || output.is_full(); };
    while (reader.read(kGapPart, take) && !std::ranges::all_of(outputs_, has_all)) continue;
    const flow::RuntimeFileFaults faults = reader.faults();
    for (GappedOutput& output : outputs_)
      if (output.reads_kept)
        output.lacks_lines = faults.skipped > 0 || faults.broken > 0 || !files->unreadable.empty();
    return true;
  }

  // A source that writes much has written more than is looked through in the time before a gap. Then what the runtime dates before the
  // captured bytes beside the gap is left out, and what is found is approximate: if the clock was set back meanwhile, the place may be
  // another one.
  void read_close(const identity::RuntimeFilePlace& log, std::array<Found, 2>& found) {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      GappedOutput& output = outputs_.at(i);
      output.reads_kept = false;
      if (!has_found(output, found.at(i)) && output.falls_short(slack())) output.read_close();
    }
    if (!outputs_[0].close && !outputs_[1].close) return;
    (void)read_kept(log, slack());
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (!outputs_.at(i).close) continue;
      found.at(i) = search(outputs_.at(i));
      for (auto& one : found.at(i))
        if (one) one->approximate = true;
    }
  }

  [[nodiscard]] static bool has_found(const GappedOutput& output, const Found& found) {
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] && !found[i]->bytes.empty() && output.gaps[i].wanted) return true;
    return false;
  }

  // Nothing in what the runtime has kept of this output is older than the flow.
  [[nodiscard]] bool is_from_start(const GappedOutput& output) const {
    if (!from_start_ || output.leaves_out) return false;
    const bool is_silent = !output.begins && !output.gaps.empty() && !output.reads.empty();
    return !is_silent || output.reads.front().time + kSilent >= output.gaps.front().time;
  }

  // What was captured first is not in a line that the runtime has dated earlier.
  [[nodiscard]] std::uint64_t earliest_of(const GappedOutput& output) const {
    const std::uint64_t begins = output.begins.value_or(0);
    return begins - std::min(begins, slack());
  }
  // How much earlier than it was captured the runtime may have dated a line.
  [[nodiscard]] std::uint64_t slack() const {
    return terminal_ ? flow::Seam::kTerminalSlack : flow::Seam::kSlack;
  }

  [[nodiscard]] Found search(const GappedOutput& output) const {
    return flow::find_gaps({.captured = output.captured,
                            .gaps = output.places,
                            .text = output.kept,
                            .format = flow_format_,
                            .ended = ended_,
                            .from_start = is_from_start(output),
                            .earliest = output.kept_since(earliest_of(output)),
                            .drops_returns = terminal_,
                            .lacks_lines = output.lacks_lines});
  }

  void take_found(GappedOutput& output, const Found& found) {
    bool is_first = true;
    bool has_unseen = false;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const LoggedGap& gap = output.gaps[i];
      const std::uint64_t missing = output.places[i].length;
      if (!gap.wanted) continue;
      // Each look finds something, or decides about the first gap. What stands behind a gap that nobody has looked for is looked for with
      // it, and decided about only then.
      const bool was_close = std::exchange(is_first, false) && output.close;
      if (!found[i] && !options_.gives_up && !was_close &&
          (has_unseen || output.falls_short_of(i, slack()))) {
        if (!output.waits_at) output.waits_at = gap.at;
        has_unseen = has_unseen_ = true;
        round_.open += missing;
        continue;
      }
      // For a gap at the flow's end, the runtime may not have got that far.
      const bool may_come = output.places[i].at == output.captured.size();
      if (may_come && !ended_) {
        if (!output.waits_at) output.waits_at = gap.at;
        continue;
      }
      if (!found[i] || found[i]->bytes.empty() || (found[i]->approximate && may_come && !options_.last)) {
        if (options_.last)
          decide(RefillResult::kUnfilled, missing);
        else
          round_.open += missing;
        continue;
      }
      const std::uint64_t bytes = std::min<std::uint64_t>(found[i]->bytes.size(), missing);
      (found[i]->approximate ? approximate_ : exact_) += bytes;
      if (bytes < missing) decide(RefillResult::kUnfilled, missing - bytes);
      fills_.push_back(output.fill(gap, *found[i], missing, clock_));
    }
  }

  flow::FlowStore& store_;
  GapsDecided& decided_;
  GapOptions options_;
  flow::FlowStore::Ref flow_;
  flow::RuntimeFormat flow_format_ = flow::RuntimeFormat::kCri;
  flow::LogPosition read_to_ = 0;
  bool terminal_ = false;
  bool is_kept_ = false;     // a runtime has a file of it
  bool from_start_ = false;  // the flow begins with the first that its source wrote, as far as is known
  bool has_unseen_ = false;  // gaps that were not looked for yet
  bool ended_ = false;
  std::array<GappedOutput, 2> outputs_;
  std::vector<flow::GapFill> fills_;
  std::uint64_t exact_ = 0;  // bytes of fills_
  std::uint64_t approximate_ = 0;
  flow::CriTime clock_;
  GapRound round_;
};

}  // namespace

std::string_view to_string(RefillResult result) {
  return kRefillNames.at(static_cast<std::size_t>(result));
}

GapRound fill_gaps(flow::FlowStore& store, const Histories& histories, const std::string& id,
                   GapsDecided& decided, const GapOptions& options) {
  return FlowGaps(store, decided, options).fill(histories, id);
}

}  // namespace flowtap
