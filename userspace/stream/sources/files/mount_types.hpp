// Which file systems are mounted. The kernel's own table is asked, since the file systems themselves may not answer.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap {

class MountTypes {
 public:
  /// Opens the table of our own mount namespace.
  [[nodiscard]] static Result<MountTypes> open();

  /// The type as proc_pid_mountinfo(5) has it: "ext4", "fuse.sshfs". `mount` is the stx_mnt_id of something that is held open, so
  /// that no other mount has its number by now.
  [[nodiscard]] Result<std::string> type_of(std::uint64_t mount);

 private:
  explicit MountTypes(Fd table) : table_(std::move(table)) {}

  [[nodiscard]] Status read();

  Fd table_;
  bool fresh_ = false;
  std::unordered_map<std::uint64_t, std::string> types_;
};

/// Whether it may keep whoever asks it waiting for ever, since another machine or somebody's program answers.
[[nodiscard]] bool may_hang(const std::string& type);

}  // namespace flowtap
