// The usage of the node's cgroups: which there are, and what their tasks used.
#pragma once

#include <memory>
#include <vector>

#include "kernel/dispatch/cgroup_watch.hpp"
#include "kernel/dispatch/usage_reader.hpp"

namespace flowtap::kernel {

/// Only one at a time may use the watch, which it shares with whoever loaded it.
class NodeUsage final : public stats::UsageSource {
 public:
  NodeUsage(UsageReader reader, std::shared_ptr<CgroupWatch> watch)
      : reader_(std::move(reader)), watch_(std::move(watch)) {}

  [[nodiscard]] bool take_events(const std::function<void(stats::CgroupEvent)>& take) override {
    return watch_->take(take);
  }
  [[nodiscard]] std::uint64_t lost_events() const override { return watch_->lost(); }
  [[nodiscard]] int ends() const override { return watch_->ends(); }
  [[nodiscard]] Result<std::vector<stats::NumberedCgroup>> numbered() override {
    if (!reader_.look()) return fail("cannot look at what runs now");
    return reader_.numbered();
  }
  [[nodiscard]] bool counts_cycles() const override { return reader_.counts_cycles(); }
  [[nodiscard]] GroupUsage read(std::uint32_t group) const override { return reader_.read(group); }
  [[nodiscard]] GroupUsage release(const stats::NumberedCgroup& cgroup) override {
    return reader_.release(cgroup);
  }
  [[nodiscard]] GroupUsage unnumbered() const override { return reader_.read(FTAP_GROUP_OTHER); }

 private:
  UsageReader reader_;
  std::shared_ptr<CgroupWatch> watch_;
};

}  // namespace flowtap::kernel
