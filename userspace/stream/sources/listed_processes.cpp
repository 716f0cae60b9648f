#include "stream/sources/listed_processes.hpp"

#include <cerrno>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/file.hpp"
#include "base/node/on_host.hpp"
#include "stream/sources/run_members.hpp"
#include "stream/sources/source_options.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;

using kernel::OpenFile;

static_assert(kMaxUnitBytes < FTAP_CGROUP_NAME);

// Slices within slices, as deep as the programs look (bpf/lib/log/listed.bpf.h).
constexpr int kMostSlices = 16;
// The tree of cgroups is walked only for the status.
constexpr unsigned kLooksPerWalk = 10;
// Ends are missed rarely, and a look at thousands of members takes tens of milliseconds.
constexpr unsigned kLooksPerReap = 20;

// Where the v2 hierarchy is mounted: the node's own, if several can be seen.
std::string find_cgroups(const std::string& host_root) {
  const auto mounts = read_file("/proc/self/mounts");
  if (!mounts) return {};
  std::string found;
  std::istringstream lines(*mounts);
  for (std::string device, path, type, rest; lines >> device >> path >> type && std::getline(lines, rest);) {
    if (type != "cgroup2") continue;
    if (host_root != "/" && path.starts_with(on_host(host_root, "/"))) return path;
    if (found.empty()) found = path;
  }
  return found;
}

}  // namespace

Result<ListedProcesses> ListedProcesses::open(const std::string& host_root, const kernel::LogLive& live,
                                              const kernel::OpenFiles& files, StreamSlots& slots,
                                              flow::LogConsumer& consumer) {
  FTAP_TRY_ASSIGN(walk, PathWalk::open(host_root));
  const std::string proc = on_host(host_root, "/proc/");
  struct stat mounts{};
  // Process 1 may be closed to us, as it holds capabilities that we lack. kthreadd never left the same namespace.
  if (::stat((proc + "1/ns/mnt").c_str(), &mounts) != 0 && ::stat((proc + "2/ns/mnt").c_str(), &mounts) != 0)
    return fail_errno(errno, errno == EACCES || errno == EPERM
                                 ? "cannot tell the node's mount namespace, which takes CAP_SYS_PTRACE"
                                 : "cannot tell the node's mount namespace");
  return ListedProcesses(std::move(walk), proc, find_cgroups(host_root),
                         static_cast<std::uint32_t>(mounts.st_ino), live, files, slots, consumer);
}

Status ListedProcesses::set(const std::vector<std::string>& units,
                            const std::vector<std::string>& executables) {
  units_.clear();
  for (const std::string& unit : units) units_[unit];
  executables_.set(executables);
  // The lists come first, so that whatever starts while we look is registered at its exec.
  FTAP_TRY(slots_->kernel().list_units(units));
  (void)executables_.find();
  FTAP_TRY(slots_->kernel().list_executables(executables_.known(), mounts_));
  find_units();
  return capture_running();
}

Status ListedProcesses::look(bool again) {
  const unsigned look = looks_++;
  if (look % kLooksPerWalk == 0) find_units();
  if (look % kLooksPerReap == 0) drop_ended(slots_->kernel(), proc_);
  if (executables_.find())
    FTAP_TRY(slots_->kernel().list_executables(executables_.known(), mounts_));
  else if (!again && !(no_slot_ && look % kLooksPerReap == 0))
    return {};
  return capture_running();
}

void ListedProcesses::find_units() {
  for (auto& [name, cgroups] : units_) cgroups.clear();
  if (cgroups_.empty() || units_.empty()) return;
  std::error_code error;
  fs::recursive_directory_iterator at(cgroups_, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (!at->is_directory(error)) continue;
    const std::string name = at->path().filename();
    if (const auto unit = units_.find(name); unit != units_.end() && at.depth() > 0) {
      struct stat status{};
      if (::stat(at->path().c_str(), &status) == 0) unit->second.emplace(status.st_ino, at->path());
    }
    if (!name.ends_with(".slice") || at.depth() >= kMostSlices) at.disable_recursion_pending();
  }
}

