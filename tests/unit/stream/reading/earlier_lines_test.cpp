// A log whose beginning has made room in the store: the journal has it, or the runtime's file, or its length is told.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/stream/reading/earlier_kit.hpp"

namespace flowtap {
namespace {

TEST_F(EarlierLinesTest, AreTheJournalsWhereTheStoreHasMadeRoom) {
  write(0, 5000);
  ASSERT_LT(stored_lines(), 1000U);
  EXPECT_EQ(log(), numbered(0, 5000) + "|");
  EXPECT_EQ(reader({})->missing_bytes(), 0U);
  for (const std::uint64_t n : {1U, 100U, 999U, 4999U, 5000U, 6000U})
    EXPECT_EQ(log({.tail_lines = n}), numbered(5000 - std::min<std::uint64_t>(n, 5000), 5000) + "|") << n;
  EXPECT_EQ(log({.since = at_second(1234)}), numbered(1234, 5000) + "|");
  EXPECT_EQ(log({.limit_bytes = 10}), numbered(0, 10).substr(0, 10) + "|");
  EXPECT_TRUE(log({.timestamps = true}).starts_with("1970-01-01T00:00:00.000000001Z line 0\n"));
  std::string err;
  for (std::uint64_t n = 3; n < 5000; n += 10) err += numbered(n);
  EXPECT_EQ(log({.outputs = api::Outputs::kStderr}), err + "|");
}

TEST_F(EarlierLinesTest, AreFollowedByWhatComes) {
  write(0, 3000);
  const auto follower = reader({.follow = true});
  const auto tail = reader({.follow = true, .tail_lines = 2000});
  EXPECT_EQ(drain(*follower), numbered(0, 3000));
  write(3000, 3100);
  EXPECT_EQ(drain(*follower), numbered(3000, 3100));
  EXPECT_EQ(drain(*tail), numbered(1000, 3100));
  open();
  EXPECT_EQ(log(), numbered(0, 3100) + "|") << "after a start, too";
}

// The flow makes room again and again while somebody reads what it had.
TEST_F(EarlierLinesTest, AreReadWhileTheStoreMakesRoom) {
  write(0, 3000);
  const auto whole = reader({});
  write(3000, 6000);
  EXPECT_EQ(drain(*whole), numbered(0, 3000) + "|");
}

TEST_F(EarlierLinesTest, WhatNobodyHasAnyMoreIsAGapAtTheBeginning) {
  open(std::uint64_t{1} << 20U);
  write(0, 5000);
  const std::string wanted = numbered(0, 5000);
  ASSERT_EQ(log(), wanted + "|");
  flood(std::size_t{2} << 20U);
  const std::uint64_t left = stored_lines();
  const std::string rest = numbered(5000 - left, 5000);
  EXPECT_EQ(log(), made_room(wanted.size() - rest.size()) + rest + "|");
  EXPECT_EQ(log({}), rest + "|");
  EXPECT_EQ(reader({})->missing_bytes(), wanted.size() - rest.size());
  EXPECT_EQ(log({.tail_lines = left}), rest + "|");
  EXPECT_EQ(log({.since = at_second(4999)}), numbered(4999) + "|");
  EXPECT_TRUE(log({.outputs = api::Outputs::kStderr, .gaps = true})
                  .starts_with("[flowtap: " + std::to_string(wanted.size() - rest.size()) +
                               " bytes of stdout and stderr are missing here: they had to make room"));
  open(std::uint64_t{1} << 20U);
  EXPECT_EQ(log(), made_room(wanted.size() - rest.size()) + rest + "|") << "after a start, too";
}

// Each output has lost as many bytes as its gap says.
TEST_F(EarlierLinesTest, WhatTheJournalHasLostIsAGapInEachOutput) {
  open(std::uint64_t{1} << 20U);
  options_.flow_bytes = std::uint64_t{8} << 10U;
  open(std::uint64_t{1} << 20U);
  for (std::uint64_t n = 0; n < 60'000; n += 1000) write(n, n + 1000);
  for (const bool err : {false, true}) {
    SCOPED_TRACE(err);
    std::string wanted;
    for (std::uint64_t n = 0; n < 60'000; ++n)
      if ((n % 10 == 3) == err) wanted += numbered(n);
    const std::string got =
        log({.outputs = err ? api::Outputs::kStderr : api::Outputs::kStdout, .gaps = true});
    const std::string mark = "[flowtap: ";
    ASSERT_TRUE(got.starts_with(mark)) << got.substr(0, 200);
    const std::size_t missing = std::stoull(got.substr(mark.size()));
    EXPECT_GT(missing, 0U);
    EXPECT_TRUE(got.starts_with(made_room(missing)));
    const std::string rest = got.substr(made_room(missing).size());
    EXPECT_EQ(rest, wanted.substr(missing) + "|");
    EXPECT_GT(rest.size(), std::size_t{4} << 10U) << "what the journal has is served";
  }
}

TEST_F(EarlierLinesTest, AreTheRuntimesWhereItReachesFurtherBack) {
  // It ran before flowtapd came.
  {
    flow::Batch batch;
    for (const flow::StreamNo stream : {flow::StreamNo{1}, flow::StreamNo{2}})
      batch.add(flow::StreamEntry{
          stream, {.flow = kPodFlow, .output = stream == 1 ? "stdout" : "stderr", .identity = {}}});
    append(batch);
  }
  write(500, 4000);
  keep(0, 4000);
  EXPECT_EQ(log(), numbered(0, 4000) + "|");
  EXPECT_EQ(log({.tail_lines = 3800}), numbered(200, 4000) + "|");
  // Its file has been rotated away up to there, and the journal has more.
  keep(3000, 4000);
  EXPECT_EQ(log(), numbered(500, 4000) + "|");
}

TEST_F(EarlierLinesTest, WhatTheRuntimeHasLostAsWellIsAGap) {
  open(std::uint64_t{1} << 20U);
  write(0, 5000);
  flood(std::size_t{2} << 20U);
  keep(0, 5000);
  EXPECT_EQ(log(), numbered(0, 5000) + "|");
  keep(2000, 5000);
  EXPECT_EQ(log(), made_room(numbered(0, 2000).size()) + numbered(2000, 5000) + "|");
  EXPECT_EQ(reader({})->missing_bytes(), numbered(0, 2000).size());
}

// The store has bounds for all flows together, too.
TEST_F(EarlierLinesTest, OfAFlowThatTheStoreHasRemoved) {
  options_.flows = 1;
  open();
  write(0, 100);
  flood(1);
  ASSERT_FALSE(store_->find(kPodFlow));
  store_->expect(kPodFlow);  // as the service does for a flow that is open
  EXPECT_EQ(log(), numbered(0, 100) + "|");
  const auto follower = reader({.follow = true});
  EXPECT_EQ(drain(*follower), numbered(0, 100));
  late_ = 10'000;
  write(100, 110);
  EXPECT_EQ(drain(*follower), numbered(100, 110));
  flood(1, 20'000);
  ASSERT_FALSE(store_->find(kPodFlow));
  late_ = 30'000;
  write(110, 120);
  EXPECT_EQ(log(), numbered(0, 120) + "|") << "it was made again";
  flow::Batch batch;
  for (const flow::StreamNo stream : {flow::StreamNo{1}, flow::StreamNo{2}})
    batch.add(flow::EndEntry{stream, at_[stream - 1], 31'000 * kSecond, {}});
  append(batch);
  flood(1, 40'000);
  ASSERT_FALSE(store_->find(kPodFlow));
  EXPECT_EQ(log(), numbered(0, 120) + "|") << "and has ended";
  EXPECT_EQ(log({.tail_lines = 5}), numbered(115, 120) + "|");
}

// The journal's gaps are where they are, with their causes.
TEST_F(EarlierLinesTest, GapsOfTheJournal) {
  write(0, 1000);
  at_[0] += 70;
  write(1000, 1001);
  give_up_waiting();
  write(1001, 2000);
  ASSERT_LT(stored_lines(), 900U);
  EXPECT_EQ(log({.gaps = true}),
            numbered(0, 1000) + "[flowtap: 70 bytes are missing here]\n" + numbered(1000, 2000) + "|");
  EXPECT_EQ(reader({})->missing_bytes(), 70U);
  EXPECT_EQ(log({.tail_lines = 1001, .gaps = true}),
            "[flowtap: 70 bytes are missing here]\n" + numbered(1000, 2000) + "|");
  EXPECT_EQ(log({.tail_lines = 1000}), numbered(1000, 2000) + "|");
  keep(0, 2000);
  EXPECT_EQ(log().find("missing"), std::string::npos) << "the runtime has them";
}

// The journal has both sides of the place, and they are not one line.
TEST_F(EarlierLinesTest, WhereTheCaptureBrokeOffTheJournalSaysSo) {
  const std::array<std::string, 2> sides{numbered(0, 1000) + "cut", numbered(1000, 2000)};
  for (const flow::StreamNo stream : {flow::StreamNo{1}, flow::StreamNo{2}}) {
    flow::Batch batch;
    const std::string& text = sides.at(stream - 1);
    batch.add(flow::StreamEntry{stream, {.flow = kPodFlow, .output = "stdout", .identity = {}}});
    batch.add(flow::BytesEntry{stream, 0, stream * kSecond, 0, flow::as_bytes(text)});
    if (stream == 1) {
      batch.add(flow::MissedEntry{stream, text.size(), text.size(), 2 * kSecond});
      batch.add(flow::EndEntry{stream, text.size(), 2 * kSecond, {}});
    }
    append(batch);
  }
  ASSERT_LT(stored_lines(), 900U);
  EXPECT_EQ(log({.gaps = true}), sides[0] + " [flowtap: cut]\n" +
                                     flow::gap_text(0, flow::MissingCause::kBrokeOff) + "\n" + sides[1] +
                                     "|");
  EXPECT_EQ(log({}), sides[0] + "\n" + sides[1] + "|");
}

// containerd drops "\r" before a newline. So does the log, from wherever it is read; a "\r" elsewhere stays.
TEST_F(EarlierLinesTest, ReturnsBeforeNewlinesAreWhereTheRuntimeHasThem) {
  drops_returns_ = true;
  open(std::uint64_t{1} << 20U);
  const std::string begin(flow::kMaxLine - 1, 'x');
  const std::vector<std::pair<std::string, std::string>> written{
      {"win\r\n", "stdout F win\n"},
      {"\r\n", "stdout F \n"},
      {"a\rb\r\r\n", "stdout F a\rb\r\n"},
      {begin + "\r\n", "stdout P " + begin + "\n#stdout F \n"},
      {begin + "\ry\n", "stdout P " + begin + "\n#stdout F \ry\n"},
      {"plain\n", "stdout F plain\n"}};
  std::string kept;
  std::string wanted;
  std::uint64_t at = 0;
  flow::Batch batch;
  batch.add(flow::StreamEntry{1, {.flow = kPodFlow, .output = "stdout", .identity = {}}});
  for (const auto& [bytes, cri] : written) {
    batch.add(flow::BytesEntry{1, at, (++at) * kSecond, 0, flow::as_bytes(bytes)});
    at += bytes.size() - 1;
    const std::string time = rfc3339_nano(at_second(1) + std::chrono::nanoseconds(at) * kSecond) + " ";
    std::string lines = time + cri;
    if (const std::size_t next = lines.find('#'); next != std::string::npos) lines.replace(next, 1, time);
    kept += lines;
    wanted += bytes;
    if (wanted.ends_with("\r\n")) wanted.erase(wanted.size() - 2, 1);
  }
  append(batch);
  EXPECT_EQ(log(), wanted + "|") << "from the store";
  tree_.file("var/log/pods/shop_web-0_" + kPodUid + "/app/0.log", kept);
  EXPECT_EQ(log(), wanted + "|");
  std::string more;
  for (int i = 0; i < 3000; ++i) more += "more\r\n";
  batch.add(flow::BytesEntry{1, at, 9000 * kSecond, 0, flow::as_bytes(more)});
  append(batch);
  std::string rest;
  for (int i = 0; i < 3000; ++i) rest += "more\n";
  EXPECT_EQ(log(), wanted + rest + "|") << "from the journal";
  EXPECT_EQ(log({.tail_lines = 3001}), "plain\n" + rest + "|");
  flood(std::size_t{2} << 20U);
  EXPECT_TRUE(log({}).starts_with(wanted)) << "from the runtime's file";
  drops_returns_ = false;
  EXPECT_TRUE(log().ends_with("more\r\n|")) << "another runtime keeps it";
}

}  // namespace
}  // namespace flowtap
