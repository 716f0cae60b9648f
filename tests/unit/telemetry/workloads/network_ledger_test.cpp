// Networks of pods and containers in a procfs of the test's own: their names, and counts that go on over restarts and
// never include the node's.
#include "telemetry/workloads/network_ledger.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "telemetry/workloads/files/bounded_devices.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/unit/telemetry/workloads/one_process_cgroups.hpp"

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;
using test::FileTree;

// Packets of ten bytes.
std::string device(const std::string& name, unsigned received, unsigned sent, unsigned dropped = 0) {
  const std::string drops = " 0 " + std::to_string(dropped) + " 0 0 0 0";
  const auto both = [](unsigned bytes) {
    return ' ' + std::to_string(bytes) + ' ' + std::to_string(bytes / 10);
  };
  return name + ':' + both(received) + drops + both(sent) + " 0 0 0 0 0 0\n";
}
std::string net_dev(const std::string& devices) {
  return "Inter-|\n face |\n" + device("lo", 999, 999) + devices;
}

WorkloadName of_pod(const std::string& pod, const std::string& container) {
  return {.kind = WorkloadKind::kPod, .ns = "shop", .pod = pod, .container = container, .workload = {}};
}

class Networks : public testing::Test {
 protected:
  Networks() { set(1, net_dev(device("eth0", 1'000'000, 1'000'000))); }

  // A file of its own stands for a network of its own; a link to one is the same network.
  void set(unsigned pid, const std::string& text) { proc.file(std::to_string(pid) + "/net/dev", text); }
  void share(unsigned pid, unsigned with) {
    const std::string root = proc.root() + '/';
    std::filesystem::create_directories(root + std::to_string(pid) + "/net");
    std::filesystem::create_hard_link(root + std::to_string(with) + "/net/dev",
                                      root + std::to_string(pid) + "/net/dev");
  }
  void start(const WorkloadName& name, unsigned pid) {
    const std::string path = "/" + std::to_string(pid);
    pids[path] = pid;
    workloads[name].tops.insert(path);
  }
  void end(const WorkloadName& name, unsigned pid) {
    const std::string path = "/" + std::to_string(pid);
    pids.erase(path);
    workloads[name].tops.erase(path);
  }
  void round(std::chrono::seconds later = 5s) {
    files.round(workloads, now += later, unread);
    ledger.round(files, now, unread);
  }
  // By name and device: bytes received and sent.
  [[nodiscard]] std::map<std::string, std::uint64_t> bytes() const {
    std::vector<stats::Series> all;
    ledger.append_series(all);
    std::map<std::string, std::uint64_t> bytes;
    for (const stats::Series& series : all) {
      const bool received = series.stat->id == stats::StatId::kWORKLOAD_NETWORK_RECEIVED;
      if (!received && series.stat->id != stats::StatId::kWORKLOAD_NETWORK_SENT) continue;
      bytes[series.labels[2] + "/" + series.labels[3] + "/" + series.labels[5] + (received ? "<" : ">")] =
          std::get<std::uint64_t>(series.value);
    }
    return bytes;
  }
  [[nodiscard]] std::uint64_t dropped() const {
    std::vector<stats::Series> all;
    ledger.append_series(all);
    std::uint64_t sum = 0;
    for (const stats::Series& series : all)
      if (series.stat->id == stats::StatId::kWORKLOAD_NETWORK_RECEIVE_DROPPED)
        sum += std::get<std::uint64_t>(series.value);
    return sum;
  }
  using Bytes = std::map<std::string, std::uint64_t>;

  FileTree proc;
  std::map<std::string, double> pids;
  std::map<WorkloadName, Workload> workloads;
  FileLedger files{std::make_unique<test::OneProcessCgroups>(pids), BlockNames("/sys")};
  NetworkLedger ledger{proc.root()};
  NetworkLedger::Clock::time_point now{};
  std::uint64_t unread = 0;
};

TEST_F(Networks, APodsIsItsContainersTogetherAndOnce) {
  set(70, net_dev(device("eth0", 100, 7)));
  share(71, 70);
  start(of_pod("web-0", "POD"), 70);
  start(of_pod("web-0", "app"), 71);
  round();
  EXPECT_EQ(bytes(), (Bytes{{"web-0//eth0<", 100}, {"web-0//eth0>", 7}}));
  EXPECT_EQ(unread, 0U);
}

TEST_F(Networks, TheNodesIsNobodys) {
  share(70, 1);
  start(of_pod("hostnet", "app"), 70);
  round();
  EXPECT_EQ(bytes(), Bytes{});
}

TEST_F(Networks, WithoutTheNodesNobodysCanBeTold) {
  std::filesystem::remove_all(proc.root() + "/1");
  set(70, net_dev(device("eth0", 100, 7)));
  start(of_pod("web-0", "app"), 70);
  round();
  EXPECT_EQ(bytes(), Bytes{});
  EXPECT_EQ(unread, 1U);
}

