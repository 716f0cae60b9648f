// Which name a stream gets, from whom and when, and which streams get none.
#include "stream/journal/consumer/log_consumer.hpp"

#include "tests/unit/stream/journal/consumer_kit.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

TEST_F(LogConsumerTest, OnePlaceForBothOutputsIsOneStream) {
  source_.push({1, enter_of(4, 4)});
  rounds();
  EXPECT_EQ(flow_of(4), "pod/a/b/c/d/0 both");
}

TEST_F(LogConsumerTest, OfTwoPartialAnswersTheOneThatKnewMoreStays) {
  namer_.answers = {{NamingState::kPartial, "pod/a/b/c/d/id-1", "{}", true, 4},
                    {NamingState::kPartial, "container/1", "{}", true, 0}};
  source_.push({1, enter_of(1, 0)});
  rounds(1);
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/id-1 stdout") << "at once, lest it is forgotten";
  rounds_for(60ms);
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/id-1 stdout");
}

// stdout leads to /dev/null and stderr to a file. A runtime gives a container such outputs, and no program captures them.
Enter uncaptured() {
  Enter enter = enter_of(0, 0);
  enter.outputs = {Enter::Output{0, 5, 6, FTAP_KIND_NONE}, Enter::Output{0, 77, 8, FTAP_KIND_FILE}};
  return enter;
}

TEST_F(LogConsumerTest, WhatIsNotCapturedIsListedAndHasEnded) {
  source_.push({1, uncaptured()});
  rounds();
  const auto streams = journal_->streams();
  ASSERT_EQ(streams.size(), 2U);
  for (const StreamView& stream : streams) {
    EXPECT_EQ(stream.name->capture, Capture::kNot);
    EXPECT_EQ(stream.name->flow, "pod/a/b/c/d/0");
    EXPECT_TRUE(stream.sums.ended);
    EXPECT_EQ(stream.sums.passed, 0U);
  }
  EXPECT_EQ(flow_of(1000), "pod/a/b/c/d/0 stdout");
  EXPECT_EQ(flow_of(1001), "pod/a/b/c/d/0 stderr");
  EXPECT_EQ(journal_->stream(1001)->name->kind, FTAP_KIND_FILE);
}

TEST_F(LogConsumerTest, WhatIsNotCapturedIsListedOnceAlsoWhenTheNameGrowsAndTheServiceStartsAgain) {
  namer_.answers = {{NamingState::kPartial, "container/1", "{}", true, 1},
                    {NamingState::kNamed, "pod/a/b/c/d/0", "{}", true, 5}};
  source_.push({1, uncaptured()});
  rounds_for(30ms);
  EXPECT_EQ(journal_->streams().size(), 2U);
  EXPECT_EQ(flow_of(1000), "pod/a/b/c/d/0 stdout");
  open();
  consumer_->enter(uncaptured());  // found at the start, since it still runs
  rounds_for(30ms);
  EXPECT_EQ(journal_->streams().size(), 2U);
}

TEST_F(LogConsumerTest, OfWhatIsListedFilesThatAreNotSeenAreListedAndNothingElse) {
  Enter enter = uncaptured();
  enter.rule = FTAP_RULE_PROCESS;
  enter.cgroup = 0;  // it is in no container
  source_.push({1, enter});
  rounds();
  EXPECT_EQ(journal_->streams().size(), 1U);
  EXPECT_EQ(flow_of(1000), "pod/a/b/c/d/0 stderr");
  EXPECT_EQ(journal_->stream(1000)->name->capture, Capture::kNot);
  EXPECT_EQ(journal_->stream(1000)->name->kind, FTAP_KIND_FILE);
  consumer_->enter(enter);  // found at the start of another service
  rounds();
  EXPECT_EQ(journal_->streams().size(), 1U);
  ++enter.pid;
  namer_.answers = {{NamingState::kNamed, "proc/2", "{}", true, 0}};
  consumer_->enter(enter);
  rounds();
  EXPECT_EQ(flow_of(1001), "proc/2 stderr");
}

TEST_F(LogConsumerTest, APodsSandboxIsNotListedForOutputsThatItNeverUses) {
  namer_.answers = {{NamingState::kNamed, "pod/a/b/c/POD/id-1", "{}", false, 5}};
  source_.push({1, uncaptured()});
  rounds();
  EXPECT_TRUE(journal_->streams().empty());
}

