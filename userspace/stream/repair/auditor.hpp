// Compares flows that have ended with what their runtimes have kept, in idle time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/threads/bell.hpp"
#include "stats/snapshot.hpp"
#include "stream/repair/flow_audit.hpp"

namespace flowtap {

/// It works on a thread of its own, on one flow of a container a second at most, and on none while many lines come. It logs which
/// flow differs, and where.
class Auditor {
 public:
  /// Both must outlive it.
  Auditor(const flow::FlowStore& store, const Histories& histories);
  ~Auditor();
  Auditor(const Auditor&) = delete;
  Auditor& operator=(const Auditor&) = delete;

  /// Nothing: the flow was not compared. Safe from any thread, as the next one.
  [[nodiscard]] std::optional<AuditResult> result_of(const std::string& flow) const;
  /// The ids of flows that differ, at most this many.
  [[nodiscard]] std::vector<std::string> differing(std::size_t most) const;
  void append_samples(std::vector<stats::Series>& out) const;

 private:
  struct Audited {
    std::uint64_t bytes = 0;  // the flow's at that time: a container that is started again adds to it
    AuditResult result = AuditResult::kGone;
  };

  void run() noexcept;
  void look();
  [[nodiscard]] bool is_busy();

  const flow::FlowStore& store_;
  const Histories& histories_;
  Bell bell_;
  mutable std::mutex mutex_;
  std::map<std::string, Audited> audited_;  // by the flow's id
  std::array<std::uint64_t, kAuditResults> counts_{};
  std::uint64_t lines_ = 0;  // as of the last look
  std::thread thread_;
};

}  // namespace flowtap
