// All files that are followed, between the ring and the journal: which records are theirs, and what is to be read.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernel/records/stream_control.hpp"
#include "stream/journal/files/file_stream.hpp"

namespace flowtap::flow {

/// The consumer's thread uses it; the others may call what is said to be safe.
class FileStreams {
 public:
  using Clock = FileStream::Clock;

  struct Added {
    FileStream::Start start;
    std::string flow;  ///< files of one flow are read one after the other, in the order of add()
    std::unique_ptr<FileContent> content;
  };
  /// `tap` begins the stream. Its first record may be taken before this returns, but it is never taken for anything else's. `tap`
  /// must not wait for anything, since the consumer waits for it. Safe from any thread.
  [[nodiscard]] Status add(const std::function<Result<Added>()>& tap);
  /// Adds a stream that began before the consumer's first round.
  void add(Added file);

  /// Takes over what was added; writes the names.
  void begin_round(Batch& batch);
  /// Something was added, or is being added, and was not taken over yet: a record that comes now may be of that file.
  [[nodiscard]] bool has_added() const { return has_added_.load(std::memory_order_acquire); }
  void take_added(Batch& batch);
  [[nodiscard]] bool any() const { return !files_.empty() || has_added(); }
  /// Whether the stream is a followed file's.
  [[nodiscard]] bool owns(StreamNo stream) const {
    return files_.contains(stream) || finished_.contains(stream);
  }
  /// Takes a record of a stream that it owns. The record's bytes go to the batch, and so do those of the file.
  void take(const Bytes& record, std::uint64_t time, Batch& batch);
  /// Reads what there is to be read, but only so much at once that nobody waits for long. True: there is more.
  bool read_on(bool drained, std::uint64_t time, Batch& batch);
  /// A new batch was begun, for which some more may be read.
  void refresh();

  using KeepName = std::function<void(StreamNo stream, std::span<const std::byte> row)>;
  /// Tells how far each file is in the journal, which has all that was given to its batch, so that it is kept beside its slot.
  void keep_places(const KeepName& keep);

  /// Looks at the files themselves. True: it is to be called again soon.
  bool look(Clock::time_point now, bool drained);

  /// The tap sees no more of it. Its end goes to the batch when the file was read to its end.
  void end(StreamNo stream);
  /// Takes nothing of it: whoever follows it later reads it from the file.
  void leave_out(StreamNo stream) { finished_.insert(stream); }
  /// Its slot is free now.
  void forget(StreamNo stream) { finished_.erase(stream); }

  struct Counts {
    std::uint64_t missing = 0;  ///< bytes that passed, and that the file does not have any more
    std::uint64_t filled = 0;   ///< bytes that were read from files
  };
  [[nodiscard]] Counts counts() const { return {missing_, filled_}; }  ///< safe from any thread

 private:
  struct File {
    FileStream stream;
    std::unique_ptr<FileContent> content;
    std::string flow;
    bool begun = false;  // something of it is in the journal, so what came before it is
    bool ends = false;
    std::uint64_t kept = 0;  // what it had passed when its place was kept
  };

  /// Sees to it that what stands before the file in its flow is in the journal, and reads it if it is not. False: that takes
  /// longer.
  bool make_way(File& file, FileStream::Sink& sink);
  void finish(File& file, std::uint64_t time, Batch& batch);
  void count();

  std::unordered_map<StreamNo, std::unique_ptr<File>> files_;
  std::vector<File*> order_;               // as they were added
  std::unordered_set<StreamNo> finished_;  // their ends are in the journal, and their slots are not free yet
  std::uint64_t budget_ = 0;               // bytes that may be read for this batch
  Counts gone_;                            // of files that are no longer followed
  std::atomic<std::uint64_t> missing_{0};
  std::atomic<std::uint64_t> filled_{0};

  std::mutex told_mutex_;
  std::vector<Added> told_;
  std::atomic<bool> has_added_{false};
};

}  // namespace flowtap::flow
