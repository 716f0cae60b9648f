// A program that writes another process's lines to a file, such as people use today.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "tests/support/daemon/daemon_process.hpp"
#include "tools/bench/load/line_pipe.hpp"

namespace flowtap::bench {

class Collector {
 public:
  struct Program {
    std::string name;               ///< the usual name
    std::vector<std::string> argv;  ///< found in PATH
    std::vector<std::string> env = {};
    std::string file;  ///< the file to which it writes the lines
  };
  /// Runs until it is destroyed. Returns when it has shown a line of the writer, which writes some for this purpose.
  [[nodiscard]] static Result<std::unique_ptr<Collector>> start(const Program& program, LinePipe& lines);
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  /// Waits until it writes no more to its file.
  [[nodiscard]] Status settle() const;
  /// The CPU time that it has used so far.
  [[nodiscard]] double cpu_ns() const;
  /// Ends it, so that nothing is left in its buffers. Returns how many lines it has shown, without those with the
  /// number 0, which were only written to see that it had begun.
  [[nodiscard]] Result<std::uint64_t> end();

 private:
  explicit Collector(const Program& program);
  [[nodiscard]] bool has_begun() const;

  std::string file_;
  test::Process process_;
};

}  // namespace flowtap::bench
