// Medians of rounds, and the one table that all benchmarks print into.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flowtap::bench {

/// One value per round. The median stands for all of them, as on a shared machine the mean depends on the neighbours.
class Rounds {
 public:
  void add(double value) { values_.push_back(value); }
  [[nodiscard]] double median() const;
  [[nodiscard]] double min() const;
  /// Round by round.
  [[nodiscard]] Rounds less(const Rounds& other) const;

 private:
  std::vector<double> values_;
};

/// The table's head; tools/bench/run prints the rows of all programs under one.
void print_head();
/// A row without figures: a heading for the next rows.
void print_section(std::string_view what);
/// A row with the median and the least value. `goal` may be empty for rows that are only there for comparison.
void print_row(std::string_view what, const Rounds& rounds, std::string_view unit,
               std::string_view goal = {});
/// A row with a figure that is not a median, such as an error over all rounds.
void print_row(std::string_view what, const std::string& figure, std::string_view unit,
               std::string_view goal = {});

/// A row that compares `with` and `without`: the median of the rounds' differences, the ratio of the medians, and the
/// difference of the least values. Both have the same rounds.
void print_added(std::string_view what, const Rounds& with, const Rounds& without, std::string_view unit,
                 std::string_view goal = {});

/// Runs a benchmark's body and turns its error into one sentence and exit status 1.
int finish(const Status& status);

}  // namespace flowtap::bench
