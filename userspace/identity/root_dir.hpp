// Files below a directory that nothing in it can lead out of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::identity {

/// A directory that is taken as `/`: symbolic links, absolute ones too, and `..` end within it (openat2 with
/// RESOLVE_IN_ROOT; Linux 5.6). So a node under /host is read as the node sees itself, and a link that a container made
/// shows it nothing new. Paths are relative or absolute, both from this directory.
class RootDir {
 public:
  /// `path` itself comes from the operator, and links in it are followed.
  [[nodiscard]] static Result<RootDir> open(const std::string& path);
  /// A directory below.
  [[nodiscard]] Result<RootDir> below(const std::string& path) const;
  /// The same, but fails if a link is on the way. It is for places where untrusted people may make links.
  [[nodiscard]] Result<RootDir> plain_below(const std::string& path) const;

  /// Reads a regular file of at most `limit` bytes. Its last name is not followed if it is a link, and a FIFO or device
  /// is refused, so that reading never waits. Error code ENOENT where there is none.
  [[nodiscard]] Result<std::string> read(const std::string& path, std::size_t limit) const;
  /// The same for what administrators make links of: a link is followed, and ends within the directory.
  [[nodiscard]] Result<std::string> read_linked(const std::string& path, std::size_t limit) const;
  /// The inode number of whatever is there; a link is not followed.
  [[nodiscard]] Result<std::uint64_t> inode(const std::string& path) const;
  [[nodiscard]] bool has_file(const std::string& path) const;
  /// Opens what is there, with the flags of open(2); links end within the directory. Error codes as open(2).
  [[nodiscard]] Result<Fd> open_below(const std::string& path, int flags) const;
  /// The same, if no link is on the way.
  [[nodiscard]] Result<Fd> open_plain(const std::string& path, int flags) const;
  /// Names in a directory, without "." and "..". More than `most` are an error, since part of a list misleads.
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& path, std::size_t most) const;
  /// Where a link points; it is not followed.
  [[nodiscard]] Result<std::string> link(const std::string& path) const;

 private:
  RootDir(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  [[nodiscard]] Result<std::string> read_whole(const Fd& fd, const std::string& path,
                                               std::size_t limit) const;
  [[nodiscard]] Result<Fd> open_at(const std::string& path, int flags, std::uint64_t resolve) const;

  Fd fd_;
  std::string path_;  // for messages
};

/// The parts with `/` between them.
[[nodiscard]] std::string joined(std::initializer_list<std::string_view> parts);

/// Whether this can be one name in a path: 1 to 255 bytes of [0-9a-zA-Z_.-], neither "." nor "..".
[[nodiscard]] bool is_file_name(std::string_view text);
/// An Error where a container's id can be none.
[[nodiscard]] Status check_container_id(std::string_view id);

}  // namespace flowtap::identity
