#include "top_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.hpp"
#include "stats/backends/json_text.hpp"
#include "stats/backends/report.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kRateColumns = 11;
constexpr std::size_t kShareColumns = 7;  // "100.0 %"
constexpr std::size_t kLeastBar = 8;

std::string limit_text(std::optional<double> quantile, const Style& style) {
  if (!quantile) return "-";
  if (std::isfinite(*quantile))
    return fmt::format("{} {}", style.pick("≤", "<="), seconds_text(*quantile, style));
  return "> " + seconds_text(stats::histogram_edge(FTAP_HIST_BUCKETS - 1), style);
}

/// The width of the widest type name. It is the same for all schedulers, so that their numbers stand below each other.
std::size_t name_columns(const Interval& interval) {
  std::size_t width = 12;
  for (const auto& scheduler : interval.schedulers)
    for (const auto& t : scheduler.types) width = std::max(width, columns(printable(t.type)));
  return std::min<std::size_t>(width, 24);
}

/// Builds one screen line by line.
class Screen {
 public:
  Screen(const Interval& interval, ScreenSize size, const Style& style)
      : size_(size), style_(style), names_(name_columns(interval)) {}

  void title(const Interval& interval, const std::string& message) {
    lines_ = screen_title("flowtap top", interval.end, interval.seconds, message, size_.columns, style_);
  }

  void scheduler(const stats::SchedulerRates& scheduler, bool idle_types) {
    lines_.emplace_back();
    heading(scheduler);
    std::vector<std::uint64_t> counts;
    counts.reserve(scheduler.types.size());
    for (const auto& t : scheduler.types) counts.push_back(t.count);
    const auto shares = stats::shares_in_tenths(counts);
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (idle_types || counts[i] > 0) type(scheduler.types[i], shares[i]);
  }

  [[nodiscard]] bool fits() const { return lines_.size() <= size_.rows; }

  [[nodiscard]] std::vector<std::string> take() { return cut_to_screen(std::move(lines_), size_, style_); }

 private:
  [[nodiscard]] std::string clipped(std::string_view text) const { return cli::clipped(text, size_.columns); }

  void heading(const stats::SchedulerRates& scheduler) {
    const std::string name = fit(printable(scheduler.scheduler), names_ + 2);
    const std::string rate = fit(rate_text(scheduler.rate) + "/s", kRateColumns + 2, true);
    const std::string latency =
        fmt::format("run-queue latency  p50 {}  p99 {}", limit_text(scheduler.latency_p50, style_),
                    limit_text(scheduler.latency_p99, style_));
    const std::size_t taken = columns(name) + columns(rate);
    if (taken > size_.columns) return lines_.push_back(style_.paint("1", clipped(name)));
    std::string line = style_.paint("1", name + rate);
    if (!scheduler.latency_p50 && !scheduler.latency_p99) return lines_.push_back(std::move(line));
    const bool beside = taken + 3 + columns(latency) <= size_.columns;
    if (beside) line += "   " + style_.paint("36", latency);
    lines_.push_back(std::move(line));
    if (!beside) lines_.push_back(style_.paint("36", clipped("  " + latency)));
  }

  void type(const stats::TypeRate& t, unsigned tenths) {
    std::string line = "  " + fit(printable(t.type), names_) +
                       fit(rate_text(t.rate) + "/s", kRateColumns + 2, true) +
                       fit(fmt::format("{}.{} %", tenths / 10, tenths % 10), kShareColumns + 2, true);
    if (columns(line) > size_.columns) line = clipped(line);
    if (t.count == 0) return lines_.push_back(style_.paint("2", line));
    if (const std::size_t taken = columns(line) + 3; taken + kLeastBar <= size_.columns)
      line += "   " + style_.paint("34", bar(t.share, size_.columns - taken, style_));
    lines_.push_back(std::move(line));
  }

  ScreenSize size_;
  const Style& style_;
  std::size_t names_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> top_screen(const Interval& interval, const std::string& message, ScreenSize size,
                                    const Style& style) {
  const auto draw = [&](bool idle_types) {
    Screen screen(interval, size, style);
    screen.title(interval, message);
    for (const auto& scheduler : interval.schedulers) screen.scheduler(scheduler, idle_types);
    return screen;
  };
  Screen screen = draw(true);
  return screen.fits() ? screen.take() : draw(false).take();
}

std::string top_block(const Interval& interval) {
  const std::chrono::system_clock::time_point end(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::duration<double>(interval.end)));
  return stats::report_table(
      interval.schedulers, fmt::format("flowtap  {}  last {:.1f} s", stats::rfc3339(end), interval.seconds));
}

}  // namespace flowtap::cli
