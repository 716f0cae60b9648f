#include "stream/known_runs.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "base/flows/flow_run.hpp"
#include "base/wall_clock.hpp"
#include "identity/flow_labels.hpp"
#include "stream/reading/flow_list.hpp"
#include "stream/repair/first_line.hpp"

namespace flowtap {
namespace {

// Before its source's first line, which the runtime may have dated a little earlier in a part.
std::uint64_t began_before(const flow::FlowStore& store, const flow::FlowSummary& flow) {
  constexpr std::uint64_t kClocks = 20'000'000;  // ns
  const std::uint64_t first = first_line_time(store, flow).value_or(0);
  return first - std::min(first, kClocks);
}

// All that has flows, with the containers around each.
std::set<std::string, std::less<>> all_there(const flow::Journal& journal, const flow::FlowStore& store) {
  std::set<std::string, std::less<>> there;
  const auto add = [&there](std::string_view id) {
    for (; has_runs(id) && there.emplace(id).second; id = id.substr(0, id.rfind('/'))) continue;
  };
  for (const flow::StreamView& stream : journal.streams())
    if (stream.name) add(stream.name->flow);
  for (const flow::FlowSummary& flow : store.flows()) add(flow.id);
  return there;
}

}  // namespace

// Where something was written and no time of it is known, that was some time ago.
void KnownRuns::learn(const flow::Journal& journal, const flow::FlowStore& store) {
  identity::ContainerRuns& runs = named_->runs();
  const auto streams = streams_by_flow(journal);
  for (const auto& [id, of] : streams) {
    if (!has_runs(id)) continue;
    for (const flow::StreamView& stream : of)
      runs.learn(id, run_begin(parse_labels(stream.name->identity)),
                 std::max<std::uint64_t>(stream.sums.last, stream.sums.passed > 0 ? 1 : 0));
  }
  for (const flow::FlowSummary& flow : store.flows())
    if (has_runs(flow.id) && !streams.contains(flow.id))
      runs.learn(flow.id, {.cgroup = 0, .started = began_before(store, flow)},
                 std::max<std::uint64_t>(flow.last, 1));
}

void KnownRuns::forget(const flow::Journal& journal, const flow::FlowStore& store) {
  constexpr std::uint64_t kNamed =
      std::uint64_t{600} * 1'000'000'000;  // ns, by which the journal has its names
  if (named_->runs().size() < most_) return;
  const auto there = all_there(journal, store);
  named_->runs().forget([&there](const std::string& id) { return there.contains(id); }, wall_ns() - kNamed);
  most_ = std::max(kMost, 2 * named_->runs().size());
}

}  // namespace flowtap
