// Debian's prometheus-node-exporter on this node, to compare our values with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/daemon/daemon_process.hpp"
#include "tests/support/files/scratch_root.hpp"
#include "tests/support/metrics/promtext.hpp"

namespace flowtap::test {

/// Serves the values of the kernel's files on 127.0.0.1. It leaves out the devices and mount points that
/// node_exporter's authors leave out by default; Debian's defaults differ. All of its default collectors are on but for
/// systemd's, which only Debian has on.
class NodeExporter {
 public:
  explicit NodeExporter(const ScratchRoot& root);  ///< throws std::runtime_error

  /// The same, of another node, whose files are below `node`: without what asks the kernel itself.
  NodeExporter(const ScratchRoot& root, const std::string& node);

  /// Reads everything again. Throws std::runtime_error.
  [[nodiscard]] PromPage scrape() const;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] pid_t pid() const { return process_.pid(); }

 private:
  NodeExporter(const ScratchRoot& root, const std::vector<std::string>& more);

  std::uint16_t port_;
  Process process_;
};

}  // namespace flowtap::test
