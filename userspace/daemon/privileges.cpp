#include "daemon/privileges.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

namespace flowtap {
namespace {

struct Kept {
  unsigned capability;
  bool (*wanted)(const Config&);
  std::array<std::string_view, 3> backends = {};  ///< the backends that need it
  std::string_view right = {};                    ///< what it lets them do
};

bool always(const Config&) {
  return true;
}
bool names_processes(const Config& c) {
  return c.stream.enabled || c.telemetry.enabled;
}
bool listens(const Config& c) {
  return c.outlets.prometheus.enabled || !c.api.address.empty();
}
bool sends_to_sockets(const Config& c) {
  return c.outlets.statsd.enabled || c.outlets.spectatord.enabled || c.outlets.json_lines.enabled;
}

// The capabilities that are kept, and why.
constexpr std::array kTable = {
    // count: SIGHUP may switch it on, and then programs are loaded and attached.
    Kept{CAP_BPF, always},
    Kept{CAP_PERFMON, always},
    // stream: reads which cgroup and namespaces a process has. telemetry: reads which GPUs it has open.
    Kept{CAP_SYS_PTRACE, names_processes},
    // stream, telemetry: the runtimes' state is in root's directories.
    Kept{CAP_DAC_READ_SEARCH, names_processes},
    // stream: the ring's reader runs with a higher priority than ordinary work. scheduler: so does the thread that
    // starts a scheduler, also after SIGHUP.
    Kept{CAP_SYS_NICE, always},
    // api: SIGHUP may name another group for the socket.
    Kept{CAP_CHOWN, always},
    // prometheus, api: their ports may be low ones, also after SIGHUP.
    Kept{CAP_NET_BIND_SERVICE, listens, {"prometheus", "api"}, "listen at ports below 1024"},
    // backends: a receiver's Unix socket or a file usually belongs to another user.
    Kept{CAP_DAC_OVERRIDE,
         sends_to_sockets,
         {"statsd", "spectatord", "json_lines"},
         "use other users' sockets and files"},
};

constexpr std::uint32_t kLowWord = 32;

constexpr std::uint64_t bit(unsigned capability) {
  return std::uint64_t{1} << capability;
}

}  // namespace

std::string GivenUp::hint(std::string_view backend, int error) const {
  if (error != EACCES && error != EPERM) return {};
  for (const Kept& kept : kTable)
    if ((capabilities_ & bit(kept.capability)) != 0 &&
        std::ranges::find(kept.backends, backend) != kept.backends.end())
      return "flowtapd was started without " + std::string(backend) + " and gave up the right to " +
             std::string(kept.right) + ": restart it, as SIGHUP does not bring that right back";
  return {};
}

Result<GivenUp> drop_privileges(const Config& config) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0)
    return fail_errno(errno, "cannot read our capabilities");

  std::uint64_t keep = 0;
  for (const Kept& kept : kTable)
    if (kept.wanted(config)) keep |= bit(kept.capability);
  std::uint64_t given_up = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::uint32_t shift = i == 0 ? 0 : kLowWord;
    const auto kept = static_cast<std::uint32_t>(keep >> shift);
    given_up |= std::uint64_t{data.at(i).permitted & ~kept} << shift;
    data.at(i).permitted &= kept;
    data.at(i).effective &= kept;
    data.at(i).inheritable = 0;
  }
  if (::syscall(SYS_capset, &header, data.data()) != 0) return fail_errno(errno, "cannot drop capabilities");
  // No process that we might start can get them back.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail_errno(errno, "cannot set no_new_privs");
  return GivenUp(given_up);
}

}  // namespace flowtap
