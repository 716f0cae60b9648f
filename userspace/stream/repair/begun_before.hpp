// Containers that began before they were captured, until it is known which flows are theirs.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "stream/journal/journal.hpp"
#include "stream/repair/before_counter.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// Safe from any thread.
class BegunBefore {
 public:
  /// Since when each stream is captured (ns since 1970).
  using Begun = std::map<flow::StreamNo, std::uint64_t>;

  /// Both must outlive it.
  BegunBefore(const flow::Journal& journal, const flow::FlowStore& store)
      : journal_(journal), store_(store) {}

  void add(const Begun& begun) {
    const std::scoped_lock lock(mutex_);
    begun_.insert(begun.begin(), begun.end());
  }
  /// Hands the flows that are known by now to `counter`.
  void look(BeforeCounter& counter);
  /// Flows that are captured and known, and that look() has not handed over yet. Nothing else says of them that there is more.
  [[nodiscard]] std::set<std::string> flows() const;

 private:
  const flow::Journal& journal_;
  const flow::FlowStore& store_;
  mutable std::mutex mutex_;
  Begun begun_;
};

}  // namespace flowtap
