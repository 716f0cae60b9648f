// A small file tree for parsers that read below a root path.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::test {

/// A directory that belongs to the test and is removed at its end.
class FileTree {
 public:
  FileTree();
  ~FileTree();
  FileTree(const FileTree&) = delete;
  FileTree& operator=(const FileTree&) = delete;

  /// Writes one file, and makes the directories above it.
  FileTree& file(const std::string& path, std::string_view text);
  [[nodiscard]] const std::string& root() const { return root_; }

 private:
  std::string root_;
};

}  // namespace flowtap::test
