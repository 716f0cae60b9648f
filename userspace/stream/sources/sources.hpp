// What is captured beside containers, as a stage of the stream path: what is listed, and what somebody taps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "component/views/flow_views.hpp"
#include "kernel/log/log_programs.hpp"
#include "kernel/log/open_files.hpp"
#include "stream/journal/consumer/log_consumer.hpp"
#include "stream/journal/files/file_streams.hpp"
#include "stream/journal/journal.hpp"
#include "stream/sources/files/file_sources.hpp"
#include "stream/sources/listed_processes.hpp"
#include "stream/sources/process_taps.hpp"
#include "stream/sources/source_options.hpp"
#include "stream/sources/stream_slots.hpp"

namespace flowtap {

/// What sources work on.
struct SourceKit {
  std::string host_root;
  const kernel::LogLive& live;
  const kernel::OpenFiles* files;  ///< null: no source can be found
  StreamSlots& slots;
  const flow::Journal& journal;
  flow::LogConsumer& consumer;
  flow::FileStreams& streams;
};

/// Used by one thread; its taps are safe from any.
class Sources {
 public:
  /// All that the kit refers to must outlive it.
  explicit Sources(SourceKit kit);

  /// Null: no process can be tapped.
  [[nodiscard]] ProcessTaps* taps() { return taps_.get(); }

  /// Captures what is listed. To be called before the consumer's first round. `warnings` get what cannot be captured.
  void run(const SourceOptions& options, std::vector<std::string>& warnings);
  /// Captures these from now on, and no others.
  void set(const SourceOptions& options);
  /// `missed`: something may run without being captured, since it was missed when it began.
  void look_around(bool missed);
  /// Ends the thread that follows files. False: it waits for a file system that does not answer, and still uses this object.
  [[nodiscard]] bool stop();
  /// Ends that thread however long it takes.
  void end_files() { files_.reset(); }

  void report(api::StreamStatusReport& report) const;

 private:
  SourceKit kit_;
  std::unique_ptr<FileSources> files_;
  std::optional<ListedProcesses> listed_;
  std::unique_ptr<ProcessTaps> taps_;
};

}  // namespace flowtap
