// The real flowtapd, with a host root and a state directory that belong to the benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tests/support/daemon/daemon_process.hpp"
#include "tests/support/files/scratch_root.hpp"

namespace flowtap::bench {

/// CPU time of all threads of a process, ns. An Error: it has ended.
[[nodiscard]] Result<double> process_cpu_ns(pid_t pid);

/// Its anonymous memory, MiB.
[[nodiscard]] Result<double> anonymous_mib(pid_t pid);

/// The number after the first `key`; an Error if it cannot be read.
[[nodiscard]] Result<std::uint64_t> number_behind(std::string_view text, std::string_view key);

/// The totals over a benchmark's flows in `/api/v1/flows`.
struct FlowTotals {
  std::uint64_t flows = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint64_t missing = 0;
};

class Flowtapd {
 public:
  /// `stream` becomes the section `stream` of the configuration, in YAML's flow style without braces; it may be empty.
  /// `flags` are added.
  explicit Flowtapd(const test::ScratchRoot& root, const std::string& stream = {},
                    const std::vector<std::string>& flags = {});

  [[nodiscard]] Status wait_ready();

  /// The body of the API's answer to a GET; a refusal is an Error, too.
  [[nodiscard]] Result<std::string> get(const std::string& target) const;
  /// The totals of all flows whose id contains `part`.
  [[nodiscard]] Result<FlowTotals> totals(std::string_view part) const;
  /// Their ids.
  [[nodiscard]] Result<std::vector<std::string>> ids(std::string_view part) const;

  [[nodiscard]] std::string socket() const;
  [[nodiscard]] pid_t pid() const { return process_.pid(); }

 private:
  const test::ScratchRoot& root_;
  test::Process process_;
};

}  // namespace flowtap::bench
