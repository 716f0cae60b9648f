// The component "scheduler": the one of flowtap's own sched_ext schedulers that the configuration names.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "count/count_component.hpp"
#include "count/scheduler_path.hpp"

namespace flowtap {

class SchedulerComponent final : public Component {
 public:
  /// The scheduler shares a map with the programs that count, so it does not outlive them.
  SchedulerComponent(Shared& shared, const std::string& name, const CountComponent& count)
      : shared_(shared), name_(name), count_(count) {}

  [[nodiscard]] std::string_view name() const override { return SchedulerPath::kName; }
  void open() override { start(); }
  void look_around() override;
  void take() override;
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) override;
  void let_go() override;
  [[nodiscard]] std::string sentence() const override;
  /// Everything else that takes time at the end runs under the kernel's own scheduler.
  void halt() override;

 private:
  void take_options() override;
  void start();
  void tell();

  Shared& shared_;
  const std::string& name_;  // that is asked for
  const CountComponent& count_;
  std::unique_ptr<SchedulerPath> path_;
  std::map<std::string_view, std::uint64_t> exits_;  // of earlier ones, by kind
};

}  // namespace flowtap
