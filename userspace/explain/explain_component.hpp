// The component "explain": the explain path.
#pragma once

#include <memory>
#include <string_view>

#include "component/component.hpp"
#include "explain/explain_options.hpp"
#include "explain/explain_path.hpp"
#include "stream/stream_component.hpp"

namespace flowtap {

class ExplainComponent final : public Component {
 public:
  /// The explain path reads what `stream` captures.
  ExplainComponent(Shared& shared, const ExplainOptions& options, StreamComponent& stream)
      : shared_(shared), options_(options), stream_(stream) {}

  [[nodiscard]] std::string_view name() const override { return ExplainPath::kName; }
  void run() override;
  /// How many logs are read is a part of its state: a pattern of stream.schedulers may fit nothing.
  void report(api::StatusReport& status) override;
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) override;
  void stop() override { path_.reset(); }

 private:
  void take_options() override;
  Shared& shared_;
  const ExplainOptions& options_;
  StreamComponent& stream_;
  std::unique_ptr<ExplainPath> path_;
};

}  // namespace flowtap
