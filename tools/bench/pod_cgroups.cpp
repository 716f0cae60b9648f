#include "tools/bench/pod_cgroups.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/fd.hpp"

namespace flowtap::bench {
namespace {

using namespace std::chrono_literals;

std::string cgroup_root() {
  for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
    if (::access((std::string(root) + "/cgroup.procs").c_str(), F_OK) == 0) return root;
  return {};
}

bool write_text(const std::string& file, const std::string& text) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.valid() && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

Result<std::unique_ptr<PodCgroups>> PodCgroups::make() {
  const std::string root = cgroup_root();
  if (root.empty()) return fail("no cgroup v2 hierarchy is mounted");
  static int number = 0;
  std::unique_ptr<PodCgroups> self(new PodCgroups);
  self->parent_ = fmt::format("{}/flowtap-bench-{}-{}", root, ::getpid(), number++);
  for (const char* part : {"", "/kubepods", "/besteffort"}) {
    self->parent_ += part;
    if (::mkdir(self->parent_.c_str(), 0755) != 0) return fail_errno(errno, "cannot make " + self->parent_);
    self->directories_.push_back(self->parent_);
  }
  return self;
}

Result<std::string> PodCgroups::add(std::size_t number) {
  // As the cgroupfs driver has them: pod<uid>/<64 hex>.
  const std::string pod = fmt::format("{}/pod{:08x}-0000-4000-8000-000000000000", parent_, number);
  std::string container = fmt::format("{}/{}{:08x}{:052x}", pod, kIdStart, number, 0);
  for (const std::string& directory : {pod, container}) {
    if (::mkdir(directory.c_str(), 0755) != 0) return fail_errno(errno, "cannot make " + directory);
    directories_.push_back(directory);
  }
  return container;
}

PodCgroups::~PodCgroups() {
  // The last task leaves a cgroup a moment after its exit was seen.
  for (auto directory = directories_.rbegin(); directory != directories_.rend(); ++directory)
    for (int i = 0; i < 100 && ::rmdir(directory->c_str()) != 0 && errno == EBUSY; ++i)
      std::this_thread::sleep_for(10ms);
}

void enter_pod(const std::string& cgroup, int output) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = ::open("/dev/null", O_RDWR);
  if (!write_text(cgroup + "/cgroup.procs", "0") || ::unshare(CLONE_NEWNS) != 0 || null < 0 ||
      ::dup2(null, STDIN_FILENO) < 0 || ::dup2(output, STDOUT_FILENO) < 0 || ::dup2(null, STDERR_FILENO) < 0)
    ::_exit(126);
}

}  // namespace flowtap::bench