TEST_F(Networks, CountsOverARestartAndToTheLastByte) {
  set(70, net_dev(device("eth0", 100, 7)));
  start(of_pod("web-0", "app"), 70);
  round();
  // What it sends after the last look is seen although its process has gone.
  set(70, net_dev(device("eth0", 150, 8)));
  end(of_pod("web-0", "app"), 70);
  round(1s);
  EXPECT_EQ(bytes(), (Bytes{{"web-0//eth0<", 150}, {"web-0//eth0>", 8}}));
  set(72, net_dev(device("eth0", 5, 1)));
  start(of_pod("web-0", "app"), 72);
  round();
  EXPECT_EQ(bytes(), (Bytes{{"web-0//eth0<", 155}, {"web-0//eth0>", 9}}));
  workloads.clear();
  round();
  EXPECT_EQ(bytes(), Bytes{}) << "nobody has that name any more";
}

TEST_F(Networks, IsReadAtItsEndBeforeItsDevicesGo) {
  set(70, net_dev(device("eth0", 100, 7)));
  start(of_pod("web-0", "app"), 70);
  round();
  set(70, net_dev(device("eth0", 150, 8)));
  ledger.read_last(of_pod("web-0", "app"), "/70", now, unread);
  ledger.read_last(of_pod("web-0", "app"), "/none", now, unread);
  end(of_pod("web-0", "app"), 70);
  set(70, net_dev(""));
  round(1s);
  EXPECT_EQ(bytes(), (Bytes{{"web-0//eth0<", 150}, {"web-0//eth0>", 8}}));
  EXPECT_EQ(unread, 0U);
}

TEST_F(Networks, OfOneThatIsOverBeforeTheNextRoundIsKnownFromItsBeginning) {
  round();
  set(70, net_dev(device("eth0", 100, 7)));
  ledger.begin("/70", 70, now, unread);
  set(70, net_dev(device("eth0", 150, 8)));
  std::filesystem::rename(proc.root() + "/70", proc.root() + "/gone");
  ledger.read_last(of_pod("web-0", "app"), "/70", now, unread);
  workloads[of_pod("web-0", "app")].tops = {"/none"};
  files.read_last(of_pod("web-0", "app"), "/70", now, unread);
  proc.file("gone/net/dev", net_dev(""));
  for (int i = 0; i < 3; ++i) {
    round(1s);
    EXPECT_EQ(bytes(), (Bytes{{"web-0//eth0<", 150}, {"web-0//eth0>", 8}}));
  }
  EXPECT_EQ(unread, 0U);
}

TEST_F(Networks, WhatBeganIsNotKeptForeverNorOfTheNodesNetwork) {
  set(70, net_dev(device("eth0", 100, 7)));
  share(71, 1);
  workloads[of_pod("web-0", "app")].tops = {"/none"};
  files.read_last(of_pod("web-0", "app"), "/none", now, unread);
  ledger.begin("/70", 70, now, unread);
  ledger.begin("/71", 71, now, unread);
  ledger.begin("/72", 72, now, unread);  // it is over
  round(NetworkLedger::kUnclaimed + 1s);
  for (const char* top : {"/70", "/71", "/72"}) ledger.read_last(of_pod("web-0", "app"), top, now, unread);
  EXPECT_EQ(bytes(), Bytes{});
  EXPECT_EQ(unread, 0U);
}

TEST_F(Networks, ThatOutlivesItsProcessesIsNotCountedTwice) {
  set(70, net_dev(device("eth0", 100, 7)));
  start(of_pod("web-0", "app"), 70);
  round();
  end(of_pod("web-0", "app"), 70);
  round(1s);
  round(1s);
  // A pin holds the network, and the pod's next container joins it.
  share(72, 70);
  set(70, net_dev(device("eth0", 130, 8)));
  start(of_pod("web-0", "app"), 72);
  round();
  EXPECT_EQ(bytes(), (Bytes{{"web-0//eth0<", 130}, {"web-0//eth0>", 8}}));
}

TEST_F(Networks, ADeviceThatBeginsAnewIsCountedFromItsBeginning) {
  set(70, net_dev(device("eth0", 100, 7)));
  start(of_pod("web-0", "app"), 70);
  round();
  set(70, net_dev(device("eth0", 30, 2) + device("net1", 4, 4)));
  round();
  EXPECT_EQ(bytes(),
            (Bytes{{"web-0//eth0<", 130}, {"web-0//eth0>", 9}, {"web-0//net1<", 4}, {"web-0//net1>", 4}}));
}

// The interfaces of containers within a container come and go like this, each with another name.
TEST_F(Networks, OfMoreDevicesThanItTellsApartNoByteIsLost) {
  start(of_pod("web-0", "app"), 70);
  std::uint64_t sent = 0;
  for (std::size_t i = 0; i < telemetry::kMostDevices + 10; ++i) {
    const std::string name = "veth" + std::to_string(i);
    for (const unsigned so_far : {3U, 5U}) {
      set(70, net_dev(device(name, so_far, so_far)));
      round();
    }
    sent += 5;
  }
  std::uint64_t told = 0;
  for (const auto& [name, value] : bytes())
    if (name.ends_with('>')) told += value;
  EXPECT_EQ(told, sent);
  EXPECT_EQ(bytes().size(), 2 * (telemetry::kMostDevices + 1));
  EXPECT_TRUE(bytes().contains("web-0//other>"));
}

