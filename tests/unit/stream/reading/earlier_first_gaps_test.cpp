// Gaps where the store's log begins, whose bytes the runtime may have.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/stream/reading/earlier_kit.hpp"

namespace flowtap {
namespace {

class EarlierFirstGapsTest : public EarlierLinesTest {
 protected:
  void keep_text(const std::string& text) {
    tree_.file("var/log/pods/shop_web-0_" + kPodUid + "/app/0.log", text);
  }
};

// A gap that nobody has filled stands where the store begins, and the runtime has its bytes by now.
TEST_F(EarlierFirstGapsTest, WhatTheRuntimeHasIsNoGapAtTheStoresBeginning) {
  flow::Batch batch;
  batch.add(flow::StreamEntry{1, {.flow = kPodFlow, .output = "stdout", .identity = {}}});
  const std::string first = "line 3\n";
  batch.add(flow::BytesEntry{1, 21, 3 * kSecond, 0, flow::as_bytes(first)});
  append(batch);
  give_up_waiting();
  EXPECT_EQ(log(), "[flowtap: 21 bytes are missing here]\nline 3\n|");
  std::string text;
  for (std::uint64_t n = 0; n < 4; ++n)
    text += rfc3339_nano(at_second(n) + std::chrono::microseconds(50)) + " stdout F " + numbered(n);
  keep_text(text);
  loses_meanwhile_ = true;
  EXPECT_EQ(log(), numbered(0, 4) + "|");
}

// Its bytes are none of those that made room, of which the runtime has lost some, too.
TEST_F(EarlierFirstGapsTest, NorDoesItHideWhatTheRuntimeHasLost) {
  loses_meanwhile_ = true;
  open(std::uint64_t{1} << 20U);
  const std::string lost = "nobody has captured this\n";
  const std::string got = "this is the next\n";
  flow::Batch batch;
  for (const flow::StreamNo stream : {flow::StreamNo{1}, flow::StreamNo{2}})
    batch.add(flow::StreamEntry{
        stream, {.flow = kPodFlow, .output = stream == 1 ? "stdout" : "stderr", .identity = {}}});
  std::string kept;
  const auto keep_line = [&](std::uint64_t n, std::string_view output, const std::string& text) {
    kept += rfc3339_nano(at_second(n) + std::chrono::microseconds(50)) + output.data() + text;
  };
  std::uint64_t at = 0;
  for (std::uint64_t n = 1; n <= 5000; ++n) {
    const std::string text = numbered(n);
    batch.add(flow::BytesEntry{1, at, n * kSecond, 0, flow::as_bytes(text)});
    at += text.size();
    if (n == 4990) batch.add(flow::BytesEntry{2, lost.size(), n * kSecond, 0, flow::as_bytes(got)});
    if (n >= 1000) keep_line(n, " stdout F ", text);
    if (n == 4990) keep_line(n, " stderr F ", lost), keep_line(n, " stderr F ", got);
    if (n % 100 == 0) append(batch);
  }
  give_up_waiting();
  flood(std::size_t{2} << 20U);  // so that the journal has none of it
  keep_text(kept);
  const auto [missing, shown] = taken_apart(log());
  EXPECT_EQ(missing, numbered(1, 1000).size());
  EXPECT_EQ(missing + shown.size(), at + lost.size() + got.size());
}

// All that the store has of standard output is a gap at its end, which the runtime's lines have.
TEST_F(EarlierFirstGapsTest, TheOnlyThingOfAnOutputIsShownOnce) {
  loses_meanwhile_ = true;
  open(std::uint64_t{1} << 20U);
  flow::Batch batch;
  for (const flow::StreamNo stream : {flow::StreamNo{1}, flow::StreamNo{2}})
    batch.add(flow::StreamEntry{
        stream, {.flow = kPodFlow, .output = stream == 1 ? "stdout" : "stderr", .identity = {}}});
  std::string kept;
  std::array<std::uint64_t, 2> at{};
  const auto say = [&](std::uint64_t n, bool err, bool is_lost) {
    const std::string text = numbered(n);
    if (!is_lost)
      batch.add(flow::BytesEntry{err ? flow::StreamNo{2} : flow::StreamNo{1}, at.at(err ? 1 : 0), n * kSecond,
                                 0, flow::as_bytes(text)});
    at.at(err ? 1 : 0) += text.size();
    kept += rfc3339_nano(at_second(n) + std::chrono::microseconds(50)) + (err ? " stderr F " : " stdout F ") +
            text;
    if (n % 100 == 0) append(batch);
  };
  for (std::uint64_t n = 1; n <= 3000; ++n) say(n, false, n > 2950);
  std::uint64_t n = 3000;
  while (n < 3200) say(++n, true, false);  // so that the text can go without the gap
  batch.add(flow::EndEntry{1, at[0], n * kSecond, {}});
  const auto stored = [&] {
    const auto bounds = store_->bounds(*store_->find(kPodFlow));
    return store_->read(*store_->find(kPodFlow), bounds->begin, bounds->end - bounds->begin)->text;
  };
  do {
    say(++n, true, false);
    append(batch);
    give_up_waiting();
  } while (stored().contains(" stdout F line"));
  ASSERT_TRUE(stored().contains(" stdout F:missing="));
  flood(std::size_t{2} << 20U);  // so that the journal has none of it
  keep_text(kept);
  EXPECT_EQ(log(), numbered(1, n + 1) + "|");
  keep_text(kept.substr(kept.rfind('\n', kept.find("line 1000\n")) + 1));
  const auto [missing, shown] = taken_apart(log());
  EXPECT_EQ(missing + shown.size(), numbered(1, n + 1).size()) << log().substr(0, 200);
  EXPECT_GT(missing, 0U);
}

}  // namespace
}  // namespace flowtap
