#include "tools/bench/measure/figures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

namespace flowtap::bench {
namespace {

// Markdown, so that the rows can be copied into a README as they are.
void print_cells(std::string_view what, std::string_view median, std::string_view min, std::string_view unit,
                 std::string_view goal) {
  fmt::print("| {:<58} | {:>18} | {:>8} | {:<28} | {:>6} |\n", what, median, min, unit, goal);
  std::fflush(stdout);
}

// Enough digits to compare, and none that only show noise.
std::string digits(double value) {
  const double size = value < 0 ? -value : value;
  if (size >= 100) return fmt::format("{:.0f}", value);
  return size >= 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

}  // namespace

double Rounds::median() const {
  if (values_.empty()) return 0;
  std::vector<double> sorted = values_;
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double Rounds::min() const {
  return values_.empty() ? 0 : *std::ranges::min_element(values_);
}

Rounds Rounds::less(const Rounds& other) const {
  Rounds difference;
  for (std::size_t i = 0; i < values_.size() && i < other.values_.size(); ++i)
    difference.add(values_[i] - other.values_[i]);
  return difference;
}

void print_head() {
  print_cells("what", "median", "least", "unit", "goal");
  fmt::print("|{:-<60}|{:->20}|{:->10}|{:-<30}|{:->8}|\n", "", ":", ":", "", ":");
}

void print_section(std::string_view what) {
  print_cells(fmt::format("**{}**", what), "", "", "", "");
}

void print_row(std::string_view what, const Rounds& rounds, std::string_view unit, std::string_view goal) {
  print_cells(what, digits(rounds.median()), digits(rounds.min()), unit, goal);
}

void print_row(std::string_view what, const std::string& figure, std::string_view unit,
               std::string_view goal) {
  print_cells(what, figure, "", unit, goal);
}

void print_added(std::string_view what, const Rounds& with, const Rounds& without, std::string_view unit,
                 std::string_view goal) {
  const auto sign = [](double value) { return (value < 0 ? "" : "+") + digits(value); };
  print_cells(
      what, fmt::format("{} ({:.2f}x)", sign(with.less(without).median()), with.median() / without.median()),
      sign(with.min() - without.min()), unit, goal);
}

int finish(const Status& status) {
  if (status) return 0;
  fmt::print(stderr, "error: {}\n", status.error().what);
  if (!status.error().hint.empty()) fmt::print(stderr, "hint:  {}\n", status.error().hint);
  return 1;
}

}  // namespace flowtap::bench
