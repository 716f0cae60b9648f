// One flow's log as a client wants it, by Kubernetes' rules (kubelet's reader, k8s.io/cri-client pkg/logs/logs.go): what was written
// before the store's lines, then these lines, and then what comes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "component/views/flow_views.hpp"
#include "stream/journal/journal.hpp"
#include "stream/lines/carriage_returns.hpp"
#include "stream/reading/earlier/earlier_lines.hpp"
#include "stream/reading/forms/text_form.hpp"
#include "stream/reading/reader_waker.hpp"
#include "stream/reading/reading_start.hpp"
#include "stream/repair/histories.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// Where to find what a flow's source wrote at a time (ns since 1970).
struct CapturedTimes {
  std::uint64_t since =
      0;  ///< older bytes were not captured; 0: not known, but longer than LogReader::kOnItsWay
  std::uint64_t untaken =
      ~std::uint64_t{0};  ///< bytes from then on may have been captured, and not be in the store yet
};

/// It has many members: what the client has asked for, where the reading is, and what it waits for.
class LogReader final : public api::BodyReader {
 public:
  /// A follower gets what was written in the last so many nanoseconds from the store alone: it was captured, and may still be on its
  /// way there.
  static constexpr std::uint64_t kOnItsWay = 1'000'000'000;

  /// All must outlive it. Without `histories` no runtime's files are read, and without `form` lines are text. `captured` has to be
  /// asked for before, so that nothing is missed in between. `hurry` says whether capture takes smaller steps for this follower.
  /// An Error with code ENOENT: nobody knows this flow.
  [[nodiscard]] static Result<std::unique_ptr<LogReader>> open(
      flow::FlowStore& store, ReaderWaker& waker, const std::string& flow, const api::LogReadOptions& options,
      Histories* histories = nullptr, std::unique_ptr<Form> form = nullptr,
      const CapturedTimes& captured = {}, flow::Followers::Hurry hurry = flow::Followers::Hurry::kYes,
      const LogOrigin& origin = {});
  ~LogReader() override;

  /// Finds where the last lines begin, what is missing, and what the runtime has from before.
  [[nodiscard]] Result<bool> prepare() override;
  [[nodiscard]] Result<Piece> read(std::size_t limit) override;
  void when_more(std::function<void()> wake) override;
  [[nodiscard]] std::optional<std::uint64_t> missing_bytes() const override {
    return earlier_.is_missing_known() ? std::optional(span_.missing) : std::nullopt;
  }

 private:
  LogReader(flow::FlowStore& store, ReaderWaker& waker, const std::string& flow,
            const api::LogReadOptions& options, Histories* histories, std::unique_ptr<Form> form,
            const LogOrigin& origin)
      : store_(store),
        waker_(waker),
        id_(flow),
        flow_(store.find(flow)),
        options_(options),
        histories_(histories),
        earlier_(store_, flow_, id_, options_, histories_, origin),
        drops_returns_(origin.drops_returns),
        form_(form ? std::move(form) : std::make_unique<TextForm>(options)),
        start_(store_, flow_, options_) {}

  void give(const flow::CriLine& line, bool captured, Piece& piece);
  void give_returns(Piece& piece);
  [[nodiscard]] Status read_store(std::size_t limit, Piece& piece);
  bool has_moved(const flow::LogPart& part);
  [[nodiscard]] bool go_on(const flow::LogPart& part, Piece& piece);
  [[nodiscard]] bool waits_at(flow::LogPosition gap);
  void note_jump(const flow::LogPart& part, Piece& piece);

  flow::FlowStore& store_;
  ReaderWaker& waker_;
  std::string id_;
  flow::FlowStore::Ref flow_;  // empty: only the runtime knows it
  api::LogReadOptions options_;
  Histories* histories_;  // may be null
  std::uint64_t on_its_way_ =
      0;  // what came then, or later, may not have been in the store when this was opened
  EarlierLines earlier_;
  bool found_ = false;  // what is to be read before the store
  std::shared_ptr<flow::Follower> follower_;
  const bool drops_returns_;
  flow::CarriageReturns<flow::CriLine> returns_;
  std::unique_ptr<Form> form_;
  ReaderWaker::Clock::time_point form_until_ =
      ReaderWaker::Clock::time_point::max();  // when it may have more, though no line has come
  ReadingStart start_;
  OfOutputs read_in_store_{};  // bytes since the lines from elsewhere
  ReadingSpan span_;           // `at` moves on; without `follow`, the reading ends at `to`
  // A gap that comes during following may be filled soon. The lines that were behind it by then have waited with it.
  struct GapWait {
    std::optional<flow::LogPosition> at;  // the gap
    ReaderWaker::Clock::time_point until{};
    bool on = false;
    flow::LogPosition to = 0;       // lines before this wait with the gap
    flow::LogPosition done_to = 0;  // lines before this have waited
  };
  GapWait wait_;
};

}  // namespace flowtap
