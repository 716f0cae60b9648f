// What workloads used up to their end, if no cycle looked at them while they were there. The collector works with the kernel's
// own events, files and networks.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>

#include "tests/node/telemetry/collected_workloads.hpp"
#include "tests/node/telemetry/in_v1.hpp"
#include "tests/support/containers/cgroup.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using stats::StatId;
using telemetry::CgroupCounter;
using telemetry::CgroupValues;

// A cgroup belongs to the workload that its path begins with.
class Paths final : public telemetry::CgroupNames {
 public:
  [[nodiscard]] telemetry::CgroupNaming name(std::uint64_t /*id*/, const std::string& path) override {
    const std::string top = path.substr(0, path.find('/', 1));
    return {.name = {.kind = telemetry::WorkloadKind::kContainer,
                     .ns = {},
                     .pod = {},
                     .container = top.substr(1),
                     .workload = {}},
            .complete = true,
            .top = top.size() > 1 ? top : std::string()};
  }
  [[nodiscard]] Status walk(const std::function<void(std::uint64_t, std::string)>& /*see*/) override {
    return {};
  }
  [[nodiscard]] bool has_processes(const std::string& /*path*/) override { return false; }
};

class WorkloadEnds : public testing::Test {
 protected:
  CollectedWorkloads workloads{std::make_unique<Paths>()};
};

// Writes to the disk, if there is one below.
void write_directly(std::size_t bytes) {
  constexpr std::size_t kBlock = 4096;
  const std::unique_ptr<void, decltype(&::free)> block(std::aligned_alloc(kBlock, bytes), ::free);
  std::memset(block.get(), 1, bytes);
  const std::string path = "/var/tmp/flowtap-ends-" + std::to_string(::getpid());
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_DIRECT | O_CLOEXEC, 0600));
  ::unlink(path.c_str());
  (void)!::write(file.get(), block.get(), bytes);
}

// The processes here are not the first ones of a PID namespace. A systemd unit has such processes, and so has a container with
// the node's or another one's PID namespace.
TEST_F(WorkloadEnds, WhereNoContainerEndsTheLastProcessTellsThatAllIsOver) {
  const std::string name = "flowtap-ends.service";
  CgroupValues last;
  std::uint64_t unread_here = 0;
  {
    const InV1 v1({"blkio", "memory"}, name);
    const ScratchCgroup cgroup(name + "/inner");
    const pid_t child = ::fork();
    if (child == 0) {
      cgroup.join();
      v1.add(::getpid());
      spin(200ms);
      write_directly(std::size_t{1} << 20U);
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    std::this_thread::sleep_for(removal());
    ASSERT_TRUE(cgroup_files()->open('/' + name, unread_here)->read(last, unread_here));
  }
  workloads.collect();
  const double seconds = static_cast<double>(last[CgroupCounter::kCpuUser].value_or(0) +
                                             last[CgroupCounter::kCpuSystem].value_or(0)) *
                         1e-9;
  const double ours =
      workloads.sum(StatId::kWORKLOAD_CPU_USER, name) + workloads.sum(StatId::kWORKLOAD_CPU_SYSTEM, name);
  fmt::print("the kernel's last: {:.6f} s of CPU, ours {:.6f} s\n", seconds, ours);
  EXPECT_GE(seconds, 0.2);
  // A process leaves its cgroup a moment before it has run for the last time.
  EXPECT_NEAR(ours, seconds, 2e-3);
  const auto faults = static_cast<double>(last[CgroupCounter::kPageFaults].value_or(0));
  fmt::print("the kernel's last: {:.0f} page faults\n", faults);
  EXPECT_EQ(workloads.sum(StatId::kWORKLOAD_PAGE_FAULTS, name), faults);
  // v1 tells nothing unless somebody has set a limit on the device.
  double written = 0;
  if (last.io)
    for (const auto& [device, io] : *last.io)
      written += static_cast<double>(io[telemetry::IoCounter::kWrittenBytes].value_or(0));
  fmt::print("the kernel's last: {:.0f} bytes written\n", written);
  EXPECT_EQ(workloads.sum(StatId::kWORKLOAD_IO_WRITTEN, name), written);
  EXPECT_EQ(workloads.unread() + unread_here, 0U);
}

// A device whose packets come from whoever writes them into it. It goes with the descriptor.
Fd make_device() {
  Fd tun(::open("/dev/net/tun", O_RDWR | O_CLOEXEC));
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strncpy(request.ifr_name, "eth0", IFNAMSIZ - 1);
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (::ioctl(tun.get(), TUNSETIFF, &request) != 0) return {};
  request.ifr_flags = IFF_UP;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0) return {};
  return tun;
}

TEST_F(WorkloadEnds, OfAContainerThatIsShorterThanACycleTheNetworkIsCounted) {
  constexpr unsigned kPackets = 123;
  const std::string name = "flowtap-ends-network";
  {
    const ScratchCgroup cgroup(name);
    const pid_t runtime = ::fork();
    if (runtime == 0) {
      if (::unshare(CLONE_NEWPID | CLONE_NEWNET) != 0) ::_exit(1);
      const Fd tun = make_device();
      const pid_t first = ::fork();
      if (first == 0) {
        cgroup.join();
        ::execl("/bin/sleep", "sleep", "0.3", nullptr);
        ::_exit(1);
      }
      std::this_thread::sleep_for(150ms);  // time itself: amid its life
      std::array<char, 100> packet{0x45};
      bool sent = tun.valid();
      for (unsigned i = 0; i < kPackets; ++i)
        sent = ::write(tun.get(), packet.data(), packet.size()) == std::ssize(packet) && sent;
      int status = -1;
      ::waitpid(first, &status, 0);
      std::this_thread::sleep_for(removal());
      ::_exit(sent && status == 0 ? 0 : 1);
    }
    int status = -1;
    ::waitpid(runtime, &status, 0);
    ASSERT_EQ(status, 0) << "it could not send";
  }
  workloads.collect();
  EXPECT_EQ(workloads.sum(StatId::kWORKLOAD_NETWORK_RECEIVED_PACKETS, name), kPackets);
  EXPECT_EQ(workloads.sum(StatId::kWORKLOAD_NETWORK_RECEIVED, name), kPackets * 100);
  EXPECT_EQ(workloads.unread(), 0U);
}

}  // namespace
}  // namespace flowtap::test
