// The states of all flows, on the file system beside their files. Each flush of flows adds their states in one write, behind the
// bytes. A start takes the latest state of each.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "stream/store/index/flow_state.hpp"

namespace flowtap::flow {

class FlowIndex {
 public:
  /// The file is DIR/.index. If it is not there or not readable, there are no flows, and said() says why.
  [[nodiscard]] static FlowIndex open(std::string dir);

  /// The states that were found.
  [[nodiscard]] std::map<std::string, FlowState>& found() { return found_; }
  [[nodiscard]] const std::string& said() const { return said_; }

  /// append() is not enough: there is no file, or much of it is old states.
  [[nodiscard]] bool wants_rewrite() const;
  /// Adds states, and says which flows are gone. After an Error none of it counts.
  [[nodiscard]] Status append(std::span<const FlowState* const> states,
                              std::span<const std::string> gone = {});

  /// Writes a new file with these states alone, which takes the place of the old one.
  [[nodiscard]] Status rewrite(std::span<const FlowState* const> states);

 private:
  static constexpr std::uint64_t kLeastBloat = std::uint64_t{256} << 10U;
  static constexpr std::uint64_t kBloat = 4;

  explicit FlowIndex(std::string dir) : dir_(std::move(dir)) {}
  void load();
  [[nodiscard]] std::string path() const { return dir_ + "/.index"; }

  std::string dir_;
  std::map<std::string, FlowState> found_;
  std::string said_;
  std::uint64_t inode_ =
      0;  // 0: there is no file. None is held open, so that the file system can be made read-only.
  std::uint64_t size_ = 0;
  std::uint64_t fresh_ = 0;  // bytes when it was written last as a whole
};

}  // namespace flowtap::flow
