#include "stream/store/log_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "base/new_file.hpp"
#include "base/positioned_io.hpp"

namespace flowtap::flow {
namespace {

constexpr int kFileFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr mode_t kMode = 0640;

}  // namespace

Result<std::optional<LogFile>> open_log_file(const std::string& path, int access) {
  Fd fd(::open(path.c_str(), access | kFileFlags));
  if (!fd.valid() && errno != ENOENT && errno != ENOTDIR && errno != ELOOP && errno != EISDIR)
    return fail_errno(errno, "cannot open " + path);
  struct stat here{};
  if (!fd.valid() || ::fstat(fd.get(), &here) != 0 || !S_ISREG(here.st_mode)) return std::nullopt;
  return LogFile{std::move(fd), here.st_ino, static_cast<std::uint64_t>(here.st_size)};
}

Result<LogFile> create_log_file(const std::string& path) {
  ::unlink(path.c_str());  // whatever stands there is not ours
  FTAP_TRY_ASSIGN(fd, open_new(path, O_RDWR | kFileFlags | O_CREAT | O_EXCL, kMode));
  struct stat here{};
  if (::fstat(fd.get(), &here) != 0) return fail_errno(errno, "cannot look at " + path);
  return LogFile{std::move(fd), here.st_ino, 0};
}

Status read_log_file(const Fd& fd, std::uint64_t at, std::uint64_t size, const std::string& path,
                     std::string& text) {
  Result<std::size_t> read = 0;
  text.resize_and_overwrite(size, [&](char* into, std::size_t room) {
    read = read_at(fd.get(), at, std::as_writable_bytes(std::span(into, room)), path);
    return read.value_or(0);
  });
  if (!read) return std::unexpected(read.error());
  return {};
}

Status write_log_file(const Fd& fd, std::uint64_t at, std::string& bytes, const std::string& path) {
  std::array parts{iovec{bytes.data(), bytes.size()}};
  return write_at(fd.get(), at, parts, path);
}

}  // namespace flowtap::flow
