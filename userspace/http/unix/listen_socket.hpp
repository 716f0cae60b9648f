// Makes the file of the API's Unix socket in such a way that nobody can connect before it is set up.
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
  /// The directory of `path` must exist, and only its owner may be able to write to it. A socket that a dead flowtapd
  /// left there is replaced. A socket on which somebody listens is an error, and so is anything else at this path. The
  /// group of the file is `group`, or that of the process.
  static Result<ListenSocket> open(const std::string& path, std::optional<gid_t> group);

  ListenSocket(ListenSocket&&) = default;
  ListenSocket& operator=(ListenSocket&&) = delete;
  ListenSocket(const ListenSocket&) = delete;
  ListenSocket& operator=(const ListenSocket&) = delete;
  ~ListenSocket();

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Whether clients find it under its path. Somebody may have removed that.
  [[nodiscard]] bool is_found() const;

 private:
  ListenSocket(Fd fd, std::string path, dev_t device, ino_t inode)
      : fd_(std::move(fd)), path_(std::move(path)), device_(device), inode_(inode) {}

  Fd fd_;
  std::string path_;
  dev_t device_;
  ino_t inode_;
};

}  // namespace flowtap::http
