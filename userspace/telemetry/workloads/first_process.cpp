#include "telemetry/workloads/first_process.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "base/file.hpp"
#include "telemetry/collecting/fields.hpp"

namespace flowtap::telemetry {
namespace {

// Starts after the name, which may contain anything.
constexpr int kStartField = 22;
constexpr int kFirstBehindName = 3;

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::optional<NetworkId> network_of(const Fd& net_dev) {
  struct stat file{};
  if (!net_dev.valid() || ::fstat(net_dev.get(), &file) != 0) return std::nullopt;
  return NetworkId{file.st_dev, file.st_ino};
}

std::string own_file(const Fd& fd) {
  return "/proc/self/fd/" + std::to_string(fd.get());
}

}  // namespace

std::optional<std::uint64_t> start_ticks(std::string_view stat) {
  const auto name = stat.rfind(')');
  if (name == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(name + 1);
  for (int field = kFirstBehindName; field < kStartField; ++field) next_word(stat);
  return whole_number(next_word(stat));
}

FirstProcess look_at_process(const std::string& proc, std::uint64_t pid) {
  const std::string place = proc + '/' + std::to_string(pid);
  FirstProcess process;
  process.pid = pid;
  if (const auto stat = read_file(place + "/stat")) {
    if (const auto ticks = start_ticks(*stat)) {
      const double since_boot = static_cast<double>(*ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
      process.started = seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_BOOTTIME) + since_boot;
    }
  }
  look_at_network(proc, process);
  return process;
}

void look_at_network(const std::string& proc, FirstProcess& process) {
  const std::string path = proc + '/' + std::to_string(process.pid) + "/net/dev";
  process.net_dev = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const int error = process.net_dev.valid() ? 0 : errno;
  // ENXIO: its network ends together with it.
  process.error = error == ENOENT || error == ESRCH || error == ENXIO ? 0 : error;
  if (process.error == 0) process.network = network_of(process.net_dev);
}

Fd keep_number(const Fd& net_dev) {
  // The kernel frees the number of a file of /proc with its last inode (pde_put()). A file that is open only by its
  // path still holds that inode.
  return Fd(::open(own_file(net_dev).c_str(), O_PATH | O_CLOEXEC));
}

bool has_ended(const Fd& number) {
  // The kernel opens no file of a network that has ended.
  const Fd again(::open(own_file(number).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return !again.valid() && (errno == ENOENT || errno == ENXIO);
}

}  // namespace flowtap::telemetry
