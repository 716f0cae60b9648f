#include "kernel/log_pins.hpp"

#include <bpf/bpf.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "bpf/abi/log.h"

namespace flowtap::kernel {
namespace {

namespace fs = std::filesystem;

// FNV-1a over numbers; what matters is that no two layouts of ours fall together.
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
  return fail_errno(error, "cannot " + what, is_denied ? "run it as root" : "");
}

Status remove(const std::string& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) return refused("remove " + folder, error.value());
  return {};
}

Status make(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return refused("make " + folder, errno);
}

Status pin_into(const std::string& folder, const std::vector<std::pair<std::string, int>>& objects) {
  FTAP_TRY(make(folder));
  for (const auto& [name, fd] : objects) {
    std::string path = folder;
    path.append("/").append(name);
    if (bpf_obj_pin(fd, path.c_str()) != 0) return fail_errno(errno, "cannot pin " + path);
  }
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
  if (!there)
    return fail("no BPF file system is mounted on " + bpffs_,
                "mount -t bpf bpf " + bpffs_ + ", so that capture goes on while flowtapd restarts");
  return make(root_);
}

Result<std::vector<Pin>> LogPins::find() const {
  std::vector<Pin> pins;
  std::error_code error;
  fs::directory_iterator entries(folder(), error);
  if (error == std::errc::no_such_file_or_directory) return pins;
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string path = entries->path().string();
    Fd object(bpf_obj_get(path.c_str()));
    if (!object.valid()) return fail_errno(errno, "cannot open the pinned " + path);
    pins.push_back({entries->path().filename().string(), std::move(object)});
  }
  if (error) return fail_errno(error.value(), "cannot list " + folder());
  return pins;
}

Status LogPins::pin(const std::vector<std::pair<std::string, int>>& objects) const {
  // The kernel wants no dots in these names.
  const std::string part = folder() + "_part";
  FTAP_TRY(remove(part));
  Status pinned = pin_into(part, objects);
  if (pinned && std::rename(part.c_str(), folder().c_str()) != 0)
    pinned = fail_errno(errno, "cannot name " + folder());
  // Else its links would keep the programs attached. That it cannot pin says more than that it cannot remove either.
  if (!pinned) static_cast<void>(remove(part));
  return pinned;
}

Status LogPins::remove_others() const {
  std::vector<std::string> others;
  std::error_code error;
  fs::directory_iterator entries(root_, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error))
    if (entries->path().filename() != log_abi()) others.push_back(entries->path().string());
  if (error) return refused("list " + root_, error.value());
  Status all;
  for (const std::string& other : others)
    if (Status removed = remove(other); !removed) all = std::move(removed);
  return all;
}

Status LogPins::remove_all() const {
  return remove(root_);
}

}  // namespace flowtap::kernel