Status ListedProcesses::capture_running() {
  if (units_.empty() && executables_.empty()) return {};
  FTAP_TRY_ASSIGN(files, files_->list());
  std::set<std::pair<std::uint32_t, std::uint64_t>> taken;
  for (const flow::StreamSlot& slot : slots_->sweep()) {
    if (slot.ended) continue;
    if (slots_->has_owner(slot))
      taken.emplace(slot.device, slot.inode);
    else
      FTAP_TRY(slots_->end(slot));  // of a former run
  }
  no_slot_ = false;
  std::map<std::uint32_t, flow::Enter> enters;  // by pid
  std::set<std::pair<std::uint32_t, std::uint64_t>> unseen;
  for (const OpenFile& f : files) {
    if ((f.fd != 1 && f.fd != 2) || !f.can_be_tapped()) continue;
    const auto rule = rule_of(f);
    if (!rule || taken.contains({f.device, f.inode})) continue;
    flow::Enter& enter = enters[f.pid];
    enter.rule = *rule;
    enter.cgroup = f.cgroup;
    enter.pid = f.pid;
    enter.start_time = f.start_time;
    if (*rule == FTAP_RULE_UNIT)
      for (const auto& [name, cgroups] : units_)
        if (cgroups.contains(f.cgroup)) enter.cgroup_name = name;
    enter.outputs.at(f.fd - 1) = {0, f.inode, f.device, f.kind};
    if (f.kind == FTAP_KIND_FILE && !is_seen(f)) unseen.emplace(f.device, f.inode);
  }
  for (auto& [pid, enter] : enters) {
    if (enter.rule == FTAP_RULE_UNIT) (void)slots_->kernel().mark(enter.cgroup);
    auto& [out, err] = enter.outputs;
    const bool one_place = out.inode == err.inode && out.device == err.device;
    for (flow::Enter::Output* output : {&out, &err}) {
      if (output->inode == 0 || unseen.contains({output->device, output->inode})) continue;
      if (one_place && output == &err) {
        err.stream = out.stream;
        continue;
      }
      // The process that is looked at first has the output, as the one that began first does otherwise.
      if (!taken.emplace(output->device, output->inode).second) {
        *output = {};
        continue;
      }
      const std::uint32_t own = output == &out ? FTAP_STDOUT : FTAP_STDERR;
      const auto stream = slots_->kernel().open({.device = output->device,
                                                 .inode = output->inode,
                                                 .kind = output->kind,
                                                 .cgroup = enter.cgroup,
                                                 .pid = enter.pid,
                                                 .fds = one_place ? FTAP_STDOUT | FTAP_STDERR : own,
                                                 .rule = enter.rule,
                                                 .start_time = enter.start_time});
      if (stream)
        output->stream = *stream;
      else
        no_slot_ = true;
    }
    consumer_->enter(std::move(enter));
  }
  join_children(slots_->kernel(), proc_);
  return {};
}

bool ListedProcesses::is_seen(const OpenFile& output) const {
  const auto seen = live_->check_file(output);
  return seen || seen.error().code != ENOTSUP;
}

// Decides as the programs do: a process counts if it entered the unit, or if it is listed and did not start itself anew.
std::optional<ftap_log_rule> ListedProcesses::rule_of(const OpenFile& output) const {
  if (output.cgroup != output.parent_cgroup)
    for (const auto& [name, cgroups] : units_)
      if (cgroups.contains(output.cgroup)) return FTAP_RULE_UNIT;
  const bool listed = output.mounts == mounts_ && !output.runs_as_parent &&
                      executables_.contains({output.exe_device, output.exe_inode});
  return listed ? std::optional(FTAP_RULE_PROCESS) : std::nullopt;
}

std::vector<std::string> ListedProcesses::not_found() const {
  std::vector<std::string> all = executables_.not_found();
  for (const auto& [name, cgroups] : units_)
    if (cgroups.empty()) all.push_back(name);
  return all;
}

}  // namespace flowtap
