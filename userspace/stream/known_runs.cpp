#include "stream/known_runs.hpp"

#include <algorithm>
#include <string>

#include "base/flows/flow_run.hpp"
#include "base/wall_clock.hpp"
#include "identity/flow_labels.hpp"
#include "stream/reading/flow_list.hpp"

namespace flowtap {

// What only the store has began before the first of its lines, if it was captured from its beginning. The runtime may have dated a
// part of that line a little earlier.
void KnownRuns::learn(const flow::Journal& journal, const flow::FlowStore& store) {
  constexpr std::uint64_t kClocks = 20'000'000;  // ns
  identity::ContainerRuns& runs = named_->runs();
  const auto streams = streams_by_flow(journal);
  for (const auto& [id, of] : streams) {
    if (!has_runs(id)) continue;
    const FlowLabels labels = parse_labels(of.front().name->identity);
    runs.learn(id, {.cgroup = labels.cgroup.value_or(0), .started = labels.started.value_or(0)});
  }
  for (const flow::FlowSummary& flow : store.flows()) {
    if (!has_runs(flow.id) || streams.contains(flow.id)) continue;
    const bool is_whole = flow.before.state == flow::Before::State::kNone;
    runs.learn(flow.id, {.cgroup = 0, .started = is_whole ? flow.first - std::min(flow.first, kClocks) : 0});
  }
}

void KnownRuns::forget(const flow::Journal& journal, const flow::FlowStore& store) {
  constexpr std::uint64_t kNamed =
      std::uint64_t{600} * 1'000'000'000;  // ns, by which the journal has its names
  if (named_->runs().size() < most_) return;
  const auto streams = streams_by_flow(journal);
  const auto is_there = [&](const std::string& id) {
    return streams.contains(id) || store.find(id) != nullptr;
  };
  named_->runs().forget(is_there, wall_ns() - kNamed);
  most_ = std::max(kMost, 2 * named_->runs().size());
}

}  // namespace flowtap
