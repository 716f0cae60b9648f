#include "base/file.hpp"

#include <fcntl.h>

#include <array>
#include <cerrno>

#include "base/fd.hpp"

namespace flowtap {

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return fail_errno(errno, "cannot open " + path);
  std::string content;
  std::array<char, 16384> chunk{};
  while (true) {
    const ssize_t n = ::read(fd.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, "cannot read " + path);
    if (n == 0) return content;
    if (content.size() + static_cast<std::size_t>(n) > limit)
      return fail(path + " is larger than " + std::to_string(limit) + " bytes");
    content.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

Result<std::string> read_line(const std::string& path) {
  FTAP_TRY_ASSIGN(text, read_file(path));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

Status write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail_errno(n < 0 ? errno : EIO, "cannot write " + path);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace flowtap
