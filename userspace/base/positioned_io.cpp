#include "base/positioned_io.hpp"

#include <unistd.h>

#include <cerrno>

namespace flowtap::flow {
namespace {

/// Takes `n` written bytes off the front of `parts`.
void take_written(std::span<iovec>& parts, std::size_t n) {
  while (!parts.empty() && n >= parts.front().iov_len) {
    n -= parts.front().iov_len;
    parts = parts.subspan(1);
  }
  if (parts.empty() || n == 0) return;
  parts.front().iov_base = static_cast<std::byte*>(parts.front().iov_base) + n;
  parts.front().iov_len -= n;
}

}  // namespace

Result<std::size_t> read_at(int fd, std::uint64_t offset, std::span<std::byte> into,
                            const std::string& path) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t n = ::pread(fd, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, "cannot read " + path);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

Status write_at(int fd, std::uint64_t offset, std::span<iovec> parts, const std::string& path) {
  take_written(parts, 0);
  while (!parts.empty()) {
    const ssize_t n = ::pwritev(fd, parts.data(), static_cast<int>(parts.size()), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, "cannot write " + path);
    if (n == 0) return fail_errno(EIO, "cannot write " + path);
    offset += static_cast<std::uint64_t>(n);
    take_written(parts, static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace flowtap::flow
