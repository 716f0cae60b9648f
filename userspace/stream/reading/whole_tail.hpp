// Where the last lines of a log begin, for people, to whom a line that is stored in parts is one line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "stream/lines/cri_line.hpp"
#include "stream/store/index/flow_state.hpp"

namespace flowtap {

/// Gets the lines of the log's format from the last one back. The parts of a line of one output may stand among lines of the other,
/// so a line that begins early may end late.
class WholeTail {
 public:
  /// How far it looks back for the beginning of a line when it has found as many as are wanted. A part whose line would begin
  /// before that counts as a line.
  static constexpr flow::LogPosition kLookBack = std::size_t{1} << 20U;

  /// `gaps`: each is a line.
  WholeTail(std::uint64_t wanted, bool gaps) : wanted_(wanted), gaps_(gaps) {}

  /// Takes the line at `at`, which stands before those that it has got.
  void take(flow::LogPosition at, const flow::CriLine& line);
  /// It has found as many lines as are wanted, and where they begin.
  [[nodiscard]] bool is_enough() const;
  /// The log begins here, and so does a line.
  void finish();

  struct Start {
    flow::LogPosition at = 0;
    std::uint64_t stored = 0;  ///< lines of the format from there on
    /// Whether stdout's and stderr's next parts from there on belong to a line that begins before.
    std::array<bool, 2> within{};
  };
  /// Nothing: there are not more lines than wanted.
  [[nodiscard]] std::optional<Start> start() const;
  /// How many lines it has found, at most as many as are wanted.
  [[nodiscard]] std::uint64_t lines() const;

 private:
  struct Line {
    flow::LogPosition begin = 0;
    flow::LogPosition last = 0;  // its last part
    std::uint64_t stored = 0;    // lines of the format from its beginning on
  };
  [[nodiscard]] std::uint64_t found() const { return lines_[0].size() + lines_[1].size(); }
  [[nodiscard]] std::uint64_t found_behind(flow::LogPosition at) const;
  void end(std::size_t output);

  const std::uint64_t wanted_;
  const bool gaps_;
  std::array<std::vector<Line>, 2> lines_;           // of stdout and stderr, from the last one back
  std::array<std::optional<Line>, 2> unfinished_{};  // as far as it has seen them
  std::uint64_t stored_ = 0;
  flow::LogPosition at_ = 0;  // of the line that it got last
  std::optional<flow::LogPosition> had_enough_at_;
};

}  // namespace flowtap
