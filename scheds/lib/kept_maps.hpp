// What a scheduler knows about each task, kept from one start of it to the next.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

struct bpf_object;

namespace flowtap::scheds {

/// Task storage that is not freed while a scheduler is started anew, because that can hang the machine. Linux 6.18
/// frees such a map with migration disabled (bpf_map_free() of kernel/bpf/syscall.c) and waits meanwhile for RCU of
/// tasks (bpf_local_storage_map_free()). RCU waits for a CPU that goes offline (rcu_tasks_trace_pregp_step()), and that
/// CPU waits for all that cannot migrate off it (sched_cpu_wait_empty()). CPUs that go, often several in a row, are
/// just what makes a scheduler start anew.
class KeptMaps {
 public:
  /// To be called between open and load: the object gets the storage of an earlier start of the same scheduler. Its
  /// content is old.
  [[nodiscard]] Status give(bpf_object* object) const;

  /// To be called after load.
  [[nodiscard]] Status keep(bpf_object* object);

 private:
  std::map<std::string, Fd, std::less<>> maps_;  // by name
};

}  // namespace flowtap::scheds
