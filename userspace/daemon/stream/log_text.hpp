// Lines as a client gets them: the outputs and times it asks for, time stamps, and so many bytes at most, by Kubernetes'
// rules (kubelet's reader, k8s.io/cri-client pkg/logs/logs.go).
#pragma once

#include <cstdint>
#include <string_view>

#include "api/flow_views.hpp"
#include "flow/lines/cri_line.hpp"

namespace flowtap {

class LogText {
 public:
  using Piece = api::RawReader::Piece;

  explicit LogText(const api::LogOptions& options) : options_(options) {}

  [[nodiscard]] bool is_asked_for(const flow::CriLine& line) const;
  /// Adds it to the piece, or its bytes to those that are missing there.
  void take(const flow::CriLine& line, Piece& piece);
  /// A word of our own.
  void say(std::string_view text, Piece& piece);
  /// The next line does not go on with the one before.
  void jump() { mid_line_out_ = mid_line_err_ = false; }

 private:
  void put(std::string_view text, Piece& piece);

  api::LogOptions options_;
  std::uint64_t sent_ = 0;
  bool mid_line_out_ = false;  // a part of a line was the last thing of this output
  bool mid_line_err_ = false;
  flow::CriTime clock_;
};

}  // namespace flowtap
