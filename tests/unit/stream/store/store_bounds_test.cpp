// Bounds of a flow and of the store: exactly the newest lines are left.
#include "stream/store/flow_store.hpp"

#include <filesystem>

#include "tests/unit/stream/store/store_fixture.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;
using Clock = FlowStore::Clock;

// Exactly the newest lines are left, whole, and at least half as much as allowed.
TEST_F(FlowStoreTest, AFlowHasItsBound) {
  options_.flow_bytes = 10'000;
  Writer one(open(), "one", 1);
  Lines all;
  for (int i = 0; i < 2000; ++i) {
    all.push_back("line " + std::to_string(i));
    one.say(all.back());
    if (i % 7 == 0) flush();
    if (i % 100 != 0) continue;
    const Lines left = lines("one");
    ASSERT_TRUE(left.size() <= all.size() && std::equal(left.rbegin(), left.rend(), all.rbegin())) << i;
    EXPECT_LE(file("one").size(), options_.flow_bytes);
    if (i >= 300) {
      EXPECT_GE(log_of(*store_, "one").size(), options_.flow_bytes / 2 - 100);
    }
  }
  flush();
  EXPECT_EQ(lines_of(file("one")), lines("one"));
  EXPECT_GT(evicted(Eviction::kFlowBytes), 0U);
  EXPECT_EQ(store_->summary("one")->lines, 2000U);
  // A reader that goes on from long ago is told how many lines it missed.
  const auto ref = store_->find("one");
  const auto part = store_->read(*ref, 0, 100);
  ASSERT_TRUE(part);
  EXPECT_GT(part->from, 0U);
  EXPECT_EQ(part->lines_before + lines("one").size(), 2000U);
  EXPECT_EQ(part->from, evicted(Eviction::kFlowBytes));
  const Lines left = lines("one");
  open();
  EXPECT_EQ(lines("one"), left);
  EXPECT_EQ(store_->read(*store_->find("one"), 0, 100)->lines_before, part->lines_before);
}

TEST_F(FlowStoreTest, MoreThanTheBoundInOneFlush) {
  options_.flow_bytes = 10'000;
  Writer one(open(), "one", 1);
  one.say("before");
  flush();
  Lines all{"before"};
  for (int i = 0; i < 1000; ++i) {
    all.push_back("line " + std::to_string(i));
    one.say(all.back());
  }
  flush();
  const Lines left = lines("one");
  EXPECT_TRUE(left.size() < all.size() && std::equal(left.rbegin(), left.rend(), all.rbegin()));
  EXPECT_LE(file("one").size(), options_.flow_bytes / 2);
  EXPECT_GT(file("one").size(), options_.flow_bytes / 2 - 100);
}

TEST_F(FlowStoreTest, EndedFlowsMakeRoomFirst) {
  options_.store_bytes = 41'000;
  open();
  std::vector<Writer> writers;
  for (StreamNo i = 1; i <= 5; ++i) {
    Writer& writer = writers.emplace_back(*store_, "flow" + std::to_string(i), i);
    for (int line = 0; line < 100; ++line) writer.say(std::string(20, 'x'));
  }
  writers[3].end(7);
  writers[1].end(8);
  flush();
  EXPECT_LE(store_->stats().file_bytes, options_.store_bytes);
  EXPECT_EQ(store_->stats().flows, 5U);
  Writer more(*store_, "more", 9);
  for (int line = 0; line < 100; ++line) more.say(std::string(20, 'x'));
  flush();
  EXPECT_FALSE(store_->find("flow4")) << "it ended first";
  EXPECT_TRUE(store_->find("flow2"));
  EXPECT_EQ(file("flow4"), "");
  EXPECT_EQ(evicted_flows(Eviction::kStoreBytes), 1U);
  EXPECT_LE(store_->stats().file_bytes, options_.store_bytes);
}

