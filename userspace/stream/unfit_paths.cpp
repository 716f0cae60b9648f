#include "stream/unfit_paths.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/node/bpffs_hint.hpp"
#include "base/node/link_in_the_way.hpp"
#include "base/printable.hpp"
#include "base/with_hint.hpp"
#include "stream/sources/files/mount_types.hpp"
#include "stream/sources/files/path_walk.hpp"

namespace flowtap {
namespace {

// No process writes lines to their files.
constexpr auto kOfKernel =
    std::to_array<std::string_view>({"bpf", "cgroup", "cgroup2", "configfs", "debugfs", "efivarfs", "proc",
                                     "pstore", "securityfs", "sysfs", "tracefs"});

std::string kind_of(mode_t mode) {
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  if (S_ISFIFO(mode)) return "a named pipe";
  return S_ISSOCK(mode) ? "a socket" : "no file";
}

// Empty: nothing is against it.
std::string why_no_log_file(const PathWalk::Reached& reached, MountTypes& mounts) {
  const mode_t mode = reached.status.stx_mode;
  if (S_ISDIR(mode)) return "is a directory; list each file in it";
  if (!S_ISREG(mode)) return "is " + kind_of(mode) + ", of which nothing is captured; list a regular file";
  const auto type = mounts.type_of(reached.status.stx_mnt_id);
  if (type && std::ranges::find(kOfKernel, *type) != kOfKernel.end())
    return "is a file of the kernel (" + *type + "), to which no process writes a log; list another one";
  return {};
}

// A process that runs a script is one of its interpreter.
bool is_script(const Fd& place) {
  const Fd file(
      ::open(("/proc/self/fd/" + std::to_string(place.get())).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::array<char, 2> begin{};
  return file.valid() && ::read(file.get(), begin.data(), begin.size()) == std::ssize(begin) &&
         std::string_view(begin.data(), begin.size()) == "#!";
}

std::string why_no_executable(const PathWalk::Reached& reached) {
  const mode_t mode = reached.status.stx_mode;
  if (S_ISDIR(mode)) return "is a directory; list each executable in it";
  if (!S_ISREG(mode)) return "is " + kind_of(mode) + ", which no process can run; list an executable";
  if ((mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0)
    return "is not executable, so that no process can run it; list an executable";
  if (is_script(reached.place))
    return "is a script, and what runs is its interpreter; list its service in stream.units, or the file "
           "that it "
           "writes in stream.files";
  return {};
}

// Whatever a start would not make its own. They are flowtapd's own paths, and not the node's.
std::string why_no_output(const std::string& path) {
  if (const auto link = link_in_the_way("", path, Links::kNone))
    return with_hint({"cannot be written" + link->what, link->hint, 0});
  struct stat there{};
  if (::lstat(path.c_str(), &there) == 0)
    return S_ISREG(there.st_mode) ? "" : "is no regular file; name another one";
  const std::string above = path.substr(0, path.rfind('/'));
  if (!above.empty() && (::stat(above.c_str(), &there) != 0 || !S_ISDIR(there.st_mode)))
    return "is in no directory; make " + above + " first, or name another file";
  return {};
}

class Listing {
 public:
  void add(std::string_view key, const std::string& path, const std::string& why) {
    if (!why.empty()) all_.push_back(std::string(key) + ": " + in_quotes(path) + " " + why);
  }
  /// What the service itself will say of it, where `look` has nothing against it.
  template <typename Look>
  void add_listed(std::string_view key, const std::vector<std::string>& paths, PathWalk& walk,
                  const Look& look) {
    for (const std::string& path : paths) {
      const auto reached = walk.to(path);
      if (reached)
        add(key, path, look(*reached));
      else if (!is_nothing_there(reached.error()))
        add(key, path, "is not captured: " + reached.error().what);
    }
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(all_); }

 private:
  std::vector<std::string> all_;
};

}  // namespace

std::vector<std::string> unfit_paths(const StreamOptions& options, const std::string& host_root) {
  Listing unfit;
  auto walk = PathWalk::open(host_root);
  auto mounts = MountTypes::open();
  if (walk && mounts) {
    unfit.add_listed("stream.processes", options.sources.processes, *walk, why_no_executable);
    unfit.add_listed("stream.files", options.sources.files, *walk,
                     [&](const PathWalk::Reached& reached) { return why_no_log_file(reached, *mounts); });
  }
  const LineOptions::Schedulers& schedulers = options.lines.schedulers;
  if (schedulers.main_log.starts_with('/') && !schedulers.logs.empty())
    unfit.add("stream.main_log", schedulers.main_log, why_no_output(schedulers.main_log));
  struct stat there{};
  if (!options.record.empty() && ::lstat(options.record.c_str(), &there) == 0)
    unfit.add("stream.record", options.record,
              "is there already, and nothing is recorded over it; name another file");
  if (!options.bpffs.empty() && ::lstat(options.bpffs.c_str(), &there) == 0 &&
      (::stat(options.bpffs.c_str(), &there) != 0 || !S_ISDIR(there.st_mode)))
    unfit.add("stream.bpffs", options.bpffs, with_hint(bpffs_error("is no directory", options.bpffs)));
  return unfit.take();
}

}  // namespace flowtap
