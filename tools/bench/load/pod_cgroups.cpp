#include "tools/bench/load/pod_cgroups.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/fd.hpp"

namespace flowtap::bench {
namespace {

using namespace std::chrono_literals;

std::string cgroup_root() {
  for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
    if (::access((std::string(root) + "/cgroup.procs").c_str(), F_OK) == 0) return root;
  return {};
}

bool write_text(const std::string& file, const std::string& text) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.valid() && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// The same path in each hierarchy that flowtapd reads; that of v2 comes first.
std::vector<std::string> in_all_hierarchies(const std::string& directory) {
  constexpr std::string_view kHybrid = "/sys/fs/cgroup/unified/";
  std::vector<std::string> all{directory};
  if (!directory.starts_with(kHybrid)) return all;
  for (const char* controller : {"memory", "pids", "blkio", "cpu"}) {
    const std::string root = std::string("/sys/fs/cgroup/") + controller;
    if (::access((root + "/cgroup.procs").c_str(), F_OK) == 0)
      all.push_back(root + "/" + directory.substr(kHybrid.size()));
  }
  return all;
}

bool enter_cgroups(const std::string& cgroup) {
  for (const std::string& place : in_all_hierarchies(cgroup))
    if (!write_text(place + "/cgroup.procs", "0")) return false;
  return true;
}

// The device exists as long as its descriptor is open, and the program inherits that.
bool enter_network() {
  if (::unshare(CLONE_NEWNET) != 0) return false;
  const int tun = ::open("/dev/net/tun", O_RDWR);
  ifreq device{};
  std::strcpy(device.ifr_name, "eth0");
  device.ifr_flags = IFF_TAP | IFF_NO_PI;
  return tun >= 0 && ::ioctl(tun, TUNSETIFF, &device) == 0;
}

}  // namespace

std::string PodCgroups::id_of(std::size_t number) {
  return fmt::format("{}{:08x}{:052x}", kIdStart, number, 0);
}

std::string PodCgroups::uid_of(std::size_t number) {
  return fmt::format("{:08x}-0000-4000-8000-000000000000", number);
}

Status PodCgroups::make_everywhere(const std::string& directory) {
  for (const std::string& place : in_all_hierarchies(directory)) {
    if (::mkdir(place.c_str(), 0755) != 0) return fail_errno(errno, "cannot make " + place);
    directories_.push_back(place);
  }
  return {};
}

Result<std::unique_ptr<PodCgroups>> PodCgroups::make() {
  const std::string root = cgroup_root();
  if (root.empty()) return fail("no cgroup v2 hierarchy is mounted");
  static int number = 0;
  std::unique_ptr<PodCgroups> self(new PodCgroups);
  self->parent_ = fmt::format("{}/flowtap-bench-{}-{}", root, ::getpid(), number++);
  for (const char* part : {"", "/kubepods", "/besteffort"}) {
    self->parent_ += part;
    FTAP_TRY(self->make_everywhere(self->parent_));
  }
  return self;
}

Result<std::string> PodCgroups::add(std::size_t number) {
  // The names of the cgroupfs driver: pod<uid>/<64 hex>.
  const std::string pod = parent_ + "/pod" + uid_of(number);
  std::string container = pod + "/" + id_of(number);
  for (const std::string& directory : {pod, container}) FTAP_TRY(make_everywhere(directory));
  return container;
}

PodCgroups::~PodCgroups() {
  // The last task leaves a cgroup a moment after its exit was seen.
  for (auto directory = directories_.rbegin(); directory != directories_.rend(); ++directory)
    for (int i = 0; i < 100 && ::rmdir(directory->c_str()) != 0 && errno == EBUSY; ++i)
      std::this_thread::sleep_for(10ms);
}

void enter_pod(const std::string& cgroup, int output, bool network) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = ::open("/dev/null", O_RDWR);
  if (!enter_cgroups(cgroup) || ::unshare(CLONE_NEWNS) != 0 || (network && !enter_network()) || null < 0 ||
      ::dup2(null, STDIN_FILENO) < 0 || ::dup2(output, STDOUT_FILENO) < 0 || ::dup2(null, STDERR_FILENO) < 0)
    ::_exit(126);
}

}  // namespace flowtap::bench
