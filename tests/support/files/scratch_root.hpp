// A separate root for the daemon under test, so that it and the machine's flowtapd do not meet.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::test {

/// A directory under /tmp that looks to flowtapd like a node's /, with its own run/ and the machine's sys and proc.
class ScratchRoot {
 public:
  /// Throws std::runtime_error: without it the test cannot run.
  ScratchRoot();
  ~ScratchRoot();
  ScratchRoot(const ScratchRoot&) = delete;
  ScratchRoot& operator=(const ScratchRoot&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// Replaces the file like an editor, so that nobody reads half of it; returns its path.
  std::string write(std::string_view name, std::string_view text) const;
  [[nodiscard]] std::string read(std::string_view name) const;  ///< empty if there is no such file

 private:
  std::string path_;
};

}  // namespace flowtap::test