TEST_F(FlowStoreTest, WhoWritesMostPays) {
  options_.store_bytes = 40'000;
  options_.flow_bytes = 1'000'000;
  Writer quiet(open(), "quiet", 1);
  Writer loud(*store_, "loud", 2);
  quiet.say("at the beginning");
  Lines all;
  for (int i = 0; i < 3000; ++i) {
    all.push_back(std::to_string(i));
    loud.say(all.back());
    if (i % 50 == 0) flush();
  }
  flush();
  EXPECT_EQ(lines("quiet"), Lines{"at the beginning"});
  const Lines left = lines("loud");
  EXPECT_TRUE(left.size() < all.size() && std::equal(left.rbegin(), left.rend(), all.rbegin()));
  EXPECT_GT(left.size(), 250U);
  EXPECT_LE(store_->stats().file_bytes, options_.store_bytes);
  std::uint64_t on_disk = 0;
  for (const auto& entry : std::filesystem::directory_iterator(options_.dir))
    if (entry.path().filename() != ".index") on_disk += (entry.file_size() + 4095) / 4096 * 4096;
  EXPECT_EQ(store_->stats().file_bytes, on_disk);
}

TEST_F(FlowStoreTest, SoManyFlowsAndNoMore) {
  options_.flows = 3;
  open();
  std::vector<Writer> writers;
  for (StreamNo i = 1; i <= 3; ++i) writers.emplace_back(*store_, "flow" + std::to_string(i), i).say("x");
  writers[2].end(5);
  flush();
  EXPECT_EQ(store_->stats().flows, 3U);
  writers[0].say("y");
  writers.emplace_back(*store_, "flow4", 4).say("x");
  flush();
  EXPECT_FALSE(store_->find("flow3")) << "it has ended";
  writers.emplace_back(*store_, "flow5", 5).say("x"), writers.back().say("y");
  flush();
  EXPECT_FALSE(store_->find("flow2") && store_->find("flow4")) << "one of those that were silent for longest";
  EXPECT_TRUE(store_->find("flow1"));
  EXPECT_TRUE(store_->find("flow5"));
  EXPECT_EQ(evicted_flows(Eviction::kFlows), 2U);
}

// What a scheduler said about a pod has no end. If that was long ago, it counts like a flow that ended then, and the oldest goes.
TEST_F(FlowStoreTest, DerivedFlowsThatAreSilentGoWithThoseThatEnded) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const auto say = [&](const std::string& flow, StreamNo stream, std::uint64_t second) {
    FlowStore::Writing writing(*store_, {});
    writing.add(*writing.flow(flow), stream, "stdout", {"x", true, 0, 2, second * kSecond});
  };
  for (const auto bound : {Eviction::kFlows, Eviction::kStoreBytes}) {
    SCOPED_TRACE(to_string(bound));
    options_.flows = bound == Eviction::kFlows ? 3 : 100;
    options_.store_bytes = bound == Eviction::kFlows ? 1U << 20U : 3 * kFilePage;
    std::filesystem::remove_all(options_.dir), std::filesystem::create_directory(options_.dir);
    open();
    say("sched/ns/old", 1, 1), say("pod/ended", 2, 2), say("sched/ns/recent", 3, 1000);
    const auto ended = store_->find("pod/ended");
    FlowStore::Writing(*store_, {}).end_stream(*ended, 500 * kSecond);
    flush(true, {}, 1001 * kSecond);
    ASSERT_EQ(store_->stats().flows, 3U);
    say("pod/next", 4, 1001);
    flush(true, {}, 1002 * kSecond);
    EXPECT_FALSE(store_->find("sched/ns/old"));
    EXPECT_TRUE(store_->find("pod/ended") && store_->find("sched/ns/recent"));
    say("pod/another", 5, 1002);
    flush(true, {}, 1003 * kSecond);
    EXPECT_FALSE(store_->find("pod/ended"));
    EXPECT_TRUE(store_->find("sched/ns/recent")) << "it is written to";
    EXPECT_EQ(evicted_flows(bound), 2U);
    store_.reset();
  }
}

