// Lines as text, with or without their times, and up to a limit of bytes, by Kubernetes' rules (kubelet's reader,
// k8s.io/cri-client pkg/logs/logs.go): parts are joined with what comes next, of whichever output, and a time stands where a line
// begins.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "component/views/flow_views.hpp"
#include "stream/reading/forms/form.hpp"

namespace flowtap {

/// A gap ends the line that it has cut, so that two halves are never one line. Where gaps are shown, that line gets kCutMark, and
/// the gap is a line of its own. If an output's gap comes amid a line of the other output, it stands behind that line, or where its
/// own output goes on, if that comes first. So the text without flowtap's marks is the same whether gaps are shown or not.
class TextForm final : public Form {
 public:
  static constexpr std::string_view kCutMark = " [flowtap: cut]";
  /// How long a gap waits for the end of the other output's line.
  static constexpr std::chrono::milliseconds kLineIsWritten{200};

  /// Beyond so many that wait, those that say the same but for their bytes are added up.
  static constexpr std::size_t kMostWaiting = 16;

  explicit TextForm(const api::LogReadOptions& options) : options_(options) {}

  void take(const flow::CriLine& line, Piece& piece) override;
  void say(std::string_view text, Piece& piece) override;
  void jump(Piece& piece) override;
  [[nodiscard]] Clock::time_point rest(Piece& piece) override;
  void finish(Piece& piece) override { put_waiting(piece); }

 private:
  void take_gap(const flow::CriLine& gap, Piece& piece);
  void wait(const flow::CriLine& gap);
  void put_gap(std::uint64_t time, std::string_view text, Piece& piece);
  void put_waiting(Piece& piece);
  void end_line(std::string_view mark, Piece& piece);
  void put(std::string_view text, Piece& piece);

  api::LogReadOptions options_;
  std::uint64_t sent_ = 0;
  bool mid_line_ = false;  // what was put last was a part of a line
  std::string part_of_;    // that output
  struct Gap {
    std::uint64_t time = 0;
    std::string text;
    std::uint64_t bytes = 0;
    flow::MissingCause cause = flow::MissingCause::kUnknown;
    flow::GapWords words = {};
  };
  std::vector<Gap> waiting_;           // gaps of the other output
  Clock::time_point waiting_until_{};  // not set: they wait for lines that are there
  flow::CriTime clock_;
};

}  // namespace flowtap
