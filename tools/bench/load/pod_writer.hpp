// A pod that writes lines when it is told to, and its runtime, which takes them from the pipe and writes them to a file
// in the CRI's format.
#pragma once

#include <memory>
#include <string>

#include "tools/bench/load/pod_cgroups.hpp"
#include "tools/bench/load/worker.hpp"

namespace flowtap::bench {

/// Each line of kLine bytes begins with the time of its write (CLOCK_REALTIME, ns), in so many digits, and its number.
inline constexpr std::size_t kTimeDigits = 19;

class PodWriter {
 public:
  /// `cri_file` is created anew. Whenever it has `rotated_at` bytes (0: never) it is moved away and another one begins,
  /// like kubelet's rotation; five files are kept.
  [[nodiscard]] static Result<std::unique_ptr<PodWriter>> start(const std::string& cri_file,
                                                                std::uint64_t rotated_at = 0);
  ~PodWriter();
  PodWriter(const PodWriter&) = delete;
  PodWriter& operator=(const PodWriter&) = delete;

  /// Writes this many lines; returns when they are in the file.
  [[nodiscard]] Status pass(const Order& order);
  [[nodiscard]] std::uint64_t lines() const { return lines_; }  ///< so far

  /// The writer begins with an exec of this same program, so main() must call this first. It returns in any other
  /// process.
  static void be_one(int argc, char** argv);

 private:
  PodWriter() = default;

  std::unique_ptr<PodCgroups> cgroups_;
  std::unique_ptr<Worker> writer_;
  std::unique_ptr<Worker> runtime_;
  std::uint64_t lines_ = 0;
};

}  // namespace flowtap::bench
