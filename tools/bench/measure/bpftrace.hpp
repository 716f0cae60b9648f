// A bpftrace one-liner that runs beside us, and the BPF program that it made.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::bench {

/// Runs from start() to destruction.
class Bpftrace {
 public:
  /// `body` follows tracepoint:sched:sched_switch, such as "{ @ = count(); }". Returns when its program is loaded, and
  /// gives up after some seconds.
  [[nodiscard]] static Result<std::unique_ptr<Bpftrace>> start(const std::string& body);
  ~Bpftrace();
  Bpftrace(const Bpftrace&) = delete;
  Bpftrace& operator=(const Bpftrace&) = delete;

  [[nodiscard]] int program_fd() const { return program_.get(); }

 private:
  explicit Bpftrace(pid_t pid) : pid_(pid) {}

  pid_t pid_;
  Fd program_;
};

}  // namespace flowtap::bench
