// One flow's log as a client wants it, by Kubernetes' rules (kubelet's reader, k8s.io/cri-client pkg/logs/logs.go): what
// the runtime still has from before what the store has, lines out of the store, and what comes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/flow_views.hpp"
#include "daemon/stream/follow_watch.hpp"
#include "daemon/stream/runtime_history.hpp"
#include "flow/lines/cri_line.hpp"
#include "flow/store/flow_store.hpp"

namespace flowtap {

class LogReader final : public api::RawReader {
 public:
  /// All must outlive it; without `history` only the store is read. An Error with code ENOENT: nobody knows this flow.
  [[nodiscard]] static Result<std::unique_ptr<LogReader>> open(flow::FlowStore& store, FollowWatch& watch,
                                                               const std::string& flow,
                                                               const api::LogOptions& options,
                                                               RuntimeHistory* history = nullptr);
  ~LogReader() override;

  /// Finds where the last lines begin, what is missing, and what the runtime has of before.
  [[nodiscard]] Result<bool> prepare() override;
  [[nodiscard]] Result<Piece> read(std::size_t limit) override;
  void when_more(std::function<void()> wake) override;
  [[nodiscard]] std::optional<std::uint64_t> missing_bytes() const override { return missing_; }

 private:
  LogReader(flow::FlowStore& store, FollowWatch& watch, const std::string& flow,
            const api::LogOptions& options, RuntimeHistory* runtime)
      : store_(store),
        watch_(watch),
        id_(flow),
        flow_(store.find(flow)),
        options_(options),
        runtime_(runtime) {}

  [[nodiscard]] static std::unexpected<Error> gone();
  [[nodiscard]] Status look_at_end();
  [[nodiscard]] Result<bool> find_tail();
  [[nodiscard]] Result<bool> count_missing();
  [[nodiscard]] Status find_history();
  void read_history(Piece& piece);
  bool has_moved(const flow::LogPart& part);
  [[nodiscard]] bool waits_at(flow::LogPosition gap);
  void note_jump(const flow::LogPart& part, Piece& piece);
  void take(const flow::CriLine& line, Piece& piece);
  void put(std::string_view text, Piece& piece);
  [[nodiscard]] bool is_asked_for(const flow::CriLine& line) const;

  flow::FlowStore& store_;
  FollowWatch& watch_;
  std::string id_;
  flow::FlowStore::Ref flow_;  // empty: only the runtime knows it
  api::LogOptions options_;
  RuntimeHistory* runtime_;              // may be null
  std::unique_ptr<LogHistory> history_;  // as long as there is some to read
  flow::LogPosition begin_ = 0;          // of what the store had when the log was opened
  std::shared_ptr<flow::Follower> follower_;
  flow::LogPosition at_ = 0;
  flow::LogPosition to_ =
      0;                   // where the log ended when it was opened; without `follow` it is read up to there
  std::size_t edits_ = 0;  // of the log, as these positions are
  // A gap that comes while somebody follows may be filled soon. What stood behind it then has waited with it.
  FollowWatch::Clock::time_point gap_until_ = FollowWatch::Clock::time_point::max();
  flow::LogPosition waits_to_ = 0;
  flow::LogPosition waited_to_ = 0;
  std::uint64_t lines_ = 0;     // of the flow's, before at_
  std::uint64_t lines_to_ = 0;  // before to_
  bool has_gaps_ = false;
  std::uint64_t missing_ = 0;  // bytes of the streams between at_ and to_
  // How far prepare() is.
  int looks_ = 0;
  std::optional<flow::LogPosition> tail_from_;  // the last lines are looked for before it
  std::uint64_t tail_lines_ = 0;                // so many begin behind it
  std::optional<flow::LogPosition> counted_;    // up to here it is known what is missing
  std::string count_rest_;                      // of a line
  std::uint64_t sent_ = 0;
  bool mid_line_out_ = false;  // a part of a line was the last thing of this output
  bool mid_line_err_ = false;
  flow::CriTime clock_;
};

}  // namespace flowtap
