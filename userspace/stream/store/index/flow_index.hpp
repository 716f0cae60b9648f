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
#include "stream/store/index/past_flows.hpp"

namespace flowtap::flow {

class FlowIndex {
 public:
  /// The file is DIR/.index. If it is not there or not readable, there are no flows, and said() says why.
  [[nodiscard]] static FlowIndex open(std::string dir);

  /// The states that were found.
  [[nodiscard]] std::map<std::string, FlowState>& found() { return found_; }
  /// Flows that have made room, the latest last, and what those lacked that are not among these.
  [[nodiscard]] PastFlows::All& found_past() { return found_past_; }
  [[nodiscard]] const Lacked& found_settled() const { return settled_; }
  [[nodiscard]] const std::string& said() const { return said_; }

  /// append() is not enough: there is no file, or much of it is old states.
  [[nodiscard]] bool wants_rewrite() const;
  /// Adds states, and says which flows are gone: with what they had and lacked if that is to be remembered, else with the id alone.
  /// `settled`: PastFlows::settled(). After an Error none of it counts.
  [[nodiscard]] Status append(std::span<const FlowState* const> states, std::span<const FlowState> gone,
                              const Lacked& settled);

  /// Writes a new file with these states and flows alone, which takes the place of the old one.
  [[nodiscard]] Status rewrite(std::span<const FlowState* const> states, const PastFlows& past);

 private:
  static constexpr std::uint64_t kLeastBloat = std::uint64_t{256} << 10U;
  static constexpr std::uint64_t kBloat = 4;

  explicit FlowIndex(std::string dir) : dir_(std::move(dir)) {}
  void load();
  void take(FlowState state, bool gone);
  [[nodiscard]] std::string path() const { return dir_ + "/.index"; }

  std::string dir_;
  std::map<std::string, FlowState> found_;
  PastFlows::All found_past_;
  std::map<std::string, PastFlows::All::iterator> past_;  // those, by id
  Lacked settled_;                                        // as the file has it
  std::string said_;
  std::uint64_t inode_ =
      0;  // 0: there is no file. None is held open, so that the file system can be made read-only.
  std::uint64_t size_ = 0;
  std::uint64_t fresh_ = 0;  // bytes when it was written last as a whole
};

}  // namespace flowtap::flow
