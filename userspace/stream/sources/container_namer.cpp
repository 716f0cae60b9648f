#include "stream/sources/container_namer.hpp"

#include <ctime>

#include "base/flows/flow_run.hpp"
#include "base/wall_clock.hpp"
#include "identity/flow_id.hpp"
#include "identity/flow_labels.hpp"
#include "identity/hierarchy.hpp"
#include "identity/proc_identity.hpp"

namespace flowtap {
namespace {

std::optional<std::uint64_t> known(std::uint64_t value) {
  return value == 0 ? std::nullopt : std::optional(value);
}

// ns on CLOCK_BOOTTIME as ns since 1970; 0 stays 0. If this thread has to wait between the two clocks, it asks them again: lines
// that a run has written must not seem older than the run.
std::uint64_t wall_time(std::uint64_t since_boot) {
  constexpr std::uint64_t kAtOnce = 100'000;  // ns
  constexpr int kClockTries = 10;
  if (since_boot == 0) return 0;
  std::uint64_t wall = 0;
  timespec boot{};
  for (int i = 0; i < kClockTries; ++i) {
    wall = wall_ns();
    if (::clock_gettime(CLOCK_BOOTTIME, &boot) != 0) return 0;
    if (wall_ns() - wall < kAtOnce) break;
  }
  const std::uint64_t now =
      static_cast<std::uint64_t>(boot.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(boot.tv_nsec);
  return wall - (now - since_boot);
}

}  // namespace

Result<std::unique_ptr<ContainerNamer>> ContainerNamer::open(const std::string& host_root,
                                                             identity::StateDirectories where,
                                                             std::shared_ptr<NamedContainers> named) {
  FTAP_TRY_ASSIGN(
      resolver, identity::NodeResolver::open(host_root, identity::open_cgroup2(host_root), std::move(where)));
  return std::unique_ptr<ContainerNamer>(new ContainerNamer(
      std::move(resolver), named ? std::move(named) : std::make_shared<NamedContainers>()));
}

// The programs have made sure of both: the cgroup is systemd's, the executable is the node's.
flow::Naming ContainerNamer::name_listed(const flow::Enter& enter) {
  flow::Naming naming{.state = flow::NamingState::kNamed, .flow = {}, .identity = "{}"};
  if (enter.rule == FTAP_RULE_PROCESS) {
    naming.flow =
        identity::process_flow_id(static_cast<pid_t>(enter.pid), identity::start_ticks(enter.start_time));
    return naming;
  }
  std::string unit = enter.cgroup_name;
  if (unit.empty()) {  // its ENTER is lost
    const identity::Answer answer =
        resolver_->resolve({.cgroup = {},
                            .parent = {},
                            .pid = static_cast<pid_t>(enter.pid),
                            .cgroup_path = {},
                            .start = known(identity::start_ticks(enter.start_time)),
                            .cgroup_id = known(enter.cgroup)});
    if (!answer.unit) return {};
    unit = *answer.unit;
  }
  FlowLabels labels;
  labels.runtime = "systemd";
  naming.flow = identity::unit_flow_id(unit);
  naming.identity = render_labels(labels);
  return naming;
}

flow::Naming ContainerNamer::name(const flow::Enter& enter) {
  if (enter.rule != FTAP_RULE_CONTAINER) return name_listed(enter);
  const identity::Answer answer = resolver_->resolve({.cgroup = enter.cgroup_name,
                                                      .parent = enter.parent_name,
                                                      .pid = static_cast<pid_t>(enter.pid),
                                                      .cgroup_path = {},
                                                      .start = known(identity::start_ticks(enter.start_time)),
                                                      .cgroup_id = known(enter.cgroup),
                                                      .users_names = enter.users_names,
                                                      .nested = enter.nested});
  const bool complete = answer.certainty == identity::Certainty::kComplete;
  // It is known by its pid alone, and the pid is nobody's any more. flowtapd has opened what has no cgroup, and names it itself.
  const bool is_gone = enter.cgroup_name.empty() && !answer.whole_path;
  if (is_gone && (enter.cgroup == 0 || enter.pid == 0)) return {};
  // Nobody can tell any more whose it is. Under the name of its own process it takes nobody's place.
  if (answer.unproven || is_gone)
    return {flow::NamingState::kPartial,
            identity::process_flow_id(static_cast<pid_t>(enter.pid), identity::start_ticks(enter.start_time)),
            "{}"};
  if (!answer.container && !answer.nested)
    return {complete || answer.unit ? flow::NamingState::kNotOurs : flow::NamingState::kPartial, {}, {}};
  if (answer.container && complete && enter.cgroup != 0) named_->note(enter.cgroup, *answer.container);
  FlowLabels labels = answer.container ? labels_of(*answer.container) : FlowLabels{};
  std::string flow = name_run(enter, answer, labels);
  return {complete ? flow::NamingState::kNamed : flow::NamingState::kPartial,
          std::move(flow),
          render_labels(labels),
          !answer.container || !answer.container->sandbox,
          labels.count(),
          render_labels({.runtime = labels.runtime, .cgroup = labels.cgroup, .started = labels.started})};
}

// A pod's container is made anew for each run. All others may be started again, and so may what is within any.
std::string ContainerNamer::name_run(const flow::Enter& enter, const identity::Answer& answer,
                                     FlowLabels& labels) {
  const std::uint64_t started = wall_time(enter.start_time);
  const auto take = [&](const std::string& first, std::optional<std::uint64_t> cgroup, bool is_own) {
    return named_->runs().take(first, {.cgroup = cgroup.value_or(0),
                                       .started = is_own ? started : 0,
                                       .process = is_own ? enter.start_time : 0});
  };
  const auto note = [&](std::optional<std::uint64_t> cgroup) {
    labels.cgroup = cgroup;
    labels.started = known(started);
  };
  identity::Answer outer = answer;
  if (outer.nested) outer.user_unit.reset();
  outer.nested.reset();
  std::string flow = outer.flow_id().value_or("");
  if (flow.starts_with("container/")) {
    // What is within it began later than the container.
    flow = take(flow, answer.cgroup, !answer.nested);
    if (!answer.nested) note(answer.cgroup);
  }
  if (!answer.nested) return flow;
  flow = identity::inner_flow_id(flow, answer.nested->id);
  if (!answer.nested_cgroup) return flow;
  note(answer.nested_cgroup);
  return take(flow, answer.nested_cgroup, true);
}

// A build that told no runs apart has not noted the cgroup, and where the path of the cgroup could not be read, it is one below the
// container's. The slot says in which one the run's first process is, and which process that is.
void ContainerNamer::learn(const flow::StreamName& name, const flow::StreamSlot& slot) {
  if (!has_runs(name.flow)) return;
  identity::ContainerRuns& runs = named_->runs();
  runs.learn(name.flow, run_begin(parse_labels(name.identity)));
  runs.learn(name.flow, {.cgroup = slot.cgroup, .started = 0, .process = slot.start_time});
}

}  // namespace flowtap
