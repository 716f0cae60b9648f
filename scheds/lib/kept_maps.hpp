// What a scheduler knows of each task, from one start of it to the next.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

struct bpf_object;

namespace flowtap::scheds {

/// Task storage that is not freed while a scheduler is started anew, as that can hang the machine: Linux 6.18 frees such a map with
/// migration disabled (bpf_map_free() of kernel/bpf/syscall.c) and waits meanwhile for RCU of tasks (bpf_local_storage_map_free()),
/// which waits for a CPU that goes offline (rcu_tasks_trace_pregp_step()), which waits for all that cannot migrate off it
/// (sched_cpu_wait_empty()). And it is CPUs that go, often several in a row, for which a scheduler is started anew.
class KeptMaps {
 public:
  /// Between open and load: the object has the storage that an earlier one of the same scheduler had. What is in it is old.
  [[nodiscard]] Status give(bpf_object* object) const;

  /// After load.
  [[nodiscard]] Status keep(bpf_object* object);

 private:
  std::map<std::string, Fd, std::less<>> maps_;  // by name
};

}  // namespace flowtap::scheds
