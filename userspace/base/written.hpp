// What somebody has written to their outputs, added up over streams and flows.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace flowtap::flow {

/// Counted by one thread, read by any; never falls.
struct Written {
  std::atomic<std::uint64_t> bytes{0};    ///< that passed, captured or not
  std::atomic<std::uint64_t> lines{0};    ///< newlines among them, of what was captured
  std::atomic<std::uint64_t> missing{0};  ///< of the bytes, what did not come

  /// Cheaper than an atomic addition: nobody else counts.
  static void add(std::atomic<std::uint64_t>& to, std::uint64_t more) {
    to.store(to.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
};

/// Where what is written to the flow with this id is counted, for as long as one of its streams is open. Null: nowhere.
using WrittenBy = std::function<std::shared_ptr<Written>(const std::string& flow)>;

}  // namespace flowtap::flow
