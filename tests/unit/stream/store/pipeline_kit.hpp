// What the tests of the way from the journal to the flows share: writing streams to the journal, and reading lines of flows.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "stream/store/pipeline.hpp"
#include "tests/unit/stream/journal/journal_kit.hpp"
#include "tests/unit/stream/journal/tmpfs_dir.hpp"
#include "tests/unit/stream/store/store_kit.hpp"

namespace flowtap::flow {

using Lines = std::vector<std::string>;

class PipelineTest : public testing::Test {
 protected:
  using Clock = Pipeline::Clock;
  static constexpr std::uint64_t kJournal = 1U << 20U;

  PipelineTest() {
    std::filesystem::create_directory(dir_ / "flows");
    open();
  }

  void open() {
    pipeline_.reset(), store_.reset(), journal_.reset();
    journal_ = open_journal(dir_ / "journal", kJournal);
    StoreOptions options;
    options.dir = dir_ / "flows";
    store_ = FlowStore::open(options);
    pipeline_ = std::make_unique<Pipeline>(*journal_, *store_, kJournal);
    pipeline_->replay(1);
  }

  /// A store for this many flows, on the same journal.
  void open_for(std::size_t flows) {
    StoreOptions options;
    options.dir = dir_ / "flows";
    options.flows = flows;
    pipeline_.reset(), store_.reset();
    store_ = FlowStore::open(options);
    pipeline_ = std::make_unique<Pipeline>(*journal_, *store_, kJournal);
    pipeline_->replay(1);
  }

  void bytes(StreamNo stream, std::uint64_t offset, std::string_view text,
             std::uint64_t time = 1'000'000'000) {
    batch_.add(BytesEntry{stream, offset, time, 0, as_bytes(text)});
  }
  void name(StreamNo stream, const std::string& flow, const std::string& output = "stdout",
            Capture capture = Capture::kTaken) {
    batch_.add(StreamEntry{stream, {.flow = flow, .output = output, .identity = {}, .capture = capture}});
  }
  void end(StreamNo stream, std::uint64_t passed) { batch_.add(EndEntry{stream, passed, 2'000'000'000, {}}); }
  void append() {
    ASSERT_TRUE(journal_->append(batch_));
    batch_.clear();
    take();
  }
  void take(Clock::time_point now = Clock::now()) {
    while (pipeline_->take(now, 1)) continue;
  }
  /// Streams 1 and 2 are a flow's outputs, and have said "one" and "two" when it has to make room for another.
  void two_outputs_make_room(const std::string& flow) {
    open_for(1);
    name(1, flow), name(2, flow, "stderr");
    bytes(1, 0, "one\n"), bytes(2, 0, "two\n");
    append();
    name(3, "pod/b");
    bytes(3, 0, "b\n", 9'000'000'000);
    append();
    store_->flush({}, 1, true);
    ASSERT_FALSE(store_->find(flow));
  }
  [[nodiscard]] Lines lines(const std::string& flow) const { return lines_of(log_of(*store_, flow)); }

  TmpfsDir dir_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<FlowStore> store_;
  std::unique_ptr<Pipeline> pipeline_;
  Batch batch_;
};

}  // namespace flowtap::flow
