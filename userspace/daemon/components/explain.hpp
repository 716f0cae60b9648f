// The component "explain": the explain path.
#pragma once

#include <memory>

#include "daemon/components/stream.hpp"
#include "explain/explain_path.hpp"

namespace flowtap {

class ExplainComponent final : public Component {
 public:
  /// The explain path reads what `stream` captures.
  ExplainComponent(Shared& shared, StreamComponent& stream) : shared_(shared), stream_(stream) {}

  void run() override;
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) override;
  void reload(const Config& old) override;
  void stop() override { path_.reset(); }

 private:
  Shared& shared_;
  StreamComponent& stream_;
  std::unique_ptr<ExplainPath> path_;
};

}  // namespace flowtap
