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

/// Makes two FIFOs and writes what comes out of them into a file in the CRI's format, like containerd with the output
/// of its shims.
class CriLog {
 public:
  CriLog(std::string log, const std::string& out, const std::string& err);  ///< throws std::runtime_error
  ~CriLog();  ///< bytes that are still in the FIFOs are not written
  CriLog(const CriLog&) = delete;
  CriLog& operator=(const CriLog&) = delete;

  /// ReopenContainerLog of the CRI: from now on it writes into the file that is there, or into a new one.
  void reopen();
  /// Returns when the writers have closed the FIFOs and everything is in the file.
  void wait();

 private:
  struct Output {
    const char* name;
    Fd fifo;
    std::string rest;  // the begin of a line
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

/// Rotates a container's log by kubelet's rules (pkg/kubelet/logs/container_log_manager.go of Kubernetes 1.36). kubelet
/// rotates a log that is too large at most once in ten seconds, so each rotation advances the clock by that much.
class KubeletRotation {
 public:
  /// `reopen` tells the runtime to reopen its file. At most `max_files` (2 or more) are kept, including the one that is
  /// being written.
  KubeletRotation(std::string log, std::size_t max_files, std::function<void()> reopen)
      : log_(std::move(log)), max_files_(max_files), reopen_(std::move(reopen)) {}

  void rotate();
  /// The files that are there, from the oldest to the one that is being written.
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  [[nodiscard]] std::vector<std::string> rotated() const;  // from the oldest on

  std::string log_;
  std::size_t max_files_;
  std::function<void()> reopen_;
  unsigned rotations_ = 0;
};

/// The text of a file that may be compressed.
[[nodiscard]] std::string uncompressed(const std::string& file);

}  // namespace flowtap::test
