#include "identity/root_dir.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "base/ascii.hpp"
#include "base/directory.hpp"

namespace flowtap::identity {
namespace {

// A rename anywhere meanwhile makes the kernel give up a scoped lookup with EAGAIN.
constexpr int kTries = 8;
// Opening a FIFO or a terminal does not wait, so that it can be refused.
constexpr int kReading = O_RDONLY | O_NONBLOCK | O_NOCTTY;

}  // namespace

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string path;
  for (const std::string_view part : parts) {
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

Status check_container_id(std::string_view id) {
  return is_file_name(id) ? Status{} : fail("a container id is not usable as a file name");
}

bool is_file_name(std::string_view text) {
  const auto fits = [](char c) { return is_alphanumeric(c) || c == '_' || c == '.' || c == '-'; };
  return !text.empty() && text.size() <= NAME_MAX && text != "." && text != ".." &&
         std::ranges::all_of(text, fits);
}

Result<RootDir> RootDir::open(const std::string& path) {
  Fd fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return fail_errno(errno, "cannot open the directory " + path);
  return RootDir(std::move(fd), path);
}

Result<Fd> RootDir::open_below(const std::string& path, int flags) const {
  return open_at(path, flags, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

Result<Fd> RootDir::open_plain(const std::string& path, int flags) const {
  return open_at(path, flags, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

Result<Fd> RootDir::open_at(const std::string& path, int flags, std::uint64_t resolve) const {
  open_how how{};
  how.flags = static_cast<__u64>(flags | O_CLOEXEC);
  how.resolve = resolve;
  // As the root takes it: "/run" is "run" below it, even for lookups that may not leave it.
  const std::size_t first = std::min(path.find_first_not_of('/'), path.size());
  const char* const below = first > 0 && first == path.size() ? "." : path.c_str() + first;
  for (int tries = kTries; tries > 0; --tries) {
    Fd fd(static_cast<int>(::syscall(SYS_openat2, fd_.get(), below, &how, sizeof(how))));
    if (fd.valid()) return fd;
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return fail_errno(errno, "cannot open " + path_ + "/" + path);
}

Result<RootDir> RootDir::below(const std::string& path) const {
  FTAP_TRY_ASSIGN(fd, open_below(path, O_PATH | O_DIRECTORY));
  return RootDir(std::move(fd), path_ + "/" + path);
}

Result<RootDir> RootDir::plain_below(const std::string& path) const {
  FTAP_TRY_ASSIGN(fd, open_plain(path, O_PATH | O_DIRECTORY));
  return RootDir(std::move(fd), path_ + "/" + path);
}

Result<std::string> RootDir::read(const std::string& path, std::size_t limit) const {
  FTAP_TRY_ASSIGN(fd, open_below(path, kReading | O_NOFOLLOW));
  return read_whole(fd, path, limit);
}

Result<std::string> RootDir::read_linked(const std::string& path, std::size_t limit) const {
  FTAP_TRY_ASSIGN(fd, open_below(path, kReading));
  return read_whole(fd, path, limit);
}

Result<std::string> RootDir::read_whole(const Fd& fd, const std::string& path, std::size_t limit) const {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail_errno(errno, "cannot stat " + path_ + "/" + path);
  if (!S_ISREG(status.st_mode)) return fail(path_ + "/" + path + " is not a regular file");
  std::string content;
  std::array<char, 16384> chunk{};
  while (true) {
    const ssize_t n = ::read(fd.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, "cannot read " + path_ + "/" + path);
    if (n == 0) return content;
    if (content.size() + static_cast<std::size_t>(n) > limit)
      return fail(path_ + "/" + path + " is larger than " + std::to_string(limit) + " bytes");
    content.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

Result<std::uint64_t> RootDir::inode(const std::string& path) const {
  FTAP_TRY_ASSIGN(fd, open_below(path, O_PATH | O_NOFOLLOW));
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail_errno(errno, "cannot stat " + path_ + "/" + path);
  return status.st_ino;
}

bool RootDir::has_file(const std::string& path) const {
  const auto fd = open_below(path, O_PATH | O_NOFOLLOW);
  struct stat status{};
  return fd && ::fstat(fd->get(), &status) == 0 && S_ISREG(status.st_mode);
}

Result<std::vector<std::string>> RootDir::list(const std::string& path, std::size_t most) const {
  FTAP_TRY_ASSIGN(fd, open_below(path, O_RDONLY | O_DIRECTORY));
  return directory_names(std::move(fd), most, path_ + "/" + path);
}

Result<std::string> RootDir::link(const std::string& path) const {
  FTAP_TRY_ASSIGN(fd, open_below(path, O_PATH | O_NOFOLLOW));
  std::array<char, PATH_MAX> target{};
  const ssize_t n = ::readlinkat(fd.get(), "", target.data(), target.size());
  if (n < 0) return fail_errno(errno, "cannot read the link " + path_ + "/" + path);
  if (static_cast<std::size_t>(n) == target.size())
    return fail("the link " + path_ + "/" + path + " is too long");
  return std::string(target.data(), static_cast<std::size_t>(n));
}

}  // namespace flowtap::identity
