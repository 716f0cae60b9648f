// --report: rates and shares for a person.
#pragma once

#include <cstdio>
#include <string>

#include "stats/backend.hpp"

namespace flowtap::stats {

/// A table per scheduler for each snapshot: drawn in place where `fd` is a terminal, else plain text, one
/// table after the other. A reader that does not read on misses whole tables, never parts of one.
class Terminal : public Backend {
 public:
  /// `file`, usually stdout, stays the caller's; it is written to past its buffer.
  explicit Terminal(std::FILE* file);

  [[nodiscard]] std::string name() const override { return "terminal"; }
  Status publish(const SnapshotPtr& snapshot) override;
  [[nodiscard]] BackendHealth health() const override { return health_; }

 private:
  Status write_rest();
  [[nodiscard]] std::string screen(const std::string& table);

  int fd_;
  bool in_place_;
  bool cleared_ = false;
  SnapshotPtr shown_;  // of the last table
  std::string rest_;   // what the reader has not taken yet
  BackendHealth health_;
};

}  // namespace flowtap::stats
