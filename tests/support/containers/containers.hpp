// Real containers: Debian's podman with conmon and runc, and its containerd with the shim and runc.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/containers/oci_bundle.hpp"
#include "tests/support/daemon/daemon_process.hpp"
#include "tests/support/files/scratch_root.hpp"

namespace flowtap::test {

/// Everything is below `root`, in the places of a real node, so that flowtapd finds it with that host root.
class Podman {
 public:
  explicit Podman(const ScratchRoot& root);
  ~Podman();  ///< ends and removes its containers
  Podman(const Podman&) = delete;
  Podman& operator=(const Podman&) = delete;

  struct Container {
    std::string name;
    std::vector<std::string> command;
    std::vector<std::string> flags = {};
  };
  /// Starts the container in the background; returns its id.
  std::string start(const Container& container);
  /// Waits until it has ended; returns its exit status.
  int wait(const std::string& name);
  int run(const Container& container);
  void kill(const std::string& name, const std::string& signal = "KILL");
  [[nodiscard]] const BusyboxRoot& busybox() const { return busybox_; }
  [[nodiscard]] pid_t pid(const std::string& name);  ///< of its first process, in the node's pid namespace
  /// The file that conmon has written, in the CRI's format.
  [[nodiscard]] std::string log(const std::string& id) const;
  [[nodiscard]] std::string log_file(const std::string& id) const { return userdata(id, "ctr.log"); }
  /// Tells conmon to go on in a new file, and returns when the file is there. Throws std::runtime_error.
  void reopen_log(const std::string& id) const;
  /// Runs podman with these arguments; returns what it printed. Throws std::runtime_error if it fails.
  std::string podman(const std::vector<std::string>& words);

 private:
  /// The path of a file that podman and conmon keep of a container.
  [[nodiscard]] std::string userdata(const std::string& id, const std::string& name) const;

  const ScratchRoot& root_;
  BusyboxRoot busybox_;
};

/// A containerd that belongs to the test, and containers like those that kubelet makes through the CRI: in a cgroup
/// POD/ID, with the CRI's annotations, and with their output through the shim's pipes and FIFOs.
class Containerd {
 public:
  explicit Containerd(const ScratchRoot& root);
  ~Containerd();
  Containerd(const Containerd&) = delete;
  Containerd& operator=(const Containerd&) = delete;

  struct Container {
    std::string id;
    std::vector<std::string> command;
    std::map<std::string, std::string> annotations = {};
    std::string cgroup_parent = "/kubepods/besteffort/pod3f1c2a50-7e0e-4c59-9f0e-0d6a3a1c9b11";
    bool host_pid = false;
    pid_t pid_namespace_of = 0;  ///< shares the pid namespace of that process, as containers of a pod may
    bool terminal = false;       ///< its output goes through a terminal, into out(id)
    bool no_output = false;      ///< its outputs lead to /dev/null
    unsigned restart = 0;        ///< the N in the name N.log
    OciLimits limits = {};
  };
  /// Runs it until it ends. Its output is in out(id) and err(id), as it came out of the FIFOs.
  int run(const Container& container);
  std::unique_ptr<Process> start(const Container& container);
  void kill(const std::string& id, const std::string& signal = "SIGKILL");
  /// Has its shim leave, once it has ended. Its `ctr` does this as a rule.
  void remove(const std::string& id);
  /// Takes over its output from a `ctr` that has ended, into the same files; runs until the container ends.
  std::unique_ptr<Process> attach(const std::string& id);
  /// Sends SIGKILL: the containers and their shims go on, and the next containerd goes on with them.
  void restart();
  /// Runs a program in it, like probes and `kubectl exec`; returns what the program printed.
  std::string exec(const std::string& id, const std::vector<std::string>& command);
  /// The pid of its first process in the node's pid namespace; waits for it. Throws std::runtime_error.
  [[nodiscard]] pid_t pid(const std::string& id) const;
  [[nodiscard]] std::string out(const std::string& id) const { return root_.read(id + ".out"); }
  [[nodiscard]] std::string err(const std::string& id) const { return root_.read(id + ".err"); }

 private:
  void serve();
  [[nodiscard]] std::vector<std::string> ctr_words(const std::vector<std::string>& words) const;
  std::string ctr(const std::vector<std::string>& words);  // returns what it printed

  const ScratchRoot& root_;
  BusyboxRoot busybox_;
  std::unique_ptr<Process> daemon_;
};

/// The pod's directory of logs below the node's root, with kubelet's name.
[[nodiscard]] std::string pod_log_directory(const std::string& ns, const std::string& pod,
                                            const std::string& uid);

/// The annotations that containerd's CRI gives a container of a pod.
[[nodiscard]] std::map<std::string, std::string> cri_annotations(const std::string& ns,
                                                                 const std::string& pod,
                                                                 const std::string& uid,
                                                                 const std::string& container);

}  // namespace flowtap::test
