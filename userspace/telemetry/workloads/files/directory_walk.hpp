// How much is in a directory and below, counted in slices of time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/directory.hpp"

namespace flowtap::telemetry {

struct DirectorySize {
  std::uint64_t bytes = 0;  ///< in the blocks of its files, each file once
  std::uint64_t files = 0;  ///< files of all kinds, without the directory itself

  bool operator==(const DirectorySize&) const = default;
};

/// Follows no link and enters no other file system. Files that come and go meanwhile may be counted or not.
class DirectoryWalk {
 public:
  static constexpr std::size_t kMostFiles = 2'000'000;
  static constexpr std::size_t kDeepest = 256;
  static constexpr std::size_t kMostLinked = 100'000;  ///< files of several names; each is remembered

  /// `path` is a directory, or a link to one.
  explicit DirectoryWalk(const std::string& path);

  /// Goes on until `end`. True: it is complete.
  [[nodiscard]] bool go_on(std::chrono::steady_clock::time_point end);

  /// The result, once it is complete. Absent: it could not be looked through, or there is more than these bounds.
  [[nodiscard]] std::optional<DirectorySize> size() const {
    return failed_ ? std::nullopt : std::optional(size_);
  }

 private:
  void enter(Fd directory);
  void see(const char* name);

  dev_t device_ = 0;
  std::vector<DirectoryStream> open_;  // the directories on the way down
  std::set<ino_t> linked_;             // files with several names that were seen
  DirectorySize size_;
  bool failed_ = false;
};

}  // namespace flowtap::telemetry
