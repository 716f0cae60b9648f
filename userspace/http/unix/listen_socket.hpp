// The API's Unix socket as a file: made so that nobody can connect to it before it is right.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::http {

/// A listening socket under its path, mode 0660. Removes the path again, unless another process has taken it
/// since.
class ListenSocket {
 public:
  /// `path` lies in a directory that exists and that only its owner can write to. A socket that a dead
  /// flowtapd left there is replaced, one that somebody listens on is an error, and so is anything else at
  /// this path. The group of the file is `group`, or that of the process.
  static Result<ListenSocket> open(const std::string& path, std::optional<gid_t> group);

  ListenSocket(ListenSocket&&) = default;
  ListenSocket& operator=(ListenSocket&&) = delete;
  ListenSocket(const ListenSocket&) = delete;
  ListenSocket& operator=(const ListenSocket&) = delete;
  ~ListenSocket();

  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  ListenSocket(Fd fd, std::string path, dev_t device, ino_t inode)
      : fd_(std::move(fd)), path_(std::move(path)), device_(device), inode_(inode) {}

  Fd fd_;
  std::string path_;
  dev_t device_;
  ino_t inode_;
};

}  // namespace flowtap::http
