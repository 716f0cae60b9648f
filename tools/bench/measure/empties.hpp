// An empty program on each tracepoint that the dispatch programs use.
#pragma once

#include <memory>
#include <vector>

#include "base/result.hpp"
#include "tools/bench/measure/tap.hpp"

struct empties_bpf;

namespace flowtap::bench {

/// The same handle as Tap, for empties.bpf.c.
class Empties {
 public:
  [[nodiscard]] static Result<Empties> load();
  Status attach();
  void detach();
  [[nodiscard]] std::vector<Tap::Program> programs() const;

 private:
  struct Delete {
    void operator()(empties_bpf* skeleton) const noexcept;
  };
  std::unique_ptr<empties_bpf, Delete> skeleton_;
};

}  // namespace flowtap::bench
