// Texts of procfs that the kernel does not write: what is understood is there, and it is said that something was not. What the
// kernel does write is compared with node_exporter itself (tests/node/daemon/node_exporter_names_test.cpp).
#include "telemetry/node_exporter/proc_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/node_exporter/drives.hpp"
#include "telemetry/node_exporter/ipvs.hpp"
#include "tests/unit/telemetry/node_exporter/pages.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(ProcText, AFieldThatNobodyHasHeardOfIsShown) {
  Page page;
  EXPECT_TRUE(parse_all_meminfo("Quick(x):  3 kB\nCount: 7\n", page));
  EXPECT_THAT(series_of(page),
              ElementsAre(Pair("node_memory_Count", 7), Pair("node_memory_Quick_x_bytes", 3072)));
}

TEST(ProcText, ALineThatIsNotUnderstoodHidesNoOther) {
  Page page;
  EXPECT_FALSE(parse_all_meminfo("MemTotal: -1 kB\nMemFree: 2 pages\nCached: 1 kB\nnonsense\n", page));
  EXPECT_THAT(series_of(page), ElementsAre(Pair("node_memory_Cached_bytes", 1024)));
}

TEST(ProcText, NamesAndNumbersOfNetstatBelongTogether) {
  Page page;
  EXPECT_FALSE(
      parse_netstat("Tcp: InSegs OutSegs\nTcp: 1\nUdp: InErrors\nIp: 1\nIcmp: InMsgs\nIcmp: 5\n", page))
      << "one number is missing, and one line has another's name";
  EXPECT_THAT(series_of(page), ElementsAre(Pair("node_netstat_Icmp_InMsgs", 5)));
}

TEST(ProcText, OfNetstatOnlyWhatNodeExporterHas) {
  Page page;
  EXPECT_TRUE(parse_netstat("TcpExt: ListenDrops XInErrors X_InErrors TCPFoo\nTcpExt: 1 2 3 4\n", page));
  EXPECT_TRUE(parse_snmp6("Ip6InOctets 7\nIp6OutRequests 8\nUdpLite6InErrors 9\n", page));
  EXPECT_THAT(
      series_of(page),
      ElementsAre(Pair("node_netstat_Ip6_InOctets", 7), Pair("node_netstat_TcpExt_ListenDrops", 1),
                  Pair("node_netstat_TcpExt_X_InErrors", 3), Pair("node_netstat_UdpLite6_InErrors", 9)));
}

// The kernel leaves out CPUs that are offline; newer ones say whose line it is.
TEST(ProcText, ALineOfSoftnetSaysWhoseItIs) {
  Page page;
  EXPECT_TRUE(parse_softnet("1 2 3\n4 5 6 0 0 0 0 0 0 7 8 0 0000000b\n", page));
  const auto all = series_of(page);
  EXPECT_EQ(all.at(R"(node_softnet_processed_total{cpu="0"})"), 1);
  EXPECT_EQ(all.at(R"(node_softnet_processed_total{cpu="11"})"), 4);
  EXPECT_EQ(all.at(R"(node_softnet_received_rps_total{cpu="11"})"), 7);
}

TEST(ProcText, NumbersOfConntrackAreAddedUpByName) {
  Page page;
  EXPECT_FALSE(parse_conntrack_stat("entries drop found\n1 a 2\n1 1\n1 1 3\n", page))
      << "a line is too short";
  EXPECT_THAT(series_of(page),
              ElementsAre(Pair("node_nf_conntrack_stat_drop", 11), Pair("node_nf_conntrack_stat_found", 5)));
}

TEST(ProcText, QueuesOfUdpWithoutANumberAreNotZeroForAll) {
  Page page;
  EXPECT_FALSE(
      parse_udp_queues("heads\n 1: a b 07 00000001:00000002 x\n 2: a b 07 zz:1 x\n 3: a\n", "v4", page));
  EXPECT_EQ(series_of(page).at(R"(node_udp_queues{ip="v4",queue="rx"})"), 3);
}

TEST(ProcText, AnArrayWithoutItsSizeIsAbsent) {
  Page page;
  EXPECT_FALSE(
      parse_mdstat("md0 : active raid1 a[0] b[1]\n      nonsense\n\nmd1 : active raid1 a[0]\n"
                   "      12 blocks [2/1] [U_]\n",
                   page));
  const auto all = series_of(page);
  EXPECT_EQ(all.count(R"(node_md_blocks{device="md0"})"), 0U);
  EXPECT_EQ(all.at(R"(node_md_blocks{device="md1"})"), 12);
  EXPECT_EQ(all.at(R"(node_md_disks_required{device="md1"})"), 2);
}

TEST(ProcText, BackendsOfIpvsNeedAService) {
  Page page;
  EXPECT_FALSE(
      parse_ipvs_backends("  -> 0A000001:0050 Masq 1 2 3\nTCP nonsense rr\n  -> 0A000001:0050 Masq 1 2 3\n"
                          "UDP 0A000001:0035 rr\n  -> 0A000002:0035 Masq 1 2 x\n",
                          page));
  EXPECT_THAT(series_of(page), IsEmpty());
}

}  // namespace
}  // namespace flowtap::telemetry::node_exporter
