#include "base/result.hpp"

#include <cerrno>
#include <system_error>

#include "base/exhaustion.hpp"

namespace flowtap {

bool is_full(const Error& error) {
  return error.code == ENOSPC || error.code == EDQUOT;
}

std::string errno_text(int err) {
  return std::generic_category().message(err);
}

std::string exhaustion_hint(int err) {
  switch (err) {
    case EMFILE:
      return "let flowtapd have more open files: LimitNOFILE= of its unit, or the container's or shell's "
             "ulimit -n";
    case ENFILE:
      return "the whole node has as many open files as it may: raise the sysctl fs.file-max, or end what "
             "holds "
             "them";
    case ENOMEM:
      return "let flowtapd have more memory (MemoryMax= of its unit, limits.memory of its pod, memory.max of "
             "a "
             "cgroup above it), or set less in stream.ring_bytes, stream.flows_bytes and "
             "telemetry.max_cgroups";
    default:
      return {};
  }
}

// What is used up is the cause, whatever else could have been.
std::unexpected<Error> fail_errno(int err, std::string what, std::string hint) {
  if (std::string more = exhaustion_hint(err); !more.empty()) hint = std::move(more);
  return std::unexpected(Error{std::move(what) + ": " + errno_text(err), std::move(hint), err});
}

}  // namespace flowtap