// Each flow takes a page, and half of one would take no less.
TEST_F(FlowStoreTest, OfManySmallOpenFlowsTheLongestSilentGoes) {
  options_.store_bytes = 10 * kFilePage;
  open();
  std::vector<Writer> writers;
  for (StreamNo i = 0; i < 30; ++i) {
    Writer& writer = writers.emplace_back(*store_, "flow" + std::to_string(i), i + 1);
    // The later ones have been silent for longer.
    for (StreamNo line = i; line < 30; ++line) writer.say("x");
  }
  flush();
  EXPECT_EQ(store_->stats().file_bytes, options_.store_bytes);
  for (StreamNo i = 0; i < 30; ++i) {
    EXPECT_EQ(lines("flow" + std::to_string(i)), i < 10 ? Lines(30 - i, "x") : Lines());
  }
  EXPECT_EQ(evicted_flows(Eviction::kStoreBytes), 20U);
}

TEST_F(FlowStoreTest, EndedFlowsAreKeptForTheirAge) {
  options_.age = 10s;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  Writer one(open(), "one", 1);
  Writer other(*store_, "other", 2);
  one.say("x"), other.say("y");
  one.end(100 * kSecond);
  flush(true, {}, 110 * kSecond);
  EXPECT_EQ(lines("one"), Lines{"x"});
  flush(true, {}, 111 * kSecond);
  EXPECT_FALSE(store_->find("one"));
  EXPECT_TRUE(store_->find("other"));
  EXPECT_EQ(evicted_flows(Eviction::kAge), 1U);
  open();
  EXPECT_FALSE(store_->find("one")) << "the index knows";
  EXPECT_TRUE(store_->find("other"));
}

// This holds even if nothing is written that would make anybody flush.
TEST_F(FlowStoreTest, TheNextThatBecomesTooOldIsAReasonToFlush) {
  options_.age = 10s;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  Writer one(open(), "one", 1);
  Writer other(*store_, "other", 2);
  one.say("x"), other.say("y");
  flush(true, {}, 100 * kSecond);
  EXPECT_EQ(store_->next_flush(), Clock::time_point::max()) << "none has ended";
  one.end(100 * kSecond);
  other.end(103 * kSecond);
  flush(true, {}, 100 * kSecond + kSecond / 2);
  EXPECT_EQ(store_->next_flush(), Clock::time_point(500ms)) << "a look each second is enough";
  flush(true, {}, 104 * kSecond);
  EXPECT_EQ(store_->next_flush(), Clock::time_point(6s + 1ns));
  flush(true, {}, 110 * kSecond + 1);
  EXPECT_FALSE(store_->find("one"));
  EXPECT_EQ(store_->next_flush(), Clock::time_point(3s));
  flush(true, {}, 112 * kSecond + kSecond / 2);
  flush(true, {}, 113 * kSecond + kSecond / 4);
  EXPECT_TRUE(store_->find("other"));
  EXPECT_EQ(store_->next_flush(), Clock::time_point(250ms)) << "it has become so since the last look";
  open();
  EXPECT_EQ(store_->next_flush(), Clock::time_point()) << "it may have become so meanwhile";
  flush(true, {}, 120 * kSecond);
  EXPECT_FALSE(store_->find("other"));
  EXPECT_EQ(store_->next_flush(), Clock::time_point::max());
}

// At a start for which there is too little memory.
TEST_F(FlowStoreTest, GivesUpAsMuchAsIsAskedFor) {
  Writer one(open(), "one", 1);
  Writer two(*store_, "two", 2);
  for (int i = 0; i < 4000; ++i) {
    one.say("line " + std::to_string(i) + std::string(50, '.'));
    if (i % 4 == 0) two.say("line " + std::to_string(i) + std::string(50, '.'));
  }
  flush();
  const Lines all = lines("one");
  const std::uint64_t before = store_->stats().file_bytes;
  EXPECT_EQ(store_->give_up(0), 0U);
  const std::uint64_t removed = store_->give_up(before / 2);
  EXPECT_GE(removed, before / 2);
  EXPECT_EQ(store_->stats().file_bytes, before - removed);
  EXPECT_GT(evicted(Eviction::kStoreBytes), 0U) << "and it is counted";
  open();  // as if it was killed here
  const Lines left = lines("one");
  ASSERT_FALSE(left.empty());
  EXPECT_TRUE(std::equal(left.rbegin(), left.rend(), all.rbegin())) << "the newest";
}

}  // namespace
}  // namespace flowtap::flow
