// Which schedulers' logs are understood. Each is a table of messages, and a few traits that say how it tells of pods. One more
// scheduler is one more table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "explain/diagnosis/facts/fact_table.hpp"

namespace flowtap::diagnosis {

struct Scheduler {
  enum class Role : std::uint8_t {
    kMain,     ///< it places the pod
    kExtender  ///< a main scheduler asks it about devices in the middle of its own attempt
  };

  std::string_view name;  ///< as people call it
  Role role = Role::kMain;
  std::span<const FactRow> rows;

  /// It does not say at every level where an attempt begins, so each verdict ends one.
  bool verdict_ends = false;
  /// It names each node that it turns down, but may not say that none is left.
  bool names_all_nodes = false;
  /// Its verdict says how many nodes there are of each reason, but not which (fit_error.hpp).
  bool counts_nodes = false;

  /// The log level from which on it names cards that do not fit, and the pod's containers. The last two, for NUMA cells
  /// on nodes that fit and for cells that do not fit, also say who names them. Empty: it names none.
  std::string_view cards = {};
  std::string_view containers = {};
  std::string_view given =
      {};  ///< the same for each card that it gives to a container, if it may leave that out
  std::string_view cells = {};
  std::string_view failed_cells = {};
};

/// Several schedulers, whose rows are one table.
class Schedulers {
 public:
  /// The schedulers must outlive this.
  explicit Schedulers(std::span<const Scheduler> all);

  /// The schedulers of schedulers.def.
  [[nodiscard]] static const Schedulers& built_in();

  [[nodiscard]] std::span<const Scheduler> all() const { return all_; }
  [[nodiscard]] std::size_t place_of(const Scheduler& one) const {
    return static_cast<std::size_t>(&one - all_.data());
  }
  /// All rows. Those of one message stand together, in the order in which they are tried.
  [[nodiscard]] std::span<const FactRow> rows() const { return rows_; }
  /// The rows that a record may match: for a structured one those of its message, for free text those whose beginning has its first
  /// letter, since there are few.
  [[nodiscard]] std::span<const FactRow> rows_of(FactRow::Form form, std::string_view text) const;

 private:
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  [[nodiscard]] std::span<const FactRow> rows_of(const Range& range) const {
    return rows().subspan(range.first, range.count);
  }

  std::span<const Scheduler> all_;
  std::vector<FactRow> rows_;
  std::unordered_map<std::string_view, Range> by_message_;  // most records have a message that no row has
  std::array<Range, 256> by_letter_{};                      // the first one of a free text
};

}  // namespace flowtap::diagnosis
