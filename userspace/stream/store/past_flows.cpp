#include "stream/store/past_flows.hpp"

#include <iterator>
#include <utility>

namespace flowtap::flow {

void PastFlows::add(FlowState flow) {
  (void)take(flow.id);
  all_.push_back(std::move(flow));
  by_id_.emplace(all_.back().id, std::prev(all_.end()));
  if (all_.size() <= kMost) return;
  const FlowState oldest = all_.front();
  settled_.add(oldest);
  (void)take(oldest.id);
}

Lacked PastFlows::lacked() const {
  Lacked all = settled_;
  for (const FlowState& flow : all_) all.add(flow);
  return all;
}

std::optional<FlowState> PastFlows::take(std::string_view id) {
  const auto known = by_id_.find(id);
  if (known == by_id_.end()) return std::nullopt;
  const auto at = known->second;
  by_id_.erase(known);
  std::optional<FlowState> taken(std::move(*at));
  all_.erase(at);
  return taken;
}

}  // namespace flowtap::flow
