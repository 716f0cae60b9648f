#include "telemetry/workloads/files/inner_cgroups.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/directory.hpp"
#include "telemetry/workloads/files/cgroup_files.hpp"
#include "telemetry/workloads/files/open_beneath.hpp"

namespace flowtap::telemetry {
namespace {

// It was removed meanwhile.
bool has_gone(int error) {
  return error == ENOENT || error == ENODEV;
}

}  // namespace

bool InnerCgroups::list_one(const Fd& top, const std::string& path) {
  Fd directory = open_beneath(top, path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat there{};
  if (!directory.valid() || ::fstat(directory.get(), &there) != 0) return has_gone(errno);
  // A directory has a link from each one that it contains, and two more (kernfs counts like others).
  if (there.st_nlink <= 2) return true;
  const DirectoryStream stream = directory_stream(std::move(directory));
  if (!stream) return false;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): a stream of our own
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name(entry->d_name);
    if (entry->d_type != DT_DIR || name == "." || name == "..") continue;
    if (paths_.size() >= kMost) return false;
    paths_.push_back(path + entry->d_name + '/');
  }
  return true;
}

bool InnerCgroups::list(const Fd& top) {
  paths_.clear();
  bool all = list_one(top, {});
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    // This is a copy, since the list grows.
    const std::string path = paths_[i];
    const auto depth = static_cast<std::size_t>(std::ranges::count(path, '/'));
    all = depth <= kDeepest && list_one(top, path) && all;
  }
  return all;
}

InnerCgroups::Processes InnerCgroups::processes(const Fd& top, CgroupFileSource& source) const {
  Processes sum;
  for (const std::string& path : paths_) {
    const Fd file =
        open_beneath(top, (path + "cgroup.procs").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    std::string_view text;
    const int error = file.valid() ? source.read(file.get(), text) : errno;
    // A threaded cgroup: the one above counts its processes.
    if (error == EOPNOTSUPP) continue;
    CgroupValues values;
    const bool read = error == 0 && parse_processes(text, values);
    sum.whole = sum.whole && read;
    sum.failed = sum.failed || (!read && !has_gone(error));
    if (!read) continue;
    sum.count += values[CgroupGauge::kProcesses].value_or(0);
    // Takes the oldest of each cgroup, and of these the one with the lowest number: as a rule it started the others.
    if (const auto pid = values[CgroupGauge::kFirstPid])
      sum.lowest = std::min(*pid, sum.lowest.value_or(*pid));
  }
  return sum;
}

void InnerCgroups::read(const Fd& top, bool look, CgroupFileSource& source, CgroupValues& out,
                        std::uint64_t& unread) {
  bool listed = look;
  if (look) all_ = list(top);
  Processes sum = processes(top, source);
  if (!look && (!sum.whole || !sum.lowest)) {
    listed = true;
    all_ = list(top);
    sum = processes(top, source);
  }
  auto& first = out[CgroupGauge::kFirstPid];
  if (!first) first = sum.lowest;
  auto& count = out[CgroupGauge::kProcesses];
  if (!all_ || sum.failed)
    count.reset();
  else if (count)
    *count += sum.count;
  unread += sum.failed || (listed && !all_) ? 1 : 0;
}

}  // namespace flowtap::telemetry
