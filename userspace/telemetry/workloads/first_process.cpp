#include "telemetry/workloads/first_process.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>

#include "base/file.hpp"
#include "telemetry/fields.hpp"

namespace flowtap::telemetry {
namespace {

// Behind the name, which may hold anything.
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
  process.net_dev = Fd(::open((place + "/net/dev").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  process.network = network_of(process.net_dev);
  return process;
}

}  // namespace flowtap::telemetry
