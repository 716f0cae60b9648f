// Flows whose logs have made room in the store, while the journal has their bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "stream/reading/earlier/journal_lines.hpp"
#include "stream/reading/flow_list.hpp"
#include "tests/unit/stream/store/pipeline_kit.hpp"

namespace flowtap::flow {
namespace {

class PastFlowsTest : public PipelineTest {
 protected:
  /// Two lines and 100 bytes between them that are missing.
  void write(StreamNo stream, const std::string& flow, std::uint64_t time) {
    name(stream, flow);
    bytes(stream, 0, "one\n", time);
    batch_.add(MissedEntry{stream, 4, 104, time});
    bytes(stream, 104, "two\n", time);
    batch_.add(EndEntry{stream, 108, time, {}});
    append();
    store_->flush({}, 1, true);
  }
  [[nodiscard]] api::FlowStatus listed(const std::string& id) const {
    for (const api::FlowStatus& flow : list_flows(*journal_, *store_, {}, {}))
      if (flow.id == id) return flow;
    ADD_FAILURE() << id << " is not listed";
    return {};
  }
  /// Missing bytes of all flows, whether they are in the store or not.
  [[nodiscard]] std::uint64_t missing() const {
    std::uint64_t all = store_->stats().gone.missing;
    for (const FlowSummary& flow : store_->flows()) all += flow.missing;
    return all;
  }
  [[nodiscard]] std::size_t gone() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        list_flows(*journal_, *store_, {}, {}), [this](const auto& flow) { return !store_->find(flow.id); }));
  }
};

// A start reads them out of the journal again, and they make room again.
TEST_F(PastFlowsTest, CountOnceOverStarts) {
  open_for(1);
  for (StreamNo n = 1; n <= 4; ++n) write(n, "pod/" + std::to_string(n), n * 1'000'000'000);
  for (int start = 0; start < 4; ++start) {
    EXPECT_EQ(gone(), 3U);
    EXPECT_EQ(missing(), 400U) << start;
    for (StreamNo n = 1; n <= 4; ++n) {
      const api::FlowStatus flow = listed("pod/" + std::to_string(n));
      EXPECT_EQ(flow.lines, 2U) << flow.id << ", start " << start;
      EXPECT_EQ(flow.missing_bytes, 100U) << flow.id << ", start " << start;
    }
    open_for(start == 1 ? 2 : 1);
    store_->flush({}, 1, true);
    if (start == 1) open_for(1);
  }
}

// A container that is no pod may run again under its name.
TEST_F(PastFlowsTest, AnotherOneOfTheSameNameCountsBesideIt) {
  open_for(1);
  write(1, "container/x", 1'000'000'000);
  write(2, "pod/2", 2'000'000'000);
  ASSERT_FALSE(store_->find("container/x"));
  pipeline_->take(Clock::now() + std::chrono::hours(1), 1);  // the stream is forgotten
  write(3, "container/x", 3'000'000'000);
  EXPECT_EQ(missing(), 300U);
  open_for(1);
  EXPECT_EQ(missing(), 300U);
}

TEST(PastFlows, TheSumsAreOfAllHoweverManyThereWere) {
  PastFlows past;
  const std::size_t all = PastFlows::kMost + 10;
  for (std::size_t n = 0; n < all; ++n)
    past.add({.id = std::to_string(n), .missing = 3, .refilled = 2, .streams = {}});
  EXPECT_EQ(past.all().size(), PastFlows::kMost);
  EXPECT_EQ(past.lacked(), (Lacked{.missing = 3 * all, .refilled = 2 * all}));
  EXPECT_EQ(past.find("9"), nullptr);
  EXPECT_TRUE(past.take("10"));
  EXPECT_FALSE(past.take("10"));
  EXPECT_EQ(past.lacked().missing, 3 * (all - 1)) << "a flow of that name has it now";
}

// The journal does not have it, and the kernel's sums are those of streams that are open.
TEST_F(PastFlowsTest, KeepTheCauseOfTheirGaps) {
  open_for(1);
  pipeline_ = std::make_unique<Pipeline>(*journal_, *store_, kJournal, SchedulerOptions(), WrittenBy(),
                                         [](StreamNo /*stream*/) { return Losses{6}; });
  pipeline_->replay(1);
  name(1, "pod/a");
  bytes(1, 0, "a\n"), bytes(1, 8, "b\n");
  append();
  take(Clock::now() + std::chrono::seconds(2));
  const auto told = [this] {
    std::string all;
    JournalLines lines(*journal_, "pod/a", std::nullopt, store_->gap_cause("pod/a"));
    while (lines.read(1000, [&all](const CriLine& line) { all.append(line.text).append(1, '|'); })) continue;
    return all;
  };
  const std::string expected = "a|" + gap_text(6, MissingCause::kRingFull) + "|b|";
  EXPECT_EQ(told(), expected);
  batch_.add(EndEntry{1, 10, 1'500'000'000, {}});
  write(2, "pod/b", 9'000'000'000);
  ASSERT_FALSE(store_->find("pod/a"));
  EXPECT_EQ(told(), expected);
}

}  // namespace
}  // namespace flowtap::flow
