// What the tests of schedulers' logs on their way from the journal share.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "identity/patterns/scheduler_match.hpp"
#include "stream/store/pipeline.hpp"
#include "tests/unit/stream/journal/journal_kit.hpp"
#include "tests/unit/stream/journal/tmpfs_dir.hpp"
#include "tests/unit/stream/lines/scheduler_log.hpp"
#include "tests/unit/stream/store/store_kit.hpp"

namespace flowtap::flow {

inline constexpr std::uint64_t kJournal = 8U << 20U;
inline constexpr const char* kScheduler = "pod/kube-system/kube-scheduler-a/u/kube-scheduler/0";

using Flows = std::map<std::string, std::string>;  // their bytes

class PipelineSchedulerTest : public testing::Test {
 protected:
  /// Nothing has been written yet.
  void begin() {
    dir_ = std::make_unique<TmpfsDir>();
    std::filesystem::create_directory(*dir_ / "flows");
    main_.clear();
    open();
  }
  /// Stream 1 is a scheduler's, and this is the log that it writes.
  void begin(const std::string& log) {
    begin();
    text_ = test::scheduler_log(log);
    name(1, kScheduler);
  }
  void open() {
    pipeline_.reset(), store_.reset(), journal_.reset();
    journal_ = open_journal(*dir_ / "journal", kJournal, kJournal / 8);
    StoreOptions options;
    options.dir = *dir_ / "flows";
    store_ = FlowStore::open(options);
    SchedulerOptions schedulers;
    const auto match = SchedulerMatch::parse({"pod/kube-system/kube-scheduler-*/kube-scheduler"});
    schedulers.is_scheduler = [match](const std::string& flow) { return match->matches(flow); };
    schedulers.main_log = [this](std::string_view text, bool full) {
      main_.append(text).append(full ? "\n" : "");
    };
    pipeline_ = std::make_unique<Pipeline>(*journal_, *store_, kJournal, std::move(schedulers));
    pipeline_->replay(1);
  }
  void write(std::size_t from, std::size_t size, std::uint64_t time = 1'000'000'000) {
    Batch batch;
    batch.add(BytesEntry{1, from, time, 0, as_bytes(std::string_view(text_).substr(from, size))});
    ASSERT_TRUE(journal_->append(batch));
    take();
  }
  void take(std::chrono::milliseconds later = {}) {
    while (pipeline_->take(now_.value_or(Pipeline::Clock::now()) + later, 1)) continue;
  }
  // Names any stream.
  void name(StreamNo stream, const std::string& flow, const std::string& output = "stderr") {
    Batch batch;
    batch.add(StreamEntry{stream, {.flow = flow, .output = output, .identity = {}}});
    ASSERT_TRUE(journal_->append(batch));
    take();
  }
  void bytes(StreamNo stream, std::uint64_t offset, std::string_view text) {
    Batch batch;
    batch.add(BytesEntry{stream, offset, 1'000'000'000, 0, as_bytes(text)});
    ASSERT_TRUE(journal_->append(batch));
    take();
  }
  void end() {
    Batch batch;
    batch.add(EndEntry{1, text_.size(), 2'000'000'000, {}});
    ASSERT_TRUE(journal_->append(batch));
    take();
  }
  [[nodiscard]] std::string bytes_of(const std::string& flow) const {
    std::string bytes;
    const std::string log = log_of(*store_, flow);
    for (std::string_view rest = log; !rest.empty();) {
      const auto line = parse_cri_line(rest.substr(0, rest.find('\n')));
      EXPECT_TRUE(line && !line->missing);
      bytes.append(line->text).append(line->full ? "\n" : "");
      rest.remove_prefix(rest.find('\n') + 1);
    }
    return bytes;
  }
  [[nodiscard]] std::vector<std::string> lines(const std::string& flow) const {
    return lines_of(log_of(*store_, flow));
  }
  [[nodiscard]] Flows seen() const {
    Flows all;
    for (const FlowSummary& flow : store_->flows())
      if (flow.id.starts_with("sched/") && flow.id != kMainLogFlow)
        all[flow.id.substr(6)] = bytes_of(flow.id);
    return all;
  }

  std::unique_ptr<TmpfsDir> dir_;
  std::string text_;
  std::string main_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<FlowStore> store_;
  std::unique_ptr<Pipeline> pipeline_;
  std::optional<Pipeline::Clock::time_point> now_;  // empty: the real time
};

/// A record about a pod, which is written as a whole or is missing.
inline std::string said(const std::string& pod, int n) {
  return "I1121 01:34:50.000001       1 a.go:1] \"said\" pod=\"ns/" + pod + "\" n=" + std::to_string(n) +
         "\n";
}

}  // namespace flowtap::flow
