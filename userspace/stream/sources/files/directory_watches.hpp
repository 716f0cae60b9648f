// The directories of the files that are followed: what happens to the names in them, in its order.
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

  /// The number that the directory's events have from now on: the same again where it is watched already. kNone: there is
  /// none, or it cannot be watched.
  [[nodiscard]] int watch(PathWalk& walk, const std::string& directory);

  /// Watches no directory any more but those with these numbers. One that was moved away stays watched until then, and
  /// who owns it could make one after the other until root may have no more watches.
  void keep_only(const std::set<int>& watches);

  struct Listener {
    std::function<void(int watch, const NameEvent& event)> event;
    std::function<void()> lost;  ///< events found no room, of any directory
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
