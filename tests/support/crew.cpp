#include "tests/support/crew.hpp"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/support/eventually.hpp"

namespace flowtap::test {
namespace {

constexpr int kAttempts = 3000;  // more than a minute, for the slowest virtual machine

[[noreturn]] void sleep_for_ever() {
  while (true) ::pause();
}

// Absent while the task runs or waits for a CPU, or if it is gone.
std::optional<SwitchCounts> sleeping_counts(pid_t task) {
  std::ifstream status("/proc/" + std::to_string(task) + "/status");
  SwitchCounts counts;
  bool asleep = false;
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("State:")) asleep = line.find("S (sleeping)") != std::string::npos;
    if (line.starts_with("voluntary_ctxt_switches:")) counts.voluntary = std::stoull(line.substr(24));
    if (line.starts_with("nonvoluntary_ctxt_switches:")) counts.nonvoluntary = std::stoull(line.substr(27));
  }
  counts.tasks = 1;
  return asleep ? std::optional(counts) : std::nullopt;
}

std::optional<SwitchCounts> sleeping_counts(const std::vector<pid_t>& tasks) {
  SwitchCounts all;
  for (const pid_t task : tasks) {
    const auto one = sleeping_counts(task);
    if (!one) return std::nullopt;
    all.voluntary += one->voluntary;
    all.nonvoluntary += one->nonvoluntary;
    ++all.tasks;
  }
  return all;
}

}  // namespace

void Hands::thread(std::function<void()> work) {
  threads_.emplace_back([this, work = std::move(work)] {
    work();
    ++done_;
    done_.notify_all();
    sleep_for_ever();
  });
}

void Hands::process(const std::function<void()>& work) {
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("cannot fork");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    work();
    sleep_for_ever();
  }
}

void Hands::wait() {
  for (std::size_t done = done_; done < threads_.size(); done = done_) done_.wait(done);
}

void pin_to(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (::sched_setaffinity(0, sizeof(set), &set) != 0) throw std::runtime_error("cannot set the CPU affinity");
}

std::vector<int> online_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) != 0)
    throw std::runtime_error("cannot read the CPU affinity");
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

Crew::Crew(const std::vector<Job>& jobs) {
  void* shared = ::mmap(nullptr, sizeof(*wanted_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::runtime_error("cannot share memory with the crew");
  wanted_ = new (shared) std::atomic<bool>(false);
  if (::pipe(go_.data()) != 0 || ::pipe(done_.data()) != 0) throw std::runtime_error("cannot make pipes");
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("cannot fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    cgroup_.join();
    char c = 0;
    auto* hands = new Hands(*wanted_);  // never destroyed: its threads sleep until the process is killed
    for (const Job& job : jobs) {
      if (::read(go_[0], &c, 1) != 1) ::_exit(1);
      job(*hands);
      if (::write(done_[1], &c, 1) != 1) ::_exit(1);
    }
    sleep_for_ever();
  }
  if (!eventually([this] { return !cgroup_.tasks().empty(); }))
    throw std::runtime_error("the crew does not begin");
}

Crew::~Crew() {
  for (const pid_t task : cgroup_.tasks()) ::kill(task, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  for (const int fd : {go_[0], go_[1], done_[0], done_[1]}) ::close(fd);
  ::munmap(wanted_, sizeof(*wanted_));
}

void Crew::go() {
  if (::write(go_[1], "g", 1) != 1) throw std::runtime_error("cannot start the crew");
}

bool Crew::busy() const {
  if (::waitpid(pid_, nullptr, WNOHANG) != 0) throw std::runtime_error("the crew has died");
  pollfd fd{done_[0], POLLIN, 0};
  return ::poll(&fd, 1, 0) == 0;
}

void Crew::finish() const {
  while (busy()) ::usleep(1000);
  char c = 0;
  if (::read(done_[0], &c, 1) != 1) throw std::runtime_error("the crew has died");
}

void Crew::want_more(bool more) {
  *wanted_ = more;
}

SwitchCounts Crew::quiesce() const {
  // The counts are the same twice, and all tasks sleep: nothing happened in between.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto first = sleeping_counts(cgroup_.tasks());
    ::usleep(20'000);
    const auto second = sleeping_counts(cgroup_.tasks());
    if (first && first == second) return *first;
  }
  throw std::runtime_error("a task of the crew has died or does not come to rest");
}

}  // namespace flowtap::test
