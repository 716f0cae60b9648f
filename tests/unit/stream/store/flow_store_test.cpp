// What is added to a flow is read back, from the store and from its file.
#include "stream/store/flow_store.hpp"

#include "tests/unit/stream/store/store_fixture.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;
using Clock = FlowStore::Clock;

TEST_F(FlowStoreTest, ReadsTheSameFromMemoryAndFile) {
  Writer out(open(), "pod/a", 1);
  Writer err(*store_, "pod/a", 2, "stderr");
  out.say("one");
  err.say("two");
  const Lines wanted{"one", "2:two"};
  EXPECT_EQ(lines("pod/a"), wanted);
  EXPECT_EQ(file("pod/a"), "");
  flush();
  EXPECT_EQ(lines("pod/a"), wanted);
  EXPECT_EQ(file("pod/a"), log_of(*store_, "pod/a"));
  out.say("three");
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "2:two", "three"}));
  EXPECT_EQ(lines_of(file("pod/a")), wanted);
  const auto summary = store_->summary("pod/a");
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->lines, 3U);
  EXPECT_EQ(summary->first, 1'000'000'000U);
  EXPECT_EQ(summary->last, 2'000'000'000U);
  EXPECT_TRUE(summary->open());
}

TEST_F(FlowStoreTest, WritesWhatIsMuchOrHasWaited) {
  options_.buffer_bytes = 1000;
  options_.idle = 1s;
  Writer small(open(), "small", 1);
  Writer large(*store_, "large", 2);
  const Clock::time_point now{};
  small.say("x", now);
  for (int i = 0; i < 30; ++i) large.say("0123456789", now);
  EXPECT_EQ(store_->next_flush(), now + 1s);
  flush(false, now + 999ms);
  EXPECT_EQ(file("small"), "");
  EXPECT_EQ(lines_of(file("large")).size(), 30U);
  flush(false, now + 1s);
  EXPECT_EQ(lines_of(file("small")), Lines{"x"});
  EXPECT_EQ(store_->next_flush(), Clock::time_point::max());
}

TEST_F(FlowStoreTest, TooManyBuffersAreAllWritten) {
  options_.buffers = 3;
  open();
  std::vector<Writer> writers;
  for (StreamNo i = 1; i <= 4; ++i) writers.emplace_back(*store_, "flow" + std::to_string(i), i).say("x");
  flush(false);
  for (StreamNo i = 1; i <= 4; ++i) EXPECT_EQ(lines_of(file("flow" + std::to_string(i))), Lines{"x"});
  options_.buffers = 1024;
  options_.buffers_bytes = 100;
  Writer one(open(), "one", 9);
  one.say("12345");
  flush(false);
  EXPECT_EQ(file("one"), "");
  one.say(std::string(100, 'x'));
  flush(false);
  EXPECT_EQ(lines_of(file("one")).size(), 2U);
}

TEST_F(FlowStoreTest, AStartGoesOnWhereTheOneBeforeStood) {
  Writer one(open(), "one", 1);
  one.say("first");
  flush();
  one.say("second");  // not written
  {
    // The process was killed: the file has more than the index says.
    std::ofstream more(options_.dir + "/one.log", std::ios::app);
    more << "half a li";
  }
  open();
  EXPECT_EQ(lines("one"), Lines{"first"});
  EXPECT_EQ(lines_of(file("one")), Lines{"first"});
  // The journal's lines come again, divided otherwise.
  {
    FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow("one");
    EXPECT_EQ(flow->log.position_of(1), 6U);
    EXPECT_EQ(flow->log.position_of(2), std::nullopt);
    writing.add(*flow, 1, "stdout", {"first", true, 0, 6, 1});
    writing.add(*flow, 1, "stdout", {"second", true, 6, 13, 2'000'000'000});
  }
  EXPECT_EQ(lines("one"), (Lines{"first", "second"}));
  EXPECT_EQ(store_->summary("one")->lines, 2U);
  flush();
  EXPECT_EQ(file("one"), log_of(*store_, "one"));
  open();
  EXPECT_EQ(lines("one"), (Lines{"first", "second"}));
  EXPECT_EQ(store_->summary("one")->first, 1'000'000'000U);
  store_->end_orphans(5);
  EXPECT_FALSE(store_->summary("one")->open());
}

TEST_F(FlowStoreTest, OfALineOnlyWhatIsNew) {
  open();
  FlowStore::Writing writing(*store_, {});
  const auto flow = writing.flow("one");
  writing.add(*flow, 1, "stdout", {"abcdef", false, 0, 6, 1});
  writing.add(*flow, 1, "stdout", {"defghi", true, 3, 10, 1});
  writing.add_gap(*flow, 1, "stdout", 15, 1);
  writing.add_gap(*flow, 1, "stdout", 15, 1);
  LogPart part;
  FilePart none;
  flow->log.read(0, 1000, part, none);
  EXPECT_EQ(lines_of(part.text), (Lines{"abcdef~", "ghi", "<5>"}));
  EXPECT_EQ(flow->log.missing(), 5U);
}

// The flow has some lines of a scheduler's log. It has neither that log's position nor its writer's end.
TEST_F(FlowStoreTest, AFlowOfSomeLinesHasTheirBytesAndNoEnd) {
  open();
  const auto add = [&](std::string_view text, std::uint64_t at) {
    FlowStore::Writing writing(*store_, {});
    writing.add(*writing.flow("sched/a/b"), 1, "stderr", {text, true, at, at + text.size() + 1, 7});
  };
  add("one", 1'000'000), add("three", 2'000'000);
  for (const bool again : {false, true}) {
    EXPECT_EQ(store_->summary("sched/a/b")->bytes, 10U) << again;
    EXPECT_TRUE(store_->summary("sched/a/b")->open()) << again;
    store_->keep_streams({});
    EXPECT_EQ(store_->summary("sched/a/b")->bytes, 10U) << again;
    flush();
    open();
    store_->end_orphans(9);
  }
}

TEST_F(FlowStoreTest, FollowersAreTold) {
  Writer one(open(), "one", 1);
  Writer other(*store_, "other", 2);
  one.say("a"), other.say("b");
  const auto follower = store_->follow(*store_->find("one"));
  EXPECT_EQ(store_->followers(), 1U);
  bool called = false;
  const auto told = [&] {
    follower->once([&called] { called = true; });
    return std::exchange(called, false);
  };
  EXPECT_FALSE(told());
  other.say("c");
  EXPECT_FALSE(told());
  one.say("d"), one.say("e");
  EXPECT_TRUE(told());
  EXPECT_FALSE(told());
  one.end(5);
  EXPECT_TRUE(told());
  EXPECT_TRUE(store_->read(*store_->find("one"), 0, 1000)->ended);
}

TEST_F(FlowStoreTest, OfStreamsThatAreForgottenOnlyTheSumIsKept) {
  Writer one(open(), "one", 1);
  Writer other(*store_, "one", 2);
  one.say("abc"), other.say("de");
  store_->keep_streams({2});
  EXPECT_EQ(store_->find("one")->log.position_of(1), std::nullopt);
  EXPECT_EQ(store_->summary("one")->bytes, 7U);
  other.say("f");
  flush();
  open();
  EXPECT_EQ(store_->summary("one")->bytes, 9U);
  EXPECT_EQ(lines("one"), (Lines{"abc", "de", "f"}));
}

TEST_F(FlowStoreTest, ARenamedFlowKeepsItsLines) {
  Writer one(open(), "before", 1);
  one.say("a");
  flush();
  one.say("b");
  {
    FlowStore::Writing writing(*store_, {});
    EXPECT_EQ(writing.rename(writing.flow("before"), "after")->log.id(), "after");
  }
  EXPECT_FALSE(store_->find("before"));
  EXPECT_EQ(lines("after"), (Lines{"a", "b"}));
  flush();
  EXPECT_EQ(lines_of(file("after")), (Lines{"a", "b"}));
  EXPECT_EQ(file("before"), "");
  open();
  EXPECT_FALSE(store_->find("before"));
  EXPECT_EQ(lines("after"), (Lines{"a", "b"}));
}

}  // namespace
}  // namespace flowtap::flow
