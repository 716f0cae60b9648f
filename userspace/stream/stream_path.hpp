// The stream path as one component: programs in the kernel, ring, journal, names, and who reads.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "component/views/views.hpp"
#include "kernel/log/log_hooks.hpp"
#include "kernel/log/log_programs.hpp"
#include "kernel/log/open_files.hpp"
#include "kernel/records/recording.hpp"
#include "stats/read_errors.hpp"
#include "stats/snapshot.hpp"
#include "stream/flows_mount.hpp"
#include "stream/journal/consumer/log_consumer.hpp"
#include "stream/journal/files/file_streams.hpp"
#include "stream/journal/journal.hpp"
#include "stream/reading/flows_service.hpp"
#include "stream/reading/reader_waker.hpp"
#include "stream/repair/auditor.hpp"
#include "stream/repair/refiller.hpp"
#include "stream/repair/suspicion.hpp"
#include "stream/sources/container_namer.hpp"
#include "stream/sources/files/file_sources.hpp"
#include "stream/sources/listed_processes.hpp"
#include "stream/sources/process_taps.hpp"
#include "stream/sources/stream_slots.hpp"
#include "stream/store/line_path.hpp"
#include "stream/stream_options.hpp"

namespace flowtap {

/// Where the log tap is pinned.
[[nodiscard]] std::string bpffs_path(const StreamOptions& options, const std::string& host_root);

class StreamPath {
 public:
  static constexpr const char* kName = "stream";  ///< the component's

  /// Mounts, loads or takes over, and replays the journal: all that needs rights which are dropped then. `written_by`: where
  /// is counted what flows get.
  [[nodiscard]] static Result<std::unique_ptr<StreamPath>> open(const StreamOptions& options,
                                                                const StreamPlaces& places,
                                                                std::shared_ptr<NamedContainers> named,
                                                                flow::WrittenBy written_by);
  ~StreamPath();
  StreamPath(const StreamPath&) = delete;
  StreamPath& operator=(const StreamPath&) = delete;

  /// Begins to drain the ring, and looks for what ran before. An Error: no thread.
  [[nodiscard]] Status run(const SourceOptions& sources);
  /// Before the end of the process: all threads end, and what they have is written. False: one waits for a file system that
  /// does not answer. It uses what this owns, so that this must not be destroyed: the process has to end with it.
  [[nodiscard]] bool stop();
  /// Captures these from now on, beside containers, and no others.
  void set_sources(const SourceOptions& sources);
  /// Groups are shown by these from now on. Not before run().
  void set_flow_rules(const std::vector<flow::GroupRule>& rules);

  [[nodiscard]] api::FlowsView& flows() { return *service_; }
  /// For whoever reads schedulers' logs. Not before run().
  [[nodiscard]] SchedulerFlows scheduler_flows() { return {lines_->store(), *waker_, *service_}; }
  /// How it runs, with what is less than it could be.
  [[nodiscard]] std::string how() const;
  /// What is less than it could be, each sentence once.
  [[nodiscard]] std::vector<std::string> new_warnings();

  /// Reads what changes slowly.
  void look_around(ReadErrors& errors);
  [[nodiscard]] api::StreamStatusReport report() const;
  /// `status` is what report() says.
  void append_samples(std::vector<stats::Series>& out, const api::StreamStatusReport& status) const;

 private:
  using Clock = std::chrono::steady_clock;

  StreamPath() = default;
  [[nodiscard]] Status open_kernel(const StreamOptions& options);
  void warn_of_taken_over(const kernel::LogOptions& options);
  void open_files();
  void look_for_v1();
  void mark_running(kernel::LogStreams& streams) const;
  [[nodiscard]] Status record_to(const std::string& file);
  void look_at_recording();
  void end_taps();
  void end_orphans();
  [[nodiscard]] Result<std::vector<std::string>> relieve();
  static void note_listing(const Status& listed);
  void open_sources(const SourceOptions& sources);
  /// What is older than `youngest`. False: open files cannot be listed now.
  bool find_running(std::chrono::nanoseconds youngest);
  /// True: it has looked.
  bool find_missed();
  void drain() noexcept;
  void stop_drain();

  std::vector<std::string> warnings_;
  std::size_t told_ = 0;                   // of the warnings
  std::optional<identity::RootDir> proc_;  // of the node, as long as it is looked at for containers of v1
  Clock::time_point next_v1_look_{};
  std::string host_root_;
  identity::StateDirectories runtimes_;
  FlowsSince since_;
  std::unique_ptr<flow::Journal> journal_;
  std::uint64_t journal_limit_ = 0;
  std::unique_ptr<LinePath> lines_;
  std::optional<kernel::LogLive> live_;
  bool pinned_ = false;                 // and the pins outlive this process
  kernel::RingReader* ring_ = nullptr;  // is source_, or what source_ records
  std::unique_ptr<flow::RecordSource> source_;
  const flow::RecordingSource* recording_ = nullptr;  // source_, as long as it is looked at
  std::unique_ptr<StreamSlots> slots_;
  std::optional<kernel::OpenFiles> files_;
  std::unique_ptr<ContainerNamer> namer_;
  std::unique_ptr<ReaderWaker> waker_;
  flow::FileStreams file_streams_;
  std::unique_ptr<FileSources> file_sources_;
  std::unique_ptr<flow::LogConsumer> consumer_;
  std::optional<ListedProcesses> listed_;
  std::unique_ptr<ProcessTaps> taps_;
  Suspicion suspicion_;
  std::unique_ptr<Histories> histories_;
  std::unique_ptr<Refiller> refiller_;
  std::unique_ptr<Auditor> auditor_;
  std::unique_ptr<FlowsService> service_;
  std::vector<api::ProgramStatus> programs_;
  kernel::LogMisses misses_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> failed_rounds_{0};
  std::uint64_t drain_errors_ = 0;       // as of the last look
  std::uint64_t exec_misses_ = 0;        // of the program at exec, as far as it could be read
  std::uint64_t known_exec_misses_ = 0;  // at the last look
  int missed_looks_ = 0;                 // that are due for what began then
  Clock::time_point next_missed_look_{};
  Clock::duration missed_pause_ = std::chrono::seconds(1);
  std::uint64_t refused_ = 0;  // streams that found no slot
  bool no_slot_ = false;       // for one that the last look has found
  std::thread thread_;
};

}  // namespace flowtap
