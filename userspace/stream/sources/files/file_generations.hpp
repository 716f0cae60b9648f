// The files that stand, or stood, at one listed path: tapped, handed to the consumer, and let go when nobody writes to
// them any more.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "kernel/log/open_files.hpp"
#include "stream/journal/files/file_streams.hpp"
#include "stream/journal/journal.hpp"
#include "stream/sources/files/followed_file.hpp"
#include "stream/sources/stream_slots.hpp"

namespace flowtap {

/// What all of them use.
struct FollowKit {
  const kernel::OpenFiles& files;
  StreamSlots& slots;
  const flow::Journal& journal;
  flow::FileStreams& streams;
};

class FileGenerations {
 public:
  /// What `kit` refers to must outlive it. `flow` is the name of the path's flow.
  FileGenerations(const FollowKit& kit, std::string path, std::string flow)
      : kit_(kit), path_(std::move(path)), flow_(std::move(flow)) {}

  /// Follows a file as the latest one at the path. One that is followed already stays as it is. A file that an earlier service
  /// followed goes on where the journal ends; others begin at their beginning or end. No more than a few are followed at once:
  /// the oldest is let go, however long it may be written to.
  [[nodiscard]] Status follow(const OpenedFile& file, bool from_end);
  /// A path takes no more than kMostHeld descriptors and slots, however many files somebody makes there. Those of files that have
  /// ended count, too. False: follow() has to wait for the next retire().
  [[nodiscard]] bool has_room() const;

  /// Lets go of files that nobody writes to any more, and of those whose streams have ended. `slots` are the slots as they are
  /// now.
  void retire(const std::vector<flow::StreamSlot>& slots);
  /// Lets go of all.
  void end();

  [[nodiscard]] bool follows(flow::StreamNo stream) const;
  [[nodiscard]] bool is_latest(const FileIdentity& file) const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Generation {
    FileIdentity identity;
    std::shared_ptr<const Fd> fd;
    flow::StreamNo stream = 0;
    Clock::time_point changed;  // when it was last seen to grow, or to have left its path
    std::uint64_t size = 0;
  };
  // What a file takes until its slot is free and the consumer has read it to its end.
  struct Held {
    flow::StreamNo stream;
    std::weak_ptr<const Fd> fd;
  };

  void let_oldest_go();

  FollowKit kit_;
  std::string path_;
  std::string flow_;
  std::list<Generation> all_;  // the last one is at the path, or was
  std::vector<Held> held_;
};

}  // namespace flowtap
