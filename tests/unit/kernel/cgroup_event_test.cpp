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
  EXPECT_FALSE(parsed(event_of("/a", FTAP_CGROUP_BEGAN + 1)));
}

TEST(CgroupEvent, OfAContainersEndHasItsStatus) {
  const ftap_container_end end{
      .id = 7, .kind = FTAP_CGROUP_ENDED, .status = 42U << 8U, .time = 5'000'000'000, .oom = 1, .unused = 0};
  const auto* const bytes = reinterpret_cast<const std::byte*>(&end);
  const auto event = parse_cgroup_event({bytes, sizeof(end)});
  ASSERT_TRUE(event && event->ended);
  EXPECT_EQ(event->id, 7U);
  EXPECT_FALSE(event->gone);
  EXPECT_EQ(event->ended->status, 42 << 8);
  EXPECT_TRUE(event->ended->oom);
  EXPECT_EQ(event->ended->time.time_since_epoch(), std::chrono::seconds(5));
  EXPECT_FALSE(parse_cgroup_event({bytes, sizeof(end) - 1}));
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
