// Totals of what a workload has written to its outputs, over streams and flows.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace flowtap::flow {

/// Counted by one thread, read by any; never falls.
struct Written {
  std::atomic<std::uint64_t> bytes{0};    ///< all that passed, captured or not
  std::atomic<std::uint64_t> lines{0};    ///< newlines in the bytes that were captured
  std::atomic<std::uint64_t> missing{0};  ///< the part of the bytes that was not captured

  /// Cheaper than an atomic addition, as only one thread counts.
  static void add(std::atomic<std::uint64_t>& to, std::uint64_t more) {
    to.store(to.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
};

/// The totals to which this flow's bytes are added, for as long as one of its streams is open. Null: they are not
/// counted.
using WrittenBy = std::function<std::shared_ptr<Written>(const std::string& flow)>;

}  // namespace flowtap::flow
