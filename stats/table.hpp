// The stats table as C++ sees it: one descriptor per family and per row of the .def files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "stats/slots.h"

namespace flowtap::stats {

enum class Kind : std::uint8_t { kCounter, kGauge, kHistogram };
/// Who counts a stat: the tracing programs, our sched_ext schedulers themselves, flowtapd in userspace, or the machine.
/// The machine's counters began before flowtapd did.
enum class CountedBy : std::uint8_t { kTracing, kScheduler, kFlowtapd, kMachine };
enum class Unit : std::uint8_t { kNone, kSeconds, kBytes, kJoules, kWatts, kCelsius, kHertz };

/// In the order of Unit. If a family has a unit, its name ends in it.
inline constexpr std::array<std::string_view, 7> kUnitNames{"",      "seconds", "bytes", "joules",
                                                            "watts", "celsius", "hertz"};

/// "seconds"; empty for kNone.
constexpr std::string_view unit_name(Unit unit) {
  return kUnitNames.at(static_cast<std::size_t>(unit));
}

/// "counter", "gauge" or "histogram", as the exposition formats call them.
std::string_view kind_name(Kind kind);

enum class FamilyId : std::uint16_t {
#define FTAP_FAMILY(id, name, labels, help) k##id,
#include "stats/families.def"
#undef FTAP_FAMILY
#define FTAP_MEASURE(id, name, labels, kind, unit, help) k##id,
#include "stats/telemetry.def"
#undef FTAP_MEASURE
};

/// The ids of all stats: those of kernel.def, scheds.def, self.def and telemetry.def, in this order.
enum class StatId : std::uint16_t {
#define FTAP_STAT(id, family, label, kind, unit, help) k##id,
#include "stats/kernel.def"
#include "stats/scheds.def"
#include "stats/self.def"
#undef FTAP_STAT
#define FTAP_MEASURE(id, name, labels, kind, unit, help) k##id,
#include "stats/telemetry.def"
#undef FTAP_MEASURE
};

/// Everything that the series of one name share.
struct Family {
  FamilyId id;
  std::string_view name;
  std::string_view labels;  ///< comma separated keys
  std::string_view help;
};

/// One row. `slot` is the first slot in the per-CPU block, or absent for a stat read in userspace.
struct Stat {
  StatId id;
  FamilyId family;
  std::optional<std::string_view>
      label;        ///< value of the last label; absent: no label, or only known at run time
  bool open_label;  ///< the label values are only known at run time
  Kind kind;
  Unit unit;
  std::string_view help;
  CountedBy counted_by;
  std::optional<std::size_t> slot;
  unsigned widened = 0;  ///< for a histogram: its edges are those of slots.h times 2 to the power of this
  bool coarse = false;   ///< for a histogram: it has only some of the edges, see has_edge()
};

/// Whether a histogram has the edge of bucket i. If not, the values are in the next bucket that it has.
constexpr bool has_edge(const Stat& stat, std::size_t i) {
  return !stat.coarse ||
         (i >= FTAP_COARSE_FIRST && i <= FTAP_COARSE_LAST && (i - FTAP_COARSE_FIRST) % 2 == 0);
}

/// All families, in the order of families.def.
std::span<const Family> families();
/// All stats, in the order of StatId.
std::span<const Stat> all_stats();
/// The stats that are counted in the kernel, in slots: those of kernel.def and scheds.def.
std::span<const Stat> slot_stats();

const Family& family(FamilyId id);
const Stat& stat(StatId id);
/// Kind and unit of a family. Its stats all have the same (stats/checks.hpp).
const Stat& first_stat(FamilyId id);

/// The i-th label key of "a,b,c"; empty when there are fewer.
constexpr std::string_view label_key(std::string_view labels, std::size_t i) {
  for (; i > 0; --i) {
    const auto comma = labels.find(',');
    if (comma == std::string_view::npos) return {};
    labels.remove_prefix(comma + 1);
  }
  return labels.substr(0, labels.find(','));
}

constexpr std::size_t label_count(std::string_view labels) {
  if (labels.empty()) return 0;
  std::size_t n = 1;
  for (const char c : labels) n += c == ',' ? 1 : 0;
  return n;
}

/// True if the family is counted per scheduler class: its first label is "scheduler".
constexpr bool per_scheduler(const Family& f) {
  return label_key(f.labels, 0) == "scheduler";
}

}  // namespace flowtap::stats
