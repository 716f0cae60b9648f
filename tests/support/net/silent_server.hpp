// A file system in userspace with one file. Its server stops answering when it is told to: from then on every request
// waits, and files that were opened before stay open.
#pragma once

#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/fd.hpp"

namespace flowtap::test {

class SilentServer {
 public:
  /// `content` is the content of the file `directory`/file, which everybody may execute.
  SilentServer(std::string directory, std::string content)
      : directory_(std::move(directory)),
        content_(std::move(content)),
        device_(::open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK)) {
    const std::string data = "fd=" + std::to_string(device_.get()) + ",rootmode=40000,user_id=0,group_id=0";
    mounted_ = device_.valid() &&
               ::mount("somebody", directory_.c_str(), "fuse", MS_NOSUID | MS_NODEV, data.c_str()) == 0;
    if (mounted_) thread_ = std::thread([this] { serve(); });
  }
  /// Ends all waiting requests with an error.
  ~SilentServer() {
    fall_silent();
    device_.reset();
    if (mounted_) ::umount2(directory_.c_str(), MNT_DETACH);
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }
  void fall_silent() {
    silent_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  static constexpr std::uint64_t kFile = 2;  // its inode number

  void serve() const {
    std::vector<char> request(FUSE_MIN_READ_BUFFER + (1U << 16U));
    while (!silent_) {
      pollfd ready{device_.get(), POLLIN, 0};
      if (::poll(&ready, 1, 10) <= 0) continue;
      const ssize_t n = ::read(device_.get(), request.data(), request.size());
      if (n < static_cast<ssize_t>(sizeof(fuse_in_header))) continue;
      fuse_in_header header{};
      std::memcpy(&header, request.data(), sizeof(header));
      answer(header, request.data() + sizeof(header));
    }
  }

  void answer(const fuse_in_header& header, const char* body) const {
    switch (header.opcode) {
      case FUSE_INIT: {
        fuse_init_out out{};
        out.major = FUSE_KERNEL_VERSION;
        out.minor = FUSE_KERNEL_MINOR_VERSION;
        out.max_write = 4096;
        return send(header, &out, sizeof(out));
      }
      case FUSE_LOOKUP: {
        if (std::strcmp(body, "file") != 0) return refuse(header, ENOENT);
        fuse_entry_out out{};
        out.nodeid = kFile;
        out.attr = attributes(kFile);
        return send(header, &out, sizeof(out));
      }
      case FUSE_GETATTR: {
        fuse_attr_out out{};  // with no time for which it may be cached
        out.attr = attributes(header.nodeid);
        return send(header, &out, sizeof(out));
      }
      case FUSE_OPEN: {
        fuse_open_out out{};
        return send(header, &out, sizeof(out));
      }
      case FUSE_READ: {
        fuse_read_in in{};
        std::memcpy(&in, body, sizeof(in));
        const std::size_t from = std::min<std::size_t>(in.offset, content_.size());
        return send(header, content_.data() + from, std::min<std::size_t>(in.size, content_.size() - from));
      }
      case FUSE_FORGET:
      case FUSE_BATCH_FORGET:
      case FUSE_INTERRUPT:
        return;
      default:
        return refuse(header, ENOSYS);
    }
  }

  [[nodiscard]] fuse_attr attributes(std::uint64_t inode) const {
    fuse_attr out{};
    out.ino = inode;
    out.size = inode == kFile ? content_.size() : 0;
    out.mode = inode == kFile ? S_IFREG | 0755 : S_IFDIR | 0755;
    out.nlink = 1;
    return out;
  }
  void send(const fuse_in_header& header, const void* body, std::size_t size, int error = 0) const {
    fuse_out_header out{
        .len = static_cast<std::uint32_t>(sizeof(out) + size), .error = -error, .unique = header.unique};
    std::array<iovec, 2> parts{{{&out, sizeof(out)}, {const_cast<void*>(body), size}}};
    (void)!::writev(device_.get(), parts.data(), parts.size());
  }
  void refuse(const fuse_in_header& header, int error) const { send(header, nullptr, 0, error); }

  std::string directory_;
  std::string content_;
  Fd device_;
  bool mounted_ = false;
  std::atomic<bool> silent_{false};
  std::thread thread_;
};

}  // namespace flowtap::test
