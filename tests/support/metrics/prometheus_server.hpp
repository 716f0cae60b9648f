// A real Prometheus that scrapes one target, and its promtool.
#pragma once

#include <boost/json/array.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/daemon/daemon_process.hpp"
#include "tests/support/files/scratch_root.hpp"

namespace flowtap::test {

/// One series in the form in which Prometheus has stored it.
struct StoredSeries {
  std::string key;  ///< by series_key(), without the labels that Prometheus adds (job, instance)
  std::vector<double> times;
  std::vector<double> values;
};

/// Scrapes 127.0.0.1:`target`/metrics every second and keeps everything below `root`.
class PrometheusServer {
 public:
  PrometheusServer(const ScratchRoot& root, std::uint16_t target);  ///< throws std::runtime_error

  /// All values of the selector (such as "up") that were stored in the last ten minutes. Throws std::runtime_error.
  [[nodiscard]] std::vector<StoredSeries> stored(const std::string& selector) const;

 private:
  std::uint16_t port_;
  Process process_;
};

struct Verdict {
  int status = -1;
  std::string said;
};
/// The output of `promtool check metrics` for the page.
[[nodiscard]] Verdict check_metrics(const ScratchRoot& root, const std::string& page);

}  // namespace flowtap::test
