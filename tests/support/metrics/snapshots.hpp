// Snapshots for tests: a test sets totals, and next() publishes them one second later.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stats/snapshot.hpp"

namespace flowtap::stats::test {

class SnapshotScript {
 public:
  void set(StatId id, std::vector<std::string> labels, Value value) {
    values_.insert_or_assign(std::pair(id, std::move(labels)), value);
  }

  /// Sets the dispatches of one type of the kernel's classes.
  void dispatched(StatId id, std::uint64_t total) {
    set(id, {"kernel", std::string(*stat(id).label)}, total);
  }

  void absent(StatId id, const std::vector<std::string>& labels) { values_.erase(std::pair(id, labels)); }

  SnapshotPtr next(std::chrono::milliseconds later = std::chrono::seconds(1)) {
    now_ += later;
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->cycle = ++cycle_;
    snapshot->start = kStart;
    snapshot->time = kStart + now_;
    snapshot->steady = std::chrono::steady_clock::time_point(std::chrono::hours(1)) + now_;
    for (const auto& [key, value] : values_)
      snapshot->series.push_back({&stat(key.first), key.second, value});
    return snapshot;
  }

  /// 2026-01-02T03:04:05Z
  static constexpr std::chrono::system_clock::time_point kStart{std::chrono::seconds(1767323045)};

 private:
  std::map<std::pair<StatId, std::vector<std::string>>, Value> values_;  // in table order
  std::uint64_t cycle_ = 0;
  std::chrono::milliseconds now_{0};
};

}  // namespace flowtap::stats::test
