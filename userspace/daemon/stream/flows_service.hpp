// What the API's thread asks of the stream path.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/flow_views.hpp"
#include "daemon/stream/follow_watch.hpp"
#include "daemon/stream/process_taps.hpp"
#include "daemon/stream/suspicion.hpp"
#include "flow/journal.hpp"
#include "flow/store/flow_store.hpp"

namespace flowtap {

class FlowsService final : public api::FlowsView {
 public:
  /// `taps` may be null: this kernel does not tell what processes write to. All must outlive it.
  FlowsService(flow::Journal& journal, flow::FlowStore& store, FollowWatch& watch, const Suspicion& suspicion,
               ProcessTaps* taps)
      : journal_(journal), store_(store), watch_(watch), suspicion_(suspicion), taps_(taps) {}

  [[nodiscard]] std::vector<api::FlowStatus> flows(const api::FlowFilter& filter) const override;
  [[nodiscard]] Result<std::unique_ptr<api::RawReader>> read(const std::string& id,
                                                             const api::ReadOptions& options) override;
  [[nodiscard]] Result<std::unique_ptr<api::RawReader>> log(const std::string& id,
                                                            const api::LogOptions& options) override;
  [[nodiscard]] Result<std::unique_ptr<api::RawReader>> tap(std::uint32_t pid,
                                                            const api::ReadOptions& options) override;

 private:
  flow::Journal& journal_;
  flow::FlowStore& store_;
  FollowWatch& watch_;
  const Suspicion& suspicion_;
  ProcessTaps* taps_;
};

}  // namespace flowtap
