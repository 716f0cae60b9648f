#include "identity/container_runs.hpp"

#include <algorithm>

#include "base/wall_clock.hpp"

namespace flowtap::identity {

std::string ContainerRuns::take(const std::string& first, const RunBegin& begin) {
  const std::scoped_lock lock(mutex_);
  if (begin.cgroup == 0) {
    const auto known = containers_.find(first);
    return known == containers_.end() ? first : run_flow_id(first, known->second.runs.back().number);
  }
  Container& container = containers_[first];
  const auto is_it = [&begin](const Run& run) { return run.begin.cgroup == begin.cgroup; };
  if (const auto known = std::ranges::find_if(container.runs, is_it); known != container.runs.end()) {
    // What is within it may have been named first.
    if (known->begin.started == 0) known->begin.started = begin.started;
    return run_flow_id(first, known->number);
  }
  container.runs.push_back({++container.last, begin, wall_ns()});
  ++runs_;
  return run_flow_id(first, container.last);
}

void ContainerRuns::learn(std::string_view flow, const RunBegin& begin) {
  const FlowRun of = run_of_flow(flow);
  const std::scoped_lock lock(mutex_);
  Container& container = containers_[std::string(of.first)];
  const auto at = std::ranges::lower_bound(container.runs, of.number, {}, &Run::number);
  if (at == container.runs.end() || at->number != of.number) {
    container.runs.insert(at, {of.number, begin, wall_ns()});
    container.last = std::max(container.last, of.number);
    ++runs_;
    return;
  }
  RunBegin& known = at->begin;
  if (known.cgroup == 0) known.cgroup = begin.cgroup;
  if (known.started == 0 || (begin.started != 0 && begin.started < known.started))
    known.started = begin.started;
}

std::string ContainerRuns::at(const std::string& first, std::uint64_t time) const {
  const std::scoped_lock lock(mutex_);
  const auto container = containers_.find(first);
  if (container == containers_.end()) return first;
  const std::vector<Run>& runs = container->second.runs;
  const auto run = std::ranges::find_if(runs.rbegin(), runs.rend(),
                                        [time](const Run& one) { return one.begin.started <= time; });
  return run == runs.rend() ? first : run_flow_id(first, run->number);
}

std::optional<RunSpan> ContainerRuns::span(std::string_view flow) const {
  const FlowRun of = run_of_flow(flow);
  const std::scoped_lock lock(mutex_);
  const auto container = containers_.find(of.first);
  if (container == containers_.end()) return RunSpan{};
  const std::vector<Run>& runs = container->second.runs;
  const auto at = std::ranges::find(runs, of.number, &Run::number);
  if (at == runs.end()) return std::nullopt;
  const auto next =
      std::ranges::find_if(at + 1, runs.end(), [](const Run& run) { return run.begin.started != 0; });
  return RunSpan{at->begin.started, next == runs.end() ? RunSpan{}.to : next->begin.started};
}

std::size_t ContainerRuns::size() const {
  const std::scoped_lock lock(mutex_);
  return runs_;
}

void ContainerRuns::forget(const std::function<bool(const std::string& flow)>& is_there,
                           std::uint64_t named_before) {
  const std::scoped_lock lock(mutex_);
  for (auto& [first, container] : containers_)
    runs_ -= std::erase_if(container.runs, [&](const Run& run) {
      return run.named < named_before && !is_there(run_flow_id(first, run.number));
    });
  std::erase_if(containers_, [](const auto& container) { return container.second.runs.empty(); });
}

}  // namespace flowtap::identity
