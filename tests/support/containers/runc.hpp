// A container that only runc starts: it has runc's own outputs, with nothing in between.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/support/containers/oci_bundle.hpp"

namespace flowtap::test {

class Runc {
 public:
  /// Starts it. `outputs` is called in the child and sets up its standard output and error. Its cgroup is
  /// /flowtap-test/ID. Throws std::runtime_error.
  Runc(const ScratchRoot& root, std::string id, const std::vector<std::string>& command,
       const std::function<void()>& outputs);
  ~Runc();  ///< ends and removes it
  Runc(const Runc&) = delete;
  Runc& operator=(const Runc&) = delete;

 private:
  [[nodiscard]] std::vector<std::string> words(std::vector<std::string> more) const;

  const ScratchRoot& root_;
  std::string id_;
  BusyboxRoot busybox_;
};

}  // namespace flowtap::test
