// Who reads or follows a log that makes room is told so, and goes on with what comes.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "tests/unit/stream/reading/log_reader_kit.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;
using api::LogReadOptions;

TEST_F(LogReaderTest, WhoReadsSlowlyIsToldAndGoesOn) {
  options_.flow_bytes = 32U << 10U;
  open();
  say("first");
  const auto reader = this->reader({.follow = true});
  const auto tail = this->reader({.follow = true, .tail_lines = 0});
  EXPECT_EQ(drain(*reader), "first\n");
  for (int i = 0; i < 5000; ++i) {
    say(std::to_string(i));
    if (i % 100 == 0) flush();
  }
  flush();
  const std::string got = drain(*reader);
  const std::string left = log();
  const auto lines = 5001 - std::ranges::count(left, '\n') - 1;
  EXPECT_EQ(got, "[flowtap: " + std::to_string(lines) +
                     " lines were dropped to make room before they were read here]\n" +
                     left.substr(0, left.size() - 1));
  EXPECT_EQ(drain(*tail), "[flowtap: " + std::to_string(lines) +
                              " lines were dropped to make room before they were read here]\n" +
                              left.substr(0, left.size() - 1))
      << "that came since";
  EXPECT_EQ(store_->stats().missed_lines, 2U * static_cast<std::uint64_t>(lines)) << "of both";
}

// A line of stderr began before the last line, and its rest makes room: what stderr says then is another line.
TEST_F(LogReaderTest, WhatALineLeftOutLosesIsNotLookedForInTheNext) {
  options_.flow_bytes = 32U << 10U;
  open();
  say("a", false, "stderr"), say("x"), say("b", false, "stderr");
  const auto reader = this->reader({.follow = true, .tail_lines = 1, .whole_lines = true});
  EXPECT_EQ(drain(*reader), "x\n");
  say("c", true, "stderr");
  for (int i = 0; i < 5000; ++i) {
    say("more");
    if (i % 100 == 0) flush();
  }
  flush();
  say("new", true, "stderr");
  EXPECT_TRUE(drain(*reader).ends_with("more\nnew\n"));
}

