// The component "scheduler": the sched_ext scheduler of flowtap's own that the configuration asks for.
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "count/scheduler_path.hpp"
#include "daemon/components/count.hpp"

namespace flowtap {

class SchedulerComponent final : public Component {
 public:
  /// The scheduler shares a map with the programs that count, so it does not outlive them.
  SchedulerComponent(Shared& shared, const CountComponent& count) : shared_(shared), count_(count) {}

  void open() override { start(); }
  void look_around() override;
  void take() override;
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) override;
  void let_go(const Config& next) override;
  void reload(const Config& old) override;
  [[nodiscard]] std::string sentence() const override;
  /// Whatever else takes its time at the end does so on the kernel's own scheduler.
  void halt() override;

 private:
  void start();
  void tell();

  Shared& shared_;
  const CountComponent& count_;
  std::unique_ptr<SchedulerPath> path_;
  std::map<std::string_view, std::uint64_t> exits_;  // of those before, by kind
};

}  // namespace flowtap
