// What node_exporter's default collectors read, and our own table does not have.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "stats/compat/page.hpp"
#include "telemetry/collecting/collectors.hpp"

namespace flowtap::telemetry {

/// The files are read when the page is asked for, and not in each cycle: nobody sees them meanwhile, and some
/// of them cost much. Each lane (readers.hpp) has a thread of its own. One that is cut off is a page behind, if it has come to its end since,
/// and otherwise absent, with node_scrape_collector_success 0.
class NodeExporterPage final : public stats::compat::PageSource {
 public:
  static constexpr std::chrono::milliseconds kLimit{3000};  ///< for one reading; scrapes have 10 s as a rule
  static constexpr std::chrono::milliseconds kLeast{100};   ///< who asks again within this gets the same page

  using Now = std::function<std::chrono::steady_clock::time_point()>;

  /// `host_root`: where the node's root is seen. `now` is asked by whoever reads. The threads begin with the first read().
  explicit NodeExporterPage(std::string host_root, std::chrono::milliseconds limit = kLimit,
                            Now now = std::chrono::steady_clock::now);
  ~NodeExporterPage() override;

  [[nodiscard]] stats::compat::Page read() override;

 private:
  class LaneCollector;
  struct Board;

  void begin_lanes();

  std::string host_root_;
  std::chrono::milliseconds limit_;
  Now now_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point ended_{};  // the last reading
  stats::compat::Page last_;
  std::vector<std::shared_ptr<Board>> boards_;  // by lane
  Collectors lanes_;
};

}  // namespace flowtap::telemetry
