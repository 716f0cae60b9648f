// A snapshot as the line protocols see it: one number per line.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "stats/snapshot.hpp"

namespace flowtap::stats {

enum class SampleKind : std::uint8_t {
  kCount,  ///< total of whole things
  kNano,   ///< total of a measured quantity, in 1e-9 of the family's unit
  kGauge,
};

/// One number of a series. A histogram has many: `_bucket` for each edge, cumulative as in Prometheus, so that `le`
/// means the same at every receiver; `_count`, which is also the bucket without an edge; `_sum`.
///
/// Totals are integers, so that differences are exact and what was sent adds up to the total to the last
/// digit.
struct Sample {
  const Family* family = nullptr;
  std::span<const std::string> labels;
  std::string_view suffix;  ///< added to the family's name: "", "_bucket", "_count" or "_sum"
  std::string_view le;      ///< the bucket's edge as exact decimal, e.g. "0.000001024"; empty elsewhere
  SampleKind kind = SampleKind::kGauge;
  std::uint64_t total = 0;  ///< kCount and kNano
  double gauge = 0;         ///< kGauge; never NaN or infinite
  /// The total began before flowtapd did, so a backend that sends differences begins with the next one.
  bool began_before = false;
};

/// histogram_edge() in the form of Sample::le.
[[nodiscard]] std::string_view edge_text(std::size_t bucket, unsigned widened = 0);

/// A total in 1e-9 of its unit; a value that no counter can have (negative, not a number) becomes 0.
[[nodiscard]] std::uint64_t nanos(double total);

/// Decimal text of `n` * 1e-9, without trailing zeros.
[[nodiscard]] std::string nano_text(std::uint64_t n);

/// The text of a gauge: the shortest that reads back as the same number, never with an exponent.
[[nodiscard]] std::string gauge_text(double value);

namespace detail {

template <typename Visit>
void visit_histogram(Sample sample, const HistogramValue& histogram, const Stat& stat, Visit& visit) {
  sample.kind = SampleKind::kCount;
  sample.suffix = "_bucket";
  sample.total = 0;
  for (std::size_t i = 0; i < FTAP_HIST_BUCKETS; ++i) {
    sample.total += histogram.counts.at(i);
    if (!has_edge(stat, i)) continue;
    sample.le = edge_text(i, stat.widened);
    visit(sample);
  }
  sample.le = {};
  sample.suffix = "_count";
  sample.total += histogram.counts.back();
  visit(sample);
  sample.suffix = "_sum";
  sample.kind = SampleKind::kNano;
  sample.total = nanos(histogram.sum);
  visit(sample);
}

}  // namespace detail

/// Calls visit(const Sample&) for each number of one series. A gauge that is not a number is left out.
template <typename Visit>
void for_each_sample(const Series& series, Visit visit) {
  Sample sample;
  sample.family = &family(series.stat->family);
  sample.labels = series.labels;
  sample.began_before = series.stat->counted_by == CountedBy::kMachine;
  if (const auto* histogram = histogram_in(series.value)) {
    detail::visit_histogram(sample, *histogram, *series.stat, visit);
    return;
  }
  const auto* count = std::get_if<std::uint64_t>(&series.value);
  const auto* real = std::get_if<double>(&series.value);
  if (series.stat->kind == Kind::kGauge) {
    sample.gauge = count != nullptr ? static_cast<double>(*count) : *real;
    if (!std::isfinite(sample.gauge)) return;
  } else if (count != nullptr) {
    sample.kind = SampleKind::kCount;
    sample.total = *count;
  } else {
    if (!std::isfinite(*real)) return;
    sample.kind = SampleKind::kNano;
    sample.total = nanos(*real);
  }
  visit(static_cast<const Sample&>(sample));
}

}  // namespace flowtap::stats