// Half of a log must not look like all of it.
TEST_F(LogReaderTest, ALogThatMakesRoomWhileItIsReadHasNoEnd) {
  options_.flow_bytes = 32U << 10U;
  options_.age = 1s;
  open();
  for (int i = 0; i < 2000; ++i) say(std::to_string(i));
  flush();
  const auto whole = reader({});
  const auto follower = reader({.follow = true});
  ASSERT_TRUE(whole->read(100));
  const auto gap = follower->read(100);
  ASSERT_TRUE(gap);
  EXPECT_TRUE(gap->bytes.ends_with(" bytes are missing here: they had to make room for newer ones]\n"));
  const auto first = follower->read(100);
  ASSERT_TRUE(first);
  const std::uint64_t left = 7000 - store_->bounds(*store_->find("f"))->lines_before -
                             static_cast<std::uint64_t>(std::ranges::count(first->bytes, '\n'));
  for (int i = 0; i < 5000; ++i) say("more");
  flush();
  const auto jumped = whole->read(100);
  ASSERT_FALSE(jumped);
  EXPECT_NE(jumped.error().what.find("had to make room"), std::string::npos);
  const auto again = reader({});
  ASSERT_TRUE(again->read(100));
  end();
  store_->flush({}, 60'000'000'000, true);
  EXPECT_FALSE(again->read(100)) << "the whole flow";
  EXPECT_EQ(drain(*follower), "[flowtap: " + std::to_string(left) +
                                  " lines were dropped to make room before they were read here]\n"
                                  "[flowtap: this log had to make room for newer ones]\n|");
}

// The flow's source writes on: a follower goes on with what comes, and is told what it has missed.
class SuccessionTest : public LogReaderTest {
 protected:
  static constexpr std::uint64_t kSecond = 1'000'000'000;
  SuccessionTest() {
    options_.age = 1s;
    options_.flows = 2;
    open();
  }
  void say(const std::string& id, const std::string& text, bool full = true,
           std::string_view output = "stdout") {
    flow::FlowStore::Writing writing(*store_, {});
    const std::uint64_t end = at_ + text.size() + (full ? 1 : 0);
    writing.add(*writing.flow(id), 1, output, {text, full, at_, end, ++time_ * kSecond});
    at_ = end;
  }
  void become_old() { store_->flush({}, (time_ += 3600) * kSecond, true); }
  void follow(const std::string& id, const LogReadOptions& options = {.follow = true}) {
    auto reader = LogReader::open(*store_, *waker_, id, options);
    ASSERT_TRUE(reader && *(*reader)->prepare());
    reader_ = std::move(*reader);
  }
  std::string got() { return drain(*reader_); }
  bool is_woken_by(const std::function<void()>& what) {
    EXPECT_EQ(got(), "");
    // Lines that were told before are no news.
    const auto state = std::make_shared<std::promise<void>>();
    auto told = state->get_future();
    reader_->when_more([state] { state->set_value(); });
    if (told.wait_for(0s) == std::future_status::ready) return is_woken_by(what);
    what();
    return told.wait_for(10s) == std::future_status::ready;
  }

  std::unique_ptr<LogReader> reader_;
};

TEST_F(SuccessionTest, WhoFollowsASilentLogGoesOnWhenItHasMadeRoom) {
  say("sched/main", "one"), say("sched/main", "two");
  follow("sched/main");
  EXPECT_EQ(got(), "one\ntwo\n");
  become_old();
  ASSERT_FALSE(store_->find("sched/main"));
  EXPECT_EQ(got(), "") << "nothing was missed, and nothing has ended";
  EXPECT_TRUE(is_woken_by([&] { say("sched/main", "three"); }));
  EXPECT_EQ(got(), "three\n");
  // Two more are made and go while the follower does not look.
  say("sched/main", "four"), become_old();
  say("sched/main", "five"), say("sched/main", "six"), become_old();
  say("sched/main", "seven");
  EXPECT_EQ(got(), "[flowtap: 3 lines were dropped to make room before they were read here]\nseven\n");
  EXPECT_EQ(store_->stats().missed_lines, 3U);
  say("sched/main", "eight"), become_old();
  EXPECT_EQ(got(), "[flowtap: 1 line was dropped to make room before it was read here]\n")
      << "he is told at once";
  EXPECT_EQ(store_->stats().missed_lines, 4U);
  say("sched/main", "nine");
  EXPECT_EQ(got(), "nine\n");
}

TEST_F(SuccessionTest, NothingIsLeftOutOfWhatComesInItsPlace) {
  say("sched/main", "a", false, "stderr"), say("sched/main", "x");
  say("sched/main", "b", false, "stderr");
  follow("sched/main", {.follow = true, .tail_lines = 1, .whole_lines = true});
  EXPECT_EQ(got(), "x\n");
  become_old();
  say("sched/main", "new", true, "stderr");
  EXPECT_EQ(got(), "new\n");
}

TEST_F(SuccessionTest, NumbersBeginAnewWhereNobodyAsks) {
  say("sched/main", "one"), become_old();
  say("sched/main", "two");
  EXPECT_EQ(store_->summary("sched/main")->lines, 1U);
  EXPECT_EQ(store_->bounds(*store_->find("sched/main"))->begin, 0U);
}

TEST_F(SuccessionTest, WhoFollowsAnOpenFlowIsToldOfItsEnd) {
  const auto open_stream = [&](const std::string& id) {
    flow::FlowStore::Writing writing(*store_, {});
    writing.open_stream(*writing.flow(id));
  };
  const auto end_stream = [&](const std::string& id) {
    flow::FlowStore::Writing writing(*store_, {});
    writing.end_stream(*writing.flow(id), time_ * kSecond);
  };
  for (const bool has_made_room_again : {false, true}) {
    SCOPED_TRACE(has_made_room_again);
    const std::string id = has_made_room_again ? "pod/a" : "pod/b";
    open_stream(id), say(id, "one");
    follow(id);
    EXPECT_EQ(got(), "one\n");
    say("pod/c", "x"), say("pod/d", "x");
    store_->flush({}, 1, true);
    ASSERT_FALSE(store_->find(id)) << "it was silent for longest";
    EXPECT_EQ(got(), "");
    EXPECT_TRUE(is_woken_by([&] { end_stream(id); }));
    if (has_made_room_again) become_old();
    EXPECT_EQ(got(), has_made_room_again ? "[flowtap: this log had to make room for newer ones]\n|" : "|");
  }
}

// Another flow takes the name of one that is gone.
TEST_F(SuccessionTest, WhoFollowsGoesOnWithAFlowThatGetsTheName) {
  say("sched/a", "one");
  follow("sched/a");
  EXPECT_EQ(got(), "one\n");
  become_old();
  say("proc/1-1", "two");
  EXPECT_TRUE(is_woken_by([&] {
    flow::FlowStore::Writing writing(*store_, {});
    (void)writing.rename(writing.flow("proc/1-1"), "sched/a");
  }));
  EXPECT_EQ(got(), "two\n");
}

}  // namespace
}  // namespace flowtap
