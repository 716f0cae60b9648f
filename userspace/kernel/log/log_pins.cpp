#include "kernel/log/log_pins.hpp"

#include <bpf/bpf.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/node/bpffs_hint.hpp"
#include "bpf/abi/log.h"

namespace flowtap::kernel {
namespace {

namespace fs = std::filesystem;

// The end of the name of a folder that is being made or removed. (The kernel allows no dots in these names.)
constexpr const char* kPart = "_part";
// The pin of a layout's ring in its folder.
constexpr const char* kRing = "/ring";

// FNV-1a over numbers. All that matters is that no two of our layouts get the same value.
constexpr std::uint64_t layout_hash() {
  constexpr std::array<std::uint64_t, 36> kLayout{
      FTAP_LOG_VERSION,
      FTAP_MAX_STREAMS,
      FTAP_NR_LOSSES,
      FTAP_FILTER_BITS,
      FTAP_FILTER_LINE,
      sizeof(ftap_log_record),
      offsetof(ftap_log_record, type),
      offsetof(ftap_log_record, size),
      offsetof(ftap_log_record, stream),
      offsetof(ftap_log_record, offset),
      offsetof(ftap_log_record, time),
      offsetof(ftap_log_record, position),
      sizeof(ftap_log_enter),
      offsetof(ftap_log_enter, output),
      offsetof(ftap_log_enter, comm),
      offsetof(ftap_log_enter, cgroup_name),
      offsetof(ftap_log_enter, parent_name),
      sizeof(ftap_log_output),
      sizeof(ftap_log_end),
      sizeof(ftap_log_target),
      sizeof(ftap_stream),
      offsetof(ftap_stream, bytes),
      offsetof(ftap_stream, lost),
      offsetof(ftap_stream, cgroup),
      offsetof(ftap_stream, ino),
      offsetof(ftap_stream, dev),
      offsetof(ftap_stream, kind),
      offsetof(ftap_stream, state),
      offsetof(ftap_stream, fds),
      offsetof(ftap_stream, last),
      offsetof(ftap_stream, object),
      sizeof(ftap_log_control),
      offsetof(ftap_log_control, next_stream),
      offsetof(ftap_log_control, wake),
      offsetof(ftap_log_control, muted),
      offsetof(ftap_log_control, hint),
  };
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::uint64_t value : kLayout) hash = (hash ^ value) * 0x100000001b3U;
  return hash;
}

std::unexpected<Error> refused(const std::string& what, int error) {
  const bool is_denied = error == EACCES || error == EPERM;
  return fail_errno(error, "cannot " + what,
                    is_denied
                        ? "run flowtapd as root, and let no security profile (AppArmor, SELinux) keep it "
                          "from the BPF file system"
                        : "");
}

Status remove_path(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return refused("remove " + path, error.value());
  return {};
}

Status make(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) return refused("make " + folder, errno);
  // Anybody may make folders here: whoever made this one could take the pins away, or lead us elsewhere.
  struct stat there{};
  if (::lstat(folder.c_str(), &there) != 0) return refused("look at " + folder, errno);
  if (!S_ISDIR(there.st_mode) || there.st_uid != ::geteuid() || (there.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail(folder + " is there already and belongs to somebody else", "remove it");
  return {};
}

Status pin_as(int fd, const std::string& path) {
  if (bpf_obj_pin(fd, path.c_str()) != 0) return refused("pin " + path, errno);
  return {};
}

Status pin_into(const std::string& folder, const std::vector<std::pair<std::string, int>>& objects) {
  FTAP_TRY(make(folder));
  for (const auto& [name, fd] : objects) FTAP_TRY(pin_as(fd, std::string(folder).append("/").append(name)));
  return {};
}

}  // namespace

std::string log_abi() {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(layout_hash()));
  return text.data();
}

Result<bool> LogPins::mounted() const {
  struct statfs there{};
  if (::statfs(bpffs_.c_str(), &there) == 0) return there.f_type == BPF_FS_MAGIC;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return refused("look at " + bpffs_, errno);
}

Status LogPins::check() const {
  FTAP_TRY_ASSIGN(there, mounted());
  if (!there) return std::unexpected(bpffs_error("no BPF file system is mounted on " + bpffs_, bpffs_));
  return make(root_);
}

