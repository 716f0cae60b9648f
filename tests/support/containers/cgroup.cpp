#include "tests/support/containers/cgroup.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/result.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap::test {
namespace {

std::string v2_root() {
  std::ifstream mounts("/proc/self/mounts");
  std::string line;
  while (std::getline(mounts, line)) {
    std::istringstream fields(line);
    std::string device;
    std::string path;
    std::string type;
    fields >> device >> path >> type;
    if (type == "cgroup2") return path;
  }
  throw std::runtime_error("no cgroup v2 hierarchy is mounted");
}

}  // namespace

ScratchCgroup::ScratchCgroup() : ScratchCgroup("flowtap-test-" + std::to_string(::getpid())) {}

ScratchCgroup::ScratchCgroup(const std::string& path) : ScratchCgroup(path, v2_root()) {}

ScratchCgroup::ScratchCgroup(const std::string& path, std::string top) : path_(std::move(top)) {
  std::istringstream names(path);
  levels_ = 0;
  for (std::string name; std::getline(names, name, '/'); ++levels_) {
    path_ += "/" + name;
    if (::mkdir(path_.c_str(), 0755) != 0 && errno != EEXIST)
      throw std::runtime_error("cannot make " + path_ + ": " + errno_text(errno));
  }
}

ScratchCgroup::~ScratchCgroup() {
  for (; levels_ > 0; --levels_, path_.resize(path_.rfind('/'))) remove_cgroup(path_);
}

void remove_cgroup(const std::string& path) {
  // The last task leaves the cgroup only when the kernel reaps it, a moment after its exit was seen.
  (void)eventually([&path] { return ::rmdir(path.c_str()) == 0 || errno != EBUSY; },
                   std::chrono::seconds(10));
}

std::uint64_t ScratchCgroup::id() const {
  struct stat st{};
  if (::stat(path_.c_str(), &st) != 0) throw std::runtime_error("cannot stat " + path_);
  return st.st_ino;
}

void ScratchCgroup::join() const {
  std::ofstream procs(path_ + "/cgroup.procs");
  procs << ::getpid() << std::flush;
  if (!procs) throw std::runtime_error("cannot join " + path_);
}

std::vector<pid_t> ScratchCgroup::tasks() const {
  std::ifstream procs(path_ + "/cgroup.threads");
  std::vector<pid_t> tasks;
  for (pid_t task = 0; procs >> task;) tasks.push_back(task);
  return tasks;
}

}  // namespace flowtap::test
