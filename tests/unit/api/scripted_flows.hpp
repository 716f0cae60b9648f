// Flows that a test writes from any thread while clients read them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "component/views/flow_views.hpp"

namespace flowtap::api {

/// The bytes of one flow, with gaps.
class ScriptedFlow {
 public:
  void append(std::string_view bytes) {
    change([&] { bytes_ += bytes; });
  }
  /// Bytes that pass here and are not captured.
  void lose(std::uint64_t bytes) {
    change([&] { gaps_[bytes_.size()] += bytes; });
  }
  void end() {
    change([&] { ended_ = true; });
  }
  /// From now on every read fails.
  void break_down() {
    change([&] { broken_ = true; });
  }
  /// A reader's preparation before its first read lasts until this returns true.
  void set_prepared(std::function<bool()> prepared) { prepared_ = std::move(prepared); }
  /// The flow looks empty until this returns false.
  void set_again(std::function<bool()> again) { again_ = std::move(again); }
  /// Readers of this flow that exist now.
  [[nodiscard]] int readers() const { return readers_; }
  /// Readers that there were up to now. A test that waits for one that soon goes counts these.
  [[nodiscard]] int opened() const { return opened_; }
  /// Pieces are at most this large, even if a reader would take more.
  void set_largest_piece(std::function<std::size_t()> largest) { largest_ = std::move(largest); }

 private:
  friend class ScriptedReader;

  template <typename Change>
  void change(Change what) {
    std::vector<std::function<void()>> wakes;
    {
      const std::scoped_lock lock(mutex_);
      what();
      wakes.swap(waiting_);
    }
    for (const auto& wake : wakes) wake();
  }

  std::mutex mutex_;
  std::string bytes_;
  std::map<std::size_t, std::uint64_t> gaps_;  ///< missing bytes, by the position of the byte after them
  bool ended_ = false;
  bool broken_ = false;
  std::vector<std::function<void()>> waiting_;
  std::function<bool()> prepared_ = [] { return true; };
  std::function<bool()> again_ = [] { return false; };
  std::function<std::size_t()> largest_ = [] { return std::size_t{1} << 30U; };
  std::atomic<int> readers_ = 0;
  std::atomic<int> opened_ = 0;
};

class ScriptedReader final : public BodyReader {
 public:
  ScriptedReader(std::shared_ptr<ScriptedFlow> flow, const ReadOptions& options) : flow_(std::move(flow)) {
    const std::scoped_lock lock(flow_->mutex_);
    const std::size_t now = flow_->bytes_.size();
    at_ = options.from_now ? now : 0;
    gap_done_ = options.from_now;
    if (options.to_now) last_ = now;
    ++flow_->readers_;
    ++flow_->opened_;
  }
  ~ScriptedReader() override { --flow_->readers_; }

  [[nodiscard]] Result<bool> prepare() override { return flow_->prepared_(); }
  [[nodiscard]] Result<Piece> read(std::size_t limit) override {
    if (flow_->again_()) return Piece{.bytes = {}, .again = true};
    const std::scoped_lock lock(flow_->mutex_);
    if (flow_->broken_) return fail("the journal cannot be read");
    Piece piece;
    const auto gap = flow_->gaps_.find(at_);
    if (gap != flow_->gaps_.end() && !std::exchange(gap_done_, true)) piece.missing_before = gap->second;
    const auto next = flow_->gaps_.upper_bound(at_);
    const std::size_t end =
        std::min({next != flow_->gaps_.end() ? next->first : flow_->bytes_.size(), last_});
    piece.bytes = flow_->bytes_.substr(at_, std::min({end - at_, limit, flow_->largest_()}));
    if (!piece.bytes.empty()) gap_done_ = false;
    at_ += piece.bytes.size();
    const bool all =
        at_ >= std::min(flow_->bytes_.size(), last_) && (gap_done_ || !flow_->gaps_.contains(at_));
    piece.end = all && (flow_->ended_ || at_ == last_);
    return piece;
  }

  void when_more(std::function<void()> wake) override {
    {
      const std::scoped_lock lock(flow_->mutex_);
      const bool gap = flow_->gaps_.contains(at_) && !gap_done_;
      if (at_ == flow_->bytes_.size() && !gap && !flow_->ended_ && !flow_->broken_) {
        flow_->waiting_.push_back(std::move(wake));
        return;
      }
    }
    wake();
  }

  [[nodiscard]] std::optional<std::uint64_t> missing_bytes() const override {
    const std::scoped_lock lock(flow_->mutex_);
    std::uint64_t missing = 0;
    for (auto gap = flow_->gaps_.lower_bound(at_); gap != flow_->gaps_.end(); ++gap)
      if (gap->first > at_ || !gap_done_) missing += gap->second;
    return missing;
  }

 private:
  std::shared_ptr<ScriptedFlow> flow_;
  std::size_t at_ = 0;
  std::size_t last_ = SIZE_MAX;
  bool gap_done_ = false;
};

/// Gives what it was told to give, once.
class ScriptedListReader final : public FlowListReader {
 public:
  explicit ScriptedListReader(std::vector<FlowStatus> list) : coming_(std::move(list)) {}
  void come(const FlowStatus& flow) {
    std::function<void()> wake;
    {
      const std::scoped_lock lock(mutex_);
      coming_.push_back(flow);
      wake.swap(wake_);
    }
    if (wake) wake();
  }
  [[nodiscard]] Some take(std::size_t most) override {
    const std::scoped_lock lock(mutex_);
    const auto end = coming_.begin() + static_cast<std::ptrdiff_t>(std::min(most, coming_.size()));
    Some some{{coming_.begin(), end}, end != coming_.end()};
    coming_.erase(coming_.begin(), end);
    taken_ += some.flows.size();
    return some;
  }
  [[nodiscard]] std::size_t taken() const { return taken_; }
  void when_more(std::function<void()> wake) override {
    {
      const std::scoped_lock lock(mutex_);
      if (coming_.empty()) {
        wake_ = std::move(wake);
        return;
      }
    }
    wake();
  }

