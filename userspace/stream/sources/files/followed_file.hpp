// A file of the node that is followed: how it is opened, known again, and read.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "kernel/log/open_files.hpp"
#include "stream/journal/files/file_stream.hpp"
#include "stream/journal/journal.hpp"
#include "stream/sources/files/path_walk.hpp"

namespace flowtap {

/// What tells a file from every other, also from a later one with its number.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t born = 0;  ///< ns since 1970; 0: its file system does not tell
  bool operator==(const FileIdentity&) const = default;
};

struct OpenedFile {
  std::shared_ptr<const Fd> fd;
  FileIdentity identity;
  std::uint64_t size = 0;
};

/// Opens a regular file for reading; never waits for a FIFO or device. Its Errors may also be those of PathWalk::to().
[[nodiscard]] Result<OpenedFile> open_log_file(PathWalk& walk, const std::string& path);

/// What the journal says of a file's stream beside its name.
struct FileNotes {
  std::string path;
  std::int64_t born = 0;
  flow::FilePlace place;
  bool operator==(const FileNotes&) const = default;
};
/// One line of JSON.
[[nodiscard]] std::string render_notes(const FileNotes& notes);
/// Absent: render_notes() has not made this line.
[[nodiscard]] std::optional<FileNotes> parse_notes(std::string_view json);

/// The notes of a stream that is a followed file; absent for all others.
[[nodiscard]] std::optional<FileNotes> notes_of(const flow::StreamView& stream);

class FollowedFile final : public flow::FileContent {
 public:
  /// `fd` may be null: the file is gone, and only what the tap saw of it can be had. `device` and `inode` are as the kernel has
  /// them.
  FollowedFile(std::shared_ptr<const Fd> fd, std::string path, std::int64_t born, std::uint32_t device,
               std::uint64_t inode)
      : fd_(std::move(fd)), path_(std::move(path)), born_(born), device_(device), inode_(inode) {}

  [[nodiscard]] std::optional<std::uint64_t> size() const override;
  [[nodiscard]] std::optional<Written> written(std::uint64_t position) const override;
  [[nodiscard]] std::size_t read(std::uint64_t position, std::span<std::byte> into) const override;
  [[nodiscard]] flow::StreamName name(const flow::FilePlace& place) const override;

 private:
  std::shared_ptr<const Fd> fd_;
  std::string path_;
  std::int64_t born_;
  std::uint32_t device_;
  std::uint64_t inode_;
};

}  // namespace flowtap
