// System calls that the log tap may make more expensive, each timed by the CPU time of the calling thread, and the life
// of a child.
#pragma once

#include <array>
#include <memory>

#include "tools/bench/load/line_pipe.hpp"

namespace flowtap::bench {

/// The names of the loads, in the order of TapLoads::measure().
inline constexpr std::array<const char*, 8> kTapLoads{
    "100 B write into a pipe",
    "its part of a 32 KiB read",
    "100 B read of a pipe",
    "100 B write to a file (tmpfs)",
    "getppid",
    "getppid 1 M times a second, beside a busy pipe",
    "100 B line through that pipe, writer and reader",
    "vfork, exit and wait of a child, both processes",
};
inline constexpr std::size_t kPipeWrite = 0;
inline constexpr std::size_t kFileWrite = 3;
inline constexpr std::size_t kChild = 7;
using TapCosts = std::array<double, kTapLoads.size()>;  ///< ns

class TapLoads {
 public:
  /// Forks; see Worker::start(). The number of calls depends on the speed of the machine.
  [[nodiscard]] static Result<TapLoads> start();

  [[nodiscard]] Result<TapCosts> measure();

  /// The place to which they write, and how many bytes have passed there.
  struct Place {
    int fd = -1;
    std::uint64_t passed = 0;
  };
  [[nodiscard]] Place pipe() const { return {out_.get(), piped_}; }
  [[nodiscard]] Place busy_pipe() const { return {busy_->fd(), busy_->passed()}; }
  [[nodiscard]] Place file() const { return {file_.get(), filed_}; }

 private:
  TapLoads() = default;
  [[nodiscard]] Status pass_pipe(std::uint64_t at_once, std::size_t read_size, double& write_ns,
                                 double& read_ns);
  [[nodiscard]] Status write_file(double& ns);

  Fd in_;
  Fd out_;
  Fd file_;
  std::unique_ptr<LinePipe> busy_;
  std::unique_ptr<Worker> beside_;
  std::unique_ptr<Worker> parent_;
  std::uint64_t calls_ = 2'000;  // calls of each load
  std::uint64_t piped_ = 0;
  std::uint64_t filed_ = 0;
};

}  // namespace flowtap::bench
