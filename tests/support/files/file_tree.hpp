// A small file tree for parsers that read below a root path.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::test {

/// A directory of the test's own, removed at its end.
class FileTree {
 public:
  FileTree();
  ~FileTree();
  FileTree(const FileTree&) = delete;
  FileTree& operator=(const FileTree&) = delete;

  /// Writes one file; the directories above it are made.
  FileTree& file(const std::string& path, std::string_view text);
  [[nodiscard]] const std::string& root() const { return root_; }

 private:
  std::string root_;
};

}  // namespace flowtap::test