Result<std::vector<Pin>> LogPins::find(const std::string& folder) const {
  std::vector<Pin> pins;
  std::error_code error;
  fs::directory_iterator entries(path_of(folder), error);
  if (error == std::errc::no_such_file_or_directory) return pins;
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string path = entries->path().string();
    Fd object(bpf_obj_get(path.c_str()));
    if (!object.valid()) return refused("open the pinned " + path, errno);
    pins.push_back({entries->path().filename().string(), std::move(object)});
  }
  if (error) return refused("list " + path_of(folder), error.value());
  return pins;
}

Result<std::vector<std::string>> LogPins::folders() const {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entries(root_, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error))
    names.push_back(entries->path().filename().string());
  if (error) return refused("list " + root_, error.value());
  return names;
}

Result<std::vector<std::string>> LogPins::layouts() const {
  FTAP_TRY_ASSIGN(names, folders());
  std::erase_if(names, [](const std::string& name) { return name == kHooks || name.ends_with(kPart); });
  return names;
}

Status LogPins::pin(const std::string& folder,
                    const std::vector<std::pair<std::string, int>>& objects) const {
  const std::string part = path_of(folder) + kPart;
  FTAP_TRY(remove_path(part));
  Status pinned = pin_into(part, objects);
  if (pinned && std::rename(part.c_str(), path_of(folder).c_str()) != 0)
    pinned = refused("name " + path_of(folder), errno);
  // Otherwise its links would keep the programs attached. The error of pinning says more than one that this cannot be
  // removed either.
  if (!pinned) static_cast<void>(remove_path(part));
  return pinned;
}

Status LogPins::add(const std::string& folder, const std::string& name, int object) const {
  return pin_as(object, path_of(folder) + "/" + name);
}

std::uint64_t LogPins::ring_bytes() const {
  struct stat there{};
  if (::lstat(path_of(kHooks).c_str(), &there) != 0) return 0;
  const Fd ring(bpf_obj_get((path_of(log_abi()) + kRing).c_str()));
  bpf_map_info info{};
  __u32 size = sizeof(info);
  return ring.valid() && bpf_map_get_info_by_fd(ring.get(), &info, &size) == 0 ? info.max_entries : 0;
}

std::vector<Fd> LogPins::rings() const {
  std::vector<Fd> rings;
  const auto names = folders();  // also what is half made or half removed
  if (!names) return rings;
  for (const std::string& name : *names) {
    Fd ring(bpf_obj_get((path_of(name) + kRing).c_str()));
    if (ring.valid()) rings.push_back(std::move(ring));
  }
  return rings;
}

Result<bool> LogPins::keep(const std::string& folder,
                           std::vector<std::pair<std::string, int>> objects) const {
  std::erase_if(objects, [](const auto& object) { return object.second < 0; });
  const std::size_t all = objects.size();
  struct stat there{};
  std::erase_if(objects, [&](const auto& object) {
    return ::lstat((path_of(folder) + "/" + object.first).c_str(), &there) == 0 || errno != ENOENT;
  });
  if (objects.empty()) return false;
  FTAP_TRY(check());
  if (objects.size() == all) {
    FTAP_TRY(pin(folder, objects));
  } else {
    for (const auto& [name, object] : objects) FTAP_TRY(add(folder, name, object));
  }
  return true;
}

Status LogPins::set_aside(const std::string& layout) const {
  std::string name;
  for (int i = 0; name.empty() || fs::exists(path_of(name)); ++i) name = layout + "_" + std::to_string(i);
  if (std::rename(path_of(layout).c_str(), path_of(name).c_str()) != 0)
    return refused("rename " + path_of(layout), errno);
  return {};
}

Status LogPins::remove(const std::string& folder, const std::string& name) const {
  return remove_path(path_of(folder) + "/" + name);
}

Status LogPins::remove_folder(const std::string& folder) const {
  if (folder.ends_with(kPart)) return remove_path(path_of(folder));
  const std::string part = path_of(folder) + kPart;
  FTAP_TRY(remove_path(part));
  if (std::rename(path_of(folder).c_str(), part.c_str()) != 0)
    return errno == ENOENT ? Status{} : refused("remove " + path_of(folder), errno);
  return remove_path(part);
}

Status LogPins::remove_all_but(const std::string& one, const std::string& other) const {
  FTAP_TRY_ASSIGN(names, folders());
  Status all;
  for (const std::string& name : names) {
    if (name == one || name == other) continue;
    if (Status removed = remove_folder(name); !removed) all = std::move(removed);
  }
  return all;
}

bool LogPins::any() const {
  struct stat there{};
  return ::lstat(root_.c_str(), &there) == 0 || errno != ENOENT;
}

Status LogPins::remove_all() const {
  return remove_path(root_);
}

}  // namespace flowtap::kernel
