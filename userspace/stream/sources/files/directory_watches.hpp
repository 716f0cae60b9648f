// The directories of the files that are followed: what happens to the names in them, in the order in which it happens.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "stream/sources/files/path_walk.hpp"
#include "stream/sources/files/rotations.hpp"

namespace flowtap {

class DirectoryWatches {
 public:
  static constexpr int kNone = -1;

  [[nodiscard]] static Result<DirectoryWatches> open();

  /// Watches a directory. Returns the number that its events have from now on, which is the same as before if it is watched
  /// already. Error code ENOSPC: it cannot be watched because root has as many watches as it may. Any other: there is no such
  /// directory, or it may not be watched.
  [[nodiscard]] Result<int> watch(PathWalk& walk, const std::string& directory);

  /// Stops watching all directories but those with these numbers. A directory that was moved away stays watched until then, and
  /// its owner could make one after the other until root may have no more watches.
  void keep_only(const std::set<int>& watches);

  struct Listener {
    std::function<void(int watch, const NameEvent& event)> event;
    std::function<void()> lost;  ///< events of some directory found no room
  };
  /// Hands over what happened since, without waiting. True: there was something.
  bool read(const Listener& listener);

  /// Readable when something has happened.
  [[nodiscard]] int fd() const { return inotify_.get(); }

 private:
  explicit DirectoryWatches(Fd inotify) : inotify_(std::move(inotify)) {}

  Fd inotify_;
  std::set<int> all_;
};

}  // namespace flowtap
