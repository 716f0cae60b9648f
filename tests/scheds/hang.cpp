#include "tests/scheds/hang.hpp"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "kernel/libbpf_messages.hpp"
#include "tests/bpf/stage.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

// The kernel ends the scheduler after three quarters of twice that time, in seconds of 2^30 ns. With such a limit
// anywhere but here, a virtual CPU that gets no time for a second would be taken for one that hangs.
void complain_after(int seconds) {
  std::ofstream("/proc/sys/kernel/watchdog_thresh") << seconds << std::flush;
}

constexpr int kUsual = 10;

}  // namespace

Hang::Hang()
    : object_(bpf_object__open(paths::in_build("tests/scheds/hang.bpf.o").c_str()), bpf_object__close) {
  const kernel::LibbpfMessages messages;
  EXPECT_EQ(bpf_object__load(object_.get()), 0) << kernel::LibbpfMessages::text();
}

void Hang::hang() const {
  complain_after(1);
  std::thread([this] {
    allow(0, {1});
    LIBBPF_OPTS(bpf_test_run_opts, options);
    EXPECT_EQ(
        bpf_prog_test_run_opts(bpf_program__fd(bpf_object__next_program(object_.get(), nullptr)), &options),
        0);
  }).join();
  complain_after(kUsual);
}

}  // namespace flowtap::test
