// A program that a test starts, and that always ends with the test.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap::test {

struct Command {
  std::vector<std::string> argv;
  std::vector<std::string> env = {};  ///< "NAME=VALUE", added to the test's own
  std::string in = "/dev/null";
  std::string out;  ///< the files to which standard output and error are appended
  std::string err;
  /// Called in the child just before it executes the program. If it fails, it must end the child itself (_exit).
  std::function<void()> before_exec = {};
};

class Process {
 public:
  explicit Process(const Command& command);  ///< throws std::runtime_error
  ~Process();                                ///< SIGKILL, if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;  ///< does nothing if it has ended
  [[nodiscard]] bool running() { return !wait(std::chrono::milliseconds(0)); }
  /// Its exit status, 128 + n after signal n; absent if it has not ended in time.
  [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds limit = kPatience);
  /// The end of its standard error, for a failed test to say.
  [[nodiscard]] std::string last_words() const;

 private:
  std::string err_;  // the file
  pid_t pid_ = -1;
  Fd pidfd_;  // becomes readable when the process ends
  std::optional<int> status_;
};

}  // namespace flowtap::test
