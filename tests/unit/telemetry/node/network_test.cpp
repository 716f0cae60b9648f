#include "telemetry/node/network.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "telemetry/node/network_links.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/unit/telemetry/node/collected.hpp"

namespace flowtap::telemetry {
namespace {

using test::FileTree;

constexpr std::string_view kHeadings =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls "
    "carrier "
    "compressed\n";

TEST(Network, AllNumbersOfTheNodesDevices) {
  FileTree tree;
  tree.file("1/net/dev",
            std::string(kHeadings) +
                "    lo: 62191096   57122    0    0    0     0          0         0 62191096   57122    0 "
                "   0    0     0       0          0\n"
                "  eth0:1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n");
  // This is flowtapd's own, which is another one.
  tree.file("net/dev", std::string(kHeadings) + "  own0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
  NetworkCollector collector(tree.root());
  const Collected read = collected_by(collector);
  EXPECT_EQ(read.unread, 0U);
  const auto all = by_name(read);
  EXPECT_EQ(all.size(), 32U);
  EXPECT_EQ(all.at("network_receive_bytes_total{device=lo}"), 62191096);
  EXPECT_EQ(all.at("network_transmit_packets_total{device=lo}"), 57122);
  double next = 1;
  for (const auto* name :
       {"receive_bytes", "receive_packets", "receive_errs", "receive_drop", "receive_fifo", "receive_frame",
        "receive_compressed", "receive_multicast", "transmit_bytes", "transmit_packets", "transmit_errs",
        "transmit_drop", "transmit_fifo", "transmit_colls", "transmit_carrier", "transmit_compressed"})
    EXPECT_EQ(all.at(std::string("network_") + name + "_total{device=eth0}"), next++) << name;
}

TEST(Network, LinesThatAreNoneAreAbsentAndCountedAndTheOthersGoOn) {
  Collected out;
  parse_net_dev(
      std::string(kHeadings) +
          "a: 1 2 3\nb 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
          "c: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 x\n\nd e: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
          "f|g: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\nf|g: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
          "eth0:1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
      out);
  EXPECT_EQ(out.unread, 6U);
  const auto all = by_name(out);
  EXPECT_EQ(all.size(), 32U);
  EXPECT_TRUE(all.contains("network_receive_bytes_total{device=f|g}"));
  EXPECT_TRUE(all.contains("network_receive_bytes_total{device=eth0:1}"));
}

TEST(Network, AFileThatIsNotThereOrCannotBeReadIsCounted) {
  FileTree tree;
  NetworkCollector collector(tree.root());
  EXPECT_EQ(collected_by(collector).unread, 1U);
  tree.file("1/net/dev/not_a_file", "");
  EXPECT_EQ(collected_by(collector).unread, 1U);
}

TEST(NetworkLinks, StateLengthAndSpeed) {
  FileTree tree;
  tree.file("class/net/eth0/operstate", "up\n")
      .file("class/net/eth0/mtu", "1500\n")
      .file("class/net/eth0/speed", "25000\n");
  tree.file("class/net/lo/operstate", "unknown\n").file("class/net/lo/mtu", "65536\n");
  tree.file("class/net/tap0/operstate", "down\n")
      .file("class/net/tap0/mtu", "9000\n")
      .file("class/net/tap0/speed", "-1\n");
  tree.file("class/net/bonding_masters", "bond0\n");
  NetworkLinkCollector collector(tree.root());
  const Collected read = collected_by(collector);
  EXPECT_EQ(read.unread, 0U);
  const std::map<std::string, double> expected{{"network_up{device=eth0}", 1},
                                               {"network_mtu_bytes{device=eth0}", 1500},
                                               {"network_speed_bytes{device=eth0}", 25e9 / 8},
                                               {"network_up{device=lo}", 0},
                                               {"network_mtu_bytes{device=lo}", 65536},
                                               {"network_up{device=tap0}", 0},
                                               {"network_mtu_bytes{device=tap0}", 9000}};
  EXPECT_EQ(by_name(read), expected);
}

TEST(NetworkLinks, TheSpeedIsAskedForNowAndThenAndWhenTheStateChanges) {
  constexpr const char* kSpeed = "network_speed_bytes{device=eth0}";
  FileTree tree;
  tree.file("class/net/eth0/operstate", "up\n").file("class/net/eth0/speed", "1000\n");
  NetworkLinkCollector collector(tree.root());
  EXPECT_EQ(by_name(collected_by(collector)).at(kSpeed), 1e9 / 8);
  tree.file("class/net/eth0/speed", "2000\n");
  for (std::uint64_t round = 1; round < NetworkLinkCollector::kSpeedRounds; ++round)
    EXPECT_EQ(by_name(collected_by(collector)).at(kSpeed), 1e9 / 8) << round;
  EXPECT_EQ(by_name(collected_by(collector)).at(kSpeed), 2e9 / 8);
  tree.file("class/net/eth0/speed", "3000\n").file("class/net/eth0/operstate", "dormant\n");
  EXPECT_EQ(by_name(collected_by(collector)).at(kSpeed), 3e9 / 8);
  // Gone, and back as another device.
  tree.file("class/net/eth1/operstate", "up\n");
  std::filesystem::remove_all(tree.root() + "/class/net/eth0");
  EXPECT_EQ(by_name(collected_by(collector)),
            (std::map<std::string, double>{{"network_up{device=eth1}", 1}}));
  tree.file("class/net/eth0/speed", "4000\n").file("class/net/eth0/operstate", "dormant\n");
  EXPECT_EQ(by_name(collected_by(collector)).at(kSpeed), 4e9 / 8);
}

TEST(NetworkLinks, WhatCannotBeReadIsAbsentAndCounted) {
  FileTree tree;
  NetworkLinkCollector collector(tree.root());
  EXPECT_EQ(collected_by(collector).unread, 0U) << "a kernel without a network";
  tree.file("class/net/eth0/operstate/not_a_file", "").file("class/net/eth0/mtu", "long\n");
  tree.file("class/net/eth0/speed/not_a_file", "");
  EXPECT_EQ(collected_by(collector).unread, 3U);
  FileTree other;
  other.file("class/net", "");
  NetworkLinkCollector no_folder(other.root());
  EXPECT_EQ(collected_by(no_folder).unread, 1U);
}

}  // namespace
}  // namespace flowtap::telemetry
