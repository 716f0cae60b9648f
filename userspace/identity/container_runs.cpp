#include "identity/container_runs.hpp"

#include <algorithm>

#include "base/flows/container_flow.hpp"
#include "base/wall_clock.hpp"

namespace flowtap::identity {
namespace {

// A runtime may have more than one cgroup for a run. What would have more than a few is no runtime's.
constexpr std::size_t kMostCgroupsOfARun = 4;
// What a run has written may come to its runtime, which dates it, a moment later.
constexpr std::uint64_t kDatedLater = 100'000'000;  // ns

bool has(const std::vector<std::uint64_t>& cgroups, std::uint64_t cgroup) {
  return std::ranges::find(cgroups, cgroup) != cgroups.end();
}

}  // namespace

bool ContainerRuns::Run::is(const RunBegin& begin) const {
  return (begin.cgroup != 0 && has(cgroups, begin.cgroup)) ||
         (begin.process != 0 && begin.process == process);
}

void ContainerRuns::Run::add(const RunBegin& begin) {
  if (begin.cgroup != 0 && cgroups.size() < kMostCgroupsOfARun && !has(cgroups, begin.cgroup))
    cgroups.push_back(begin.cgroup);
  if (process == 0) process = begin.process;
  if (started == 0 || (begin.started != 0 && begin.started < started)) started = begin.started;
}

ContainerRuns::Container& ContainerRuns::container_of(std::string_view first) const {
  const auto known = containers_.find(first);
  if (known != containers_.end()) return known->second;
  if (const auto of = container_flow(first)) names_[std::string(of->id)].emplace(first);
  return containers_[std::string(first)];
}

std::vector<ContainerRuns::Containers::iterator> ContainerRuns::under_all_names(
    std::string_view first) const {
  std::vector<Containers::iterator> all;
  const auto add = [&](std::string_view name) {
    if (const auto at = containers_.find(name); at != containers_.end()) all.push_back(at);
  };
  const auto of = container_flow(first);
  const auto names = of ? names_.find(of->id) : names_.end();
  if (names == names_.end())
    add(first);
  else
    for (const std::string& name : names->second) add(name);
  return all;
}

// Where nobody knows when the next run began, what this one is known to have written is its own, and nothing behind that is.
std::optional<std::uint64_t> ContainerRuns::end_of(std::string_view first, const Run& run) const {
  bool is_last = true;
  for (const auto& at : under_all_names(first)) {
    const Container& container = at->second;
    is_last = is_last && container.last <= run.number;
    const auto next = std::ranges::find(container.runs, run.number + 1, &Run::number);
    if (next != container.runs.end() && next->started != 0) return next->started;
  }
  if (is_last) return RunSpan{}.to;
  if (run.until != 0) return run.until;
  return run.last != 0 ? std::optional(run.last + kDatedLater) : std::nullopt;
}

// Whoever knows the ends asks for runs in turn, so it is asked without the lock.
std::vector<RunEnd> ContainerRuns::new_ends(std::string_view first) const {
  if (!ends_ || !has_runs(first)) return {};
  {
    const std::scoped_lock lock(mutex_);
    const auto known = containers_.find(first);
    if (known != containers_.end() && known->second.asked) return {};
  }
  return ends_(first);
}

// An end that came later than this start is not one of an earlier run: the run had ended before it was named.
void ContainerRuns::learn_ends(std::string_view first, const std::vector<RunEnd>& ends,
                               std::uint64_t started) const {
  for (const RunEnd& end : ends) {
    Container& container = container_of(first);
    const std::uint64_t number = run_of_flow(end.flow).number;
    const auto run = std::ranges::find(container.runs, number, &Run::number);
    if (run != container.runs.end()) run->last = std::max(run->last, end.time);
    const bool is_before = started == 0 || end.time < started;
    container.last = std::max(container.last, is_before ? number : number - 1);
  }
  if (const auto known = containers_.find(first); known != containers_.end()) known->second.asked = true;
}

std::string ContainerRuns::take(const std::string& first, const RunBegin& begin) {
  const auto ends = new_ends(first);
  const std::scoped_lock lock(mutex_);
  learn_ends(first, ends, begin.started);
  if (begin.cgroup == 0 && !containers_.contains(first)) return first;
  Container& container = container_of(first);
  container.asked = true;
  std::uint64_t last = container.last;
  for (const auto& at : under_all_names(first)) {
    last = std::max(last, at->second.last);
    if (at->first == first) continue;
    // It was renamed while it runs.
    const auto run = std::ranges::find_if(at->second.runs, [&](const Run& one) { return one.is(begin); });
    if (run != at->second.runs.end()) return run_flow_id(at->first, run->number);
  }
  std::vector<Run>& runs = container.runs;
  auto known = std::ranges::find_if(runs, [&](const Run& run) { return run.is(begin); });
  if (known == runs.end() && begin.cgroup == 0)
    return run_flow_id(first, std::max<std::uint64_t>(container.last, 1));
  // A build that has told no runs apart has listed it. Nothing of it was captured that could be another run's.
  if (known == runs.end() && !runs.empty() && runs.back().number == container.last &&
      runs.back().is_unknown())
    known = runs.end() - 1;
  if (known == runs.end()) {
    known = runs.insert(runs.end(), Run{.number = last + 1, .cgroups = {}, .named = wall_ns()});
    container.last = last + 1;
    ++runs_;
  }
  const bool is_dated = known->started != 0;  // else what is within it was named first
  known->add({begin.cgroup, is_dated ? 0 : begin.started, begin.process});
  return run_flow_id(first, known->number);
}

void ContainerRuns::learn(std::string_view flow, const RunBegin& begin, std::uint64_t last) {
  const FlowRun of = run_of_flow(flow);
  const std::scoped_lock lock(mutex_);
  keep_numbers_around(flow);
  Container& container = container_of(of.first);
  auto run = std::ranges::lower_bound(container.runs, of.number, {}, &Run::number);
  if (run == container.runs.end() || run->number != of.number) {
    run = container.runs.insert(run, Run{.number = of.number, .cgroups = {}, .named = wall_ns()});
    container.last = std::max(container.last, of.number);
    ++runs_;
  }
  run->add(begin);
  run->last = std::max(run->last, last);
}

// What is within a run has its number, too.
void ContainerRuns::keep_numbers_around(std::string_view flow) {
  for (auto outer = flow.substr(0, flow.rfind('/')); has_runs(outer);
       outer = outer.substr(0, outer.rfind('/'))) {
    const FlowRun of = run_of_flow(outer);
    std::uint64_t& last = container_of(of.first).last;
    last = std::max(last, of.number);
  }
}

std::string ContainerRuns::at(const std::string& first, std::uint64_t time) const {
  const auto had_begun = [time](const Run& run) {
    if (run.started != 0) return run.started <= time;
    return run.number == 1 || (run.last != 0 && run.last <= time);
  };
  const std::scoped_lock lock(mutex_);
  std::string flow = first;
  std::uint64_t newest = 0;
  for (const auto& at : under_all_names(first)) {
    const std::vector<Run>& runs = at->second.runs;
    const auto run = std::ranges::find_if(runs.rbegin(), runs.rend(), had_begun);
    if (run == runs.rend() || run->number <= newest) continue;
    newest = run->number;
    flow = run_flow_id(at->first, newest);
  }
  return flow;
}

std::optional<RunSpan> ContainerRuns::span(std::string_view flow) const {
  const FlowRun of = run_of_flow(flow);
  const auto ends = new_ends(of.first);
  const std::scoped_lock lock(mutex_);
  learn_ends(of.first, ends, 0);
  const auto container = containers_.find(of.first);
  if (container == containers_.end()) return RunSpan{};
  const std::vector<Run>& runs = container->second.runs;
  const auto at = std::ranges::find(runs, of.number, &Run::number);
  // Only its end is known, which says that there was a first run.
  if (at == runs.end() && of.number == 1 && container->second.last <= 1) return RunSpan{};
  // What came before the first run that was seen is nobody's, so that one may begin wherever it did.
  if (at == runs.end() || (at->started == 0 && at->number > 1)) return std::nullopt;
  const auto to = end_of(of.first, *at);
  return to ? std::optional(RunSpan{at->started, *to}) : std::nullopt;
}

std::size_t ContainerRuns::size() const {
  const std::scoped_lock lock(mutex_);
  return runs_;
}

void ContainerRuns::forget(const std::function<bool(const std::string& flow)>& is_there,
                           std::uint64_t named_before) {
  const std::scoped_lock lock(mutex_);
  for (auto& [first, container] : containers_) {
    std::vector<Run> left;
    for (Run& run : container.runs) {
      const bool goes = run.named < named_before && !is_there(run_flow_id(first, run.number));
      if (!goes)
        left.push_back(std::move(run));
      else if (!left.empty() && left.back().number + 1 == run.number)
        left.back().until = run.started;
    }
    runs_ -= container.runs.size() - left.size();
    container.runs = std::move(left);
  }
  std::erase_if(containers_, [&](const auto& container) {
    const auto& [first, of] = container;
    return of.runs.empty() && !is_there(run_flow_id(first, of.last));
  });
  for (auto& [id, names] : names_)
    std::erase_if(names, [this](const std::string& first) { return !containers_.contains(first); });
  std::erase_if(names_, [](const auto& names) { return names.second.empty(); });
}

}  // namespace flowtap::identity
