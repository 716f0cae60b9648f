// What a row must fulfil. The rules are functions over any table, so that tests can show them a bad one;
// checks.cpp holds the real table against them when it is compiled.
#pragma once

#include <span>

#include "stats/table.hpp"

namespace flowtap::stats::check {

constexpr bool lower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool digit(char c) {
  return c >= '0' && c <= '9';
}

/// A metric or label name as Prometheus accepts it and promlint likes it: snake_case, no colon, not "__x".
/// https://prometheus.io/docs/concepts/data_model/
constexpr bool good_name(std::string_view name) {
  if (name.empty() || !lower(name.front()) || name.back() == '_') return false;
  char before = 'a';
  for (const char c : name) {
    if (!lower(c) && !digit(c) && c != '_') return false;
    if (c == '_' && before == '_') return false;
    before = c;
  }
  return true;
}

constexpr bool good_help(std::string_view help) {
  if (help.size() < 2 || help.back() != '.' || help.front() == ' ') return false;
  for (const char c : help)
    if (c == '\n' || c == '\\') return false;  // prometheus-cpp writes HELP unescaped
  return true;
}

/// Counters end in _total, and nothing else does.
constexpr bool good_ending(const Stat& s, const Family& f) {
  return f.name.ends_with("_total") == (s.kind == Kind::kCounter);
}

/// A unit other than none is part of the name: x_seconds, x_seconds_total.
constexpr bool good_unit(const Stat& s, const Family& f) {
  std::string_view name = f.name;
  if (name.ends_with("_total")) name.remove_suffix(6);
  const auto underscore = name.rfind('_');
  if (underscore != std::string_view::npos) name.remove_prefix(underscore + 1);
  for (const std::string_view unit : kUnitNames)
    if (!unit.empty() && (name == unit) != (unit == unit_name(s.unit))) return false;
  return true;
}

constexpr bool names(std::span<const Family> families) {
  for (const Family& f : families) {
    if (!good_name(f.name)) return false;
    for (std::size_t i = 0; i < label_count(f.labels); ++i) {
      const auto key = label_key(f.labels, i);
      if (!good_name(key) || key == "le" || key == "quantile") return false;
    }
  }
  return true;
}

constexpr bool helps(std::span<const Family> families, std::span<const Stat> stats) {
  for (const Family& f : families)
    if (!good_help(f.help)) return false;
  for (const Stat& s : stats)
    if (!good_help(s.help)) return false;
  return true;
}

constexpr bool no_duplicate(std::span<const Family> families, std::span<const Stat> stats) {
  for (std::size_t i = 0; i < families.size(); ++i)
    for (std::size_t j = i + 1; j < families.size(); ++j)
      if (families[i].name == families[j].name) return false;
  for (std::size_t i = 0; i < stats.size(); ++i)
    for (std::size_t j = i + 1; j < stats.size(); ++j)
      if (stats[i].family == stats[j].family && stats[i].label == stats[j].label &&
          stats[i].counted_by == stats[j].counted_by)
        return false;
  return true;
}

constexpr bool no_empty_family(std::span<const Family> families, std::span<const Stat> stats) {
  for (const Family& f : families) {
    bool found = false;
    for (const Stat& s : stats) found = found || s.family == f.id;
    if (!found) return false;
  }
  return true;
}

// A copy and not a pointer: under UBSan GCC takes no comparison of pointers for a constant expression.
constexpr std::optional<Family> find(std::span<const Family> families, FamilyId id) {
  for (const Family& f : families)
    if (f.id == id) return f;
  return std::nullopt;
}

constexpr bool endings_and_units(std::span<const Family> families, std::span<const Stat> stats) {
  for (const Stat& s : stats) {
    const auto f = find(families, s.family);
    if (!f || !good_ending(s, *f) || !good_unit(s, *f)) return false;
  }
  return true;
}

/// All stats of a family have its kind and unit: one HELP and one TYPE line stand for all of them.
constexpr bool families_agree(std::span<const Stat> stats) {
  for (const Stat& a : stats)
    for (const Stat& b : stats)
      if (a.family == b.family && (a.kind != b.kind || a.unit != b.unit)) return false;
  return true;
}

/// A row names a label value exactly where its family has a label left for it.
constexpr bool labels_fit(std::span<const Family> families, std::span<const Stat> stats) {
  for (const Stat& s : stats) {
    const auto f = find(families, s.family);
    if (!f) return false;
    const std::size_t own = label_count(f->labels) - (per_scheduler(*f) ? 1U : 0U);
    if (s.label && (own != 1 || s.label->empty())) return false;
    if (!s.label && !s.open_label && own != 0) return false;
    if (s.open_label && own == 0) return false;
  }
  return true;
}

}  // namespace flowtap::stats::check
