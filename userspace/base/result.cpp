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
      return "let it have more open files: ulimit -n of the shell or container that it runs in, or for "
             "flowtapd LimitNOFILE= of its unit";
    case ENFILE:
      return "the whole node has as many open files as it may: raise the sysctl fs.file-max, or end what "
             "holds "
             "them";
    case ENOMEM:
      return "let it have more memory (memory.max of its cgroup or one above, limits.memory of its pod, for "
             "flowtapd MemoryMax= of its unit); flowtapd needs less with smaller stream.ring_bytes, "
             "stream.flows_bytes and telemetry.max_cgroups";
    default:
      return {};
  }
}

namespace {

const char* file_system_hint(int err) {
  switch (err) {
    case ENOSPC:
    case EDQUOT:
      return "make room on that file system: df -h and df -i say whether bytes or files are used up";
    case EROFS:
      return "that file system is mounted read-only: mount it anew with rw, or name another place";
    default:
      return "";
  }
}

}  // namespace

// What is used up is the cause, whatever else could have been.
std::unexpected<Error> fail_errno(int err, std::string what, std::string hint) {
  if (std::string more = exhaustion_hint(err); !more.empty()) hint = std::move(more);
  if (hint.empty()) hint = file_system_hint(err);
  return std::unexpected(Error{std::move(what) + ": " + errno_text(err), std::move(hint), err});
}

}  // namespace flowtap
