// The kernel's networks: what was counted in a network whose number another one has by now, and in one that outlives its
// processes.
#include "telemetry/workloads/network_ledger.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <vector>

#include "tests/support/eventually.hpp"
#include "tests/unit/telemetry/workloads/one_process_cgroups.hpp"

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;

// A device that packets come in by, as many as are written into it. The device stays when the process ends.
bool receive(unsigned packets) {
  const Fd tun(::open("/dev/net/tun", O_RDWR | O_CLOEXEC));
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strncpy(request.ifr_name, "eth0", IFNAMSIZ - 1);
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (::ioctl(tun.get(), TUNSETIFF, &request) != 0 || ::ioctl(tun.get(), TUNSETPERSIST, 1) != 0) return false;
  request.ifr_flags = IFF_UP;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0) return false;
  std::array<char, 100> packet{0x45};
  for (unsigned i = 0; i < packets; ++i)
    if (::write(tun.get(), packet.data(), packet.size()) != static_cast<ssize_t>(packet.size())) return false;
  return true;
}

// A process in a network of its own, or in the network of `in`.
class InNetwork {
 public:
  explicit InNetwork(unsigned packets, const Fd* in = nullptr) {
    std::array<int, 2> ready{};
    if (::pipe2(ready.data(), O_CLOEXEC) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      const bool there = in != nullptr ? ::setns(in->get(), CLONE_NEWNET) == 0
                                       : ::unshare(CLONE_NEWNET) == 0 && (packets == 0 || receive(packets));
      if (there) (void)!::write(ready[1], "x", 1);
      ::close(ready[1]);
      while (there) ::pause();
      ::_exit(1);
    }
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1) << "it could not make its network";
    ::close(ready[0]);
  }
  ~InNetwork() { end(); }
  InNetwork(const InNetwork&) = delete;
  InNetwork& operator=(const InNetwork&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] ino_t number() const {
    struct stat file{};
    return ::stat(("/proc/" + std::to_string(pid_) + "/net/dev").c_str(), &file) == 0 ? file.st_ino : 0;
  }
  [[nodiscard]] Fd pin() const {
    return Fd(::open(("/proc/" + std::to_string(pid_) + "/ns/net").c_str(), O_RDONLY | O_CLOEXEC));
  }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
};

class NetworksOfTheKernel : public testing::Test {
 protected:
  void start(const InNetwork& process) {
    const std::string path = "/" + std::to_string(process.pid());
    pids[path] = process.pid();
    workloads[kName].tops = {path};
  }
  void end() {
    pids.clear();
    workloads[kName].tops.clear();
  }
  std::uint64_t received_after_a_round() {
    files.round(workloads, now += 5s, unread);
    ledger.round(files, now, unread);
    std::vector<stats::Series> all;
    ledger.append_series(all);
    for (const stats::Series& series : all)
      if (series.stat->id == stats::StatId::kWORKLOAD_NETWORK_RECEIVED_PACKETS && series.labels[5] == "eth0")
        return std::get<std::uint64_t>(series.value);
    return 0;
  }

  const WorkloadName kName{
      .kind = WorkloadKind::kContainer, .ns = {}, .pod = {}, .container = "web", .workload = {}};
  std::map<std::string, double> pids;
  std::map<WorkloadName, Workload> workloads;
  FileLedger files{std::make_unique<test::OneProcessCgroups>(pids), BlockNames("/sys")};
  NetworkLedger ledger{"/proc"};
  NetworkLedger::Clock::time_point now{};
  std::uint64_t unread = 0;
};

TEST_F(NetworksOfTheKernel, WhatComesAfterOneThatEndedIsAnother) {
  auto first = std::make_unique<InNetwork>(5);
  const ino_t number = first->number();
  start(*first);
  EXPECT_EQ(received_after_a_round(), 5U);
  end();
  first->end();
  EXPECT_EQ(received_after_a_round(), 5U);
  // The kernel gives the lowest free number, so that one of these gets the first one's.
  std::vector<std::unique_ptr<InNetwork>> others;
  for (int i = 0; i < 30 && (others.empty() || others.back()->number() != number); ++i) {
    ::usleep(20'000);  // the kernel ends a network when it comes to it
    others.push_back(std::make_unique<InNetwork>(9));
  }
  start(*others.back());
  EXPECT_EQ(received_after_a_round(), 14U);
  EXPECT_EQ(unread, 0U);
}

TEST_F(NetworksOfTheKernel, OfARestartNothingStaysOpen) {
  const auto open_now = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_now();
  for (int restart = 0; restart < 5; ++restart) {
    InNetwork process(5);
    start(process);
    EXPECT_GT(received_after_a_round(), 0U);
    end();
  }
  workloads[kName].tops = {"/none"};  // its name stays
  EXPECT_TRUE(test::eventually([&] {
    if (open_now() <= before) return true;
    EXPECT_EQ(received_after_a_round(), 25U);
    return HasFailure();
  }));
  EXPECT_EQ(open_now(), before);
}

TEST_F(NetworksOfTheKernel, OneThatIsPinnedGoesOn) {
  InNetwork first(5);
  const Fd pin = first.pin();
  const ino_t number = first.number();
  start(first);
  EXPECT_EQ(received_after_a_round(), 5U);
  end();
  first.end();
  EXPECT_EQ(received_after_a_round(), 5U);
  const InNetwork second(0, &pin);
  EXPECT_EQ(second.number(), number);
  start(second);
  EXPECT_EQ(received_after_a_round(), 5U);
  EXPECT_EQ(unread, 0U);
}

TEST_F(NetworksOfTheKernel, IsNotKeptByWhoLooks) {
  InNetwork process(0);
  FirstProcess seen = look_at_process("/proc", static_cast<std::uint64_t>(process.pid()));
  const Fd left = keep_number(seen.net_dev);
  process.end();
  EXPECT_FALSE(has_ended(left)) << "it is open";
  seen.net_dev = {};
  EXPECT_TRUE(test::eventually([&] { return has_ended(left); }));
}

}  // namespace
}  // namespace flowtap::telemetry
