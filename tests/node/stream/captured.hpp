// What the tests of captured containers share.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/flows/flows.hpp"

namespace flowtap::test {

/// Captures with the backend that FTAP_TAP_BACKEND names; without it the one that flowtapd chooses.
[[nodiscard]] DaemonOptions capturing();
inline const DaemonOptions kCapturing = capturing();
inline constexpr const char* kPod = "3f1c2a50-7e0e-4c59-9f0e-0d6a3a1c9b11";  ///< a pod's uid

/// As containerd's CRI makes them: 64 hexadecimal digits, of which the first twelve tell it from others. Another one in each
/// process, since it is also the name of a cgroup of the machine, and since flowtapds of other tests see it.
[[nodiscard]] std::string container_id(const std::string& name);

[[nodiscard]] std::vector<std::string> shell(const std::string& script);
/// A command that begins when `go` exists in the container's root. Without a root it does not wait: a container that waited for
/// ever would hold the cgroup that the next run needs.
[[nodiscard]] std::vector<std::string> after(const std::string& go, std::vector<std::string> command);
[[nodiscard]] std::vector<std::string> shell_after(const std::string& go, const std::string& script);
/// Returns when it waits, so that its runtime has done all that it does for its start. Throws std::runtime_error.
void wait_until_waits(const ScratchRoot& root, const std::string& go);
/// Makes the file that it waits for.
void let_go(const ScratchRoot& root, const std::string& go);

/// Of the flow's stream (stdout, stderr, both) these bytes are served, and no others; once the flow has ended also by
/// its log, and in its file.
void expect_stream(const Daemon& daemon, const FlowSeen& flow, const std::string& stream,
                   const std::string& wanted);

/// `flowtap logs` with these arguments, into `name` and NAME.err of the root.
[[nodiscard]] std::unique_ptr<Process> start_logs(const ScratchRoot& root, const std::string& name,
                                                  const std::vector<std::string>& arguments);

/// Somebody who follows what the flows of a pod's container or an id write: `flowtap logs -f`.
class LogFollower {
 public:
  /// Begins when the daemon knows the flow; throws std::runtime_error when it never does.
  LogFollower(const Daemon& daemon, const ScratchRoot& root, const std::string& of,
              const std::vector<std::string>& more = {});

  [[nodiscard]] std::string text() const { return root_.read(name_); }  ///< what it has got so far
  [[nodiscard]] std::string complaint() const { return root_.read(name_ + ".err"); }
  /// False: it has not got so many bytes, and patience has run out.
  [[nodiscard]] bool gets(std::size_t bytes) const;
  [[nodiscard]] std::optional<int> wait() { return process_->wait(); }

 private:
  const ScratchRoot& root_;
  std::string name_;
  std::unique_ptr<Process> process_;
};

/// The flow with this very id, as it stands now.
[[nodiscard]] std::optional<FlowSeen> flow_called(const Daemon& daemon, const std::string& id);
[[nodiscard]] std::set<std::string> flow_ids(const Daemon& daemon);

/// The bytes of one stream, or both, in a file of the CRI's format, which podman's k8s-file is too.
[[nodiscard]] std::string logged_bytes(const std::string& cri_log, const std::string& stream);

/// Who reads a container's pipes: the parent of its first process, which is conmon or the shim. Throws
/// std::runtime_error.
[[nodiscard]] pid_t reader_of(pid_t container);
/// Waits until the process sleeps in write(2); false when it ended instead, or patience ran out.
[[nodiscard]] bool blocks_in_write(pid_t pid);

}  // namespace flowtap::test
