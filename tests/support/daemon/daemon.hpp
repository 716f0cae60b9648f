// The real flowtapd in its own root, and its status and metrics.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/socket_path.hpp"
#include "tests/support/daemon/daemon_process.hpp"
#include "tests/support/files/scratch_root.hpp"
#include "tests/support/metrics/promtext.hpp"

namespace flowtap::test {

struct DaemonOptions {
  std::vector<std::string> flags = {};
  std::string config = {};  ///< text of the file for --config, to which `stream` is added
  /// Captures containers, with pins in a BPF file system in the root, which it takes over from the daemon before.
  bool stream = false;
  std::string sources = {};  ///< more keys of that section, in YAML's flow style: "files: [/log]"
  /// Further keys of that section. By default there is room for everything that a test writes, unless the test is about
  /// making room.
  std::string room = "flows_bytes: 134217728, journal_bytes: 67108864, flow_bytes: 33554432";
  /// The port of /metrics; 0: a free one.
  std::optional<std::uint16_t> prometheus = 0;
  std::vector<std::string> env = {};
  std::function<void()> before_exec = {};
  std::string program = {};  ///< empty: flowtapd
};

/// One component in /api/v1/status.
struct Component {
  bool up = false;
  std::string detail;
  std::string hint;
};

/// The series of /api/v1/stats, with the names and values of /metrics.
struct Stats {
  std::uint64_t cycle = 0;
  double time = 0;  ///< when the slots were read, seconds since 1970
  SeriesMap series;
};

/// Runs from here on, but may not be ready yet. Its host root is `root` and its state directory root/state, so each
/// daemon finds what the one before has left.
class Daemon {
 public:
  explicit Daemon(const ScratchRoot& root, const DaemonOptions& options = {});

  /// Returns when /readyz says that it is ready. If it ended instead, throws std::runtime_error with its messages.
  Daemon& wait_ready();

  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  [[nodiscard]] std::uint16_t port() const { return port_; }  ///< the port of /metrics
  [[nodiscard]] std::string state_dir() const { return root_.file("state"); }
  [[nodiscard]] std::string socket() const { return api::socket_path(state_dir()); }
  void signal(int number) const { process_.signal(number); }
  [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds limit = kPatience) {
    return process_.wait(limit);
  }
  [[nodiscard]] bool running() { return process_.running(); }

  [[nodiscard]] std::string err() const { return root_.read(err_); }  ///< its messages so far
  [[nodiscard]] std::string out() const { return root_.read(out_); }

  // These throw std::runtime_error if there is no proper answer.
  [[nodiscard]] std::string metrics() const;  ///< the page
  [[nodiscard]] PromPage scrape() const { return parse_prometheus_text(metrics()); }
  [[nodiscard]] boost::json::object status() const;
  [[nodiscard]] std::optional<Component> component(const std::string& name) const;
  [[nodiscard]] Stats stats() const;
  /// Waits until everything that the kernel counted before this call is in the totals; returns them.
  [[nodiscard]] Stats settled_stats() const;

 private:
  const ScratchRoot& root_;
  std::string out_;
  std::string err_;
  std::uint16_t port_;
  Process process_;
};

/// A flowtapd that is expected to end by itself.
struct Ended {
  std::optional<int> status;  ///< absent: it did not end and was killed
  std::string out;
  std::string err;
};
[[nodiscard]] Ended run_flowtapd(const ScratchRoot& root, std::vector<std::string> flags);

}  // namespace flowtap::test
