// The rules that a row must follow. They are functions over any table, so that tests can give them a bad one;
// checks.cpp applies them to the real table when it is compiled.
#pragma once

#include <array>
#include <span>

#include "base/ascii.hpp"
#include "stats/table.hpp"

namespace flowtap::stats::check {

/// A metric or label name as Prometheus accepts it and promlint likes it: snake_case, no colon, not "__x".
/// https://prometheus.io/docs/concepts/data_model/
constexpr bool good_name(std::string_view name) {
  if (name.empty() || !is_lower(name.front()) || name.back() == '_') return false;
  char before = 'a';
  for (const char c : name) {
    if (!is_lower(c) && !is_digit(c) && c != '_') return false;
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

// clang gives a constant expression a million steps, and the table has hundreds of rows. Comparing every pair of rows
// takes too many steps, so rows are found by number or by hash.
inline constexpr std::size_t kBuckets = 4096;

constexpr std::size_t bucket_of(std::string_view text, std::size_t more = 0) {
  std::size_t hash = more;
  for (const char c : text) hash = hash * 31 + static_cast<unsigned char>(c);
  return hash % kBuckets;
}

/// True if `same` holds for no two of `rows`; only rows in the same bucket are compared.
template <class Row, class Bucket, class Same>
constexpr bool all_different(std::span<const Row> rows, Bucket bucket, Same same) {
  std::array<bool, kBuckets> taken{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t mine = bucket(rows[i]);
    for (std::size_t j = 0; taken[mine] && j < i; ++j)
      if (same(rows[i], rows[j])) return false;
    taken[mine] = true;
  }
  return true;
}

constexpr bool no_duplicate(std::span<const Family> families, std::span<const Stat> stats) {
  return all_different(
             families, [](const Family& f) { return bucket_of(f.name); },
             [](const Family& a, const Family& b) { return a.name == b.name; }) &&
         all_different(
             stats,
             [](const Stat& s) {
               return bucket_of(s.label.value_or(""), static_cast<std::size_t>(s.family));
             },
             [](const Stat& a, const Stat& b) {
               return a.family == b.family && a.label == b.label && a.counted_by == b.counted_by;
             });
}

constexpr bool no_empty_family(std::span<const Family> families, std::span<const Stat> stats) {
  std::array<bool, kBuckets> found{};
  for (const Stat& s : stats) found.at(static_cast<std::size_t>(s.family)) = true;
  for (const Family& f : families)
    if (!found.at(static_cast<std::size_t>(f.id))) return false;
  return true;
}

// A copy and not a pointer: under UBSan, GCC does not accept a comparison of pointers in a constant expression.
constexpr std::optional<Family> find(std::span<const Family> families, FamilyId id) {
  const auto place = static_cast<std::size_t>(id);  // its place in the real table
  if (place < families.size() && families[place].id == id) return families[place];
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
  std::array<std::size_t, kBuckets> first{};  // the place of each family's first stat, counted from 1
  for (std::size_t i = 0; i < stats.size(); ++i) {
    std::size_t& place = first.at(static_cast<std::size_t>(stats[i].family));
    if (place == 0) place = i + 1;
    const Stat& other = stats[place - 1];
    if (other.kind != stats[i].kind || other.unit != stats[i].unit) return false;
  }
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
