#include "stream/reading/flow_list_reader.hpp"

#include <algorithm>

namespace flowtap {

Result<std::unique_ptr<FlowListReader>> FlowListReader::open(const FlowsService& service,
                                                             flow::FlowStore& store, ReaderWaker& waker,
                                                             const api::FlowFilter& filter) {
  // Follows before it looks at anything, so that no change is missed in between.
  FTAP_TRY_ASSIGN(follower, store.follow_changes());
  return std::unique_ptr<FlowListReader>(
      new FlowListReader(service, store, waker, filter, std::move(follower)));
}

FlowListReader::~FlowListReader() {
  waker_.forget(*follower_);
}

FlowListReader::Some FlowListReader::take(std::size_t most) {
  if (!round_) round_ = Round{store_.changes_since(told_).upto, service_.groups(), {}};
  const auto all = news(*round_);
  const auto next = std::ranges::upper_bound(*all, round_->after, {}, &api::FlowStatus::id);
  const auto left = static_cast<std::size_t>(all->end() - next);
  Some some{{next, next + static_cast<std::ptrdiff_t>(std::min(left, most))}, left > most};
  if (some.more) {
    round_->after = some.flows.back().id;
    return some;
  }
  if (groups_ == nullptr) service_.forget_list();
  told_ = round_->upto;
  groups_ = std::move(round_->groups);
  round_.reset();
  return some;
}

std::shared_ptr<const FlowsService::List> FlowListReader::news(const Round& round) const {
  if (groups_ == nullptr) return service_.listed(filter_, round.upto);
  flow::FlowStore::Changes changes = store_.changes_since(told_);
  const std::set<std::string> changed(std::make_move_iterator(changes.flows.begin()),
                                      std::make_move_iterator(changes.flows.end()));
  FlowsService::List flows;
  if (groups_ != round.groups)
    flows = regrouped(changed);
  else if (!changed.empty())
    flows = service_.flows(filter_, &changed);
  return std::make_shared<const FlowsService::List>(std::move(flows));
}

// The rules have changed, so flows that they move here belong to the list as well.
FlowsService::List FlowListReader::regrouped(const std::set<std::string>& changed) const {
  FlowsService::List flows = service_.flows(filter_);
  std::erase_if(flows, [&](const api::FlowStatus& flow) {
    if (changed.contains(flow.id)) return false;
    return !flow.ns || !flow.pod || groups_->group_of(*flow.ns, *flow.pod) == flow.group;
  });
  return flows;
}

void FlowListReader::when_more(std::function<void()> wake) {
  waker_.once(follower_, std::move(wake));
}

}  // namespace flowtap
