// The component "count": the count path, and the usage that it adds up for other components.
#pragma once

#include <memory>

#include "count/count_path.hpp"
#include "count/cycle_counting.hpp"
#include "daemon/components/component.hpp"
#include "identity/usage_hierarchy.hpp"

namespace flowtap {

class CountComponent final : public Component {
 public:
  explicit CountComponent(Shared& shared) : shared_(shared) {}

  void open() override;
  void look_around() override;
  void take() override;
  void report(api::StatusReport& status) override;
  void let_go(const Config& next) override;
  void reload(const Config& old) override;
  [[nodiscard]] std::string sentence() const override;
  void stop() override { path_.reset(); }

  /// Whether the programs would have to be loaded anew, or ended, under `next`.
  [[nodiscard]] bool changes(const Config& next) const;
  /// The map that our own scheduler shares with the programs; -1: nothing is counted.
  [[nodiscard]] int ext_self_map() const { return path_ ? path_->ext_self_map() : -1; }
  /// What the node's cgroups use, or why it cannot be had; null where nothing counts.
  [[nodiscard]] Result<std::unique_ptr<stats::UsageSource>> usage();
  /// In which usage() tells workloads apart.
  [[nodiscard]] identity::UsageHierarchy hierarchy() const;
  /// CycleCounting::why_not().
  [[nodiscard]] const std::string& why_no_cycles() const { return cycles_.why_not(); }

 private:
  void start();
  void choose_hierarchy();

  Shared& shared_;
  CycleCounting cycles_;
  Result<identity::UsageHierarchy>
      hierarchy_;  // the hierarchy by which the programs count, as long as they do
  std::unique_ptr<CountPath> path_;
};

}  // namespace flowtap
