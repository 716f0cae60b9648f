#include "telemetry/workloads/ends_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/new_file.hpp"
#include "base/positioned_io.hpp"

namespace flowtap::telemetry {
namespace {

constexpr std::string_view kForm = "flowtap-ends 1\n";
// Fewer lines are not worth a new file.
constexpr std::size_t kFewLines = 256;
constexpr mode_t kEndsMode = 0600;

// The number of a file that was removed may be given to the next one.
bool is_file(const struct stat& here, ino_t inode, std::size_t least) {
  return here.st_ino == inode && std::cmp_greater_equal(here.st_size, least);
}

Status write_text(const Fd& fd, std::size_t offset, std::string text, const std::string& path) {
  iovec part{text.data(), text.size()};
  return flow::write_at(fd.get(), offset, {&part, 1}, path);
}

}  // namespace

Result<EndsFile::Loaded> EndsFile::load() {
  struct stat here{};
  if (::lstat(path_.c_str(), &here) != 0 && errno == ENOENT) return Loaded{};
  unread_ = true;
  if (here.st_mode == 0) return fail_errno(errno, "cannot read " + path_);
  // A FIFO would be waited for.
  if (!S_ISREG(here.st_mode)) return fail(path_ + " is not a file", "remove it");
  FTAP_TRY_ASSIGN(all, read_file(path_, kMostBytes));
  std::string_view rest = all;
  if (!rest.starts_with(kForm))
    return fail(path_ + " was written by another build; how containers ended before is not known");
  rest.remove_prefix(kForm.size());
  Loaded loaded;
  // A killed process may have left half a line at the end.
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    ++lines_;
    if (auto record = parse_end_line(rest.substr(0, end)))
      loaded.records.push_back(std::move(*record));
    else
      ++loaded.broken;
    rest.remove_prefix(end + 1);
  }
  inode_ = here.st_ino;
  size_ = all.size() - rest.size();
  unread_ = false;
  return loaded;
}

bool EndsFile::wants_all(std::size_t records) const {
  struct stat here{};
  if (inode_ == 0 || ::lstat(path_.c_str(), &here) != 0 || !is_file(here, inode_, size_)) return true;
  return lines_ > kFewLines && lines_ / 2 > records;
}

Status EndsFile::append(std::span<const EndRecord> records) {
  const ino_t inode = std::exchange(inode_, 0);  // until all went well
  const Fd fd(::open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat here{};
  if (!fd.valid() || ::fstat(fd.get(), &here) != 0) return fail_errno(errno, "cannot open " + path_);
  if (!is_file(here, inode, size_)) return fail(path_ + " is another file than it was");
  std::string lines;
  for (const EndRecord& record : records) lines += to_line(record);
  if (size_ + lines.size() > kMostBytes) return fail(path_ + " would be too large");
  // Half a line at the end would spoil the next one.
  if (std::cmp_not_equal(here.st_size, size_) && ::ftruncate(fd.get(), static_cast<off_t>(size_)) != 0)
    return fail_errno(errno, "cannot cut " + path_);
  const std::size_t more = lines.size();
  FTAP_TRY(write_text(fd, size_, std::move(lines), path_));
  size_ += more;
  lines_ += records.size();
  inode_ = inode;
  return {};
}

Status EndsFile::write_all(std::span<const EndRecord> records) {
  inode_ = 0;
  std::string all(kForm);
  for (const EndRecord& record : records) all += to_line(record);
  const std::size_t size = all.size();
  if (size > kMostBytes) return fail(path_ + " would be too large");
  if (unread_ && std::rename(path_.c_str(), (path_ + kUnread).c_str()) != 0 && errno != ENOENT)
    return fail_errno(errno, "cannot rename " + path_);
  unread_ = false;
  const std::string fresh = path_ + ".new";
  ::unlink(fresh.c_str());
  FTAP_TRY_ASSIGN(fd, flow::open_new(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kEndsMode));
  auto written = write_text(fd, 0, std::move(all), fresh);
  struct stat here{};
  if (written && ::fstat(fd.get(), &here) != 0) written = fail_errno(errno, "cannot look at " + fresh);
  if (written && std::rename(fresh.c_str(), path_.c_str()) != 0)
    written = fail_errno(errno, "cannot rename " + fresh);
  if (!written) {
    ::unlink(fresh.c_str());
    return written;
  }
  inode_ = here.st_ino;
  size_ = size;
  lines_ = records.size();
  return {};
}

}  // namespace flowtap::telemetry
