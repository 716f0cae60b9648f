// The files that the configuration lists: found, tapped, handed to the consumer, over rotations and restarts.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/threads/event_fd.hpp"
#include "component/views/flow_views.hpp"
#include "kernel/log/open_files.hpp"
#include "stream/journal/files/file_streams.hpp"
#include "stream/journal/journal.hpp"
#include "stream/sources/files/directory_watches.hpp"
#include "stream/sources/files/file_generations.hpp"
#include "stream/sources/files/path_walk.hpp"
#include "stream/sources/files/rotations.hpp"
#include "stream/sources/stream_slots.hpp"

namespace flowtap {

/// Watches the directories of its files on a thread of its own. Only that thread waits for file systems; set() and told() do not,
/// and are safe from any thread.
class FileSources {
 public:
  /// All must outlive it. `host_root` is where the node's file system is seen.
  [[nodiscard]] static Result<std::unique_ptr<FileSources>> open(const std::string& host_root,
                                                                 const kernel::OpenFiles& files,
                                                                 StreamSlots& slots,
                                                                 const flow::Journal& journal,
                                                                 flow::FileStreams& streams);
  ~FileSources();
  FileSources(const FileSources&) = delete;
  FileSources& operator=(const FileSources&) = delete;

  /// Follows these from now on, and no others. A file that is there now and was not followed before is followed from its end. All
  /// files that come later are followed from their beginning. The first call has to come before the consumer's first round, so
  /// that what an earlier service followed is known before its records come. Later calls return when it is done, except if the
  /// thread hangs.
  void set(const std::vector<std::string>& paths);
  void start();
  /// Ends the thread. False: it has not ended within `limit`, since it waits for a file system, and it still uses this object.
  [[nodiscard]] bool stop(std::chrono::milliseconds limit);

  struct Told {
    std::vector<std::string> not_found;
    std::vector<api::RefusedSource> refused;  ///< files that are there, and why they are not followed
    /// Files that were removed before they could be opened; their bytes are nowhere.
    std::uint64_t lost_files = 0;
  };
  /// As the thread saw it last.
  [[nodiscard]] Told told() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Path {
    Path(const FollowKit& kit, const std::string& path_of, const std::string& flow_of)
        : path(path_of),
          flow(flow_of),
          rotations(path_of.substr(path_of.rfind('/') + 1)),
          generations(kit, path_of, flow_of) {}
    std::string path;
    std::string flow;
    Rotations rotations;
    FileGenerations generations;
    int watch = DirectoryWatches::kNone;
    bool has_no_watch_left = false;  // root has as many as it may
    std::optional<Error> missing;    // why no file is at the path, or cannot be followed
    bool known = false;              // from now on it is followed from its beginning, not its end
  };

  FileSources(const FollowKit& kit, PathWalk walk, DirectoryWatches watches, EventFd wake)
      : kit_(kit), walk_(std::move(walk)), watches_(std::move(watches)), wake_(std::move(wake)) {}

  void ask_to_stop();
  void run() noexcept;
  void follow_all();
  bool take_wanted();
  void list(const std::vector<std::string>& paths);
  void tell();
  void look();
  void watch(Path& path);
  void drop_old_watches();
  /// True: there were events.
  bool read_events();
  void open_fresh(Path& path);
  void look_at(Path& path);
  void resume(Path& path);
  void end_unlisted();

  FollowKit kit_;
  PathWalk walk_;
  DirectoryWatches watches_;
  EventFd wake_;
  std::list<Path> paths_;
  std::uint64_t lost_before_ = 0;  // of paths that are not listed any more
  bool first_ = true;

  mutable std::mutex
      told_mutex_;  // guards what follows; is never held while something waits for a file system
  std::condition_variable listed_;
  std::optional<std::vector<std::string>> wanted_;
  bool stopping_ = false;
  std::condition_variable end_;
  bool ended_ = false;  // the thread has ended
  Told told_;
  std::thread thread_;
};

}  // namespace flowtap
