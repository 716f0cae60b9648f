// Who waits although there is a CPU for it: on a machine with idle CPUs, as vmtest/run --topology numa-llc is one.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clockid_t of a thread is POSIX's
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "scheds/schedulers.hpp"
#include "tests/bpf/stage.hpp"
#include "tests/scheds/refused.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

// CPU time of a thread of this process since it began.
double used(std::jthread& thread) {
  clockid_t clock = 0;
  timespec t{};
  EXPECT_EQ(::pthread_getcpuclockid(thread.native_handle(), &clock), 0);
  EXPECT_EQ(::clock_gettime(clock, &t), 0);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Whose CPU is changed by the director, who is on none of these.
class FifoHog {
 public:
  explicit FifoHog(int cpu) {
    thread_ = std::jthread([this, cpu](const std::stop_token& stop) {
      allow(0, {cpu});  // first, as the director would never come back to its own
      rank(0, kHog);
      tid_ = static_cast<pid_t>(::syscall(SYS_gettid));
      while (!stop.stop_requested()) relax();
    });
    while (tid_ == 0) std::this_thread::sleep_for(1ms);
  }
  void take(int cpu) const { allow(tid_, {cpu}); }
  [[nodiscard]] double used() { return test::used(thread_); }

 private:
  std::atomic<pid_t> tid_ = 0;
  std::jthread thread_;
};

class Starving : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (!kernel::read_sched_ext("/sys")) return;
    ASSERT_EQ(::sysconf(_SC_NPROCESSORS_ONLN), kDirector + 1) << "vmtest/run --topology numa-llc";
    no_throttling();
    allow(0, {kDirector});
    auto started = scheds::start_scheduler(GetParam(), {});
    ASSERT_TRUE(started) << started.error().what;
    scheduler_ = std::move(*started);
  }
  void TearDown() override {
    if (scheduler_) {
      EXPECT_FALSE(scheduler_->exited()) << scheduler_->exited()->sentence;
    }
  }

 private:
  std::unique_ptr<scheds::Scheduler> scheduler_;
};

TEST_P(Starving, WhoMayRunElsewhereDoesNotWaitForATaskOfAHigherClass) {
  if (refused_here()) return;
  std::atomic<bool> stop = false;
  std::atomic<int> at = -1;
  std::jthread task([&] {
    allow(0, {0, 1, 2});
    while (!stop) at = ::sched_getcpu();
  });
  while (at < 0) std::this_thread::sleep_for(1ms);
  FifoHog hog(3);
  const double before = used(task);
  const double hog_before = hog.used();
  for (int i = 0; i < 10; ++i) {
    hog.take(at);  // in the middle of the task's slice
    std::this_thread::sleep_for(400ms);
  }
  const double by_task = used(task) - before;
  const double by_hog = hog.used() - hog_before;
  stop = true;
  std::printf("the task %.2f s, the hog %.2f s\n", by_task, by_hog);
  EXPECT_GE(by_task, 0.75 * by_hog);
}

INSTANTIATE_TEST_SUITE_P(, Starving, testing::ValuesIn(scheds::kSchedulerNames),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace flowtap::test
