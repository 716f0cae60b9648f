// Parts of a file that are in the wrong order are put right, and what a clock that was set back has written stays where it is.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/flowtap/forms/records_in.hpp"
#include "tools/flowtap/saved/unwrap/order/time_order.hpp"

namespace flowtap::cli {
namespace {

using Records = std::vector<std::string>;

// At so many tenths of a second behind 10:00.
std::string record_at(int tenths, std::string_view says = "x") {
  const int seconds = tenths / 10;
  return fmt::format("I1126 {:02}:{:02}:{:02}.{}00000       1 a.go:9] \"{}\"", 10 + seconds / 3600,
                     seconds / 60 % 60, seconds % 60, tenths % 10, says);
}

// At each of the times.
Records records_at(const std::vector<int>& tenths) {
  Records out;
  for (const int one : tenths) out.push_back(record_at(one));
  return out;
}

Records in_file(const Records& lines, std::string_view before = {}) {
  std::string bytes;
  for (const std::string& line : lines) bytes.append(before).append(line).append(1, '\n');
  return test::records_in(bytes);
}

Records every(int step, int from, int to) {
  std::vector<int> out;
  for (int at = from; at < to; at += step) out.push_back(at);
  return records_at(out);
}

Records operator+(Records one, const Records& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

constexpr int kMinute = 600;
constexpr int kHour = 60 * kMinute;

// Two logs stand between each other, and either may be the first to write after the step.
TEST(TimeOrderTest, AClockThatWasSetBackIsSetBackForEachLogOnItsMachine) {
  for (const bool other_first : {false, true}) {
    std::string bytes;
    Records right;
    for (int i = 0; i < 40; ++i) {
      const int at = i < 20 ? 20 * i : 20 * i - 293;
      const bool other = i >= 20 ? (i % 2 == 0) == other_first : i % 2 == 0;
      right.push_back(record_at(at, other ? "b" : "a"));
      bytes.append(other ? "[pod/b/c] " : "[pod/a/c] ").append(right.back()).append(1, '\n');
    }
    EXPECT_EQ(test::records_in(bytes), right) << other_first;
  }
}

TEST(TimeOrderTest, AClockThatWasSetBackChangesNoOrder) {
  const Records small = records_at({100, 150, 135});
  EXPECT_EQ(in_file(small), small);
  const Records minutes = every(20, 0, 5 * kMinute) + every(20, 4 * kMinute + 7, 8 * kMinute);
  EXPECT_EQ(in_file(minutes), minutes);
  const Records hour = every(100, 0, 2 * kHour - 20) + every(100, kHour + 30, 3 * kHour);
  EXPECT_EQ(in_file(hour), hour) << "daylight saving time ends";
  const Records late = records_at({kHour - 6000, kHour - 20, 10, 3000});
  EXPECT_EQ(in_file(late), late) << "the log begins in that hour";
  EXPECT_EQ(in_file(hour, "[pod/a] "), hour);
}

TEST(TimeOrderTest, PartsThatLieApartAreInTheOrderOfTheirTimes) {
  const Records first = every(3, 0, 5 * kMinute);
  const Records second = every(3, 6 * kMinute, 8 * kMinute);
  const Records third = every(3, 9 * kMinute, 10 * kMinute);
  const Records right = first + second + third;
  EXPECT_EQ(in_file(second + third + first), right);
  EXPECT_EQ(in_file(third + second + first), right);
  EXPECT_EQ(in_file(second + first + third), right);
  EXPECT_EQ(in_file(first + third + second), right) << "a page that was saved too late";
}

TEST(TimeOrderTest, APartKeepsItsClockThatWasSetBack) {
  const Records newer =
      every(30, 20 * kHour / 10, 20 * kHour / 10 + 100) + records_at({20 * kHour / 10 + 70});
  EXPECT_EQ(in_file(newer + every(30, 0, 90)), every(30, 0, 90) + newer);
}

TEST(TimeOrderTest, LogsOfSeveralPodsAreOne) {
  const Records one = every(20, 0, 2 * kHour);
  const Records other = every(20, 7, 2 * kHour);
  Records right = one + other;
  std::ranges::sort(right);
  EXPECT_EQ(in_file(one + other), right) << "kubectl logs -l";
  const Records later = every(20, kMinute + 7, kHour);
  right = one + later;
  std::ranges::sort(right);
  EXPECT_EQ(in_file(one + later), right);
}

// kubectl logs -l --prefix gives one pod's log behind the other's, and the clocks of two are hardly one.
TEST(TimeOrderTest, LogsOfNumberedPodsAreEachInItsOrder) {
  std::string bytes;
  const Records one = every(20, 0, 10 * kMinute);
  const Records other = every(20, 9 * kMinute + 7, 20 * kMinute);
  for (const std::string& line : one) bytes += "[pod/scheduler-0/kube-scheduler] " + line + '\n';
  for (const std::string& line : other) bytes += "[pod/scheduler-1/kube-scheduler] " + line + '\n';
  Records right = one + other;
  std::ranges::sort(right);
  EXPECT_EQ(test::records_in(bytes), right);
}

// The pages of an export, and kubectl logs -l where another scheduler has become the leader.
TEST(TimeOrderTest, TwoPagesOfOneHourAreNoHourAgain) {
  const Records first = every(3, 0, 30 * kMinute);
  const Records second = every(3, 30 * kMinute, kHour - 20);
  EXPECT_EQ(in_file(second + first), first + second);
  const Records start = records_at({0, 10, 20});
  const Records before = every(50, kMinute, 2 * kMinute);
  const Records after = every(50, 3 * kMinute, 4 * kMinute);
  EXPECT_EQ(in_file(start + after + before), start + before + after);
}

TEST(TimeOrderTest, LogsOfTwoSchedulersOfOneHourAreNoHourAgain) {
  const Records one = every(40, 8 * kMinute, 58 * kMinute);
  const Records other = every(40, 8 * kMinute + 7, 57 * kMinute);
  Records right = one + other;
  std::ranges::sort(right);
  EXPECT_EQ(in_file(one + other), right);
}

TEST(TimeOrderTest, LinesInAnyOrderAreSorted) {
  const Records right = every(20, 0, 400);
  Records shuffled;
  for (std::size_t i = 0; i < right.size(); ++i) shuffled.push_back(right[i * 7 % right.size()]);
  ASSERT_NE(shuffled, right);
  EXPECT_EQ(in_file(shuffled), right);
}

// Pages that have their own newest line first, and stand in the other order.
TEST(TimeOrderTest, PagesWithTheNewestFirstMayHaveAnyOrder) {
  Records older = every(3, 0, 5 * kMinute);
  Records newer = every(3, 6 * kMinute, 9 * kMinute);
  const Records right = older + newer;
  std::ranges::reverse(older);
  std::ranges::reverse(newer);
  EXPECT_EQ(in_file(older + newer), right);
  EXPECT_EQ(in_file(newer + older), right);
}

TEST(TimeOrderTest, FieldsOfSeveralLinesStayWholeWithTheNewestFirst) {
  constexpr int kRows = 500;
  std::string bytes = "time,line\n";
  Records right;
  for (int i = kRows; i-- > 0;) {
    const std::string one = record_at(i * 100);
    right.insert(right.begin(), i % 7 == 3 ? fmt::format("{} err=<\n\t0/{} nodes\n >", one, i) : one);
    std::string row = right.front();
    for (std::size_t at = 0; (at = row.find('"', at)) != std::string::npos; at += 2) row.insert(at, 1, '"');
    bytes += fmt::format("{},\"{}\"\n", i, row);
  }
  EXPECT_EQ(test::records_in(bytes), right);
}

// As logcli prints them; tac turns round their lines as well.
TEST(TimeOrderTest, ValuesOfSeveralLinesStayWholeWithTheNewestFirst) {
  std::string newest;
  std::string turned;
  std::string right;
  for (int i = 0; i < 30; ++i) {
    const Records lines = {record_at(i * 100) + " err=<", fmt::format("\t0/{} nodes", i), "\t", " >"};
    const std::string record = fmt::format("{}\n", fmt::join(lines, "\n"));
    newest.insert(0, record);
    right += record;
    for (const std::string& line : lines) turned.insert(0, line + '\n');
  }
  for (const std::string& bytes : {newest, turned, right}) {
    std::string found;
    SavedLines saved([&found](const SavedLine& line) { found.append(line.text).append(1, '\n'); });
    saved.add(bytes, 0);
    saved.finish();
    EXPECT_EQ(found, right) << bytes;
  }
}

std::string bound_at(int tenths) {
  const std::string record = record_at(tenths);
  return record.substr(0, record.find(']')) + R"(] "Successfully bound pod to node" pod="a/b" node="n1")";
}

std::string tried_at(int tenths) {
  const std::string record = record_at(tenths);
  return record.substr(0, record.find(']')) +
         R"(] "Unable to schedule pod; no fit; waiting" pod="a/b" err="0/1 nodes are available: 1 x.")";
}

// NTP has set the clock back by some minutes. A pod that was bound is not tried again.
TEST(TimeOrderTest, ABoundPodTellsThatTheClockWasSetBack) {
  for (const int minutes : {1, 2, 3, 5, 10, 14}) {
    const int back = minutes * kMinute + 30;
    for (const int length : {back / 2, 2 * back}) {
      const int begin = kHour;
      const int end = begin + length;
      const Records before = every(20, begin, end) + Records{tried_at(end)};
      for (const int after : {0, 40, 2 * back}) {
        const Records file =
            before + Records{bound_at(end - back)} + every(20, end - back + 20, end - back + after);
        EXPECT_EQ(in_file(file), file) << minutes << ", " << length << ", " << after;
      }
      const Records older = every(20, begin - 3 * kMinute, begin) + Records{tried_at(begin)};
      const Records page = Records{bound_at(begin + 30)} + every(20, begin + 40, end + back);
      EXPECT_EQ(in_file(page + older), older + page) << "a page: " << minutes << ", " << length;
    }
  }
}

TEST(TimeOrderTest, ALongLogGoesOnBehindAClockThatWasSetBack) {
  for (const int minutes : {2, 3, 5, 10}) {
    const int back = minutes * kMinute + 7;
    const Records file = every(20, 0, kHour) + every(20, kHour - back, 2 * kHour);
    EXPECT_EQ(in_file(file), file) << minutes;
  }
}

TEST(TimeOrderTest, AnotherLogIsSortedInHoweverNearItIs) {
  const Records one = every(20, 0, 20 * kMinute);
  Records other = every(20, 16 * kMinute + 7, 30 * kMinute);
  const Records right = one + other;
  const auto in_order = [](Records records) {
    std::ranges::stable_sort(records, {}, [](const std::string& line) { return line.substr(0, 20); });
    return records;
  };
  for (std::string& line : other) line.replace(line.find("      1 a.go"), 7, "   4711");
  EXPECT_EQ(in_file(one + other), in_order(one + other)) << "another process";
  const Records later = every(20, 16 * kMinute, 30 * kMinute);
  EXPECT_EQ(in_file(one + later), in_order(one + later)) << "records in common";
  const Records replica = every(20, kMinute + 7, 9 * kMinute);
  EXPECT_EQ(in_file(every(20, 0, 10 * kMinute) + replica), in_order(every(20, 0, 10 * kMinute) + replica));
}

TEST(TimeOrderTest, HoldsNoMoreThanItMayAndLosesNothing) {
  TimeOrder order(std::size_t{4} << 20U);
  std::size_t held = 0;
  while (order.add({.kind = SavedLine::Kind::kLoose, .source = "a", .text = "x"})) ++held;
  EXPECT_GT(held, 20'000U);
  EXPECT_LT(held, (std::size_t{4} << 20U) / 32);
  std::size_t given = 0;
  order.give([&given](const SavedLine& line) { given += line.text == "x" && line.source == "a" ? 1U : 0U; });
  EXPECT_EQ(given, held);
  const KubeEvent event{
      .ns = "a", .pod = "b", .type = "Warning", .reason = "FailedScheduling", .message = "m"};
  ASSERT_TRUE(order.add({.kind = SavedLine::Kind::kEvent, .source = "{}", .text = "t", .event = &event}));
  order.give([&event](const SavedLine& line) { EXPECT_EQ(*line.event, event); });
}

}  // namespace
}  // namespace flowtap::cli
