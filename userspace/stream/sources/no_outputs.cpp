#include "stream/sources/no_outputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>

#include "base/file.hpp"
#include "base/printable.hpp"
#include "identity/proc_identity.hpp"

namespace flowtap {
namespace {

// PF_KTHREAD (linux/sched.h), in the ninth field of /proc/PID/stat.
bool is_of_kernel(const std::string& stat) {
  constexpr unsigned long kKernelThread = 0x00200000;
  std::istringstream rest(stat.substr(std::min(stat.rfind(')'), stat.size() - 1) + 1));
  std::array<std::string, 6> before;  // the third to the eighth field
  for (std::string& field : before) rest >> field;
  unsigned long flags = 0;
  return static_cast<bool>(rest >> flags) && (flags & kKernelThread) != 0;
}

// Why the link of this descriptor cannot be read; 0: it can.
int refusal_of(const std::string& link) {
  std::array<char, 1> byte{};
  return ::readlink(link.c_str(), byte.data(), byte.size()) >= 0 ? 0 : errno;
}

}  // namespace

Error why_no_outputs(std::uint32_t pid, const std::string& proc) {
  const std::string of = proc + "/" + std::to_string(pid);
  const auto stat = read_file(of + "/stat", identity::kProcStatLimit);
  const auto process = stat ? identity::parse_proc_stat(*stat) : std::unexpected(stat.error());
  if (!process)
    return {fmt::format("there is no process {} any more", pid), "give the pid of one that runs", ESRCH};
  const std::string who = fmt::format("process {} ({})", pid, printable(process->comm));
  if (is_of_kernel(*stat))
    return {who + " is a thread of the kernel, which has no output",
            "what the kernel says is in its own log: dmesg, or journalctl -k", ESRCH};
  if (process->state == 'Z' || process->state == 'X')
    return {who + " has ended", "give the pid of one that runs", ESRCH};
  for (const char* fd : {"/fd/1", "/fd/2"}) {
    const int refusal = refusal_of(of + fd);
    if (refusal == EACCES || refusal == EPERM)
      return {
          fmt::format("flowtapd may not see what {} writes to: {}{}: {}", who, of, fd, errno_text(refusal)),
          "that takes CAP_SYS_PTRACE over the process, which flowtapd has as root, and no security module "
          "(SELinux, AppArmor, Yama) or kernel that forbids it",
          EACCES};
  }
  return {who + " has neither standard output nor standard error open", "", ENOTSUP};
}

}  // namespace flowtap
