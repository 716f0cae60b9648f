// The way to a listed file, name by name: whoever owns a directory on it must not choose what is read.
#pragma once

#include <sys/stat.h>

#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "identity/root_dir.hpp"
#include "stream/sources/files/mount_types.hpp"

namespace flowtap {

class PathWalk {
 public:
  /// `host_root` is where the node's file system is seen; no way leads out of it.
  [[nodiscard]] static Result<PathWalk> open(const std::string& host_root);

  struct Reached {
    Fd place;  ///< O_PATH
    struct statx status{};
  };
  /// Links are followed, in the middle and at the end, if each of them belongs to root or to the owner of what is reached in the
  /// end. Any other link would let somebody who may not read a file have it read. File systems that may_hang() are refused before
  /// anything is looked up in them.
  [[nodiscard]] Result<Reached> to(const std::string& path);

 private:
  PathWalk(identity::RootDir root, MountTypes mounts) : root_(std::move(root)), mounts_(std::move(mounts)) {}

  [[nodiscard]] Status check_mount(const struct statx& status, const std::string& path);

  identity::RootDir root_;
  MountTypes mounts_;
};

/// Whether an Error of PathWalk::to() says that there is nothing at the path.
[[nodiscard]] bool is_nothing_there(const Error& error);

}  // namespace flowtap
