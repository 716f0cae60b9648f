// Debian's prometheus-node-exporter on this node: what we read beside it must be the same.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/daemon/daemon_process.hpp"
#include "tests/support/files/scratch_root.hpp"
#include "tests/support/metrics/promtext.hpp"

namespace flowtap::test {

/// Serves on 127.0.0.1 what the kernel's own files tell, with the devices and mount points that node_exporter's authors leave out
/// by default, which is not what Debian does.
class NodeExporter {
 public:
  explicit NodeExporter(const ScratchRoot& root);  ///< throws std::runtime_error

  /// Reads all anew. Throws std::runtime_error.
  [[nodiscard]] PromPage scrape() const;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] pid_t pid() const { return process_.pid(); }

 private:
  std::uint16_t port_;
  Process process_;
};

}  // namespace flowtap::test
