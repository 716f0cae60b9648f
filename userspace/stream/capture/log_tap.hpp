// The log tap as a stage of the stream path: the programs in the kernel, their ring, and the slots of their streams.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "component/views/views.hpp"
#include "kernel/log/log_misses.hpp"
#include "kernel/log/log_programs.hpp"
#include "kernel/log/open_files.hpp"
#include "kernel/records/recording.hpp"
#include "stats/read_errors.hpp"
#include "stats/snapshot.hpp"
#include "stream/journal/consumer/namer.hpp"
#include "stream/journal/journal.hpp"
#include "stream/sources/stream_slots.hpp"
#include "stream/store/line_path.hpp"

namespace flowtap {

/// What the configuration says in the rows stream.NAME.
struct LogTapOptions {
  std::string backend;
  std::uint64_t ring_bytes = 0;
  std::string bpffs;   ///< where to pin
  std::string record;  ///< empty: nothing is recorded
  std::string host_root;
};

class LogTap {
 public:
  /// Loads the programs or takes over what is pinned. What another build has captured goes into the journal, and `lines` takes it
  /// at the same time. Streams that an earlier service left open and that nobody goes on with end there. All must outlive it,
  /// except `warnings`, which gets what does not work as well as it could.
  [[nodiscard]] static Result<std::unique_ptr<LogTap>> open(const LogTapOptions& options,
                                                            flow::Journal& journal, LinePath& lines,
                                                            flow::Namer& namer,
                                                            std::vector<std::string>& warnings);

  [[nodiscard]] const kernel::LogLive& live() const { return *live_; }
  /// What the programs yield. It is recorded if that is asked for.
  [[nodiscard]] flow::RecordSource& source() { return *source_; }
  [[nodiscard]] StreamSlots& slots() { return *slots_; }
  /// Null: the open files of the node's processes cannot be listed.
  [[nodiscard]] const kernel::OpenFiles* files() const { return files_ ? &*files_ : nullptr; }

  /// Whether what is pinned, and the ring with it, is there when this process has ended. Safe from any thread.
  [[nodiscard]] bool outlives() const { return outlive_ && are_pinned_; }
  /// A sentence that says what is captured, and through what.
  [[nodiscard]] std::string how() const;

  /// Reads the state of the programs and the recording.
  void look_around(ReadErrors& errors, std::vector<std::string>& warnings);
  /// How many execs the kernel kept from the program, as far as that could be read.
  [[nodiscard]] std::uint64_t exec_misses() const { return exec_misses_; }
  /// What the last look has found, together with what the slots say by now. Call it once after each look.
  [[nodiscard]] const kernel::LogMisses& count_misses();

  void report(api::StreamStatusReport& report) const;
  /// `status` is what report() says.
  void append_samples(std::vector<stats::Series>& out, const api::StreamStatusReport& status) const;

 private:
  LogTap() = default;
  void open_files(std::vector<std::string>& warnings);
  [[nodiscard]] Status open_kernel(const LogTapOptions& options, flow::Journal& journal, LinePath& lines,
                                   flow::Namer& namer, std::vector<std::string>& warnings);
  void see_what_is_pinned(const kernel::LogOptions& tap, std::vector<std::string>& warnings);
  [[nodiscard]] Result<std::vector<std::string>> relieve(flow::Journal& journal, LinePath& lines,
                                                         flow::Namer& namer);
  void warn_of_taken_over(const kernel::LogOptions& options, std::vector<std::string>& warnings) const;
  void mark_running(kernel::LogStreams& streams) const;
  [[nodiscard]] Status record_to(const std::string& file);
  void end_taps(const flow::Journal& journal);
  void end_orphans(flow::Journal& journal);
  void look_at_recording(std::vector<std::string>& warnings);
  void keep_pinned();

  std::optional<kernel::LogLive> live_;
  bool outlive_ = false;                // the pins outlive this process
  bool pinned_in_namespace_ = false;    // for as long as other processes have its mount namespace
  Status pinned_;                       // whether they are there
  std::atomic<bool> are_pinned_{true};  // the same, for other threads
  kernel::RingReader* ring_ = nullptr;  // source_ itself, or what source_ records
  std::unique_ptr<flow::RecordSource> source_;
  const flow::RecordingSource* recording_ = nullptr;  // source_, until it is cut short
  std::unique_ptr<StreamSlots> slots_;
  std::optional<kernel::OpenFiles> files_;
  std::vector<api::ProgramStatus> programs_;
  kernel::KnownMisses of_programs_;
  kernel::LogMisses misses_;
  std::uint64_t exec_misses_ = 0;
};

}  // namespace flowtap