TEST_F(LogConsumerTest, AnInheritedPipeStaysItsFirstOwners) {
  slots_.slots[1] = slot_of(1);
  source_.push({1, enter_of(1, 1, 7)});
  rounds();
  namer_.answers = {{NamingState::kNamed, "pod/a/b/c/d/0/inner", "{}", true, 5}};
  source_.push({2, enter_of(1, 1, 8)});
  rounds();
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/0 both");
  EXPECT_EQ(flow_of(1000), "pod/a/b/c/d/0/inner both");
  EXPECT_EQ(journal_->stream(1000)->name->capture, Capture::kElsewhere);
  open();
  source_.push({3, enter_of(1, 1, 9)});
  rounds();
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/0 both") << "also for a service that did not see its first owner enter";
  namer_.answers = {{NamingState::kNotOurs, {}, {}, true, 0}};
  source_.push({4, enter_of(1, 1, 10)});
  rounds();
  EXPECT_TRUE(slots_.ended.empty()) << "nor is it let go with somebody else";
}

// A sweep sees the slot before the ring gives the ENTER, and the container is gone when its name is looked for.
TEST_F(LogConsumerTest, WhatEnteredKeepsTheNameThatItGotThen) {
  const Naming gone{NamingState::kPartial, "proc/100-1", "{}", true, 0};
  slots_.slots[1] = slot_of(1);
  namer_.answers = {gone};
  rounds(1);
  EXPECT_EQ(flow_of(1), "none");
  namer_.answers = {{NamingState::kNamed, "pod/a/b/c/d/0", "{}", true, 5}};
  source_.push({1, enter_of(1, 0)});
  consumer_->enter(enter_of(1, 0));
  rounds(1);
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/0 stdout");
  namer_.answers = {gone};
  rounds_for(12ms);
  EXPECT_EQ(consumer_->counts().nameless, 0U) << "nobody looks for a name any more";
  rounds_for(60ms);
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/0 stdout");
}

// A shell's `exec >&2`, for one. The service that saw it begin was killed before the name was in the journal.
TEST_F(LogConsumerTest, OutputsThatWereRedirectedSinceKeepTheirNames) {
  slots_.slots[4] = slot_of(4);
  slots_.slots[4].fds = FTAP_STDERR;
  open();
  consumer_->enter(enter_of(4, 4));
  rounds();
  EXPECT_EQ(flow_of(4), "pod/a/b/c/d/0 stderr");
}

TEST_F(LogConsumerTest, ANameThatComesLateIsTaken) {
  namer_.answers = {{}, {}, {NamingState::kNamed, "container/late", "{}", true, 1}};
  source_.push({1, enter_of(1, 0)});
  source_.push({2, Bytes{1, 0, 0, bytes("first bytes")}});
  rounds_for(60ms);
  EXPECT_EQ(flow_of(1), "container/late stdout");
  EXPECT_EQ(text(1), "first bytes");
}

TEST_F(LogConsumerTest, WhatIsNoContainerIsLetGo) {
  namer_.answers = {{NamingState::kNotOurs, {}, {}, true, 0}};
  slots_.slots[1] = slot_of(1);
  source_.push({1, enter_of(1, 0)});
  rounds();
  EXPECT_EQ(slots_.ended, std::vector<StreamNo>{1});
  EXPECT_EQ(flow_of(1), "none");
  EXPECT_EQ(consumer_->counts().let_go, 1U);
  rounds_for(120ms);
  EXPECT_EQ(slots_.freed, std::vector<StreamNo>{1});
}

// How a process's outputs are tapped: the stream is there before its name, and the process is in no container.
StreamSlot tapped_slot() {
  StreamSlot slot = slot_of(1);
  slot.cgroup = 0;
  return slot;
}

TEST_F(LogConsumerTest, WhoOpenedAStreamNamesIt) {
  namer_.answers = {{NamingState::kNotOurs, {}, {}, 0}};
  slots_.slots[1] = tapped_slot();
  consumer_->name(1, {.flow = "proc/1-2", .output = "stdout", .identity = "{}"});
  rounds_for(60ms);
  EXPECT_EQ(flow_of(1), "proc/1-2 stdout");
  EXPECT_TRUE(slots_.ended.empty()) << "a sweep that comes with the name does not let it go";
}

TEST_F(LogConsumerTest, ASweepBetweenAStreamAndItsNameDoesNotLetItGo) {
  namer_.answers = {{NamingState::kNotOurs, {}, {}, 0}};
  slots_.slots[1] = tapped_slot();
  rounds();
  consumer_->name(1, {.flow = "proc/1-2", .output = "stdout", .identity = "{}"});
  rounds_for(60ms);
  EXPECT_EQ(flow_of(1), "proc/1-2 stdout");
  EXPECT_TRUE(slots_.ended.empty());
}

TEST_F(LogConsumerTest, AStreamThatNobodyNamesIsLetGo) {
  namer_.answers = {{NamingState::kNotOurs, {}, {}, 0}};
  slots_.slots[1] = tapped_slot();
  rounds_for(60ms);
  EXPECT_EQ(slots_.ended, std::vector<StreamNo>{1}) << "whoever opened it was killed";
}

}  // namespace
}  // namespace flowtap::flow
