#include "telemetry/workloads/files/directory_walk.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string_view>

namespace flowtap::telemetry {
namespace {

constexpr std::uint64_t kBlock = 512;  // stat(3type): whatever blocks the file system has
constexpr unsigned kBetweenClocks = 32;

}  // namespace

DirectoryWalk::DirectoryWalk(const std::string& path) {
  Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat there{};
  failed_ = !directory.valid() || ::fstat(directory.get(), &there) != 0;
  if (failed_) return;
  device_ = there.st_dev;
  enter(std::move(directory));
}

void DirectoryWalk::enter(Fd directory) {
  DirectoryStream stream = directory_stream(std::move(directory));
  failed_ = failed_ || !stream || open_.size() >= kDeepest;
  if (!failed_) open_.push_back(std::move(stream));
}

void DirectoryWalk::see(const char* name) {
  const int above = ::dirfd(open_.back().get());
  struct stat there{};
  if (::fstatat(above, name, &there, AT_SYMLINK_NOFOLLOW) != 0) {
    failed_ = failed_ || errno != ENOENT;
    return;
  }
  if (there.st_dev != device_) return;
  const bool directory = S_ISDIR(there.st_mode);
  if (!directory && there.st_nlink > 1 && !linked_.insert(there.st_ino).second) return;
  size_.bytes += static_cast<std::uint64_t>(there.st_blocks) * kBlock;
  if (++size_.files > kMostFiles || linked_.size() > kMostLinked) failed_ = true;
  if (!directory) return;
  Fd below(::openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (below.valid())
    enter(std::move(below));
  else
    failed_ = failed_ || errno != ENOENT;
}

bool DirectoryWalk::go_on(std::chrono::steady_clock::time_point end) {
  for (unsigned n = 0; !failed_ && !open_.empty(); ++n) {
    if (n % kBetweenClocks == kBetweenClocks - 1 && std::chrono::steady_clock::now() >= end) return false;
    const dirent* entry =
        ::readdir(open_.back().get());  // NOLINT(concurrency-mt-unsafe): a stream of our own
    if (entry == nullptr) {
      open_.pop_back();
      continue;
    }
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") see(entry->d_name);
  }
  open_.clear();
  return true;
}

}  // namespace flowtap::telemetry
