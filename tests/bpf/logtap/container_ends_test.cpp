// How containers end whose first process has several threads: together with the last of them, with the status that
// whoever waits for it gets.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "kernel/dispatch/cgroup_watch.hpp"
#include "tests/support/containers/cgroup.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/first_thread.hpp"

namespace flowtap::test {
namespace {

using Clock = std::chrono::steady_clock;
using stats::CgroupEvent;
using stats::ProcessEnd;

// Ends only this thread; no destructor of the test runs.
[[noreturn]] void end_thread(int status) {
  ::syscall(SYS_exit, status);
  std::abort();
}

class ContainersThatEnd : public testing::Test {
 protected:
  struct Shared {
    std::atomic<pid_t> pid{0};
    std::atomic<std::int64_t> last{0};  // a moment before the end
  };

  ContainersThatEnd() {
    auto started = kernel::CgroupWatch::start();
    if (!started) throw std::runtime_error(started.error().what);
    watch_ = std::move(*started);
    void* page = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::runtime_error("no memory");
    shared_ = new (page) Shared;
  }
  ~ContainersThatEnd() override { ::munmap(shared_, sizeof(Shared)); }

  // The first process of a PID namespace and a cgroup. Its first thread ends with `first`; another one does `second`
  // later. Returns how the process ended, as whoever waited for it was told.
  int run(int first, const std::function<void()>& second, int signal = 0) {
    const pid_t parent = ::fork();
    if (parent == 0) {
      if (::unshare(CLONE_NEWPID) != 0) ::_exit(99);
      const pid_t init = ::fork();
      if (init == 0) {
        cgroup_.join();
        std::thread([&] {
          if (!eventually([] { return first_thread_has_ended("self"); })) ::_exit(98);
          shared_->last = Clock::now().time_since_epoch().count();
          second();
        }).detach();
        end_thread(first);
      }
      shared_->pid = init;
      if (signal != 0) {
        if (!eventually([this] { return shared_->last != 0; })) ::_exit(97);
        ::kill(init, signal);
      }
      int status = 0;
      ::waitpid(init, &status, 0);
      shared_->pid = status;
      ::_exit(0);
    }
    ::waitpid(parent, nullptr, 0);
    return shared_->pid;
  }
  void join() const { cgroup_.join(); }
  std::vector<ProcessEnd> ends(std::optional<ProcessEnd> CgroupEvent::* of = &CgroupEvent::ended) {
    std::vector<ProcessEnd> all;
    EXPECT_TRUE(watch_->take([&](CgroupEvent event) {
      if (event.*of && event.id == cgroup_.id()) all.push_back(*(event.*of));
    }));
    return all;
  }
  void expect_one(int status) {
    const auto all = ends();
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].status, status);
    EXPECT_FALSE(all[0].started) << "it is a fork of this test";
    EXPECT_FALSE(all[0].oom);
    EXPECT_GE(all[0].time.time_since_epoch().count(), shared_->last);
  }

 private:
  ScratchCgroup cgroup_;
  std::unique_ptr<kernel::CgroupWatch> watch_;
  Shared* shared_ = nullptr;
};

TEST_F(ContainersThatEnd, AThreadThatOutlivesTheFirstOneTellsHow) {
  const int status = run(0, [] { ::_exit(7); });
  EXPECT_EQ(status, 7 << 8);
  expect_one(status);
}

TEST_F(ContainersThatEnd, OneThatIsKilledAfterItsFirstThreadHas) {
  const int status = run(3, [] { ::pause(); }, SIGKILL);
  EXPECT_EQ(status, SIGKILL);
  expect_one(status);
}

TEST_F(ContainersThatEnd, WhereEachThreadEndsByItselfItIsAsTheLastOneDid) {
  const int status = run(3, [] { end_thread(5); });
  EXPECT_EQ(status, 5 << 8);
  expect_one(status);
}

TEST_F(ContainersThatEnd, WhoHasExecutedAProgramHasStarted) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    if (::unshare(CLONE_NEWPID) != 0) ::_exit(99);
    const pid_t init = ::fork();
    if (init == 0) {
      join();
      ::execl("/bin/sh", "sh", "-c", "exit 7", nullptr);
      ::_exit(98);
    }
    int status = 0;
    ::waitpid(init, &status, 0);
    ::_exit(WEXITSTATUS(status));
  }
  int status = 0;
  ::waitpid(parent, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 7);
  const auto all = ends();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].status, 7 << 8);
  EXPECT_TRUE(all[0].started);
  EXPECT_EQ(all[0].name, "sh");
}

// What systemd waits for is told, and what others in the unit wait for is not.
TEST_F(ContainersThatEnd, OfOtherProcessesThoseWithAnOuterParent) {
  for (const int code : {0, 5}) {
    const pid_t outer = ::fork();
    if (outer == 0) {
      join();
      const pid_t inner = ::fork();
      if (inner == 0) ::_exit(6);
      ::waitpid(inner, nullptr, 0);
      ::_exit(code);
    }
    ::waitpid(outer, nullptr, 0);
  }
  const auto all = ends(&CgroupEvent::process_ended);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].status, 0);
  EXPECT_EQ(all[1].status, 5 << 8);
  for (const ProcessEnd& end : all) {
    EXPECT_TRUE(end.outer_parent);
    EXPECT_FALSE(end.oom);
  }
}

}  // namespace
}  // namespace flowtap::test
