// Which schedulers' logs are understood: each as a table of messages, and by how it tells of pods. One more is one more table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "explain/diagnosis/facts/fact_table.hpp"

namespace flowtap::diagnosis {

struct Scheduler {
  enum class Role : std::uint8_t {
    kMain,     ///< it places the pod
    kExtender  ///< a main one asks it about devices in the middle of its own attempt
  };

  std::string_view name;  ///< as people call it
  Role role = Role::kMain;
  std::span<const FactRow> rows;

  /// Where an attempt begins is not said at every level, so that each verdict ends one.
  bool verdict_ends = false;
  /// It names each node that it turns down, and may not say that none is left.
  bool names_all_nodes = false;
  /// Its verdict says how many nodes there are of each reason, and not which (fit_error.hpp).
  bool counts_nodes = false;

  /// From which level on it names cards that would not do and the pod's containers, and who says, from which one on, NUMA cells on nodes
  /// that fit and those that would not do. Empty: it knows none.
  std::string_view cards = {};
  std::string_view containers = {};
  std::string_view given =
      {};  ///< the same of each card that it gives to a container, where it may leave that out
  std::string_view cells = {};
  std::string_view failed_cells = {};
};

/// Several, whose rows are one table.
class Schedulers {
 public:
  /// They must outlive this.
  explicit Schedulers(std::span<const Scheduler> all);

  /// Those of schedulers.def.
  [[nodiscard]] static const Schedulers& built_in();

  [[nodiscard]] std::span<const Scheduler> all() const { return all_; }
  [[nodiscard]] std::size_t place_of(const Scheduler& one) const {
    return static_cast<std::size_t>(&one - all_.data());
  }
  /// Rows of one message stand together, in the order in which they are tried.
  [[nodiscard]] std::span<const FactRow> rows() const { return rows_; }
  /// Those that a record may be of: of a structured one its message's, of free text all, for there are few.
  [[nodiscard]] std::span<const FactRow> rows_of(FactRow::Form form, std::string_view text) const;

 private:
  std::span<const Scheduler> all_;
  std::vector<FactRow> rows_;
};

}  // namespace flowtap::diagnosis
