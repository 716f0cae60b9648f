// For a client that wants to know of flows as they come: gives those that there are, then each one that joins them.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "component/views/flow_views.hpp"
#include "identity/patterns/group_rules.hpp"
#include "stream/journal/follower.hpp"
#include "stream/reading/flows_service.hpp"
#include "stream/reading/reader_waker.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// It keeps no list of what it has told or has still to tell, since the store numbers its changes, and ids have an order. Changes
/// that come while its round is told are told with the next round.
class FlowListReader final : public api::FlowListReader {
 public:
  /// The service, the store and the waker must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<FlowListReader>> open(const FlowsService& service,
                                                                    flow::FlowStore& store,
                                                                    ReaderWaker& waker,
                                                                    const api::FlowFilter& filter);
  ~FlowListReader() override;

  [[nodiscard]] Some take(std::size_t most) override;
  void when_more(std::function<void()> wake) override;

 private:
  FlowListReader(const FlowsService& service, flow::FlowStore& store, ReaderWaker& waker,
                 const api::FlowFilter& filter, std::shared_ptr<flow::Follower> follower)
      : service_(service), store_(store), waker_(waker), filter_(filter), follower_(std::move(follower)) {}
  /// All flows that have changed by some time, sorted by id.
  struct Round {
    std::uint64_t upto = 0;                          // the store's change that it began with
    std::shared_ptr<const flow::GroupRules> groups;  // at that time
    std::string after;                               // ids up to this one are told
  };
  [[nodiscard]] std::shared_ptr<const FlowsService::List> news(const Round& round) const;
  [[nodiscard]] FlowsService::List regrouped(const std::set<std::string>& changed) const;

  const FlowsService& service_;
  flow::FlowStore& store_;
  ReaderWaker& waker_;
  api::FlowFilter filter_;
  std::shared_ptr<flow::Follower> follower_;
  std::optional<Round> round_;                      // the round that is being told
  std::uint64_t told_ = 0;                          // up to this change of the store
  std::shared_ptr<const flow::GroupRules> groups_;  // the rules by which they were told; null: none was told
};

}  // namespace flowtap
