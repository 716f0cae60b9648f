// A process that writes when it is told to, so that somebody can follow it before.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "base/fd.hpp"
#include "tests/support/flows/flows.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {

/// A shell that writes lines to both its outputs. They are where the test wants them.
class Writer {
 public:
  static constexpr unsigned kLines = 3000;
  [[nodiscard]] static WriterOutputs outputs() { return writer_outputs(0, kLines); }

  Writer(const ScratchRoot& root, const std::string& name, int out, int err)
      : go_(root.file(name + ".go")),
        process_({.argv = {"/bin/sh", "-c",
                           ": 3>" + go_ + ".ready; while [ ! -e " + go_ + " ]; do sleep 0.05; done; " +
                               paths::log_writer() + " both 0 " + std::to_string(kLines)},
                  .out = "/dev/null",
                  .err = "/dev/null",
                  .before_exec = [out, err] {
                    if (::dup2(out, STDOUT_FILENO) < 0 || ::dup2(err, STDERR_FILENO) < 0) ::_exit(1);
                  }}) {
    // Before that its outputs are still ours. While the shell made that file with ">", the file would be its output.
    EXPECT_TRUE(eventually([this] { return ::access((go_ + ".ready").c_str(), F_OK) == 0; }));
  }
  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  void go() { const Fd file(::open(go_.c_str(), O_CREAT | O_CLOEXEC, 0600)); }
  [[nodiscard]] std::optional<int> wait() { return process_.wait(); }

 private:
  std::string go_;
  Process process_;
};

}  // namespace flowtap::test
