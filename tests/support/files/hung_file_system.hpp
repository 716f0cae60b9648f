// A file system whose server never answers: every request to it waits.
#pragma once

#include <fcntl.h>
#include <sys/mount.h>

#include <string>

#include "base/fd.hpp"

namespace flowtap::test {

class HungFileSystem {
 public:
  explicit HungFileSystem(std::string directory)
      : directory_(std::move(directory)), server_(::open("/dev/fuse", O_RDWR | O_CLOEXEC)) {
    const std::string data = "fd=" + std::to_string(server_.get()) + ",rootmode=40000,user_id=0,group_id=0";
    mounted_ = server_.valid() &&
               ::mount("nobody", directory_.c_str(), "fuse", MS_NOSUID | MS_NODEV, data.c_str()) == 0;
  }
  /// Ends all waiting requests with an error.
  ~HungFileSystem() {
    server_.reset();
    if (mounted_) ::umount2(directory_.c_str(), MNT_DETACH);
  }
  HungFileSystem(const HungFileSystem&) = delete;
  HungFileSystem& operator=(const HungFileSystem&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] const Fd& server() const { return server_; }  ///< the descriptor on which its requests wait

 private:
  std::string directory_;
  Fd server_;
  bool mounted_ = false;
};

}  // namespace flowtap::test
