#include "tests/support/containers/swift_runtime.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/result.hpp"
#include "tests/support/argument_pointers.hpp"
#include "tests/support/containers/oci_bundle.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kBundleStays = 30ms;

// The one of a container's descriptors that an event is about.
enum What : std::uint32_t { kProcess, kOut, kErr };

struct Pipe {
  Fd read;
  Fd write;
};

Pipe make_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe: " + errno_text(errno));
  ::fcntl(fds[0], F_SETFL, O_NONBLOCK);
  return {Fd(fds[0]), Fd(fds[1])};
}

// Forks into namespaces and a cgroup; returns the child's pidfd, or nothing in the child.
Fd fork_into(const Fd& cgroup) {
  int process = -1;
  clone_args args{};
  args.flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_INTO_CGROUP | CLONE_PIDFD;
  args.pidfd = reinterpret_cast<std::uint64_t>(&process);
  args.exit_signal = SIGCHLD;
  args.cgroup = static_cast<std::uint64_t>(cgroup.get());
  const long pid = ::syscall(SYS_clone3, &args, sizeof(args));
  if (pid < 0) throw std::runtime_error("cannot start a container: " + errno_text(errno));
  return pid == 0 ? Fd() : Fd(process);
}

}  // namespace

SwiftRuntime::SwiftRuntime(const ScratchRoot& root, const std::string& pod_uid)
    : root_(root),
      pod_("flowtap-test-" + std::to_string(::getpid()) + "/besteffort/pod" + pod_uid),
      events_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!events_.valid()) throw std::runtime_error("no epoll: " + errno_text(errno));
  fs::create_directories(root.file("var/log/containers"));
}

std::string SwiftRuntime::bundle(const std::string& id) const {
  return root_.file("run/containerd/io.containerd.runtime.v2.task/k8s.io/" + id);
}

void SwiftRuntime::watch(const Fd& fd, std::size_t number, std::uint32_t what) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = number * 4 + what;
  if (::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd.get(), &event) != 0)
    throw std::runtime_error("cannot watch a container: " + errno_text(errno));
}

SwiftRuntime::Running SwiftRuntime::start(const Container& container, std::size_t number) {
  const std::string cgroup = pod_.path() + "/" + container.id;
  fs::create_directories(bundle(container.id));
  std::ofstream(bundle(container.id) + "/config.json") << boost::json::serialize(oci_config(
      {.root = "/", .command = container.argv, .cgroup = cgroup, .annotations = container.annotations}));
  const std::string logs = root_.file(container.log_directory) + "/" +
                           container.annotations.at("io.kubernetes.cri.container-name");
  fs::create_directories(logs);
  std::ofstream(logs + "/0.log") << "";
  if (::mkdir(cgroup.c_str(), 0755) != 0) throw std::runtime_error("cannot make " + cgroup);
  const Fd directory(::open(cgroup.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  auto argv = argument_pointers(container.argv);
  Fd process = fork_into(directory);
  if (!process.valid()) {
    char* const no_environment = nullptr;
    if (::dup2(out.write.get(), STDOUT_FILENO) >= 0 && ::dup2(err.write.get(), STDERR_FILENO) >= 0)
      ::execve(argv.front(), argv.data(), &no_environment);
    ::_exit(127);
  }
  link_log(container);
  watch(process, number, kProcess);
  watch(out.read, number, kOut);
  watch(err.read, number, kErr);
  return {number, std::move(process), std::move(out.read), std::move(err.read)};
}

// The only place with the container's name after its bundle is gone, until its pod is deleted.
void SwiftRuntime::link_log(const Container& container) const {
  const auto value = [&container](const char* key) {
    return container.annotations.at(std::string("io.kubernetes.cri.") + key);
  };
  fs::create_symlink(
      "/" + container.log_directory + "/" + value("container-name") + "/0.log",
      root_.file("var/log/containers/" + value("sandbox-name") + "_" + value("sandbox-namespace") + "_" +
                 value("container-name") + "-" + container.id + ".log"));
}

void SwiftRuntime::take(Running& running, std::uint32_t what, Life& life) {
  // epoll goes on reporting a descriptor that is closed here, as long as a child before its exec has it open (epoll(7),
  // Q6).
  if (what == kProcess) {
    if (!running.process.valid()) return;
    siginfo_t info{};
    if (::waitid(P_PIDFD, static_cast<id_t>(running.process.get()), &info, WEXITED) != 0)
      throw std::runtime_error("a container is gone: " + errno_text(errno));
    life.status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
    running.exited = Clock::now();
    running.process.reset();
    return;
  }
  Fd& fd = what == kOut ? running.out : running.err;
  if (!fd.valid()) return;
  std::array<char, 32768> buffer;
  const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
  if (n > 0) (what == kOut ? life.out : life.err).append(buffer.data(), static_cast<std::size_t>(n));
  if (n == 0) fd.reset();
}

void SwiftRuntime::remove(const Container& container) const {
  const std::string cgroup = pod_.path() + "/" + container.id;
  remove_cgroup(cgroup);
  fs::remove_all(bundle(container.id));
}

std::vector<SwiftRuntime::Life> SwiftRuntime::run(const std::vector<Container>& containers,
                                                  std::size_t together) {
  std::vector<Life> lives(containers.size());
  std::deque<std::pair<Clock::time_point, std::size_t>> exited;
  std::size_t next = 0;
  while (next < containers.size() || !running_.empty() || !exited.empty()) {
    if (next < containers.size() && running_.size() < together) {
      running_.emplace(next, start(containers[next], next));
      ++next;
    }
    const bool may_start = next < containers.size() && running_.size() < together;
    std::array<epoll_event, 64> ready{};
    const int n =
        ::epoll_wait(events_.get(), ready.data(), static_cast<int>(ready.size()), may_start ? 0 : 10);
    for (int i = 0; i < n; ++i) {
      const std::uint64_t key = ready.at(static_cast<std::size_t>(i)).data.u64;
      const auto at = running_.find(key / 4);
      if (at == running_.end()) continue;
      Running& running = at->second;
      take(running, key % 4, lives[running.number]);
      if (running.process.valid() || running.out.valid() || running.err.valid()) continue;
      exited.emplace_back(running.exited, running.number);
      running_.erase(at);
    }
    while (!exited.empty() && Clock::now() - exited.front().first >= kBundleStays) {
      remove(containers[exited.front().second]);
      exited.pop_front();
    }
  }
  return lives;
}

}  // namespace flowtap::test
