#include <gtest/gtest.h>

#include <cstring>

#include "bpf/abi/cgroup_event.h"
#include "kernel/dispatch/cgroup_watch.hpp"

namespace flowtap::kernel {
namespace {

std::optional<stats::CgroupEvent> parsed(const ftap_cgroup_event& event,
                                         std::size_t size = sizeof(ftap_cgroup_event)) {
  return parse_cgroup_event({reinterpret_cast<const std::byte*>(&event), size});
}

ftap_cgroup_event event_of(const char* path, unsigned kind = FTAP_CGROUP_MADE) {
  ftap_cgroup_event event{};
  event.id = 42;
  event.kind = kind;
  event.length = static_cast<unsigned>(std::strlen(path)) + 1;
  std::strncpy(static_cast<char*>(event.path), path, sizeof(event.path) - 1);
  return event;
}

TEST(CgroupEvent, TellsIdKindAndPath) {
  const auto made = parsed(event_of("/a/b"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->id, 42U);
  EXPECT_FALSE(made->gone);
  EXPECT_EQ(made->path, "/a/b");
  EXPECT_FALSE(made->empty);
  EXPECT_TRUE(parsed(event_of("/a", FTAP_CGROUP_GONE))->gone);
  EXPECT_TRUE(parsed(event_of("/a", FTAP_CGROUP_EMPTY))->empty);
}

TEST(CgroupEvent, APathThatIsCutOffIsNone) {
  ftap_cgroup_event event = event_of("/a");
  for (const unsigned length : {0U, 1U, unsigned{FTAP_CGROUP_PATH}, ~0U}) {
    event.length = length;
    EXPECT_EQ(parsed(event).value().path, "") << length;
  }
  EXPECT_EQ(parsed(event_of("a"))->path, "") << "no path of a cgroup";
}

TEST(CgroupEvent, WhatIsNoEventIsNone) {
  EXPECT_FALSE(parsed(event_of("/a"), sizeof(ftap_cgroup_event) - 1));
  EXPECT_FALSE(parsed(event_of("/a"), 0));
  EXPECT_FALSE(parsed(event_of("/a", FTAP_CGROUP_PROCESS_ENDED + 1)));
}

TEST(CgroupEvent, OfAnEndHasItsStatus) {
  ftap_process_end end{.id = 7,
                       .kind = FTAP_CGROUP_ENDED,
                       .status = 42U << 8U,
                       .time = 5'000'000'000,
                       .flags = FTAP_END_OOM,
                       .unused = 0,
                       .name = {'h', 'o', 'g'}};
  const auto* const bytes = reinterpret_cast<const std::byte*>(&end);
  stats::ProcessEnd wanted{.status = 42 << 8,
                           .oom = true,
                           .started = false,
                           .time = std::chrono::steady_clock::time_point(std::chrono::seconds(5)),
                           .name = "hog",
                           .outer_parent = false};
  const auto first = parse_cgroup_event({bytes, sizeof(end)});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->id, 7U);
  EXPECT_FALSE(first->gone);
  EXPECT_EQ(first->ended, wanted);
  EXPECT_FALSE(first->process_ended);
  end.kind = FTAP_CGROUP_PROCESS_ENDED;
  end.flags = FTAP_END_STARTED | FTAP_END_OUTER_PARENT;
  wanted.oom = false;
  wanted.started = true;
  wanted.outer_parent = true;
  const auto other = parse_cgroup_event({bytes, sizeof(end)});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->process_ended, wanted);
  EXPECT_FALSE(other->ended);
  EXPECT_FALSE(parse_cgroup_event({bytes, sizeof(end) - 1}));
  std::memset(end.name, 'x', sizeof(end.name));
  EXPECT_EQ(parse_cgroup_event({bytes, sizeof(end)})->process_ended->name,
            std::string(sizeof(end.name), 'x'));
}

TEST(CgroupEvent, OfAContainersBeginningHasItsFirstProcess) {
  const ftap_container_begin begin{.id = 7, .kind = FTAP_CGROUP_BEGAN, .pid = 42};
  const auto* const bytes = reinterpret_cast<const std::byte*>(&begin);
  const auto event = parse_cgroup_event({bytes, sizeof(begin)});
  ASSERT_TRUE(event);
  EXPECT_EQ(event->id, 7U);
  EXPECT_EQ(event->began, 42U);
  EXPECT_FALSE(event->gone || event->empty || event->ended);
  EXPECT_FALSE(parse_cgroup_event({bytes, sizeof(begin) - 1}));
}

}  // namespace
}  // namespace flowtap::kernel
