#include "tools/bench/load/pods.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

#include "tools/bench/load/line_pipe.hpp"

namespace flowtap::bench {
namespace {

using namespace std::chrono_literals;

constexpr const char* kPodArgument = "--pod";

bool write_line(const char (&line)[kLine]) {
  return ::write(STDOUT_FILENO, line, kLine) == static_cast<ssize_t>(kLine);
}

}  // namespace

void Pods::be_one(int argc, char** argv) {
  if (argc != 4 || std::string_view(argv[1]) != kPodArgument) return;
  std::uint64_t lines = 0;
  const std::string_view number = argv[2];
  std::from_chars(number.data(), number.data() + number.size(), lines);
  const bool ticking = std::string_view(argv[3]) == "1";
  char line[kLine];
  first_line(line);
  for (; lines > 0; --lines, next_line(line))
    if (!write_line(line)) ::_exit(1);
  for (auto next = std::chrono::steady_clock::now(); ticking; next += 1s, next_line(line)) {
    std::this_thread::sleep_until(next);
    if (!write_line(line)) ::_exit(1);
  }
  for (;;) ::pause();
}

Result<std::unique_ptr<Pods>> Pods::start(std::size_t count, Load load, std::chrono::milliseconds spread) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  std::unique_ptr<Pods> self(new Pods);
  FTAP_TRY_ASSIGN(cgroups, PodCgroups::make());
  self->cgroups_ = std::move(cgroups);
  std::vector<Fd> outputs;
  for (std::size_t i = 0; i < count; ++i) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
    self->pods_.push_back({.pid = -1, .out = Fd(ends[0])});
    outputs.emplace_back(ends[1]);
  }
  self->reader_ = std::thread([all = self.get()] { all->read_all(); });
  for (std::size_t i = 0; i < count; ++i) {
    FTAP_TRY(self->begin(i, load, std::move(outputs[i])));
    std::this_thread::sleep_for(spread / count);
  }
  return self;
}

Status Pods::begin(std::size_t number, Load load, Fd output) {
  FTAP_TRY_ASSIGN(cgroup, cgroups_->add(number));
  pid_t& pid = pods_[number].pid;
  pid = ::fork();
  if (pid < 0) return fail_errno(errno, "cannot fork");
  if (pid > 0) return {};
  enter_pod(cgroup, output.get(), load.network);
  ::execl("/proc/self/exe", "pod", kPodArgument, std::to_string(load.lines).c_str(), load.ticking ? "1" : "0",
          nullptr);
  ::_exit(127);
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
}

}  // namespace flowtap::bench
