#include "tests/support/daemon/memory_limit.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/result.hpp"
#include "tests/support/containers/cgroup.hpp"

namespace flowtap::test {
namespace {

void put(const std::string& file, std::uint64_t value) {
  std::ofstream out(file);
  out << value << std::flush;
  if (!out) throw std::runtime_error("cannot write " + std::to_string(value) + " to " + file);
}

// The mount point of the memory controller of v1; empty: the controller belongs to v2.
std::string v1_memory() {
  std::ifstream mounts("/proc/self/mounts");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string device, path, type, options;
    fields >> device >> path >> type >> options;
    if (type == "cgroup" && ("," + options + ",").find(",memory,") != std::string::npos) return path;
  }
  return {};
}

const std::string kV2 = "/sys/fs/cgroup";

std::uint64_t kills_in(const std::string& file) {
  std::ifstream events(file);
  std::string name;
  for (std::uint64_t value = 0; events >> name >> value;)
    if (name == "oom_kill") return value;
  throw std::runtime_error(file + " does not tell of kills");
}

// Below the root.
std::string v2_cgroup(pid_t pid) {
  std::ifstream groups("/proc/" + std::to_string(pid) + "/cgroup");
  for (std::string line; std::getline(groups, line);)
    if (line.starts_with("0::/")) return line.substr(3);
  throw std::runtime_error("process " + std::to_string(pid) + " is in no cgroup of v2");
}

}  // namespace

MemoryLimit::MemoryLimit(pid_t pid, std::uint64_t bytes) {
  const std::string v1 = v1_memory();
  if (v1.empty()) {
    const std::string group = v2_cgroup(pid);
    path_ = kV2 + group;
    // The container's own file goes with it; the events of an ancestor include all cgroups below.
    events_ = kV2 + group.substr(0, group.find('/', 1)) + "/memory.events";
    before_ = kills();
    put(path_ + "/memory.max", bytes);
    return;
  }
  path_ = v1 + "/flowtap-test-" + std::to_string(pid);
  events_ = path_ + "/memory.oom_control";
  if (::mkdir(path_.c_str(), 0755) != 0)
    throw std::runtime_error("cannot make " + path_ + ": " + errno_text(errno));
  own_ = true;
  put(path_ + "/memory.limit_in_bytes", bytes);
  put(path_ + "/cgroup.procs", static_cast<std::uint64_t>(pid));
}

MemoryLimit::~MemoryLimit() {
  if (own_) remove_cgroup(path_);
}

std::uint64_t MemoryLimit::kills() const {
  return kills_in(events_) - before_;
}

MemoryCgroup::MemoryCgroup(std::uint64_t bytes) {
  const std::string v1 = v1_memory();
  path_ = (v1.empty() ? kV2 : v1) + "/flowtap-test-memory-" + std::to_string(::getpid());
  events_ = path_ + (v1.empty() ? "/memory.events" : "/memory.oom_control");
  if (::mkdir(path_.c_str(), 0755) != 0 && errno != EEXIST)
    throw std::runtime_error("cannot make " + path_ + ": " + errno_text(errno));
  limit_ = path_ + (v1.empty() ? "/memory.max" : "/memory.limit_in_bytes");
  limit(bytes);
}

void MemoryCgroup::limit(std::uint64_t bytes) const {
  put(limit_, bytes);
}

MemoryCgroup::~MemoryCgroup() {
  remove_cgroup(path_);
}

void MemoryCgroup::join() const {
  std::ofstream procs(path_ + "/cgroup.procs");
  procs << 0 << std::flush;
  if (!procs) ::_exit(1);
}

std::uint64_t MemoryCgroup::kills() const {
  return kills_in(events_);
}

}  // namespace flowtap::test
