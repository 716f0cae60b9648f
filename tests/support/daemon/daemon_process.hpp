// A program that a test starts, and that ends with the test whatever happens.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"

namespace flowtap::test {

/// How long a test waits for what must happen before it gives up. Only a failure takes that long.
#ifdef __SANITIZE_THREAD__
inline constexpr std::chrono::seconds kPatience{300};
#else
inline constexpr std::chrono::seconds kPatience{60};
#endif

/// Asks again and again until it is so; false when patience has run out.
[[nodiscard]] bool eventually(const std::function<bool()>& so, std::chrono::milliseconds limit = kPatience);

struct Command {
  std::vector<std::string> argv;
  std::vector<std::string> env = {};  ///< "NAME=VALUE", beside the test's own
  std::string in = "/dev/null";
  std::string out;  ///< files that standard output and error are appended to
  std::string err;
  /// In the child, just before it becomes the program. Must end the child itself (_exit) where it fails.
  std::function<void()> before_exec = {};
};

class Process {
 public:
  explicit Process(const Command& command);  ///< throws std::runtime_error
  ~Process();                                ///< SIGKILL, if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;  ///< nothing happens when it has ended
  [[nodiscard]] bool running() { return !wait(std::chrono::milliseconds(0)); }
  /// Its exit status, 128 + n after signal n; absent when it has not ended in time.
  [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds limit = kPatience);

 private:
  pid_t pid_ = -1;
  Fd pidfd_;  // becomes readable when the process ends
  std::optional<int> status_;
};

}  // namespace flowtap::test
