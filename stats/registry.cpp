#include "stats/registry.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>

namespace flowtap::stats {
namespace {

// For tasks of the ext class that ran before sysfs ever named their scheduler (it came and went within a cycle).
constexpr std::string_view kUnnamedExt = "sched_ext";
constexpr std::string_view kKernel = "kernel";

Value value_of(const Stat& stat, const std::array<std::uint64_t, FTAP_NR_SLOTS>& totals) {
  const std::size_t slot = stat.slot.value();
  const double scale = stat.unit == Unit::kSeconds ? 1e-9 : 1.0;
  if (stat.kind == Kind::kHistogram) {
    HistogramValue h;
    std::copy_n(totals.begin() + static_cast<std::ptrdiff_t>(slot), h.counts.size(), h.counts.begin());
    h.sum = static_cast<double>(totals.at(slot + FTAP_HIST_SUM)) * scale;
    return h;
  }
  if (stat.unit == Unit::kSeconds) return static_cast<double>(totals.at(slot)) * scale;
  return totals.at(slot);
}

// Room for the series of the slots, for a few schedulers.
constexpr std::size_t kSlotSeries = 512;

// Indexes of the series, sorted by family; within a family the order stays.
struct ByFamily {
  std::vector<std::uint32_t> numbers;
  std::vector<std::size_t> ends;  // where each family ends

  [[nodiscard]] std::span<const std::uint32_t> of(FamilyId id) const {
    const auto i = static_cast<std::size_t>(id);
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(numbers).subspan(begin, ends[i] - begin);
  }
};

// A counting sort, since a full node has tens of thousands of series in each cycle.
ByFamily sorted_by_family(std::span<const Series> samples) {
  std::vector<std::size_t> next(families().size() + 1);
  for (const Series& s : samples) ++next[static_cast<std::size_t>(s.stat->family) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  ByFamily sorted{.numbers = std::vector<std::uint32_t>(samples.size()), .ends = {}};
  for (std::uint32_t i = 0; i < samples.size(); ++i)
    sorted.numbers[next[static_cast<std::size_t>(samples[i].stat->family)]++] = i;
  next.pop_back();
  sorted.ends = std::move(next);
  return sorted;
}

void add_to(std::array<std::uint64_t, FTAP_NR_SLOTS>& totals,
            const std::array<std::uint64_t, FTAP_NR_SLOTS>& more) {
  std::ranges::transform(totals, more, totals.begin(), std::plus<>{});
}

}  // namespace

Registry::Registry(std::size_t max_series_per_family, std::chrono::system_clock::time_point start)
    : max_series_(max_series_per_family), start_(start) {
  schedulers_.emplace(kKernel, Scheduler{});
  for (const Family& f : families()) dropped_.emplace(f.id, 0);
}

void Registry::add(const SlotCounts& counts, std::string_view ext_scheduler) {
  Scheduler& kernel = schedulers_.find(kKernel)->second;
  kernel.traced = true;
  add_to(kernel.totals, counts.at(FTAP_CLASS_KERNEL));

  if (!ext_scheduler.empty()) ext_scheduler_ = ext_scheduler;
  const auto& ext = counts.at(FTAP_CLASS_EXT);
  const bool any = std::ranges::any_of(ext, [](std::uint64_t n) { return n != 0; });
  if (!any && ext_scheduler.empty()) return;
  if (ext_scheduler_.empty()) ext_scheduler_ = kUnnamedExt;
  Scheduler& scheduler = schedulers_[ext_scheduler_];
  scheduler.traced = true;
  add_to(scheduler.totals, ext);
}

void Registry::add_own(const SlotCounts& counts, std::string_view name) {
  Scheduler& scheduler = schedulers_[std::string(name)];
  scheduler.counts_itself = true;
  add_to(scheduler.totals, counts.at(FTAP_CLASS_EXT));
}

bool Registry::shows(const Scheduler& scheduler, const Stat& stat) {
  if (stat.counted_by == CountedBy::kScheduler) return scheduler.counts_itself;
  // A type that this scheduler's dispatches cannot have must be absent: a 0 would say that it was measured.
  const bool own_types = scheduler.counts_itself && stat.family == FamilyId::kDISPATCHED_TASKS;
  return scheduler.traced && (!own_types || scheduler.totals.at(stat.slot.value()) != 0);
}

void Registry::append_scheduler(std::vector<Series>& out, const Family& family, const std::string& name,
                                const Scheduler& scheduler) {
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  for (const Stat& s : slot_stats()) {
    if (s.family != family.id || !shows(scheduler, s)) continue;
    std::vector<std::string> labels;
    if (per_scheduler(family)) labels.push_back(name);
    if (s.label) labels.emplace_back(*s.label);
    const auto same =
        std::find_if(out.begin() + first, out.end(), [&](const Series& o) { return o.labels == labels; });
    const Value value = value_of(s, scheduler.totals);
    if (same == out.end())
      out.push_back({&s, std::move(labels), value});
    else
      std::get<std::uint64_t>(same->value) += std::get<std::uint64_t>(value);
  }
}

void Registry::append_slots(std::vector<Series>& out, const Family& family) const {
  if (per_scheduler(family)) {
    for (const auto& [name, scheduler] : schedulers_) append_scheduler(out, family, name, scheduler);
    return;
  }
  Scheduler all;
  for (const auto& [name, scheduler] : schedulers_) {
    all.traced = all.traced || scheduler.traced;
    all.counts_itself = all.counts_itself || scheduler.counts_itself;
    add_to(all.totals, scheduler.totals);
  }
  append_scheduler(out, family, {}, all);
}

SnapshotPtr Registry::publish(std::vector<Series> samples,
                              std::optional<std::chrono::steady_clock::time_point> measured,
                              std::span<const Series> more, std::span<const Series> for_compat) {
  const auto by_family = sorted_by_family(samples);
  const auto more_by_family = sorted_by_family(more);
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->cycle = ++cycle_;
  snapshot->start = start_;
  snapshot->time = std::chrono::system_clock::now();
  snapshot->steady = std::chrono::steady_clock::now();
  snapshot->measured = measured;
  snapshot->for_compat.assign(for_compat.begin(), for_compat.end());
  auto& out = snapshot->series;
  out.reserve(samples.size() + more.size() + kSlotSeries);
  for (const Family& family : families()) {
    const std::size_t before = out.size();
    if (first_stat(family.id).slot) append_slots(out, family);
    for (const std::uint32_t i : by_family.of(family.id)) out.push_back(std::move(samples[i]));
    for (const std::uint32_t i : more_by_family.of(family.id)) out.push_back(more[i]);
    const std::size_t count = out.size() - before;
    if (count <= max_series_) continue;
    dropped_[family.id] += count - max_series_;
    out.resize(before + max_series_, Series{nullptr, {}, std::uint64_t{0}});
  }
  // This comes last, so that it includes what this very snapshot left out; its own family is as small as the table.
  const auto at =
      std::ranges::find_if(out, [](const Series& s) { return s.stat->family > FamilyId::kDROPPED_SERIES; });
  std::vector<Series> dropped;
  dropped.reserve(dropped_.size());
  for (const auto& [id, n] : dropped_)
    dropped.push_back({&stat(StatId::kDROPPED_SERIES), {std::string(family(id).name)}, n});
  out.insert(at, std::make_move_iterator(dropped.begin()), std::make_move_iterator(dropped.end()));
  return snapshot;
}

}  // namespace flowtap::stats
