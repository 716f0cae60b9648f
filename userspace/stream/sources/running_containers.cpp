#include "stream/sources/running_containers.hpp"

#include <algorithm>
#include <map>

namespace flowtap {
namespace {

using kernel::OpenFile;
using Place = std::pair<std::uint32_t, std::uint64_t>;  // device, inode

// Which cgroups read a pipe.
using Readers = std::multimap<Place, std::uint64_t>;

Readers readers_of_pipes(const std::vector<OpenFile>& files) {
  Readers readers;
  for (const OpenFile& f : files)
    if (f.kind == FTAP_KIND_PIPE && f.readable) readers.emplace(Place{f.device, f.inode}, f.cgroup);
  return readers;
}

bool read_from_outside(const Readers& readers, const OpenFile& pipe) {
  const auto [first, last] = readers.equal_range({pipe.device, pipe.inode});
  return std::any_of(first, last, [&pipe](const auto& reader) { return reader.second != pipe.cgroup; });
}

// A container may pipe its output through a program of its own (`exec > >(tee log)`). Its runtime then reads what that program
// writes to the same descriptor. The program began with the container; whoever joins it later (a shell) has pipes of its own.
const OpenFile* passed_on(const std::vector<OpenFile>& files, const Readers& readers,
                          const flow::Enter& enter, std::uint32_t fd) {
  constexpr std::uint64_t kBeginsWithIt = 10'000'000'000;  // ns
  const OpenFile* oldest = nullptr;
  for (const OpenFile& f : files) {
    if (f.cgroup != enter.cgroup || f.fd != fd || f.kind != FTAP_KIND_PIPE || f.enters_container ||
        f.start_time - enter.start_time > kBeginsWithIt || !read_from_outside(readers, f))
      continue;
    if (oldest == nullptr || f.start_time < oldest->start_time) oldest = &f;
  }
  return oldest;
}

using Containers = std::map<std::uint64_t, RunningContainer>;  // by cgroup

// A process that was put into a cgroup below a container's, and into that container's mount namespace, joins it (a probe, a
// shell).
void leave_out_joined(Containers& containers) {
  std::map<std::uint32_t, const RunningContainer*> first;
  for (const auto& [cgroup, one] : containers) {
    const RunningContainer*& at = first[one.mounts];
    if (at == nullptr || one.start_time < at->start_time) at = &one;
  }
  std::erase_if(containers, [&first](const auto& one) {
    const RunningContainer& container = one.second;
    return container.mounts != 0 && first.at(container.mounts) != &container;
  });
}

// Marks what was started within a container, in a cgroup below that one's.
void note_nested(Containers& containers, const std::vector<OpenFile>& files) {
  std::map<std::uint64_t, const OpenFile*> of;  // one file of each cgroup, which tells what is above it
  for (const OpenFile& f : files) of.emplace(f.cgroup, &f);
  const auto is_within = [&of](std::uint64_t cgroup, std::uint64_t container) {
    if (cgroup == container) return true;
    const auto at = of.find(cgroup);
    return at != of.end() && std::ranges::count(at->second->cgroups_above, container) > 0;
  };
  for (const OpenFile& f : files) {
    const auto at = containers.find(f.cgroup);
    if (at == containers.end() || at->second.pid != f.pid) continue;
    for (const std::uint64_t above : f.cgroups_above)
      if (above != 0 && containers.contains(above)) {
        at->second.nested = is_within(f.parent_cgroup, above);
        break;
      }
  }
}

}  // namespace

std::vector<RunningContainer> find_running_containers(const std::vector<OpenFile>& files) {
  const Readers readers = readers_of_pipes(files);
  Containers by_cgroup;
  for (const OpenFile& f : files) {
    if (!f.enters_container || f.cgroup == 0 || (f.fd != 1 && f.fd != 2)) continue;
    const auto [at, fresh] = by_cgroup.try_emplace(f.cgroup);
    RunningContainer& enter = at->second;
    // Processes that joined later (exec probes, shells) have pipes of their own.
    if (!fresh && enter.pid != f.pid && enter.start_time <= f.start_time) continue;
    if (fresh || enter.pid != f.pid) {
      enter = {};
      enter.cgroup = f.cgroup;
      enter.pid = f.pid;
      enter.start_time = f.start_time;
      enter.mounts = f.mounts;
    }
    const bool inner_pipe = f.kind == FTAP_KIND_PIPE && !read_from_outside(readers, f);
    enter.outputs.at(f.fd - 1) = {0, f.inode, f.device, inner_pipe ? FTAP_KIND_OTHER : f.kind};
  }
  leave_out_joined(by_cgroup);
  note_nested(by_cgroup, files);
  std::vector<RunningContainer> all;
  all.reserve(by_cgroup.size());
  for (auto& [cgroup, enter] : by_cgroup) {
    for (const std::uint32_t fd : {1U, 2U}) {
      flow::Enter::Output& output = enter.outputs.at(fd - 1);
      if (output.kind != FTAP_KIND_OTHER) continue;
      if (const OpenFile* pipe = passed_on(files, readers, enter, fd))
        output = {0, pipe->inode, pipe->device, FTAP_KIND_PIPE};
    }
    all.push_back(std::move(enter));
  }
  return all;
}

}  // namespace flowtap
