// What schedulers report about themselves through scx_stats, as metrics: counters where they count, otherwise gauges.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "count/scx_values.hpp"
#include "stats/snapshot.hpp"

namespace flowtap {

/// How a value of scx_stats counts; the metadata does not tell.
enum class ScxCount : std::uint8_t {
  kNot,    ///< a percentage, a setting, a state: a gauge
  kDelta,  ///< what happened since this connection asked last
  kTotal,  ///< what happened since the scheduler began
};

/// As scx_counts.def says. `scheduler` is the name that the kernel shows, with or without a version behind it; `stat`
/// is as in ScxValue. What is not listed there is a gauge.
[[nodiscard]] ScxCount scx_count(std::string_view scheduler, std::string_view stat);

/// The counters do not fall when a scheduler is loaded anew. Values that the newest answer lacks are not shown.
class ScxTotals {
 public:
  /// Takes an answer of `scheduler`, which was loaded as the `run`-th since the boot. The `first` answer of its
  /// connection tells of no known time (scx_layered's proc_ms covers everything since it began, other values cover
  /// nothing).
  void note(const std::string& scheduler, std::optional<std::uint64_t> run, bool first,
            const std::vector<ScxValue>& values);
  /// Nobody answers any more.
  void forget() { shown_.clear(); }
  void append_samples(std::vector<stats::Series>& out) const;

  [[nodiscard]] std::size_t shown() const { return shown_.size(); }
  /// How many values of counters were no counts: a scheduler's own overflow.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  struct Total {
    double before = 0;                 // kDelta: all; kTotal: of runs that are over
    double last = 0;                   // kTotal: of the run that goes on
    std::optional<std::uint64_t> run;  // that one's
  };
  using Name = std::tuple<std::string, std::string, std::string>;  // scheduler, stat and member
  struct Shown {
    Name name;
    bool counter;
    double value;
  };

  /// Absent: a counter cannot have this value.
  [[nodiscard]] std::optional<double> count(ScxCount how, const Name& name, double value,
                                            std::optional<std::uint64_t> run);

  std::map<Name, Total> totals_;
  std::vector<Shown> shown_;
  std::uint64_t refused_ = 0;
};

}  // namespace flowtap
