// Lines as text, with or without their times, and up to a limit of bytes, by Kubernetes' rules (kubelet's reader,
// k8s.io/cri-client pkg/logs/logs.go): parts are joined with what comes next, of whichever output, and a time stands where a line
// begins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "component/views/flow_views.hpp"
#include "stream/reading/forms/form.hpp"

namespace flowtap {

/// A gap ends the line that it has cut, so that two halves are never one line. Where gaps are shown, that line gets kCutMark, and
/// the gap is a line of its own.
class TextForm final : public Form {
 public:
  static constexpr std::string_view kCutMark = " [flowtap: cut]";

  explicit TextForm(const api::LogReadOptions& options) : options_(options) {}

  void take(const flow::CriLine& line, Piece& piece) override;
  void say(std::string_view text, Piece& piece) override;
  void jump(Piece& piece) override { end_line(kCutMark, piece); }
  [[nodiscard]] Clock::time_point rest(Piece& /*piece*/) override { return Clock::time_point::max(); }
  void finish(Piece& /*piece*/) override {}

 private:
  void take_gap(const flow::CriLine& gap, Piece& piece);
  void end_line(std::string_view mark, Piece& piece);
  void put(std::string_view text, Piece& piece);

  api::LogReadOptions options_;
  std::uint64_t sent_ = 0;
  bool mid_line_ = false;  // what was put last was a part of a line
  std::string part_of_;    // that output
  flow::CriTime clock_;
};

}  // namespace flowtap