 private:
  std::mutex mutex_;
  std::vector<FlowStatus> coming_;
  std::atomic<std::size_t> taken_ = 0;
  std::function<void()> wake_;
};

class ScriptedFlows final : public FlowsView {
 public:
  std::atomic<ScriptedListReader*> newest_list_reader = nullptr;  ///< as long as somebody reads the list
  [[nodiscard]] Result<std::unique_ptr<FlowListReader>> list_reader(const FlowFilter& wanted) override {
    auto fresh = std::make_unique<ScriptedListReader>(flows(wanted));
    newest_list_reader = fresh.get();
    return fresh;
  }

  std::vector<FlowStatus> list;
  std::map<std::string, std::shared_ptr<ScriptedFlow>> flow;  ///< by id
  std::map<std::pair<std::uint32_t, Outputs>, std::shared_ptr<ScriptedFlow>> process;
  std::map<std::pair<std::uint32_t, Outputs>, Error> no_tap;
  std::map<std::string, Error> no_log;  ///< by id; to be set before the first request

  std::shared_ptr<ScriptedFlow> add(const std::string& id) {
    return flow[id] = std::make_shared<ScriptedFlow>();
  }
  /// Replaces the flow of this id, even while a server asks for it.
  std::shared_ptr<ScriptedFlow> replace(const std::string& id) {
    const std::scoped_lock lock(asked_);
    return add(id);
  }
  std::shared_ptr<ScriptedFlow> add(std::uint32_t pid, Outputs outputs) {
    return process[{pid, outputs}] = std::make_shared<ScriptedFlow>();
  }

  // Safe while a server asks.
  [[nodiscard]] FlowFilter asked_for() const {
    const std::scoped_lock lock(asked_);
    return filter;
  }
  [[nodiscard]] LogReadOptions log_asked_for() const {
    const std::scoped_lock lock(asked_);
    return log_options;
  }
  void relist(std::vector<FlowStatus> flows) {
    const std::scoped_lock lock(asked_);
    list = std::move(flows);
  }
  void refuse(std::uint32_t pid, Outputs outputs, Error error) {
    const std::scoped_lock lock(asked_);
    no_tap.insert_or_assign({pid, outputs}, std::move(error));
  }

  // The last request; read by tests without a server.
  mutable FlowFilter filter;
  ReadOptions options;
  LogReadOptions log_options;

  [[nodiscard]] Result<std::unique_ptr<BodyReader>> log(const std::string& id,
                                                        const LogReadOptions& how) override {
    {
      const std::scoped_lock lock(asked_);
      log_options = how;
    }
    return read(id, {.outputs = how.outputs, .to_now = !how.follow});
  }
  [[nodiscard]] std::vector<FlowStatus> flows(const FlowFilter& wanted) const override {
    const std::scoped_lock lock(asked_);
    filter = wanted;
    return list;
  }
  [[nodiscard]] Result<std::unique_ptr<BodyReader>> read(const std::string& id,
                                                         const ReadOptions& wanted) override {
    const std::scoped_lock lock(asked_);
    options = wanted;
    if (const auto error = no_log.find(id); error != no_log.end()) return std::unexpected(error->second);
    const auto found = flow.find(id);
    if (found == flow.end())
      return std::unexpected(Error{"no flow \"" + id + "\" was seen on this node", "", ENOENT});
    return std::make_unique<ScriptedReader>(found->second, wanted);
  }
  [[nodiscard]] Result<std::unique_ptr<BodyReader>> tap(std::uint32_t pid,
                                                        const ReadOptions& wanted) override {
    const std::scoped_lock lock(asked_);
    options = wanted;
    if (const auto error = no_tap.find({pid, wanted.outputs}); error != no_tap.end())
      return std::unexpected(error->second);
    const auto found = process.find({pid, wanted.outputs});
    if (found == process.end())
      return std::unexpected(Error{"there is no process " + std::to_string(pid), "", ESRCH});
    return std::make_unique<ScriptedReader>(found->second, wanted);
  }

 private:
  mutable std::mutex asked_;
};

/// Every field with a value of its own.
inline FlowStatus full_flow() {
  using std::chrono::system_clock;
  FlowStatus f;
  f.id = "pod/shop/web-1/3f0d6a1e/nginx/2";
  f.kind = "pod";
  f.ns = "shop";
  f.pod = "web-1";
  f.uid = "3f0d6a1e";
  f.container = "nginx";
  f.image = "registry/nginx:1.25";
  f.runtime = "containerd";
  f.restart = 2;
  f.group = "checkout";
  f.bytes = 123456789;
  f.missing_bytes = 42;
  f.found_bytes = 7;
  f.more_before = true;
  f.audit = "differs";
  f.lines = 1000;
  f.suspect = true;
  f.first = system_clock::time_point(std::chrono::nanoseconds(1'700'000'000'000'000'001));
  f.last = system_clock::time_point(std::chrono::nanoseconds(1'700'000'001'020'000'000));
  f.open = true;
  f.streams = {{"stdout", "pipe", 123456000, 42, true}, {"stderr", "tty", 789, 0, false}};
  return f;
}

}  // namespace flowtap::api
