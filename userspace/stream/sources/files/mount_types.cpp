#include "stream/sources/files/mount_types.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>
#include <string_view>

namespace flowtap {
namespace {

constexpr auto kMayHang = std::to_array<std::string_view>(
    {"9p",      "afs",   "autofs", "beegfs", "ceph",   "cifs",  "coda", "fuse",
     "fuseblk", "gfs2",  "gpfs",   "lustre", "ncpfs",  "nfs",   "nfs4", "orangefs",
     "ocfs2",   "pvfs2", "smb3",   "smbfs",  "vboxsf", "vmhgfs"});

}  // namespace

Result<MountTypes> MountTypes::open() {
  Fd table(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
  if (!table.valid()) return fail_errno(errno, "cannot tell what is mounted");
  return MountTypes(std::move(table));
}

Result<std::string> MountTypes::type_of(std::uint64_t mount) {
  // poll() reports an exception if the table has changed since it was read last.
  pollfd changed{table_.get(), POLLPRI, 0};
  if (!fresh_ || ::poll(&changed, 1, 0) != 0) FTAP_TRY(read());
  const auto type = types_.find(mount);
  if (type == types_.end()) return fail("nothing that is mounted here");
  return type->second;
}

Status MountTypes::read() {
  fresh_ = false;
  std::string text;
  std::array<char, 16384> chunk{};
  while (true) {
    const ssize_t n = ::pread(table_.get(), chunk.data(), chunk.size(), static_cast<off_t>(text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, "cannot tell what is mounted");
    if (n == 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
  types_.clear();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    // Some of the fields between the number and the lone hyphen are optional.
    const auto hyphen = line.find(" - ");
    std::istringstream head(line);
    std::istringstream tail(hyphen == std::string::npos ? std::string() : line.substr(hyphen + 3));
    std::uint64_t number = 0;
    std::string type;
    if (head >> number && tail >> type) types_[number] = type;
  }
  fresh_ = true;
  return {};
}

bool may_hang(const std::string& type) {
  return std::ranges::find(kMayHang, type.substr(0, type.find('.'))) != kMayHang.end();
}

}  // namespace flowtap
