#include "stream/capture/bpffs.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/ascii.hpp"
#include "base/directory.hpp"
#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/node/bpffs_hint.hpp"
#include "stream/capture/mount_hint.hpp"

namespace flowtap {

Status ensure_bpffs(const std::string& path) {
  struct statfs there{};
  if (::statfs(path.c_str(), &there) == 0 && there.f_type == BPF_FS_MAGIC) return {};
  // In sysfs the directory exists wherever the kernel has BPF; elsewhere it may be made.
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    const int error = errno;
    return fail_errno(error, "cannot make " + path, bpffs_hint(path));
  }
  if (::mount("bpf", path.c_str(), "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700") == 0) return {};
  const int error = errno;
  const std::string what = "cannot mount a BPF file system at " + path;
  Error here = bpffs_error(what, path);
  if (here.code != 0) return std::unexpected(std::move(here));
  std::string hint = mount_hint(error, "bpf");
  if (error != ENODEV) hint += (hint.empty() ? "" : "; or ") + here.hint;
  return fail_errno(error, what, std::move(hint));
}

std::optional<bool> is_on_node(const std::string& path, const std::string& proc) {
  struct stat there{};
  std::ifstream mounts(proc + "/1/mountinfo");
  if (::stat(path.c_str(), &there) != 0 || !mounts) return std::nullopt;
  const std::string device = std::to_string(major(there.st_dev)) + ":" + std::to_string(minor(there.st_dev));
  // The device is the third field (proc_pid_mountinfo(5)). Each BPF file system has a device of its own.
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string id;
    std::string parent;
    std::string mounted;
    if (fields >> id >> parent >> mounted && mounted == device) return true;
  }
  return mounts.eof() ? std::optional(false) : std::nullopt;
}

// A process of its own ends with this one (MountKeeper).
std::optional<bool> shares_mounts(const std::string& proc) {
  struct stat own{};
  Fd opened(::open(proc.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::error_code error;
  const std::string self = std::filesystem::read_symlink(proc + "/self", error);  // its number there
  if (!opened.valid() || error || ::stat((proc + "/self/ns/mnt").c_str(), &own) != 0) return std::nullopt;
  const auto names = directory_names(std::move(opened), kMostPids, proc);
  if (!names) return std::nullopt;
  for (const std::string& name : *names) {
    struct stat mounts{};
    const std::string at = proc + "/" + name;
    if (!is_digit(name.front()) || name == self || ::stat((at + "/ns/mnt").c_str(), &mounts) != 0 ||
        mounts.st_ino != own.st_ino)
      continue;
    const auto status = read_file(at + "/status");
    if (status && !status->contains("\nPPid:\t" + self + "\n")) return true;
  }
  return false;
}

}  // namespace flowtap
