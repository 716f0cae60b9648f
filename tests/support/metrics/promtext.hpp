// A strict reader of the Prometheus text format: any mistake is an error, and nothing is guessed.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace flowtap::test {

using Labels = std::map<std::string, std::string>;
/// By series_key().
using SeriesMap = std::map<std::string, double>;

/// name{a="x",b="y"}, labels sorted; the numbers of `le` in one spelling.
[[nodiscard]] std::string series_key(const std::string& name, Labels labels = {});

/// The sum over all series of this name; 0 if there are none.
[[nodiscard]] double sum_of(const SeriesMap& series, std::string_view name);

struct PromPage {
  SeriesMap all;
  SeriesMap
      counters;  ///< the series that may never go back: counters, and everything of a histogram or summary
  std::map<std::string, std::string> types;  ///< of families
};

/// Throws std::runtime_error with the line: HELP and TYPE must stand once before the family's samples, names
/// and labels must be well formed, no series may come twice, buckets must be cumulative and end in the count.
[[nodiscard]] PromPage parse_prometheus_text(std::string_view text);

/// "" if every counter of `before` is in `after` and has not gone back, else the first that has.
[[nodiscard]] std::string went_back(const SeriesMap& before, const SeriesMap& after);

}  // namespace flowtap::test
