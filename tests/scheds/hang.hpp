// A CPU that hangs in the kernel. Before the kernel complains about that, it ends the running sched_ext scheduler with
// the kind `error` (scx_softlockup() of kernel/sched/ext.c). No scheduler, however right, can prevent it.
#pragma once

#include <memory>

struct bpf_object;

namespace flowtap::test {

class Hang {
 public:
  /// Fails the test where the program cannot be loaded.
  Hang();

  /// CPU 1 hangs for three seconds; when this returns the kernel has noticed it.
  void hang() const;

 private:
  std::unique_ptr<bpf_object, void (*)(bpf_object*)> object_;
};

}  // namespace flowtap::test
