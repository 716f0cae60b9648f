// The text of --report. Pure functions, so that the CLI's `top` shows the same table.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stats/rates.hpp"

namespace flowtap::stats {

/// Shares in tenths of a percent that add up to 1000: the rounding goes where it is least wrong. All are 0 if there is
/// nothing to share.
[[nodiscard]] std::vector<unsigned> shares_in_tenths(std::span<const std::uint64_t> counts);

/// A duration with three digits and its unit: "8.19 µs"; "-" without a value; "> 17.2 s" for a value above all buckets.
[[nodiscard]] std::string quantile_text(std::optional<double> seconds);

/// The table of all schedulers: type, count, rate per second and share of each type that did something in the
/// interval, their total, and the run-queue latency. Lines end in '\n'; names hold no control characters.
[[nodiscard]] std::string report_table(std::span<const SchedulerRates> schedulers, const std::string& title);

}  // namespace flowtap::stats
