// One process that writes lines into a pipe, and one that reads them: a container and its runtime.
#pragma once

#include <cstddef>
#include <memory>

#include "tools/bench/load/worker.hpp"

namespace flowtap::bench {

/// Bytes of a line, with its newline. Each has a number, and one write(2).
inline constexpr std::size_t kLine = 100;
/// The sizes of reads: a containerd shim's (io.CopyBuffer), conmon's (STDIO_BUF_SIZE), and that of a reader that takes
/// line by line.
inline constexpr std::size_t kShimRead = 32768;
inline constexpr std::size_t kConmonRead = 8192;

/// The cost of passing some lines: from the begin of the first write to the end of the last read, and both processes'
/// CPU time.
struct LineCost {
  double wall_ns = 0;
  double writer_wall_ns = 0;
  double writer_cpu_ns = 0;
  double reader_cpu_ns = 0;
};

class LinePipe {
 public:
  /// Forks twice; see Worker::start().
  [[nodiscard]] static Result<std::unique_ptr<LinePipe>> start(std::size_t read_size);

  /// Writes this many lines, and returns when all are read.
  [[nodiscard]] Result<LineCost> pass(const Order& order);
  /// Bytes that have passed so far.
  [[nodiscard]] std::uint64_t passed() const { return passed_; }

  [[nodiscard]] int fd() const { return out_.get(); }  ///< of the pipe, which this process does not read
  [[nodiscard]] pid_t writer() const { return writer_->pid(); }

 private:
  LinePipe() = default;

  Fd out_;
  std::unique_ptr<Worker> writer_;
  std::unique_ptr<Worker> reader_;
  std::uint64_t passed_ = 0;
};

/// A line with the number 0, and the step to the next number.
void first_line(char (&line)[kLine]);
void next_line(char (&line)[kLine]);

}  // namespace flowtap::bench
