// Who wants to know of flows as they come: those that there are, then each that joins them.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/flow_views.hpp"
#include "daemon/stream/flows_service.hpp"
#include "daemon/stream/follow_watch.hpp"
#include "flow/follower.hpp"
#include "flow/group_rules.hpp"
#include "flow/store/flow_store.hpp"

namespace flowtap {

/// Keeps no list of what it has told: the store numbers its changes.
class FlowsWatch final : public api::FlowsWatcher {
 public:
  /// All must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<FlowsWatch>> open(const FlowsService& service,
                                                                flow::FlowStore& store, FollowWatch& watch,
                                                                const api::FlowFilter& filter);
  ~FlowsWatch() override;

  [[nodiscard]] std::vector<api::FlowStatus> take() override;
  void when_more(std::function<void()> wake) override;

 private:
  FlowsWatch(const FlowsService& service, flow::FlowStore& store, FollowWatch& watch,
             const api::FlowFilter& filter, std::shared_ptr<flow::Follower> follower)
      : service_(service), store_(store), watch_(watch), filter_(filter), follower_(std::move(follower)) {}
  [[nodiscard]] std::vector<api::FlowStatus> regrouped(const std::set<std::string>& changed,
                                                       const flow::GroupRules& before) const;

  const FlowsService& service_;
  flow::FlowStore& store_;
  FollowWatch& watch_;
  api::FlowFilter filter_;
  std::shared_ptr<flow::Follower> follower_;
  bool begun_ = false;
  std::uint64_t told_ = 0;  // up to this change of the store's
  std::shared_ptr<const flow::GroupRules> groups_;
};

}  // namespace flowtap
