#include "stats/backends/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/printable.hpp"

namespace flowtap::stats {
namespace {

constexpr std::size_t kMaxShownName = 32;

/// The name of a scheduler comes from the program that loaded it, so none of it may reach the terminal as a command.
std::string shown(std::string_view name) {
  return printable(name.substr(0, kMaxShownName));
}

void append_latency(std::string& out, const SchedulerRates& scheduler) {
  const auto limit = [](std::optional<double> q) {
    return (q && std::isfinite(*q) ? "≤ " : "") + quantile_text(q);
  };
  out += fmt::format("  run-queue latency  p50 {}  p99 {}\n", limit(scheduler.latency_p50),
                     limit(scheduler.latency_p99));
}

void append_scheduler(std::string& out, const SchedulerRates& scheduler) {
  std::size_t width = sizeof("total") - 1;
  std::vector<std::uint64_t> counts;
  for (const TypeRate& t : scheduler.types) {
    counts.push_back(t.count);
    if (t.count > 0) width = std::max(width, shown(t.type).size());
  }
  const auto shares = shares_in_tenths(counts);
  // The heading shares a line with the scheduler's name, which may be the longest.
  const std::string name = shown(scheduler.scheduler);
  width = std::max(width, name.size() < 2 ? 0 : name.size() - 2);
  out += fmt::format("{:<{}} {:>12} {:>14} {:>8}\n", name, width + 2, "count", "per second", "share");
  const auto line = [&](const std::string& type, std::uint64_t count, double rate, unsigned share) {
    out += fmt::format("  {:<{}} {:>12} {:>14.1f} {:>6}.{} %\n", type, width, count, rate, share / 10,
                       share % 10);
  };
  for (std::size_t i = 0; i < scheduler.types.size(); ++i)
    if (counts[i] > 0) line(shown(scheduler.types[i].type), counts[i], scheduler.types[i].rate, shares[i]);
  line("total", scheduler.count, scheduler.rate, scheduler.count > 0 ? 1000 : 0);
}

}  // namespace

std::vector<unsigned> shares_in_tenths(std::span<const std::uint64_t> counts) {
  std::vector<unsigned> shares(counts.size(), 0);
  // In long double, since a sum of totals times 1000 may not fit into 64 bits.
  const auto sum = std::accumulate(counts.begin(), counts.end(), 0.0L);
  if (sum <= 0) return shares;
  std::vector<std::pair<long double, std::size_t>> remainders;
  unsigned given = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const long double exact = static_cast<long double>(counts[i]) * 1000 / sum;
    shares[i] = static_cast<unsigned>(exact);
    given += shares[i];
    remainders.emplace_back(exact - static_cast<long double>(shares[i]), i);
  }
  // The largest remainder comes first; of equal ones the earlier row.
  std::ranges::sort(remainders, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (std::size_t i = 0; given < 1000 && i < remainders.size(); ++i, ++given) ++shares[remainders[i].second];
  return shares;
}

std::string quantile_text(std::optional<double> seconds) {
  if (!seconds) return "-";
  std::string more;
  double value = *seconds;
  if (!std::isfinite(value)) {
    more = "> ";
    value = histogram_edge(FTAP_HIST_BUCKETS - 1);
  }
  const char* unit = "s";
  if (value < 1e-3) {
    value *= 1e6;
    unit = "µs";
  } else if (value < 1) {
    value *= 1e3;
    unit = "ms";
  }
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{}{:.{}f} {}", more, value, decimals, unit);
}

std::string report_table(std::span<const SchedulerRates> schedulers, const std::string& title) {
  std::string out = title + "\n";
  for (const SchedulerRates& scheduler : schedulers) {
    out += '\n';
    append_scheduler(out, scheduler);
    append_latency(out, scheduler);
  }
  return out;
}

}  // namespace flowtap::stats
