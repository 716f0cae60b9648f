// Each task has a record of its own, whatever becomes of its pid and however many tasks there are.
#include <bpf/bpf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fd.hpp"
#include "tests/bpf/count_crew.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap {
namespace {

using test::count_crew;
using test::Hands;
using test::Outcome;

void expect_observed(const Outcome& o) {
  EXPECT_EQ(o.sum(), o.switches.sum());
  EXPECT_LE(o.of(FTAP_SLOT_UNOBSERVED), o.unobserved_limit());
}

// A thread that is not the leader execs, and so takes over the leader's pid while the leader is still being buried. The
// exec comes in the preparation, because afterwards nobody can ask how often the leader has switched.
TEST(Records, AThreadKeepsItsRecordWhenItsExecGivesItTheLeadersPid) {
  constexpr std::uint64_t kRounds = 2'000;
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  ASSERT_EQ(::pipe(to.data()), 0);
  ASSERT_EQ(::pipe(from.data()), 0);
  const auto hand_over = [&](std::uint64_t rounds) {
    char c = 'x';
    for (std::uint64_t i = 0; i < rounds; ++i)
      if (::write(to[1], &c, 1) != 1 || ::read(from[0], &c, 1) != 1) ::_exit(1);
  };
  const auto exec = [&](Hands& hands) {
    hands.process([&] {
      ::dup2(to[0], STDIN_FILENO);
      ::dup2(from[1], STDOUT_FILENO);
      std::jthread([] {
        ::execl("/bin/cat", "cat", nullptr);
        ::_exit(1);
      }).join();
    });
    hand_over(1);
  };
  const Outcome o = count_crew([&](Hands&) { hand_over(kRounds); }, {.prepare = exec});
  for (const int fd : {to[0], to[1], from[0], from[1]}) ::close(fd);
  EXPECT_EQ(o.switches.tasks, 2U);
  EXPECT_GE(o.sum(), kRounds);
  if (test::in_vm()) {
    EXPECT_EQ(o.prepared.at(FTAP_CLASS_KERNEL).at(FTAP_SLOT_UNOBSERVED), 0U) << "in the midst of the exec";
  }
  expect_observed(o);
}

// There are so many threads that some share a place in the array of records. How they are spread is the kernel's
// business; a kernel that spread them at random would give each a place of its own in one run out of 10^7.
constexpr std::uint64_t kThreads = 1500;

// Threads that sleep until the job's last thread has come, and then wait for each other again and again.
struct Crowd {
  std::shared_ptr<std::barrier<>> all = std::make_shared<std::barrier<>>(kThreads + 1);

  void gather(Hands& hands) const {
    for (std::uint64_t i = 0; i < kThreads; ++i) hands.thread([*this] { wait_for_all(); });
  }
  void wait_for_all() const {
    for (int turn = 0; turn < 5; ++turn) all->arrive_and_wait();
  }
};

TEST(Records, NewTasksThatShareAPlaceHaveARecordEach) {
  const Outcome o = count_crew([crowd = Crowd()](Hands& hands) {
    crowd.gather(hands);
    crowd.wait_for_all();
    hands.wait();
  });
  EXPECT_EQ(o.switches.tasks, kThreads + 1);
  EXPECT_LE(o.of(FTAP_SLOT_NEW), kThreads);
  EXPECT_GE(o.of(FTAP_SLOT_NEW) + o.of(FTAP_SLOT_UNOBSERVED), kThreads);
  expect_observed(o);
}

TEST(Records, TasksThatWereThereBeforeHaveARecordEach) {
  const Crowd crowd;
  const Outcome o = count_crew(
      [&](Hands& hands) {
        crowd.wait_for_all();
        hands.wait();
      },
      {.before = [&](Hands& hands) { crowd.gather(hands); }});
  EXPECT_EQ(o.switches.tasks, kThreads + 1);
  EXPECT_EQ(o.of(FTAP_SLOT_NEW), 0U);
  EXPECT_GE(o.sum(), kThreads);
  expect_observed(o);
}

// Whether it is an address in the kernel's own memory, and not a CPU number with all bits set.
bool is_address(std::uint64_t n) {
  return n >= 0xffff'0000'0000'0000 && n < 0xffff'ff00'0000'0000;
}

// The places of the array that belong to a task: those that hold a task's address.
std::uint64_t places_taken() {
  std::uint64_t taken = 0;
  bpf_map_info info{};
  for (std::uint32_t id = 0; bpf_map_get_next_id(id, &id) == 0;) {
    const Fd map(bpf_map_get_fd_by_id(id));
    std::uint32_t size = sizeof(info);
    if (!map.valid() || bpf_map_get_info_by_fd(map.get(), &info, &size) != 0 ||
        std::string_view(info.name) != "ftap_nears")
      continue;
    std::vector<std::uint64_t> value(info.value_size / sizeof(std::uint64_t));
    for (std::uint32_t i = 0; i < info.max_entries; ++i)
      if (bpf_map_lookup_elem(map.get(), &i, value.data()) == 0)
        taken += std::ranges::any_of(value, is_address) ? 1 : 0;
  }
  return taken;
}

TEST(Records, ATaskThatIsGoneGivesItsPlaceBack) {
  const kernel::DispatchLive live = test::attach(0);
  std::uint64_t full = 0;
  {
    test::Crew crew([](Hands& hands) { Crowd().gather(hands); });
    crew.go();
    crew.finish();
    full = places_taken();
    ASSERT_GE(full, kThreads / 2);
  }
  // A task is freed only a while after it has been reaped.
  EXPECT_TRUE(test::eventually([&] { return places_taken() <= full - kThreads / 2; }));
}

}  // namespace
}  // namespace flowtap
