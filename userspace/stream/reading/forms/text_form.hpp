// Lines as text, with or without their times, and up to a limit of bytes, by Kubernetes' rules (kubelet's reader,
// k8s.io/cri-client pkg/logs/logs.go).
#pragma once

#include <cstdint>
#include <string_view>

#include "component/views/flow_views.hpp"
#include "stream/reading/forms/form.hpp"

namespace flowtap {

class TextForm final : public Form {
 public:
  explicit TextForm(const api::LogReadOptions& options) : options_(options) {}

  void take(const flow::CriLine& line, Piece& piece) override;
  void say(std::string_view text, Piece& piece) override;
  void jump(Piece& /*piece*/) override { out_ = err_ = {}; }
  [[nodiscard]] Clock::time_point rest(Piece& /*piece*/) override { return Clock::time_point::max(); }
  void finish(Piece& /*piece*/) override {}

 private:
  /// What an output gave last.
  struct Last {
    bool mid_line = false;  ///< it was a part of a line
    bool is_end = false;    ///< a part shorter than kMaxLine: the output ended in it, or bytes are missing
  };

  void put(std::string_view text, Piece& piece);

  api::LogReadOptions options_;
  std::uint64_t sent_ = 0;
  Last out_;
  Last err_;
  flow::CriTime clock_;
};

}  // namespace flowtap
