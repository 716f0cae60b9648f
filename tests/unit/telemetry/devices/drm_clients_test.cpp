#include "telemetry/devices/drm_clients.hpp"

#include <gtest/gtest.h>

#include "tests/unit/telemetry/devices/cards.hpp"

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;
using test::FileTree;
using test::open_file;

const std::string kCard = "0000:03:00.0";

std::string info(std::uint64_t client, std::uint64_t gfx_ns, unsigned kib, const std::string& more = "") {
  return "pos: 0\ndrm-driver: amdgpu\ndrm-pdev: " + kCard + "\ndrm-client-id: " + std::to_string(client) +
         "\ndrm-engine-gfx: " + std::to_string(gfx_ns) + " ns\ndrm-memory-vram: " + std::to_string(kib) +
         " KiB\n" + more;
}

struct Node {
  std::map<pid_t, DeviceProcess> next(const std::string& card = kCard) {
    std::uint64_t unread = 0;
    std::map<pid_t, DeviceProcess> all;
    for (DeviceProcess& process : clients.of(card, now += 1s, unread)) all.emplace(process.pid, process);
    EXPECT_EQ(unread, 0U);
    return all;
  }

  FileTree tree;
  DrmClients clients{tree.root() + "/proc"};
  DeviceClock::time_point now{1h};
};

TEST(DrmClients, FindsWhoHasAGpuOpenAndWhatItDoes) {
  Node node;
  open_file(node.tree, 10, 3, "/dev/dri/renderD128",
            info(1, 0, 100, "drm-engine-enc: 0 ns\ndrm-engine-compute: 0 ns\n"));
  open_file(node.tree, 10, 4, "socket:[5]", info(9, 0, 5000));
  open_file(node.tree, 11, 0, "/dev/null", "pos: 0\n");
  node.tree.file("proc/meminfo", "");
  auto all = node.next();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.at(10).memory, 100U << 10U) << "the socket's is not believed";
  EXPECT_FALSE(all.at(10).utilization) << "nothing is known of before";
  EXPECT_TRUE(node.next("0000:04:00.0").empty());

  open_file(node.tree, 10, 3, "/dev/dri/renderD128",
            info(1, 500'000'000, 100, "drm-engine-enc: 200000000 ns\ndrm-engine-compute: 300000000 ns\n"));
  all = node.next();
  EXPECT_DOUBLE_EQ(*all.at(10).utilization, 0.5) << "the busiest engine";
  EXPECT_DOUBLE_EQ(*all.at(10).encoder, 0.2);
  EXPECT_FALSE(all.at(10).decoder);
}

TEST(DrmClients, OneClientIsCountedOnceHoweverManyDescriptorsItHas) {
  Node node;
  open_file(node.tree, 10, 3, "/dev/dri/renderD128", info(1, 0, 100));
  open_file(node.tree, 10, 4, "/dev/dri/renderD128", info(1, 0, 100));
  open_file(node.tree, 12, 3, "/dev/dri/renderD128", info(1, 0, 100));
  open_file(node.tree, 10, 5, "/dev/dri/card0", info(2, 0, 7));
  const auto all = node.next();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.at(10).memory, 107U << 10U);
}

// 1,500 descriptors of 30 processes from pid 100 on; a round takes 500, and begins with those of the last names.
void add_crowd(Node& node) {
  for (int pid = 100; pid < 130; ++pid)
    for (int fd = 0; fd < 50; ++fd)
      test::link_to(node.tree, "proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd), "/dev/null");
}

TEST(DrmClients, WhatIsClosedOrAnotherFileByNowIsNone) {
  Node node;
  add_crowd(node);
  open_file(node.tree, 98, 3, "/dev/dri/renderD128", info(1, 0, 100));
  open_file(node.tree, 99, 3, "/dev/dri/renderD128", info(2, 0, 100));
  EXPECT_EQ(node.next().size(), 2U);
  open_file(node.tree, 98, 3, "/etc/passwd", "pos: 0\n");
  std::filesystem::remove_all(node.tree.root() + "/proc/99");
  EXPECT_TRUE(node.next().empty());
  // Their turn comes in the round after the next.
  open_file(node.tree, 98, 3, "/dev/dri/renderD128", info(1, 0, 100));
  EXPECT_TRUE(node.next().empty()) << "it is looked for anew";
  EXPECT_EQ(node.next().size() + node.next().size(), 1U + 1U);
}

TEST(DrmClients, ARoundLooksAtSoManyAndTheNextGoesOn) {
  Node node;
  add_crowd(node);
  for (const int pid : {99, 115, 199})
    open_file(node.tree, pid, 3, "/dev/dri/renderD128", info(static_cast<unsigned>(pid), 0, 1));
  EXPECT_EQ(node.next().size(), 2U);
  EXPECT_EQ(node.next().size(), 3U);
}

}  // namespace
}  // namespace flowtap::telemetry
