// The file in which ends outlive flowtapd. What it has is not trusted: whoever wrote it may have been killed amid a line,
// be another build, or be nobody that we know.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "telemetry/workloads/end_record.hpp"

namespace flowtap::telemetry {

/// A line for each record, behind a line that says which form they have. A record that comes later replaces the one
/// before it of the same name; one that tells nothing removes it. Not thread-safe.
class EndsFile {
 public:
  /// A larger file is neither read nor written.
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20U;
  /// What a file that could not be read is called before another one takes its place.
  static constexpr const char* kUnread = ".unread";

  explicit EndsFile(std::string path) : path_(std::move(path)) {}

  struct Loaded {
    std::vector<EndRecord> records;  ///< as they were written, the oldest first
    std::size_t broken = 0;          ///< lines that are none
  };
  /// Nothing where there is no file. An Error: it cannot be read, or has another form; append() then asks for all.
  [[nodiscard]] Result<Loaded> load();

  /// Whether all records have to be written: the file is not the one that this object knows, or has mostly what was
  /// replaced.
  [[nodiscard]] bool wants_all(std::size_t records) const;
  /// After an Error wants_all() is true.
  [[nodiscard]] Status append(std::span<const EndRecord> records);
  /// A file with these records takes the place of the one before, which is kept as kUnread if it could not be read.
  [[nodiscard]] Status write_all(std::span<const EndRecord> records);

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool unread_ = false;  // the file has something that is not known
  ino_t inode_ = 0;      // 0: no file is known
  std::size_t size_ = 0;
  std::size_t lines_ = 0;
};

}  // namespace flowtap::telemetry
