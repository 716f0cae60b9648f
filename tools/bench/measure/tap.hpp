// A build of bpf/dispatch.bpf.c, loaded from its object file: the product's, or one to compare it with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "kernel/dispatch/cycle_counters.hpp"
#include "kernel/topology.hpp"

struct bpf_link;
struct bpf_object;
struct bpf_program;

namespace flowtap::bench {

/// It is loaded once, then attached and detached any number of times, which the stages of userspace/kernel do not
/// allow.
class Tap {
 public:
  /// What it accounts for besides the dispatches; see kernel::DispatchOpened.
  struct Account {
    std::uint32_t cgroups = 0;                                ///< at most this many; 0: no usage
    std::shared_ptr<const kernel::CycleCounters> counters{};  ///< null: no cycles
  };
  [[nodiscard]] static Result<Tap> load(const std::string& object_file, const kernel::Topology& topology,
                                        Account account);

  /// Like the product: the records of all tasks first, sched_switch last.
  Status attach();
  void detach() { links_.clear(); }

  struct Program {
    std::string event;  ///< "tp_btf/sched_switch"
    int fd;
  };
  /// The programs that run while it is attached.
  [[nodiscard]] std::vector<Program> programs() const;

 private:
  struct Delete {
    void operator()(bpf_object* object) const noexcept;
    void operator()(bpf_link* link) const noexcept;
  };

  Status visit_tasks(const bpf_program* iterator);
  Status size(const kernel::Topology& topology);
  Status free_all_groups();

  [[nodiscard]] bool runs(const bpf_program* program) const;

  Account account_;
  std::unique_ptr<bpf_object, Delete> object_;
  std::vector<std::unique_ptr<bpf_link, Delete>> links_;
};

}  // namespace flowtap::bench
