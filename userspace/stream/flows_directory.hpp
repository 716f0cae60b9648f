// DIR/flows as a stage of the stream path: what outlives this process, with the journal in it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "component/views/flow_views.hpp"
#include "stats/snapshot.hpp"
#include "stream/journal/journal.hpp"
#include "stream/store/line_options.hpp"

namespace flowtap {

class FlowsDirectory {
 public:
  /// Mounts it, and replays the journal. `warnings` gets what does not work as well as it could.
  [[nodiscard]] static Result<FlowsDirectory> open(const std::string& state_dir, const LineOptions& limits,
                                                   std::vector<std::string>& warnings);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] flow::Journal& journal() { return *journal_; }
  [[nodiscard]] const flow::Journal& journal() const { return *journal_; }

  void report(api::StreamStatusReport& report) const;
  void append_samples(std::vector<stats::Series>& out) const;

 private:
  FlowsDirectory() = default;

  std::string path_;
  std::optional<std::chrono::system_clock::time_point> since_;
  std::unique_ptr<flow::Journal> journal_;
};

}  // namespace flowtap
