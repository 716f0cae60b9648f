// The stream path as one component: its stages in the order in which a byte passes them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "component/views/views.hpp"
#include "stats/read_errors.hpp"
#include "stats/snapshot.hpp"
#include "stream/capture/drain.hpp"
#include "stream/capture/log_tap.hpp"
#include "stream/flows_directory.hpp"
#include "stream/known_runs.hpp"
#include "stream/reading/flows_service.hpp"
#include "stream/reading/reader_waker.hpp"
#include "stream/repair/repair.hpp"
#include "stream/sources/container_namer.hpp"
#include "stream/sources/sources.hpp"
#include "stream/sources/stream_losses.hpp"
#include "stream/sources/unseen_containers.hpp"
#include "stream/sources/v1_containers.hpp"
#include "stream/store/line_path.hpp"
#include "stream/stream_options.hpp"

namespace flowtap {

/// Where the log tap is pinned.
[[nodiscard]] std::string bpffs_path(const StreamOptions& options, const std::string& host_root);

class StreamPath {
 public:
  static constexpr const char* kName = "stream";      ///< the component's name
  static constexpr const char* kLines = "log_lines";  ///< what the lines' thread reads, as ReadErrors has it

  /// Mounts, loads or takes over, and replays the journal: it does all that needs the rights that are dropped afterwards.
  /// `written_by` says where the bytes that flows get are counted.
  [[nodiscard]] static Result<std::unique_ptr<StreamPath>> open(const StreamOptions& options,
                                                                const StreamPlaces& places,
                                                                std::shared_ptr<NamedContainers> named,
                                                                flow::WrittenBy written_by);
  ~StreamPath();
  StreamPath(const StreamPath&) = delete;
  StreamPath& operator=(const StreamPath&) = delete;

  /// Begins to drain the ring, and looks for what ran before. An Error: a thread could not be started.
  [[nodiscard]] Status run(const SourceOptions& sources);
  /// For the end of the process: all threads end, and what they have is written. False: one waits for a file system that does not
  /// answer. That thread uses what this object owns, so the object must not be destroyed, and the process has to end with it.
  [[nodiscard]] bool stop();
  /// Captures these from now on beside containers, and nothing else. Not before run().
  void set_sources(const SourceOptions& sources) { sources_->set(sources); }
  /// Groups are shown by these rules from now on. Not before run().
  void set_flow_rules(const std::vector<flow::GroupRule>& rules);

  [[nodiscard]] api::FlowsView& flows() { return *service_; }
  /// For whoever reads schedulers' logs. Not before run().
  [[nodiscard]] SchedulerFlows scheduler_flows() { return {lines_->store(), *waker_, *service_}; }
  /// How it runs, with what does not work as well as it could.
  [[nodiscard]] std::string how() const;
  /// What does not work as well as it could. Each sentence is given once.
  [[nodiscard]] std::vector<std::string> new_warnings();

  /// Reads what changes slowly. Not before run(), and neither are the calls below.
  void look_around(ReadErrors& errors);
  [[nodiscard]] api::StreamStatusReport report() const;
  /// `status` is what report() says.
  void append_samples(std::vector<stats::Series>& out, const api::StreamStatusReport& status) const;

 private:
  // Where the node is seen.
  struct Node {
    std::string host_root;
    identity::StateDirectories runtimes;
  };
  struct Warnings {
    std::vector<std::string> all;
    std::size_t told = 0;  // how many of them were given
  };

  StreamPath(Node node, std::shared_ptr<NamedContainers> named)
      : node_(std::move(node)), runs_(std::move(named)) {}

  Warnings warnings_;
  Node node_;
  KnownRuns runs_;
  std::optional<V1Search> v1_search_;

  // Each stage stands behind those that it uses. They end in the reverse order.
  std::optional<FlowsDirectory> directory_;
  std::unique_ptr<LinePath> lines_;
  std::unique_ptr<LogTap> tap_;
  std::unique_ptr<StreamLosses> losses_;
  std::unique_ptr<ContainerNamer> namer_;
  std::unique_ptr<ReaderWaker> waker_;
  std::unique_ptr<Drain> drain_;
  std::unique_ptr<Sources> sources_;
  std::unique_ptr<Repair> repair_;
  std::unique_ptr<FlowsService> service_;
  std::unique_ptr<UnseenContainers> unseen_;
};

}  // namespace flowtap
