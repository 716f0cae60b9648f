// The bytes of a flow as the journal has them, for the API.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "component/views/flow_views.hpp"
#include "stream/journal/journal.hpp"
#include "stream/reading/reader_waker.hpp"
#include "stream/reading/tapped_lines.hpp"

namespace flowtap {

/// Reads the streams of one flow in the order of their capture. Streams that join the flow later (the file after a
/// rotation) are read as well.
class RawReader final : public api::BodyReader {
 public:
  /// `at_end` is called when the reader is destroyed.
  [[nodiscard]] static Result<std::unique_ptr<RawReader>> open(flow::Journal& journal, ReaderWaker& waker,
                                                               std::string flow,
                                                               const api::ReadOptions& options,
                                                               std::function<void()> at_end = {});
  /// Reads only these streams, whatever flow they belong to; the journal need not know them yet. A pipe ends by itself; the
  /// others end when `process`, a pidfd, does.
  [[nodiscard]] static Result<std::unique_ptr<RawReader>> open(flow::Journal& journal, ReaderWaker& waker,
                                                               std::vector<flow::StreamNo> streams,
                                                               const api::ReadOptions& options, Fd process,
                                                               std::function<void()> at_end);
  ~RawReader() override;

  [[nodiscard]] Result<Piece> read(std::size_t limit) override;
  void when_more(std::function<void()> wake) override;
  [[nodiscard]] std::optional<std::uint64_t> missing_bytes() const override;

 private:
  using Clock = std::chrono::steady_clock;

  RawReader(flow::Journal& journal, ReaderWaker& waker, std::string flow, const api::ReadOptions& options,
            std::function<void()> at_end)
      : journal_(journal),
        waker_(waker),
        flow_(std::move(flow)),
        options_(options),
        at_end_(std::move(at_end)) {
    if (options.lines) lines_.emplace(options.timestamps);
  }

  [[nodiscard]] bool is_mine(const flow::StreamView& stream) const;
  /// True: there are streams that it did not know before.
  bool look_for_streams(bool from_now);
  void look_for_names(bool from_now);
  /// Takes pieces up to a gap behind bytes; moves the cursors over what it took.
  void take(const flow::Reading& reading, Piece& piece);
  void take_lines(const flow::Piece& part, std::string_view text, Piece& piece);
  [[nodiscard]] bool waits_for(const flow::Piece& gap);
  void pass(const flow::Piece& piece);
  /// Nothing comes behind this piece.
  void end(Piece& piece);
  [[nodiscard]] bool is_at_its_end() const;
  /// The process ended a while ago, and none of its pipes is open.
  [[nodiscard]] bool is_over();
  [[nodiscard]] bool is_gone() const { return gone_since_ != Clock::time_point::max(); }

  flow::Journal& journal_;
  ReaderWaker& waker_;
  std::string flow_;
  std::vector<flow::StreamNo> only_;  // if not empty, these are read instead of the flow's
  bool nameless_ = false;             // the journal does not know all of these streams yet
  Fd process_;                        // if valid, the process whose outputs they are
  Clock::time_point gone_since_ = Clock::time_point::max();
  Clock::time_point over_at_ = Clock::time_point::max();  // by then its last bytes are known
  api::ReadOptions options_;
  std::function<void()> at_end_;
  std::optional<TappedLines> lines_;
  std::shared_ptr<flow::Follower> follower_;
  std::vector<flow::StreamCursor> cursors_;
  std::map<flow::StreamNo, std::uint64_t> ends_;  // with ReadOptions::to_now: where each stream stood
  Clock::time_point gap_until_ =
      Clock::time_point::max();  // a gap that may still be filled: how long it is waited for
};

}  // namespace flowtap
