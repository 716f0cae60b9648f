#include "daemon/stream/flow_gaps.hpp"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <optional>
#include <utility>

#include "flow/history/gap_search.hpp"
#include "flow/lines/cri_line.hpp"
#include "flow/lines/line_assembler.hpp"

namespace flowtap {
namespace {

constexpr std::size_t kPart = std::size_t{256} << 10U;
// ns; what the runtime has dated so much earlier than a captured line was before it, clocks and buffers apart.
constexpr std::uint64_t kBefore = 10'000'000'000;

struct LoggedGap {
  flow::LogPosition at = 0;
  std::string line;  // with its newline
  std::uint64_t time = 0;
  bool wanted = false;
};

/// One output of a flow, as far as it was captured and as its runtime has kept it.
struct Output {
  std::string_view name;
  std::string captured;
  std::vector<flow::GapPlace> places;
  std::vector<LoggedGap> gaps;  // as places
  struct Read {
    std::size_t at = 0;  // in `kept`; of `side` in `captured`
    std::uint64_t time = 0;
  };
  std::string kept;
  std::vector<Read> reads;
  std::optional<std::uint64_t> first;  // time of what is looked for before the first gap
  bool approximate = false;            // the last line that was taken
  // Lines since the last gap, from the one with the first byte that is looked for beside the next gap.
  std::deque<Read> side;

  [[nodiscard]] bool is_full() const { return !first || kept.size() > kMostKept; }

  void take(const flow::CriLine& line) {
    side.push_back({captured.size(), line.time});
    approximate = line.approximate;
    captured.append(line.text).append(line.full ? 1 : 0, '\n');
    while (side.size() > 1 && side[1].at + flow::kGapSide <= captured.size()) side.pop_front();
  }
  [[nodiscard]] std::uint64_t time_at(std::size_t at) const {
    const auto next = std::ranges::upper_bound(reads, at, {}, &Read::at);
    return next == reads.begin() ? 0 : std::prev(next)->time;
  }
};

class FlowGaps {
 public:
  FlowGaps(flow::FlowStore& store, const GapOptions& options) : store_(store), options_(options) {
    outputs_[0].name = "stdout";
    outputs_[1].name = "stderr";
  }

  GapRound fill(const RuntimeHistory& history, const std::string& id) {
    flow_ = store_.find(id);
    const auto log = history.logs().find(id);
    // Its name may not be the last one yet, and the runtime's file is found by it.
    if (flow_ && !log && !options_.last && (id.starts_with("pod/") || id.starts_with("container/"))) {
      round_.open = 1;
      return round_;
    }
    if (!flow_ || !read_log()) return round_;
    if (!log || !read_kept(*log)) {
      for (const Output& output : outputs_)
        for (std::size_t i = 0; i < output.gaps.size(); ++i)
          if (output.gaps[i].wanted) decide(RefillResult::kNoSource, output.places[i].length);
      return round_;
    }
    const auto summary = store_.summary(id);
    ended_ = summary && !summary->open;
    for (Output& output : outputs_) search(output, flow_format_);
    if (fills_.empty()) return round_;
    std::ranges::sort(fills_, {}, &flow::GapFill::at);
    const auto filled = store_.fill(flow_, fills_);
    if (!filled)
      decide(filled.error().code == ENOSPC ? RefillResult::kNoRoom : RefillResult::kUnfilled,
             exact_ + approximate_);
    else
      settle(*filled);
    return round_;
  }

