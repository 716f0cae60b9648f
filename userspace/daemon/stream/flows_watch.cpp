#include "daemon/stream/flows_watch.hpp"

namespace flowtap {

Result<std::unique_ptr<FlowsWatch>> FlowsWatch::open(const FlowsService& service, flow::FlowStore& store,
                                                     FollowWatch& watch, const api::FlowFilter& filter) {
  // Before anything is looked at, so that nothing comes between.
  FTAP_TRY_ASSIGN(follower, store.follow_changes());
  return std::unique_ptr<FlowsWatch>(new FlowsWatch(service, store, watch, filter, std::move(follower)));
}

FlowsWatch::~FlowsWatch() {
  watch_.forget(*follower_);
}

std::vector<api::FlowStatus> FlowsWatch::take() {
  flow::FlowStore::Changes changes = store_.changes_since(told_);
  told_ = changes.upto;
  const auto groups = service_.groups();
  const auto before = std::exchange(groups_, groups);
  if (!std::exchange(begun_, true)) return service_.flows(filter_);
  const std::set<std::string> changed(std::make_move_iterator(changes.flows.begin()),
                                      std::make_move_iterator(changes.flows.end()));
  if (before != groups) return regrouped(changed, *before);
  return changed.empty() ? std::vector<api::FlowStatus>() : service_.flows(filter_, &changed);
}

// The rules have changed: also those that they move here.
std::vector<api::FlowStatus> FlowsWatch::regrouped(const std::set<std::string>& changed,
                                                   const flow::GroupRules& before) const {
  std::vector<api::FlowStatus> flows = service_.flows(filter_);
  std::erase_if(flows, [&](const api::FlowStatus& flow) {
    if (changed.contains(flow.id)) return false;
    return !flow.ns || !flow.pod || before.group_of(*flow.ns, *flow.pod) == flow.group;
  });
  return flows;
}

void FlowsWatch::when_more(std::function<void()> wake) {
  watch_.once(follower_, std::move(wake));
}

}  // namespace flowtap
