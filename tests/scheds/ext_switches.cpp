#include "tests/scheds/ext_switches.hpp"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/fd.hpp"
#include "kernel/libbpf_messages.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

int counts_of(const bpf_object& object) {
  return bpf_map__fd(bpf_object__find_map_by_name(&object, "counted"));
}

}  // namespace

ExtSwitches::ExtSwitches()
    : object_(bpf_object__open(paths::in_build("tests/scheds/ext_switches.bpf.o").c_str()),
              bpf_object__close) {
  const kernel::LibbpfMessages messages;
  const int refused = bpf_object__load(object_.get());
  EXPECT_EQ(refused, 0) << kernel::LibbpfMessages::text();
  if (refused != 0) return;
  bpf_program* find = bpf_object__find_program_by_name(object_.get(), "find_class");
  bpf_test_run_opts run{};
  run.sz = sizeof(run);
  EXPECT_EQ(bpf_prog_test_run_opts(bpf_program__fd(find), &run), 0);
  EXPECT_EQ(run.retval, 0U) << "the address of ext_sched_class: is kernel.kptr_restrict 2?";
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_.get()) {
    if (program == find) continue;
    links_.emplace_back(bpf_program__attach(program), bpf_link__destroy);
    EXPECT_TRUE(links_.back()) << bpf_program__name(program) << ": " << kernel::LibbpfMessages::text();
  }
}

ftap_ext_switches ExtSwitches::read() const {
  ftap_ext_switches counts{};
  const std::uint32_t key = 0;
  EXPECT_EQ(bpf_map_lookup_elem(counts_of(*object_), &key, &counts), 0);
  return counts;
}

unsigned long long ExtSwitches::longest_wait() const {
  constexpr unsigned kThread = O_EXCL;  // PIDFD_THREAD of Linux 6.9
  const int lost = bpf_map__fd(bpf_object__find_map_by_name(object_.get(), "lost"));
  unsigned long long longest = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const Fd thread(static_cast<int>(::syscall(SYS_pidfd_open, std::stoi(task.path().filename()), kThread)));
    EXPECT_TRUE(thread.valid());
    const int key = thread.get();
    unsigned long long since = 0;
    // This is read first: the caller may have to wait for its next turn in between, and others lose their CPUs
    // meanwhile.
    const auto now = read().watched_switches;
    if (bpf_map_lookup_elem(lost, &key, &since) != 0 || since == 0) continue;
    if (now >= since) longest = std::max(longest, now + 1 - since);
  }
  return std::max(longest, read().longest_wait);
}

// The earlier counts get lost in the race with new ones, so nobody reads them afterwards.
void ExtSwitches::watch(int process) const {
  ftap_ext_switches counts{};
  counts.watched = static_cast<unsigned long long>(process);
  const std::uint32_t key = 0;
  EXPECT_EQ(bpf_map_update_elem(counts_of(*object_), &key, &counts, BPF_ANY), 0);
}

}  // namespace flowtap::test
