// A Kubernetes control plane without a cluster: a real etcd and API server, where nodes are objects that nobody stands behind, and
// a real kube-scheduler, whose decisions are real.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/daemon/daemon_process.hpp"
#include "tests/support/files/scratch_root.hpp"

namespace flowtap::test {

class Cluster {
 public:
  /// Everything is below `root`. Throws std::runtime_error if the API server does not become ready.
  explicit Cluster(const ScratchRoot& root);

  struct Answer {
    int status = 0;  ///< 0: there was none
    boost::json::value body;
  };
  [[nodiscard]] Answer get(const std::string& path) const { return ask("GET", path, nullptr); }
  /// These throw std::runtime_error if the API server refuses.
  void create(const std::string& path, const boost::json::object& object) const;
  void patch(const std::string& path, const boost::json::object& merge) const;
  /// At once, as if a kubelet had ended the pod.
  void remove(const std::string& path) const;

  /// A node that is ready, with these resources: {"cpu": "4", ...}.
  void add_node(const std::string& name, boost::json::object resources,
                const boost::json::object& labels = {}, const boost::json::array& taints = {}) const;

  /// Puts what a kube-scheduler needs into a folder, and returns its words without the program; `seen_as` is that folder's path
  /// for the scheduler.
  [[nodiscard]] std::vector<std::string> scheduler_words(const std::string& folder,
                                                         const std::string& seen_as) const;
  [[nodiscard]] static std::string program();

 private:
  [[nodiscard]] Answer ask(const std::string& method, const std::string& path,
                           const boost::json::value& body) const;
  void must(const std::string& method, const std::string& path, const boost::json::value& body) const;

  const ScratchRoot& root_;
  std::uint16_t port_;
  std::unique_ptr<Process> etcd_;
  std::unique_ptr<Process> server_;
};

}  // namespace flowtap::test
