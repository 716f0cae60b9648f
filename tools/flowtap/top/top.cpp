#include "top.hpp"

#include <algorithm>

#include "api/json/stats_json.hpp"
#include "api/routes/routes.hpp"
#include "tools/flowtap/client.hpp"
#include "top_pods.hpp"
#include "top_screen.hpp"

namespace flowtap::cli {
namespace {

Answer<api::StatsReading> read_stats(const std::string& state_dir) {
  auto body = ask(state_dir, api::kStatsPath);
  if (!body) return std::unexpected(std::move(body).error());
  auto reading = api::stats_from_json(*body);
  if (!reading) return std::unexpected(Failure{std::move(reading).error(), kFailure});
  return std::move(*reading);
}

/// Types that no scheduler of this machine ever uses would only take room.
std::vector<stats::SchedulerRates> without_unused(std::vector<stats::SchedulerRates> rates,
                                                  const std::vector<stats::SchedulerTotals>& totals) {
  for (std::size_t i = 0; i < rates.size(); ++i)
    std::erase_if(rates[i].types, [&used = totals[i].types](const stats::TypeRate& t) {
      const auto found = std::ranges::find(used, t.type, &stats::TypeTotal::type);
      return found == used.end() || found->total == 0;
    });
  return rates;
}

class DispatchView final : public TopView {
 public:
  explicit DispatchView(const std::string& state_dir) : state_dir_(state_dir) {}

  [[nodiscard]] Answer<bool> advance() override;
  [[nodiscard]] std::vector<std::string> screen(const std::string& message, ScreenSize size,
                                                const Style& style) const override {
    return top_screen(interval_, message, size, style);
  }
  [[nodiscard]] std::string block(const Style& /*style*/) const override { return top_block(interval_); }
  [[nodiscard]] std::string json() const override { return top_json(interval_); }

 private:
  const std::string& state_dir_;
  std::optional<api::StatsReading> last_;
  Interval interval_;
};

Answer<bool> DispatchView::advance() {
  auto now = read_stats(state_dir_);
  if (!now) return std::unexpected(std::move(now).error());
  const bool first = !last_;
  if (!first && now->cycle == last_->cycle && now->time == last_->time) return false;
  if (!first) {
    interval_.seconds = (now->time - last_->time).count();
    interval_.schedulers = without_unused(
        stats::scheduler_rates(last_->schedulers, now->schedulers, interval_.seconds), now->schedulers);
  }
  interval_.end = now->time.count();
  last_ = std::move(*now);
  return !first;
}

}  // namespace

ExitCode run_top(const TopOptions& options) {
  if (options.pods) return run_top_pods(options);
  DispatchView view(options.state_dir);
  return run_top_view(view, options.run);
}

}  // namespace flowtap::cli
