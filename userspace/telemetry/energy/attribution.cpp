#include "telemetry/energy/attribution.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace flowtap::telemetry {
namespace {

// Microjoules times nanoseconds of all CPUs do not fit 64 bits: 1 kJ times an hour of 300 CPUs is 2^80.
__extension__ using Wide = unsigned __int128;

struct Part {
  std::uint64_t whole;
  Wide rest;  // of `all`
};

// all != 0, part <= all
Part part_of(std::uint64_t sum, std::uint64_t part, Wide all) {
  const Wide product = Wide{sum} * part;
  return {static_cast<std::uint64_t>(product / all), product % all};
}

Wide sum_of(std::span<const std::uint64_t> values) {
  return std::accumulate(values.begin(), values.end(), Wide{0});
}

// Divides `sum` in proportion to `weights`, whose sum is not 0.
std::vector<std::uint64_t> divide(std::uint64_t sum, std::span<const std::uint64_t> weights) {
  const Wide all = sum_of(weights);
  std::vector<std::uint64_t> parts;
  std::vector<Wide> rests;
  std::uint64_t left = sum;
  for (const std::uint64_t weight : weights) {
    const Part part = part_of(sum, weight, all);
    parts.push_back(part.whole);
    rests.push_back(part.rest);
    left -= part.whole;
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return rests[a] > rests[b]; });
  // Fewer microjoules are left than parts were rounded down.
  for (std::size_t i = 0; i < left; ++i) ++parts[order[i]];
  return parts;
}

// The cycles, if all that used CPU time have them; otherwise that time.
std::vector<std::uint64_t> weights_of(std::span<const ConsumerUse> uses) {
  const bool by_cycles =
      std::ranges::all_of(uses, [](const ConsumerUse& use) { return use.cpu_ns == 0 || use.cycles; });
  std::vector<std::uint64_t> weights;
  for (const ConsumerUse& use : uses)
    weights.push_back(use.cpu_ns == 0 ? 0 : by_cycles ? *use.cycles : use.cpu_ns);
  if (by_cycles && sum_of(weights) == 0)  // time that ran but was not counted in cycles
    for (std::size_t i = 0; i < uses.size(); ++i) weights[i] = uses[i].cpu_ns;
  return weights;
}

// Cuts the use as if it had been only `ns`.
void cut(ConsumerUse& use, std::uint64_t ns) {
  if (use.cpu_ns <= ns) return;
  if (use.cycles) use.cycles = part_of(*use.cycles, ns, use.cpu_ns).whole;
  use.cpu_ns = ns;
}

// A consumer whose usage spans several intervals gets at most the busy time that the others leave.
void cut_late(std::span<ConsumerUse> uses, const std::vector<bool>& late, std::uint64_t busy) {
  Wide others = 0;
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (!late[i]) others += uses[i].cpu_ns;
  const std::uint64_t left = others >= busy ? 0 : busy - static_cast<std::uint64_t>(others);
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (late[i]) cut(uses[i], left);
}

}  // namespace

EnergyShares share_out(std::uint64_t node, CpuTime cpu, std::span<const ConsumerUse> uses) {
  EnergyShares shares;
  const Wide all = Wide{cpu.busy} + cpu.idle;
  shares.idle = all == 0 ? 0 : part_of(node, cpu.idle, all).whole;
  const std::uint64_t active = node - shares.idle;

  std::vector<std::uint64_t> times;
  for (const ConsumerUse& use : uses) times.push_back(use.cpu_ns);
  const Wide used = sum_of(times);
  std::uint64_t together = 0;
  if (used != 0 && cpu.busy != 0)
    together = used >= cpu.busy ? active : part_of(active, static_cast<std::uint64_t>(used), cpu.busy).whole;
  shares.system = active - together;
  if (together == 0)
    shares.consumers.assign(uses.size(), 0);
  else
    shares.consumers = divide(together, weights_of(uses));
  return shares;
}

CpuTime EnergyAttribution::cpu_since(std::optional<CpuTime> cpu) {
  CpuTime since;
  // Fields of /proc/stat may go back, above all the one for waiting on disks.
  if (cpu && cpu_)
    since = {.busy = cpu->busy - std::min(cpu->busy, cpu_->busy),
             .idle = cpu->idle - std::min(cpu->idle, cpu_->idle)};
  cpu_ = cpu;
  return since;
}

ConsumerUse EnergyAttribution::use_since(Known& known, const EnergyConsumer& consumer, bool fresh) const {
  const bool all = fresh && consumer.began && round_ > 1;
  const auto since = [&](std::uint64_t now, std::uint64_t before) {
    if (all) return now;
    if (fresh) return std::uint64_t{0};
    return now >= before ? now - before : now;
  };
  ConsumerUse use{.cpu_ns = since(consumer.cpu_ns, known.cpu_ns), .cycles = std::nullopt};
  if (consumer.cycles && (fresh || known.cycles))
    use.cycles = since(*consumer.cycles, known.cycles.value_or(0));
  known.cpu_ns = consumer.cpu_ns;
  known.cycles = consumer.cycles;
  known.round = round_;
  return use;
}

std::vector<ConsumerEnergy> EnergyAttribution::add(std::uint64_t node, std::optional<CpuTime> cpu,
                                                   std::span<const EnergyConsumer> consumers) {
  ++round_;
  node += std::exchange(waiting_, 0);
  const CpuTime since = cpu_since(cpu);
  std::vector<ConsumerUse> uses;
  std::vector<decltype(known_)::iterator> users;
  std::vector<bool> ended;
  std::vector<bool> late;
  for (const EnergyConsumer& consumer : consumers) {
    const auto [at, fresh] = known_.try_emplace(consumer.id);
    if (!fresh && at->second.round == round_) continue;
    uses.push_back(use_since(at->second, consumer, fresh));
    users.push_back(at);
    ended.push_back(consumer.ended);
    late.push_back(consumer.may_be_late && (fresh || uses.back().cpu_ns > since.busy));
  }

  cut_late(uses, late, since.busy);
  const EnergyShares shares = share_out(node, since, uses);
  node_ += node;
  idle_ += shares.idle;
  system_ += shares.system;
  for (std::size_t i = 0; i < users.size(); ++i) {
    users[i]->second.uj += shares.consumers[i];
    if (ended[i]) users[i]->second.round = 0;
  }

  std::vector<ConsumerEnergy> all;
  for (auto at = known_.begin(); at != known_.end();) {
    const bool gone = at->second.round != round_;
    all.push_back({at->first, at->second.uj, gone});
    if (gone) gone_ += at->second.uj;
    at = gone ? known_.erase(at) : std::next(at);
  }
  return all;
}

std::vector<ConsumerEnergy> EnergyAttribution::wait(std::uint64_t node) {
  waiting_ += node;
  std::vector<ConsumerEnergy> all;
  all.reserve(known_.size());
  for (const auto& [id, known] : known_) all.push_back({id, known.uj});
  return all;
}

}  // namespace flowtap::telemetry
