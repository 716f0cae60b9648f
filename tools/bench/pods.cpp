#include "tools/bench/pods.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "tools/bench/line_pipe.hpp"

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

[[noreturn]] void enter(const std::string& cgroup, int output) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = ::open("/dev/null", O_RDWR);
  if (!write_text(cgroup + "/cgroup.procs", "0") || ::unshare(CLONE_NEWNS) != 0 || null < 0 ||
      ::dup2(null, STDIN_FILENO) < 0 || ::dup2(output, STDOUT_FILENO) < 0 || ::dup2(null, STDERR_FILENO) < 0)
    ::_exit(126);
  ::execl("/proc/self/exe", "pod", Pods::kArgument, nullptr);
  ::_exit(127);
}

}  // namespace

void Pods::be_one() {
  char line[kLine];
  first_line(line);
  for (auto next = std::chrono::steady_clock::now();; next += 1s, next_line(line)) {
    std::this_thread::sleep_until(next);
    if (::write(STDOUT_FILENO, line, kLine) != static_cast<ssize_t>(kLine)) ::_exit(1);
  }
}

Status Pods::add(const std::string& parent, std::size_t number) {
  // As the cgroupfs driver has them: pod<uid>/<64 hex>.
  const std::string pod = fmt::format("{}/pod{:08x}-0000-4000-8000-000000000000", parent, number);
  const std::string container = fmt::format("{}/{}{:08x}{:052x}", pod, kIdStart, number, 0);
  for (const std::string& directory : {pod, container}) {
    if (::mkdir(directory.c_str(), 0755) != 0) return fail_errno(errno, "cannot make " + directory);
    directories_.push_back(directory);
  }
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
  Pod& added = pods_.emplace_back(Pod{.cgroup = container, .pid = -1, .out = Fd(ends[0])});
  const Fd in(ends[1]);
  added.pid = ::fork();
  if (added.pid < 0) return fail_errno(errno, "cannot fork");
  if (added.pid == 0) enter(container, in.get());
  return {};
}

Result<std::unique_ptr<Pods>> Pods::start(std::size_t count) {
  const std::string root = cgroup_root();
  if (root.empty()) return fail("no cgroup v2 hierarchy is mounted");
  std::unique_ptr<Pods> self(new Pods);
  std::string parent = fmt::format("{}/flowtap-bench-{}", root, ::getpid());
  for (const char* part : {"", "/kubepods", "/besteffort"}) {
    parent += part;
    if (::mkdir(parent.c_str(), 0755) != 0) return fail_errno(errno, "cannot make " + parent);
    self->directories_.push_back(parent);
  }
  self->pods_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    FTAP_TRY(self->add(parent, i));
    std::this_thread::sleep_for(1s / count);
  }
  self->reader_ = std::thread([all = self.get()] { all->read_all(); });
  return self;
}

void Pods::read_all() noexcept {
  std::vector<pollfd> open;
  open.reserve(pods_.size());
  for (const Pod& pod : pods_) open.push_back({pod.out.get(), POLLIN, 0});
  std::vector<char> buffer(kShimRead);
  while (!open.empty() && ::poll(open.data(), open.size(), -1) >= 0)
    std::erase_if(open, [&](const pollfd& one) {
      if (one.revents == 0) return false;
      const ssize_t n = ::read(one.fd, buffer.data(), buffer.size());
      if (n > 0) bytes_ += static_cast<std::uint64_t>(n);
      return n <= 0;
    });
}

std::uint64_t Pods::stop() {
  for (Pod& pod : pods_) {
    if (pod.pid <= 0) continue;
    ::kill(pod.pid, SIGKILL);
    ::waitpid(pod.pid, nullptr, 0);
    pod.pid = -1;
  }
  if (reader_.joinable()) reader_.join();
  return bytes_;
}

Pods::~Pods() {
  stop();
  // The last task leaves a cgroup a moment after its exit was seen.
  for (auto directory = directories_.rbegin(); directory != directories_.rend(); ++directory)
    for (int i = 0; i < 100 && ::rmdir(directory->c_str()) != 0 && errno == EBUSY; ++i)
      std::this_thread::sleep_for(10ms);
}

}  // namespace flowtap::bench
