// /metrics for Prometheus to scrape.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stats/backend.hpp"
#include "stats/compat/compat.hpp"
#include "stats/compat/page.hpp"

namespace flowtap::stats {

/// Serves the newest snapshot. All values of one scrape come from one snapshot, so sums over them are true, and two
/// scrapes one after the other never show a counter going back. (Of node_exporter's families, those that are read at the
/// scrape are newer.) Nothing is sent, so nothing is ever pending or lost.
/// Our restart is a counter reset, which rate() and increase() handle.
class Prometheus : public Backend {
 public:
  /// Listens at `HOST:PORT` (numeric host; port 0 takes a free one) and answers from now on; series appear with the
  /// first publish(). The Error says who has the port, or what is wrong with the address. The values are also shown
  /// under the names of `exporters`. `node`: node_exporter's other families, read at each scrape; null: none.
  [[nodiscard]] static Result<std::unique_ptr<Prometheus>> open(
      std::string_view address, std::vector<compat::Exporter> exporters = {},
      std::shared_ptr<compat::PageSource> node = nullptr);
  ~Prometheus() override;

  [[nodiscard]] std::string name() const override { return "prometheus"; }
  Status publish(const SnapshotPtr& snapshot) override;
  [[nodiscard]] BackendHealth health() const override { return {}; }

  /// The port on which it listens.
  [[nodiscard]] int port() const;

  /// How long the scrapes so far took to gather, for FamilyId::kSCRAPE_DURATION of a later snapshot. May be called from
  /// any thread, also after the backend was handed to an Outlet or has ended.
  [[nodiscard]] std::function<HistogramValue()> scrape_durations() const;

 private:
  class Endpoint;
  explicit Prometheus(std::unique_ptr<Endpoint> endpoint);

  std::unique_ptr<Endpoint> endpoint_;
};

}  // namespace flowtap::stats
