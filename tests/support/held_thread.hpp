// Holds one thread of another process at its next system call of a kind, as if that call did not return.
#pragma once

#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace flowtap::test {

class HeldThread {
 public:
  /// `name` is the text of /proc/PID/task/TID/comm. Throws std::runtime_error if there is no such thread, or if it
  /// cannot be held.
  HeldThread(pid_t process, const std::string& name, long call) : thread_(find(process, name)) {
    if (::ptrace(PTRACE_SEIZE, thread_, nullptr, PTRACE_O_TRACESYSGOOD) != 0 ||
        ::ptrace(PTRACE_INTERRUPT, thread_, nullptr, nullptr) != 0)
      throw std::runtime_error("cannot trace " + name);
    while (!stands_before(call))
      if (::ptrace(PTRACE_SYSCALL, thread_, nullptr, nullptr) != 0)
        throw std::runtime_error("cannot go on with " + name);
  }
  ~HeldThread() { ::ptrace(PTRACE_DETACH, thread_, nullptr, nullptr); }
  /// The thread was killed with its process. The process can end only when its tracer has noticed that.
  [[nodiscard]] bool has_ended() const {
    int status = 0;
    return ::waitpid(thread_, &status, __WALL | WNOHANG) == thread_ && !WIFSTOPPED(status);
  }
  HeldThread(const HeldThread&) = delete;
  HeldThread& operator=(const HeldThread&) = delete;

 private:
  static pid_t find(pid_t process, const std::string& name) {
    const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks)) {
      std::string comm;
      std::getline(std::ifstream(task.path() / "comm") >> std::ws, comm);
      if (comm == name) return std::stoi(task.path().filename());
    }
    throw std::runtime_error("there is no thread " + name);
  }
  // Waits until it stops.
  [[nodiscard]] bool stands_before(long call) const {
    int status = 0;
    if (::waitpid(thread_, &status, __WALL) != thread_ || !WIFSTOPPED(status))
      throw std::runtime_error("the thread does not stop");
    __ptrace_syscall_info info{};
    return ::ptrace(PTRACE_GET_SYSCALL_INFO, thread_, sizeof(info), &info) > 0 &&
           info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == static_cast<__u64>(call);
  }

  pid_t thread_;
};

}  // namespace flowtap::test
