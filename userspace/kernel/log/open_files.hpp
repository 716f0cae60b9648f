// What the running processes' outputs are connected to, as the kernel itself knows it.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "bpf/abi/log.h"
#include "bpf/abi/open_file.h"

struct open_files_bpf;

namespace flowtap::kernel {

/// One descriptor of a process: 1 or 2, any other one from which a pipe can be read, and our own regular files. It has many
/// members, since it is all that the kernel tells of the descriptor and its process in one look.
struct OpenFile {
  std::uint64_t inode = 0;
  std::uint32_t device = 0;  ///< as the kernel has it: major << 20 | minor
  std::uint32_t pid = 0;     ///< tgid in the first pid namespace
  std::uint32_t fd = 0;
  ftap_log_kind kind = FTAP_KIND_NONE;
  bool readable = false;
  bool writable = false;
  std::uint64_t cgroup = 0;         ///< id in the v2 hierarchy; 0: the root, or none
  std::uint64_t parent_cgroup = 0;  ///< of the process that started it
  std::array<std::uint64_t, FTAP_CGROUPS_ABOVE> cgroups_above{};  ///< the nearest first; 0 behind the last
  std::uint64_t start_time = 0;                                   ///< of the process, ns on CLOCK_BOOTTIME
  bool enters_container = false;                                  ///< its mount namespace is not its parent's
  std::uint32_t mounts = 0;       ///< its mount namespace's number, as stat() of /proc/PID/ns/mnt has it
  std::uint64_t file_system = 0;  ///< where the file is: its magic number, as statfs(2) has it
  std::uint32_t exe_device = 0;   ///< the program that the process runs, as the kernel has it
  std::uint64_t exe_inode = 0;    ///< 0: none
  bool runs_as_parent = false;    ///< its parent runs the same program
  std::uint32_t readers =
      0;  ///< of a pipe: open files that may read it, also those that no process has as a descriptor
  std::uint64_t waiting = 0;  ///< of a pipe: bytes that nobody has read yet

  /// Whether the log tap captures what is written to a file of this kind.
  [[nodiscard]] bool can_be_tapped() const {
    return kind == FTAP_KIND_PIPE || kind == FTAP_KIND_FILE || kind == FTAP_KIND_TTY ||
           kind == FTAP_KIND_SOCKET;
  }
};

struct OpenFilesDeleter {
  void operator()(open_files_bpf* skeleton) const noexcept;
};

/// Asks the kernel, and so never waits for a file system. It is loaded once, since loading costs milliseconds; each
/// question is one walk.
class OpenFiles {
 public:
  [[nodiscard]] static Result<OpenFiles> load();

  /// The descriptors of all processes that we see, or of only one. Error code ESRCH: there is no such process. Safe
  /// from any thread.
  [[nodiscard]] Result<std::vector<OpenFile>> list(std::optional<pid_t> only = std::nullopt) const;
  /// The regular file behind one of our own descriptors. stat() may tell another device than the kernel has.
  [[nodiscard]] Result<OpenFile> own_file(int fd) const;

 private:
  using Skeleton = std::unique_ptr<open_files_bpf, OpenFilesDeleter>;
  explicit OpenFiles(Skeleton skeleton) : skeleton_(std::move(skeleton)) {}
  [[nodiscard]] Result<std::vector<OpenFile>> walk(std::optional<pid_t> only) const;

  Skeleton skeleton_;
};

}  // namespace flowtap::kernel
