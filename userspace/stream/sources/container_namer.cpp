#include "stream/sources/container_namer.hpp"

#include "identity/flow_id.hpp"
#include "identity/flow_labels.hpp"
#include "identity/hierarchy.hpp"
#include "identity/proc_identity.hpp"

namespace flowtap {
namespace {

std::optional<std::uint64_t> known(std::uint64_t value) {
  return value == 0 ? std::nullopt : std::optional(value);
}

}  // namespace

Result<std::unique_ptr<ContainerNamer>> ContainerNamer::open(const std::string& host_root,
                                                             identity::StateDirectories where,
                                                             std::shared_ptr<NamedContainers> named) {
  FTAP_TRY_ASSIGN(
      resolver, identity::NodeResolver::open(host_root, identity::open_cgroup2(host_root), std::move(where)));
  return std::unique_ptr<ContainerNamer>(new ContainerNamer(std::move(resolver), std::move(named)));
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
  if (named_ && answer.container && complete && enter.cgroup != 0)
    named_->note(enter.cgroup, *answer.container);
  const FlowLabels labels = answer.container ? labels_of(*answer.container) : FlowLabels{};
  return {complete ? flow::NamingState::kNamed : flow::NamingState::kPartial, answer.flow_id().value_or(""),
          render_labels(labels), !answer.container || !answer.container->sandbox, labels.count()};
}

}  // namespace flowtap