 private:
  void decide(RefillResult result, std::uint64_t bytes) {
    round_.bytes.at(static_cast<std::size_t>(result)) += bytes;
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
    std::string rest;
    flow::LogPosition line_at = bounds->begin;
    for (flow::LogPosition at = bounds->begin; at < bounds->end;) {
      const auto part = store_.read(*flow_, at, std::min<std::size_t>(kPart, bounds->end - at));
      if (!part || part->gone || part->text.empty() || part->from != at || part->edits != bounds->edits) {
        round_.open = 1;  // it was changed meanwhile
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

  void take(std::string_view text, flow::LogPosition at) {
    const auto line = flow::parse_cri_line(text.substr(0, text.size() - 1));
    if (!line) return;
    const std::size_t index = line->output == "stderr" ? 1 : 0;
    Output& output = outputs_.at(index);
    if (!line->missing) return output.take(*line);
    const auto side = std::exchange(output.side, {});
    // What is left of one that was filled approximately is decided.
    const bool wanted = line->time >= options_.since.at(index) && !output.approximate;
    output.places.push_back({output.captured.size(), *line->missing});
    output.gaps.push_back({at, std::string(text), line->time, wanted});
    if (!wanted) return;
    round_.next.at(index) = std::max(round_.next.at(index), line->time + 1);
    // However slowly it writes, all that is looked for is read.
    const std::uint64_t from = side.empty() ? line->time : std::min(line->time, side.front().time);
    output.first = std::min(output.first.value_or(from), from);
  }

  bool read_kept(const identity::RuntimeLog& log) {
    auto files = open_files(log);
    if (!files) return false;
    flow_format_ = history_format(log);
    flow::HistoryReader reader(std::move(files->files), flow_format_, terminal_);
    const std::uint64_t first = std::min(outputs_[0].first.value_or(~std::uint64_t{0}),
                                         outputs_[1].first.value_or(~std::uint64_t{0}));
    reader.start_at_time(first - std::min(first, kBefore));
    const auto take = [&](const flow::HistoryLine& line) {
      Output& output = outputs_.at(line.output == "stderr" ? 1 : 0);
      // One output may have to be looked for far before the other.
      if (output.is_full() || line.time + kBefore < *output.first) return;
      if (output.reads.empty() || output.reads.back().time != line.time)
        output.reads.push_back({output.kept.size(), line.time});
      flow::append_bytes(output.kept, line);
    };
    while (reader.read(kPart, take) && !std::ranges::all_of(outputs_, &Output::is_full)) continue;
    return true;
  }

  void search(Output& output, flow::HistoryFormat format) {
    const auto found = flow::find_gaps({.captured = output.captured,
                                        .gaps = output.places,
                                        .text = output.kept,
                                        .format = format,
                                        .ended = ended_});
    for (std::size_t i = 0; i < found.size(); ++i) {
      const LoggedGap& gap = output.gaps[i];
      const std::uint64_t missing = output.places[i].length;
      if (!gap.wanted) continue;
      // At its end the runtime may not have got so far.
      const bool may_come = i + 1 == found.size() && output.places[i].at == output.captured.size();
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
      fills_.push_back(fill_of(output, gap, *found[i], missing));
    }
  }

  flow::GapFill fill_of(const Output& output, const LoggedGap& gap, const flow::Refill& found,
                        std::uint64_t missing) {
    flow::GapFill fill{gap.at, gap.line, {}, std::min<std::uint64_t>(found.bytes.size(), missing)};
    flow::LineAssembler lines;
    const auto put = [&](const flow::LineView& line) {
      flow::put_cri_line(fill.text, clock_,
                         {line.time, output.name, line.full, {}, line.text, found.approximate});
    };
    const bool dated = found.at != std::string_view::npos;
    for (std::size_t at = 0; at < found.bytes.size();) {
      std::size_t end = found.bytes.find('\n', at);
      end = end == std::string::npos ? found.bytes.size() : end + 1;
      const std::uint64_t time = dated ? output.time_at(found.at + at) : 0;
      lines.add(std::string_view(found.bytes).substr(at, end - at), time != 0 ? time : gap.time, put);
      at = end;
    }
    lines.finish(put);
    if (fill.bytes < missing)
      flow::put_cri_line(
          fill.text, clock_,
          {gap.time, output.name, true, missing - fill.bytes, flow::gap_text(missing - fill.bytes)});
    return fill;
  }

  flow::FlowStore& store_;
  GapOptions options_;
  flow::FlowStore::Ref flow_;
  flow::HistoryFormat flow_format_ = flow::HistoryFormat::kCri;
  bool terminal_ = false;
  bool ended_ = false;
  std::array<Output, 2> outputs_;
  std::vector<flow::GapFill> fills_;
  std::uint64_t exact_ = 0;  // bytes of fills_
  std::uint64_t approximate_ = 0;
  flow::CriTime clock_;
  GapRound round_;
};

}  // namespace

GapRound fill_gaps(flow::FlowStore& store, const RuntimeHistory& history, const std::string& id,
                   const GapOptions& options) {
  return FlowGaps(store, options).fill(history, id);
}

}  // namespace flowtap
