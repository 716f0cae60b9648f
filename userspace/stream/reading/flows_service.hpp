// The stream path's answers to the API's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "component/views/flow_views.hpp"
#include "identity/patterns/group_rules.hpp"
#include "stream/journal/journal.hpp"
#include "stream/reading/log_reader.hpp"
#include "stream/reading/reader_waker.hpp"
#include "stream/repair/auditor.hpp"
#include "stream/repair/begun_before.hpp"
#include "stream/repair/histories.hpp"
#include "stream/repair/suspicion.hpp"
#include "stream/sources/process_taps.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

class FlowsService final : public api::FlowsView {
 public:
  /// `taps` may be null: then this kernel does not tell what processes write to. `histories`, `auditor` and `begun_before` may be
  /// null: then the node's files are not seen. `is_scheduler` says whether the flow with this id is a scheduler's log; empty: none is. All must
  /// outlive it.
  FlowsService(flow::Journal& journal, flow::FlowStore& store, ReaderWaker& waker, const Suspicion& suspicion,
               ProcessTaps* taps, Histories* histories = nullptr, const Auditor* auditor = nullptr,
               std::function<bool(const std::string& flow)> is_scheduler = {},
               const BegunBefore* begun_before = nullptr)
      : journal_(journal),
        store_(store),
        waker_(waker),
        suspicion_(suspicion),
        taps_(taps),
        histories_(histories),
        auditor_(auditor),
        is_scheduler_(std::move(is_scheduler)),
        begun_before_(begun_before) {}

  /// Sets which groups pods belong to from now on. Safe from any thread.
  void set_groups(flow::GroupRules groups);

  [[nodiscard]] std::shared_ptr<const flow::GroupRules> groups() const;

  /// Adds streams of containers that ran before, and since when each is captured (ns since 1970). Safe from any thread.
  void add_begun(const std::map<flow::StreamNo, std::uint64_t>& begun);

  [[nodiscard]] std::vector<api::FlowStatus> flows(const api::FlowFilter& filter) const override {
    return flows(filter, nullptr);
  }
  /// With `only`, no other flows than these.
  [[nodiscard]] std::vector<api::FlowStatus> flows(const api::FlowFilter& filter,
                                                   const std::set<std::string>* only) const;
  using List = std::vector<api::FlowStatus>;
  /// All flows that fit. The list may be a moment old, but has everything up to the store's change `change`. So a client that takes a
  /// long list piece by piece has it made only once, and no client keeps a list of its own.
  [[nodiscard]] std::shared_ptr<const List> listed(const api::FlowFilter& filter, std::uint64_t change) const;
  /// The whole list was taken.
  void forget_list() const { listed_.reset(); }
  [[nodiscard]] Result<std::unique_ptr<api::FlowListReader>> list_reader(
      const api::FlowFilter& filter) override;
  [[nodiscard]] Result<std::unique_ptr<api::BodyReader>> read(const std::string& id,
                                                              const api::ReadOptions& options) override;
  [[nodiscard]] Result<std::unique_ptr<api::BodyReader>> log(const std::string& id,
                                                             const api::LogReadOptions& options) override;
  [[nodiscard]] Result<std::unique_ptr<api::BodyReader>> tap(std::uint32_t pid,
                                                             const api::ReadOptions& options) override;

  /// The same as log(), in another form; empty: text. Safe from any thread.
  [[nodiscard]] Result<std::unique_ptr<LogReader>> open_log(const std::string& id,
                                                            const api::LogReadOptions& options,
                                                            std::unique_ptr<Form> form,
                                                            flow::Followers::Hurry hurry);
  [[nodiscard]] bool is_scheduler(const std::string& id) const { return is_scheduler_ && is_scheduler_(id); }

 private:
  void add_kept(const api::FlowFilter& filter, std::vector<api::FlowStatus>& flows) const;
  [[nodiscard]] bool is_open(const std::string& id) const;
  [[nodiscard]] std::optional<Error> why_uncaptured(const std::string& id) const;
  [[nodiscard]] bool drops_returns(const std::string& id) const;
  [[nodiscard]] CapturedTimes captured(const std::string& id);
  [[nodiscard]] std::uint64_t captured_since(const std::string& id);

  flow::Journal& journal_;
  flow::FlowStore& store_;
  ReaderWaker& waker_;
  const Suspicion& suspicion_;
  ProcessTaps* taps_;
  mutable std::mutex groups_mutex_;
  std::shared_ptr<const flow::GroupRules> groups_ = std::make_shared<flow::GroupRules>();
  std::mutex begun_mutex_;
  std::map<flow::StreamNo, std::uint64_t> begun_;  // kept as long as the time matters
  Histories* histories_;
  const Auditor* auditor_;
  std::function<bool(const std::string& flow)> is_scheduler_;
  const BegunBefore* begun_before_;
  struct Listed {
    api::FlowFilter filter;
    std::uint64_t change = 0;
    std::shared_ptr<const flow::GroupRules> groups;
    ReaderWaker::Clock::time_point made;
    std::shared_ptr<const List> flows;
  };
  mutable std::optional<Listed> listed_;  // used by the API's thread
};

/// What schedulers' logs are read from. All must outlive the readers.
struct SchedulerFlows {
  flow::FlowStore& store;
  ReaderWaker& waker;
  FlowsService& flows;
};

}  // namespace flowtap
