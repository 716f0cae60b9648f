// Flows that have made room since the start. The journal may still have what they had, so that they are listed, and what they lacked is
// told until flowtapd ends: the next start reads out of the journal what is still there, and counts it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "stream/store/index/flow_state.hpp"

namespace flowtap::flow {

/// What flows have lacked, in all.
struct Lacked {
  std::uint64_t missing = 0;   ///< bytes
  std::uint64_t refilled = 0;  ///< bytes that were missing and were found again
  void add(const FlowState& flow) {
    missing += flow.missing;
    refilled += flow.refilled;
  }
  friend bool operator==(const Lacked&, const Lacked&) = default;
};

class PastFlows {
 public:
  /// So many are remembered one by one; of those before them only the sums are.
  static constexpr std::size_t kMost = 4096;

  using All = std::list<FlowState>;

  /// The flow has made room.
  void add(FlowState flow);
  /// There is a flow of this name again. Returns what the one before had, which is forgotten here.
  std::optional<FlowState> take(std::string_view id);

  /// nullptr: it is not remembered.
  [[nodiscard]] const FlowState* find(std::string_view id) const {
    const auto known = by_id_.find(id);
    return known == by_id_.end() ? nullptr : &*known->second;
  }
  /// The oldest first.
  [[nodiscard]] const All& all() const { return all_; }
  /// Also of those that are not remembered one by one.
  [[nodiscard]] Lacked lacked() const;

 private:
  All all_;
  std::unordered_map<std::string_view, All::iterator> by_id_;  // the keys are the ids of all_
  Lacked settled_;                                             // of those that are not remembered
};

}  // namespace flowtap::flow
