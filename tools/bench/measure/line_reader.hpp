// Runs a program that prints a PodWriter's lines, and notes how old each line is when it comes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "tests/support/daemon/daemon_process.hpp"

namespace flowtap::bench {

class LineReader {
 public:
  /// Runs `argv` (found in PATH) until destroyed. Lines may have any text in front. The ages of lines below number
  /// `first` are not kept.
  [[nodiscard]] static Result<std::unique_ptr<LineReader>> start(const std::vector<std::string>& argv,
                                                                 const std::string& errors,
                                                                 std::uint64_t first = kNoAges);
  static constexpr std::uint64_t kNoAges = ~std::uint64_t{0};
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Different lines that have come so far.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  /// Lines that came twice or out of order.
  [[nodiscard]] std::uint64_t twice() const { return twice_; }
  [[nodiscard]] pid_t pid() const { return process_->pid(); }

  /// The age that at most `part` (0 to 1) of the lines exceeded. To be called when no more lines come.
  [[nodiscard]] double age_ms(double part) const;

 private:
  LineReader() = default;
  void read_all() noexcept;
  void take(std::string_view line, std::uint64_t now);

  Fd out_;
  std::unique_ptr<test::Process> process_;
  std::atomic<std::uint64_t> lines_{0};
  std::atomic<std::uint64_t> twice_{0};
  std::uint64_t first_ = kNoAges;
  std::uint64_t next_ = 0;  // used only by the thread, like the next member, until no more lines come
  std::vector<std::uint32_t> ages_us_;
  std::thread reader_;
};

}  // namespace flowtap::bench
