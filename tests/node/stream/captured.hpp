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

/// Captures with the backend that FTAP_TAP_BACKEND names, or else with the one that flowtapd chooses.
[[nodiscard]] DaemonOptions capturing();
inline const DaemonOptions kCapturing = capturing();
inline constexpr const char* kPod = "3f1c2a50-7e0e-4c59-9f0e-0d6a3a1c9b11";  ///< a pod's uid

/// An id as containerd's CRI makes them: 64 hexadecimal digits, of which the first twelve tell it from others. Each process makes
/// another one, since it is also the name of a cgroup of the machine, and flowtapds of other tests see it.
[[nodiscard]] std::string container_id(const std::string& name);

[[nodiscard]] std::vector<std::string> shell(const std::string& script);
/// A command that begins when `go` exists in the container's root. Without a root it does not wait: a container that waited for
/// ever would hold the cgroup that the next run needs.
[[nodiscard]] std::vector<std::string> after(const std::string& go, std::vector<std::string> command);
[[nodiscard]] std::vector<std::string> shell_after(const std::string& go, const std::string& script);
/// The script, which ends with the same status, but only when its runtime has read all that it wrote. Otherwise a busy containerd may
/// leave some of it in the pipe: once a container has ended, ctr reads the shim's FIFO no further, and two seconds later the shim
/// gives up what the FIFO has no room for.
[[nodiscard]] std::string until_read(const std::string& script);
[[nodiscard]] std::vector<std::string> after_until_read(const std::string& go,
                                                        std::vector<std::string> command);
/// What a FIFO always has room for: each two of its 16 pages that follow one another have more than a page of bytes.
inline constexpr std::size_t kFifo = 32'768;
/// Returns when the command waits, so that its runtime has done all that it does for a start. Throws std::runtime_error.
void wait_until_waits(const ScratchRoot& root, const std::string& go);
/// Makes the file that the command waits for.
void let_go(const ScratchRoot& root, const std::string& go);

/// A runtime takes at most this much out of a container's pipe at once; a shim of containerd's takes the most.
inline constexpr std::size_t kOneRead = 32'768;

/// Expects that these bytes of the flow's stream (stdout, stderr, both) are served, and no others. Once the flow has ended, its
/// log and its file must have them too. If the flow is suspect, because the kernel kept events from the programs, a few reads may be
/// missing; what is there is expected in all places.
void expect_stream(const Daemon& daemon, const FlowSeen& flow, const std::string& stream,
                   const std::string& wanted);

/// Runs `flowtap logs` with these arguments. Its output goes into `name`, and its errors into NAME.err, of the root.
[[nodiscard]] std::unique_ptr<Process> start_logs(const ScratchRoot& root, const std::string& name,
                                                  const std::vector<std::string>& arguments);

/// Follows what the flows of a pod's container or an id write: `flowtap logs -f`.
class LogFollower {
 public:
  /// Begins when the daemon knows the flow. Throws std::runtime_error if it never does.
  LogFollower(const Daemon& daemon, const ScratchRoot& root, const std::string& of,
              const std::vector<std::string>& more = {});

  [[nodiscard]] std::string text() const { return root_.read(name_); }  ///< what it has got so far
  [[nodiscard]] std::string complaint() const { return root_.read(name_ + ".err"); }
  /// False: it has not got this many bytes, and patience has run out.
  [[nodiscard]] bool gets(std::size_t bytes) const;
  [[nodiscard]] std::optional<int> wait() { return process_->wait(); }

 private:
  const ScratchRoot& root_;
  std::string name_;
  std::unique_ptr<Process> process_;
};

/// The flow with exactly this id, as it stands now.
[[nodiscard]] std::optional<FlowSeen> flow_called(const Daemon& daemon, const std::string& id);
[[nodiscard]] std::set<std::string> flow_ids(const Daemon& daemon);

/// The bytes of one stream, or of both, in a file of the CRI's format. podman's k8s-file has that format, too.
[[nodiscard]] std::string logged_bytes(const std::string& cri_log, const std::string& stream);

/// The process that reads a container's pipes: the parent of its first process, which is conmon or the shim. Throws
/// std::runtime_error.
[[nodiscard]] pid_t reader_of(pid_t container);
/// Waits until the process sleeps in write(2). False: it ended instead, or patience ran out.
[[nodiscard]] bool blocks_in_write(pid_t pid);

}  // namespace flowtap::test
