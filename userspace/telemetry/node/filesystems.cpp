#include "telemetry/node/filesystems.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <optional>
#include <set>

#include "base/printable.hpp"
#include "telemetry/collecting/kernel_file.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

// Also absent where another file system is found at that path: one that is mounted over it, or the one below where
// flowtapd does not see the mount. Its numbers would stand under the wrong name.
std::optional<struct statvfs> numbers_of(const Mount& mount, const std::string& path) {
  struct stat file{};
  struct statvfs numbers{};
  if (::stat(path.c_str(), &file) != 0) return std::nullopt;
  if (file.st_dev != mount.device_number && mount.type != "btrfs") return std::nullopt;
  if (::statvfs(path.c_str(), &numbers) != 0) return std::nullopt;
  return numbers;
}

}  // namespace

void FilesystemCollector::collect(Collected& out) {
  const auto text = read_kernel_file(proc_ + "/1/mountinfo", out);
  if (!text) return;
  const Mounts mounts = parse_mounts(*text);
  out.unread += mounts.unread;
  std::set<std::string> seen;  // two mount points may become the same when made printable
  for (const Mount& mount : mounts.all)
    if (is_storage(mount) && seen.insert(printable(mount.point)).second) add(mount, out);
}

void FilesystemCollector::add(const Mount& mount, Collected& out) const {
  const std::vector<std::string> labels{printable(mount.device), printable(mount.point),
                                        printable(mount.type)};
  const auto numbers = numbers_of(mount, host_root_ + mount.point);
  out.add(StatId::kNODE_FILESYSTEM_DEVICE_ERROR, std::uint64_t{!numbers}, labels);
  if (!numbers) {
    ++out.unread;
    return;
  }
  const auto block = static_cast<double>(numbers->f_frsize);
  out.add(StatId::kNODE_FILESYSTEM_SIZE, static_cast<double>(numbers->f_blocks) * block, labels);
  out.add(StatId::kNODE_FILESYSTEM_FREE, static_cast<double>(numbers->f_bfree) * block, labels);
  out.add(StatId::kNODE_FILESYSTEM_AVAIL, static_cast<double>(numbers->f_bavail) * block, labels);
  out.add(StatId::kNODE_FILESYSTEM_FILES, std::uint64_t{numbers->f_files}, labels);
  out.add(StatId::kNODE_FILESYSTEM_FILES_FREE, std::uint64_t{numbers->f_ffree}, labels);
  out.add(StatId::kNODE_FILESYSTEM_READONLY, std::uint64_t{(numbers->f_flag & ST_RDONLY) != 0}, labels);
}

}  // namespace flowtap::telemetry
