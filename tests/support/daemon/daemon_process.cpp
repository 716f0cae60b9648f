#include "tests/support/daemon/daemon_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/result.hpp"
#include "tests/support/argument_pointers.hpp"

namespace flowtap::test {
namespace {

constexpr int kCannotStart = 127;  // the status that a shell uses

void redirect(int fd, const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (file < 0 || ::dup2(file, fd) < 0) ::_exit(kCannotStart);
}

}  // namespace

Process::Process(const Command& command) : err_(command.err) {
  auto words = argument_pointers(command.argv);
  // Ours come first, as the program sees the first of two values for one name.
  std::vector<std::string> env = command.env;
  for (char** own = environ; *own != nullptr; ++own) env.emplace_back(*own);
  auto variables = argument_pointers(env);

  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("cannot fork: " + errno_text(errno));
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    redirect(STDIN_FILENO, command.in, O_RDONLY);
    redirect(STDOUT_FILENO, command.out, O_WRONLY | O_CREAT | O_APPEND);
    redirect(STDERR_FILENO, command.err, O_WRONLY | O_CREAT | O_APPEND);
    if (command.before_exec) command.before_exec();
    ::execve(words.front(), words.data(), variables.data());
    ::_exit(kCannotStart);
  }
  pidfd_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0U)));
  if (!pidfd_.valid()) throw std::runtime_error("cannot watch a child: " + errno_text(errno));
}

Process::~Process() {
  if (status_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Process::signal(int number) const {
  // It is not reaped yet, so the pid still belongs to it.
  if (!status_) ::kill(pid_, number);
}

std::optional<int> Process::wait(std::chrono::milliseconds limit) {
  if (status_) return status_;
  pollfd ended{pidfd_.get(), POLLIN, 0};
  if (::poll(&ended, 1, static_cast<int>(limit.count())) != 1) return std::nullopt;
  int status = 0;
  if (::waitpid(pid_, &status, 0) != pid_) return std::nullopt;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_;
}

std::string Process::last_words() const {
  constexpr std::streamoff kMost = 1000;
  std::ifstream in(err_, std::ios::ate);
  const std::streamoff size = in.tellg();
  in.seekg(std::max<std::streamoff>(size - kMost, 0));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace flowtap::test
