// Which file systems are mounted: asked of the kernel's own table, since they themselves may not answer.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap {

class MountTypes {
 public:
  /// Of our own mount namespace.
  [[nodiscard]] static Result<MountTypes> open();

  /// As proc_pid_mountinfo(5) has it: "ext4", "fuse.sshfs". `mount` as stx_mnt_id of something that is held open, so that
  /// no other mount has its number by now.
  [[nodiscard]] Result<std::string> type_of(std::uint64_t mount);

 private:
  explicit MountTypes(Fd table) : table_(std::move(table)) {}

  [[nodiscard]] Status read();

  Fd table_;
  bool fresh_ = false;
  std::unordered_map<std::uint64_t, std::string> types_;
};

/// It may keep whoever asks it waiting for ever: what answers is another machine, or a program of somebody's.
[[nodiscard]] bool may_hang(const std::string& type);

}  // namespace flowtap
