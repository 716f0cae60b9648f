// A kernel of the test's own with its cgroups, and a ledger of what is used there.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "telemetry/workloads/usage_ledger.hpp"

namespace flowtap::telemetry {

inline constexpr std::chrono::minutes kKeep{5};

// Cgroups, numbers and usage as bpf/lib/usage.bpf.h keeps them.
class FakeKernel final : public stats::UsageSource {
 public:
  explicit FakeKernel(std::uint32_t most) {
    for (std::uint32_t group = most; group > 0; --group) free_.push_back(group);
    groups_.resize(most + 1);
  }

  void make(std::uint64_t id, const std::string& path) {
    there_.emplace(id, path);
    tell({.id = id, .gone = false, .path = path});
  }
  void remove(std::uint64_t id) {
    tell({.id = id, .gone = true, .path = there_.at(id)});
    there_.erase(id);
  }
  void end(std::uint64_t id, int status) {
    tell({.id = id, .gone = false, .path = {}, .ended = stats::ProcessEnd{.status = status, .time = {}}});
  }
  void end_process(std::uint64_t id, stats::ProcessEnd end) {
    stats::CgroupEvent event{.id = id, .gone = false, .path = {}};
    event.process_ended = std::move(end);
    tell(std::move(event));
  }
  void begin(std::uint64_t id, std::uint64_t pid) {
    stats::CgroupEvent event{.id = id, .gone = false, .path = {}};
    event.began = pid;
    tell(std::move(event));
  }
  void leave(std::uint64_t id) {
    stats::CgroupEvent event{.id = id, .gone = false, .path = there_.at(id)};
    event.empty = true;
    tell(std::move(event));
  }
  void use(std::uint64_t id, std::uint64_t ns) {
    if (!numbers_.contains(id) && !free_.empty()) {
      numbers_[id] = free_.back();
      free_.pop_back();
    }
    const auto at = numbers_.find(id);
    groups_.at(at == numbers_.end() ? 0 : at->second) +=
        {.run_ns = ns, .wait_ns = 2 * ns, .dispatches = 1, .waits = {}};
    used += {.run_ns = ns, .wait_ns = 2 * ns, .dispatches = 1, .waits = {}};
  }
  // The cgroup has a number; a bucket wraps as the kernel's do.
  void wait(std::uint64_t id, std::size_t bucket, std::uint32_t times) {
    std::uint64_t& count = groups_.at(numbers_.at(id)).waits.at(bucket);
    count = static_cast<std::uint32_t>(count + times);
  }

  [[nodiscard]] bool take_events(const std::function<void(stats::CgroupEvent)>& take) override {
    for (stats::CgroupEvent& event : events_) take(std::move(event));
    events_.clear();
    return !std::exchange(lost_, false);
  }
  [[nodiscard]] Result<std::vector<stats::NumberedCgroup>> numbered() override {
    std::vector<stats::NumberedCgroup> all;
    for (const auto& [id, group] : numbers_) all.push_back({id, group});
    return all;
  }
  [[nodiscard]] stats::GroupUsage read(std::uint32_t group) const override { return groups_.at(group); }
  [[nodiscard]] stats::GroupUsage release(const stats::NumberedCgroup& cgroup) override {
    EXPECT_FALSE(there_.contains(cgroup.id)) << "it is still there";
    EXPECT_EQ(numbers_.at(cgroup.id), cgroup.group);
    numbers_.erase(cgroup.id);
    free_.push_back(cgroup.group);
    return std::exchange(groups_.at(cgroup.group), stats::GroupUsage{});
  }
  [[nodiscard]] stats::GroupUsage unnumbered() const override { return groups_.at(0); }

  [[nodiscard]] const std::map<std::uint64_t, std::string>& there() const { return there_; }
  [[nodiscard]] std::size_t numbers() const { return numbers_.size(); }
  std::size_t room = 1000;  // for events
  stats::GroupUsage used;

 private:
  void tell(stats::CgroupEvent event) {
    if (events_.size() < room)
      events_.push_back(std::move(event));
    else
      lost_ = true;
  }

  std::map<std::uint64_t, std::string> there_;
  std::map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<std::uint32_t> free_;
  std::vector<stats::GroupUsage> groups_;
  std::vector<stats::CgroupEvent> events_;
  bool lost_ = false;
};

// A path is its workload's name; a unit's last part is.
class FakeNames final : public CgroupNames {
 public:
  explicit FakeNames(const FakeKernel& kernel) : kernel_(kernel) {}
  [[nodiscard]] CgroupNaming name(std::uint64_t /*id*/, const std::string& path) override {
    ++asked;
    const std::string top = tops.contains(path) ? tops.at(path) : path;
    const bool is_unit = top.ends_with(".service");
    return {.name = {.kind = is_unit ? WorkloadKind::kUnit : WorkloadKind::kContainer,
                     .ns = {},
                     .pod = {},
                     .container = is_unit ? "" : path,
                     .workload = is_unit ? top.substr(top.rfind('/') + 1) : ""},
            .complete = complete,
            .top = top,
            .flow = "flow of " + top,
            .id = "id of " + path,
            .image = "image",
            .pod_uid = "uid",
            .runtime = "runtime"};
  }
  [[nodiscard]] Status walk(const std::function<void(std::uint64_t id, std::string path)>& see) override {
    ++walks;
    if (!looks) return fail("too many");
    if (sees_all) see(UsageLedger::kRoot, "/");
    for (const auto& [id, path] : kernel_.there())
      if (sees_all) see(id, path);
    return {};
  }
  [[nodiscard]] bool has_processes(const std::string& path) override { return at_rest.contains(path); }
  [[nodiscard]] bool is_success(const std::string& unit, int status) override {
    return successes.contains({unit, status});
  }
  std::set<std::pair<std::string, int>> successes;  // of services
  bool complete = true;
  bool sees_all = true;
  bool looks = true;
  std::set<std::string> at_rest;
  std::map<std::string, std::string> tops;  // where they differ from the path
  int asked = 0;
  int walks = 0;

 private:
  const FakeKernel& kernel_;
};

struct LedgerNode {
  explicit LedgerNode(std::uint32_t most = 100) : kernel(most), names(kernel), ledger(kKeep) {}
  void round(std::chrono::seconds later = std::chrono::seconds(1)) {
    EXPECT_TRUE(ledger.round(kernel, names, now += later));
  }
  [[nodiscard]] stats::GroupUsage of(const std::string& path) const {
    for (const auto& [name, workload] : ledger.workloads())
      if (name.container == path) return workload.usage;
    return {};
  }
  [[nodiscard]] stats::GroupUsage sum() const {
    stats::GroupUsage all;
    for (const auto& [name, workload] : ledger.workloads()) all += workload.usage;
    return all;
  }

  FakeKernel kernel;
  FakeNames names;
  UsageLedger ledger;
  UsageLedger::Clock::time_point now{std::chrono::hours(1)};
};

}  // namespace flowtap::telemetry