TEST_F(Networks, OneThatComesAgainByTheSameNameIsAnother) {
  start(of_pod("web-0", "app"), 70);
  set(70, net_dev(device("eth1", 3, 3)));
  round();
  set(70, net_dev(""));
  round();
  set(70, net_dev(device("eth1", 10, 10)));
  round();
  EXPECT_EQ(bytes(), (Bytes{{"web-0//eth1<", 13}, {"web-0//eth1>", 13}}));
}

TEST_F(Networks, ANumberThatFallsAloneMakesNoOtherDevice) {
  set(70, net_dev(device("eth0", 1000, 700, 5)));
  start(of_pod("web-0", "app"), 70);
  round();
  set(70, net_dev(device("eth0", 1100, 700, 4)));
  round();
  EXPECT_EQ(bytes(), (Bytes{{"web-0//eth0<", 1100}, {"web-0//eth0>", 700}}));
  EXPECT_EQ(dropped(), 5U);
  set(70, net_dev(device("eth0", 1100, 700, 6)));
  round();
  EXPECT_EQ(dropped(), 7U) << "it grows from there";
  // Another device, which has dropped as many by now.
  set(70, net_dev(device("eth0", 30, 20, 6)));
  round();
  EXPECT_EQ(bytes(), (Bytes{{"web-0//eth0<", 1130}, {"web-0//eth0>", 720}}));
  EXPECT_EQ(dropped(), 13U);
}

TEST_F(Networks, AYoungOneMayStillLeaveTheNodes) {
  workloads[of_pod("old", "app")];  // whatever comes after these is new
  round();
  share(70, 1);
  start(of_pod("web-0", "app"), 70);
  round(1s);
  EXPECT_EQ(bytes(), Bytes{});
  // Its runtime moves it.
  std::filesystem::remove(proc.root() + "/70/net/dev");
  set(70, net_dev(device("eth0", 100, 7)));
  round(1s);
  EXPECT_EQ(bytes(), (Bytes{{"web-0//eth0<", 100}, {"web-0//eth0>", 7}}));
  set(70, net_dev(device("eth0", 110, 8)));
  round(1s);
  EXPECT_EQ(bytes(), (Bytes{{"web-0//eth0<", 110}, {"web-0//eth0>", 8}})) << "it is the same one";
  EXPECT_EQ(unread, 0U);
}

TEST_F(Networks, WhatCouldNotBeOpenedIsCountedAndOpenedLater) {
  proc.file("70/net/dev", "");
  std::filesystem::remove(proc.root() + "/70/net/dev");
  std::filesystem::create_symlink("dev", proc.root() + "/70/net/dev");  // ELOOP
  start(of_pod("web-0", "app"), 70);
  round();
  EXPECT_EQ(bytes(), Bytes{});
  EXPECT_EQ(unread, 1U);
  std::filesystem::remove(proc.root() + "/70/net/dev");
  set(70, net_dev(device("eth0", 100, 7)));
  round(60s);
  EXPECT_EQ(bytes(), (Bytes{{"web-0//eth0<", 100}, {"web-0//eth0>", 7}}));
  EXPECT_EQ(unread, 1U);
}

TEST_F(Networks, AFileThatLiesIsCounted) {
  set(70, net_dev("eth0: 1 2 3\n"));
  start(of_pod("web-0", "app"), 70);
  round();
  EXPECT_EQ(bytes(), Bytes{});
  EXPECT_EQ(unread, 1U);
}

TEST_F(Networks, TellsWhenTheFirstProcessStarted) {
  set(70, net_dev(""));
  proc.file("70/stat", "70 (a) b) S 1 70 70 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 0 1 1\n");
  start(of_pod("web-0", "app"), 70);
  round();
  const auto& entry = files.workloads().at(of_pod("web-0", "app"));
  timespec real{};
  timespec boot{};
  ::clock_gettime(CLOCK_REALTIME, &real);
  ::clock_gettime(CLOCK_BOOTTIME, &boot);
  EXPECT_NEAR(ledger.started(entry).value_or(0), static_cast<double>(real.tv_sec - boot.tv_sec), 2);
}

TEST(StartTicks, IsTheFieldBehindAnyName) {
  EXPECT_EQ(start_ticks("7 (a) 1 2 (b) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 1 1\n"), 4711U);
  EXPECT_FALSE(start_ticks("7 (a S 1"));
  EXPECT_FALSE(start_ticks("7 (a) S 1"));
  EXPECT_FALSE(start_ticks(""));
  EXPECT_FALSE(start_ticks("7 (a) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 -4711 1 1\n"));
}

}  // namespace
}  // namespace flowtap::telemetry
