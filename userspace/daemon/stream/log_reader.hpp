// One flow's log as a client wants it: lines out of the store, by Kubernetes' rules (kubelet's reader,
// k8s.io/cri-client pkg/logs/logs.go), and what comes.
#pragma once

#include <memory>
#include <string>

#include "api/flow_views.hpp"
#include "daemon/stream/follow_watch.hpp"
#include "flow/lines/cri_line.hpp"
#include "flow/store/flow_store.hpp"

namespace flowtap {

class LogReader final : public api::RawReader {
 public:
  /// All must outlive it. An Error with code ENOENT: this flow is not known.
  [[nodiscard]] static Result<std::unique_ptr<LogReader>> open(flow::FlowStore& store, FollowWatch& watch,
                                                               const std::string& flow,
                                                               const api::LogOptions& options);
  ~LogReader() override;

  [[nodiscard]] Result<Piece> read(std::size_t limit) override;
  void when_more(std::function<void()> wake) override;
  [[nodiscard]] std::optional<std::uint64_t> missing_bytes() const override { return missing_; }

 private:
  LogReader(flow::FlowStore& store, FollowWatch& watch, flow::FlowStore::Ref flow,
            const api::LogOptions& options)
      : store_(store), watch_(watch), flow_(std::move(flow)), options_(options) {}

  [[nodiscard]] static std::unexpected<Error> gone();
  [[nodiscard]] Status look_at_end();
  [[nodiscard]] Status find_tail();
  [[nodiscard]] Status count_missing();
  void note_jump(const flow::LogPart& part, Piece& piece);
  void take(std::string_view line, Piece& piece);
  void put(std::string_view text, Piece& piece);
  [[nodiscard]] bool is_asked_for(const flow::CriLine& line) const;

  flow::FlowStore& store_;
  FollowWatch& watch_;
  flow::FlowStore::Ref flow_;
  api::LogOptions options_;
  std::shared_ptr<flow::Follower> follower_;
  flow::LogPosition at_ = 0;
  flow::LogPosition to_ =
      0;  // where the log ended when it was opened; without `follow` it is read up to there
  std::uint64_t lines_ = 0;     // of the flow's, before at_
  std::uint64_t lines_to_ = 0;  // before to_
  bool has_gaps_ = false;
  std::uint64_t missing_ = 0;  // bytes of the streams between at_ and to_
  std::uint64_t sent_ = 0;
  bool mid_line_out_ = false;  // a part of a line was the last thing of this output
  bool mid_line_err_ = false;
  flow::CriTime clock_;
};

}  // namespace flowtap
