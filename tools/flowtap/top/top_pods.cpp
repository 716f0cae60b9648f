#include "top_pods.hpp"

#include "api/json/workloads_json.hpp"
#include "api/routes/routes.hpp"
#include "api/routes/target.hpp"
#include "pod_columns.hpp"
#include "pods_screen.hpp"

namespace flowtap::cli {
namespace {

class PodsView final : public TopView {
 public:
  PodsView(const TopOptions& options, std::size_t sorted)
      : options_(options),
        sorted_(sorted),
        choice_{.containers = options.containers, .ns = options.ns, .ended = options.ended} {}

  [[nodiscard]] Answer<bool> advance() override;
  [[nodiscard]] std::vector<std::string> screen(const std::string& message, ScreenSize size,
                                                const Style& style) const override {
    return pods_screen(interval_, sorted_, message, size, style);
  }
  [[nodiscard]] std::string block(const Style& style) const override {
    return pods_block(interval_, sorted_, style);
  }
  [[nodiscard]] std::string json() const override { return pods_json(interval_); }

 private:
  const TopOptions& options_;
  const std::size_t sorted_;
  const PodChoice choice_;
  std::optional<api::WorkloadsReading> last_;
  PodInterval interval_;
};

Answer<api::WorkloadsReading> read_workloads(const TopOptions& options) {
  std::string target(api::kWorkloadsPath);
  if (!options.ns.empty()) target += "?namespace=" + api::percent_encode(options.ns);
  auto body = ask(options.state_dir, target);
  if (!body) return std::unexpected(std::move(body).error());
  auto reading = api::workloads_from_json(*body);
  if (!reading) return std::unexpected(Failure{std::move(reading).error(), kFailure});
  return std::move(*reading);
}

Answer<bool> PodsView::advance() {
  auto now = read_workloads(options_);
  if (!now) return std::unexpected(std::move(now).error());
  const bool first = !last_;
  if (!first && now->monotonic == last_->monotonic) return false;
  interval_ = pod_interval(first ? nullptr : &*last_, *now, choice_);
  sort_rows(interval_.rows, sorted_);
  last_ = std::move(*now);
  return !first;
}

}  // namespace

ExitCode run_top_pods(const TopOptions& options) {
  PodsView view(options, pod_column(options.sort).value_or(0));
  return run_top_view(view, options.run);
}

}  // namespace flowtap::cli
