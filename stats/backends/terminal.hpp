// --report: rates and shares for a person.
#pragma once

#include <cstdio>
#include <string>

#include "stats/backend.hpp"

namespace flowtap::stats {

/// A table per scheduler for each snapshot: drawn in place if `fd` is a terminal, otherwise plain text, one table after
/// the other. A slow reader misses whole tables, never parts of one.
class Terminal : public Backend {
 public:
  /// `file`, usually stdout, still belongs to the caller; writing bypasses its buffer.
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
  SnapshotPtr shown_;  // the snapshot of the last table
  std::string rest_;   // what the reader has not taken yet
  BackendHealth health_;
};

}  // namespace flowtap::stats
