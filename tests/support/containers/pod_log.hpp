// The log of a pod's container as a node keeps it: written by the CRI, rotated and compressed by kubelet.
#pragma once

#include <array>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.hpp"

namespace flowtap::test {

/// Writes what comes out of two FIFOs, which it makes, into a file of the CRI's format, as containerd does with what its
/// shims put in.
class CriLog {
 public:
  CriLog(std::string log, const std::string& out, const std::string& err);  ///< throws std::runtime_error
  ~CriLog();  ///< what is in the FIFOs by then is not written any more
  CriLog(const CriLog&) = delete;
  CriLog& operator=(const CriLog&) = delete;

  /// ReopenContainerLog of the CRI: from now on into the file that is there, or a new one.
  void reopen();
  /// Returns when whoever wrote into the FIFOs has closed them and all of it is in the file.
  void wait();

 private:
  struct Output {
    const char* name;
    Fd fifo;
    std::string rest;  // of a line
  };
  void run();
  void take(Output& output, std::string_view bytes);
  void put(const char* output, char tag, std::string_view text);

  std::string path_;
  std::array<Output, 2> outputs_;
  std::mutex mutex_;
  std::ofstream log_;
  Fd stop_;
  std::thread thread_;
};

/// Rotates a container's log by kubelet's rules (pkg/kubelet/logs/container_log_manager.go of Kubernetes 1.36), which it does
/// for a log that has become too large, once in ten seconds. Its clock goes as far with each rotation.
class KubeletRotation {
 public:
  /// `reopen` tells the runtime. At most `max_files` are kept, the one that is written included; 2 or more.
  KubeletRotation(std::string log, std::size_t max_files, std::function<void()> reopen)
      : log_(std::move(log)), max_files_(max_files), reopen_(std::move(reopen)) {}

  void rotate();
  /// Those that are there, from the oldest to the one that is written.
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  [[nodiscard]] std::vector<std::string> rotated() const;  // from the oldest on

  std::string log_;
  std::size_t max_files_;
  std::function<void()> reopen_;
  unsigned rotations_ = 0;
};

/// Of a file that may be compressed.
[[nodiscard]] std::string uncompressed(const std::string& file);

}  // namespace flowtap::test
