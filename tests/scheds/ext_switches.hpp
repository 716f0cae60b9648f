// ext_switches.bpf.c, attached as long as this lives.
#pragma once

#include <memory>
#include <vector>

#include "tests/scheds/ext_switches.h"

struct bpf_link;
struct bpf_object;

namespace flowtap::test {

class ExtSwitches {
 public:
  /// Fails the test where the programs cannot be loaded.
  ExtSwitches();

  [[nodiscard]] ftap_ext_switches read() const;

  /// ftap_ext_switches.longest_wait of this process, which is watched; waits that are not over yet count, too.
  [[nodiscard]] unsigned long long longest_wait() const;

  /// From now on the tasks of this process are watched, and nothing is known about their waits yet; 0: none are.
  void watch(int process) const;

 private:
  std::unique_ptr<bpf_object, void (*)(bpf_object*)> object_;
  std::vector<std::unique_ptr<bpf_link, int (*)(bpf_link*)>> links_;
};

}  // namespace flowtap::test
