// The component "stream": the stream path.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/flows/written.hpp"
#include "component/component.hpp"
#include "identity/named_containers.hpp"
#include "stream/memory/memory_fit.hpp"
#include "stream/mount_keeper.hpp"
#include "stream/stream_path.hpp"

namespace flowtap {

class StreamComponent final : public Component {
 public:
  /// `named` learns which containers there are. `written_by` says where the bytes that flows get are counted.
  StreamComponent(Shared& shared, const StreamOptions& options, std::shared_ptr<NamedContainers> named,
                  flow::WrittenBy written_by);

  [[nodiscard]] std::string_view name() const override { return StreamPath::kName; }
  void open() override;
  void run() override;
  void look_around() override;
  void report(api::StatusReport& status) override;
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) override;
  [[nodiscard]] std::string sentence() const override {
    return path_ ? "captures what containers write" : "";
  }
  /// What is pinned goes on capturing. The process ends here if a file system does not answer.
  void stop() override;

  /// Whether it should run.
  [[nodiscard]] bool enabled() const { return options_.enabled; }
  /// Null: the stream path does not run.
  [[nodiscard]] StreamPath* path() { return path_.get(); }

 private:
  void take_options() override;
  void log_warnings();
  /// Of the options that it runs under.
  void find_idle_patterns();
  void make_room(const std::string& flows);
  [[nodiscard]] MemoryFit fit_now() const;
  void tell(const Status& running);

  Shared& shared_;
  const StreamOptions& options_;
  StreamOptions applied_;  // the options that it runs under
  std::shared_ptr<NamedContainers> named_;
  flow::WrittenBy written_by_;
  LineOptions::Schedulers schedulers_;  // as they were at the start, since a reload does not change them
  std::vector<api::IdlePattern> idle_;
  std::uint64_t give_up_ = 0;  // StreamPlaces::give_up
  // Made before any component opens anything, which its child would keep.
  Result<std::shared_ptr<MountKeeper>> mounts_;
  std::optional<Error> missing_;  // why it does not run, though it should
  std::unique_ptr<StreamPath> path_;
};

}  // namespace flowtap
