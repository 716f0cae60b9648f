#include "count/scx_totals.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace flowtap {
namespace {

struct Row {
  std::string_view scheduler;
  std::string_view stat;
  ScxCount how;
};

constexpr auto kRows = std::to_array<Row>({
#define FTAP_SCX_COUNT(scheduler, stat, how) {scheduler, stat, ScxCount::k##how},
#include "count/scx_counts.def"
#undef FTAP_SCX_COUNT
});

// The limit for all schedulers since the start, with all layers or cells that they ever had: twice the most that one
// answer has. Beyond it, values that no scheduler reports any more are forgotten; if they come back, they begin at 0.
constexpr std::size_t kMostTotals = 8192;

// Beyond this a double cannot tell neighbours apart; such a value comes from a subtraction in a scheduler that went
// below 0.
constexpr double kLargest = 9007199254740992.0;

// "bpfland" and "bpfland_1.0.21_x86_64_unknown_linux_gnu" are the same scheduler.
bool names(std::string_view scheduler, std::string_view known) {
  return scheduler.starts_with(known) && (scheduler.size() == known.size() || scheduler[known.size()] == '_');
}

}  // namespace

ScxCount scx_count(std::string_view scheduler, std::string_view stat) {
  const auto row = std::ranges::find_if(
      kRows, [&](const Row& r) { return r.stat == stat && names(scheduler, r.scheduler); });
  return row == kRows.end() ? ScxCount::kNot : row->how;
}

std::optional<double> ScxTotals::count(ScxCount how, const Name& name, double value,
                                       std::optional<std::uint64_t> run) {
  if (value < 0 || value > kLargest) return std::nullopt;
  Total& total = totals_[name];
  if (how == ScxCount::kDelta) {
    total.before += value;
    return total.before;
  }
  // A fallen value also shows a new run, in case the sequence is missing. Where the sequence could not be read, the
  // last one is used.
  if ((run && run != total.run) || value < total.last) total.before += total.last;
  total.last = value;
  if (run) total.run = run;
  return total.before + total.last;
}

void ScxTotals::note(const std::string& scheduler, std::optional<std::uint64_t> run, bool first,
                     const std::vector<ScxValue>& values) {
  shown_.clear();
  if (totals_.size() + values.size() > kMostTotals) {
    std::set<Name> now;
    for (const ScxValue& v : values) now.insert({scheduler, v.stat, v.member});
    std::erase_if(totals_, [&now](const auto& entry) { return !now.contains(entry.first); });
  }
  for (const ScxValue& v : values) {
    Name name{scheduler, v.stat, v.member};
    const ScxCount how = scx_count(scheduler, v.stat);
    const auto shown = how == ScxCount::kNot
                           ? std::optional(v.value)
                           : count(how, name, first && how == ScxCount::kDelta ? 0 : v.value, run);
    if (shown)
      shown_.push_back({std::move(name), how != ScxCount::kNot, *shown});
    else
      ++refused_;
  }
}

void ScxTotals::append_samples(std::vector<stats::Series>& out) const {
  for (const Shown& s : shown_) {
    const auto& [scheduler, stat, member] = s.name;
    out.push_back({&stats::stat(s.counter ? stats::StatId::kSCX_COUNTER : stats::StatId::kSCX_GAUGE),
                   {scheduler, stat, member},
                   s.value});
  }
}

}  // namespace flowtap
