// Containers that began before they were captured, until it is known which flows are theirs.
#pragma once

#include <cstdint>
#include <map>

#include "stream/journal/journal.hpp"
#include "stream/repair/before_counter.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// Used by one thread.
class BegunBefore {
 public:
  /// Since when each stream is captured (ns since 1970).
  using Begun = std::map<flow::StreamNo, std::uint64_t>;

  /// Both must outlive it.
  BegunBefore(const flow::Journal& journal, const flow::FlowStore& store)
      : journal_(journal), store_(store) {}

  void add(const Begun& begun) { begun_.insert(begun.begin(), begun.end()); }
  /// Hands the flows that are known by now to `counter`.
  void look(BeforeCounter& counter);

 private:
  const flow::Journal& journal_;
  const flow::FlowStore& store_;
  Begun begun_;
};

}  // namespace flowtap
