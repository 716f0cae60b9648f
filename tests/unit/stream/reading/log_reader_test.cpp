// What a client gets of a flow's log, over a real store.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>

#include "stream/reading/forms/otel_form.hpp"
#include "stream/store/file_name.hpp"
#include "tests/unit/stream/reading/log_reader_kit.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;
using api::LogReadOptions;
using api::Outputs;
using std::chrono::system_clock;

TEST_F(LogReaderTest, LinesAsTheyWere) {
  say("one"), say("lo", false), flush(), say("ng"), say(""), say("last", false);
  EXPECT_EQ(log(), "one\nlong\n\nlast|");
  EXPECT_EQ(log({.timestamps = true}),
            "1970-01-01T00:00:01.000000000Z one\n1970-01-01T00:00:02.000000000Z long\n"
            "1970-01-01T00:00:04.000000000Z \n1970-01-01T00:00:05.000000000Z last|");
}

// Amid a line, behind one, and from its beginning.
class LogReaderCut : public LogReaderTest, public testing::WithParamInterface<std::string> {
 protected:
  LogReaderCut() { say("one"), say("two"), end(), flush(); }
  // Somebody leaves this much of the file, without its times.
  void cut() {
    const std::string path = options_.dir + "/" + flow::flow_file_name("f");
    const std::uint64_t whole = std::filesystem::file_size(path);
    const std::uint64_t line = whole / 2;
    std::filesystem::resize_file(path, GetParam().empty() ? 0 : GetParam() == "one\n" ? line : line + 5);
  }
};

TEST_P(LogReaderCut, WhileItIsReadItIsNotReadForEverAndHasNoEnd) {
  const std::string left = GetParam().empty() ? "" : "one\n";
  const auto whole = reader({});
  const auto follower = reader({.follow = true});
  cut();
  std::string got;
  auto piece = whole->read(1 << 20);
  for (; piece && !piece->bytes.empty(); piece = whole->read(1 << 20)) got += piece->bytes;
  EXPECT_FALSE(piece);
  EXPECT_EQ(got, left);
  EXPECT_EQ(drain(*follower), left) << "nothing says that it ends";
}

TEST_P(LogReaderCut, BeforeItIsReadItsBytesAreToldAsMissing) {
  cut();
  EXPECT_EQ(log({.gaps = true}),
            "[flowtap: 8 bytes are missing here: they had to make room for newer ones]\n|");
}

INSTANTIATE_TEST_SUITE_P(To, LogReaderCut, testing::Values("one\ntw", "one\n", ""));

// A runtime's file has it as a part, and kubelet's reader joins it with whatever comes next.
TEST_F(LogReaderTest, NoNewlineIsAddedToAnOutputsLastLine) {
  say("one"), say("end", false), say("problem", true, "stderr");
  EXPECT_EQ(log(), "one\nendproblem\n|");
  EXPECT_EQ(log({.outputs = Outputs::kStdout}), "one\nend|");
  EXPECT_EQ(log({.timestamps = true}),
            "1970-01-01T00:00:01.000000000Z one\n1970-01-01T00:00:02.000000000Z endproblem\n|");
}

// A line that was divided for its length goes on behind what was written meanwhile, as in kubelet's reader.
TEST_F(LogReaderTest, ALongLineGoesOnBehindAnotherOutputsLine) {
  const std::string part(flow::kMaxLine, 'x');
  say(part, false), say("problem", true, "stderr"), say("rest");
  EXPECT_EQ(log(), part + "problem\nrest\n|");
}

TEST_F(LogReaderTest, TheOutputsApart) {
  say("one"), say("two", true, "stderr"), say("three");
  EXPECT_EQ(log({.outputs = Outputs::kStderr}), "two\n|");
  EXPECT_EQ(log({.outputs = Outputs::kStdout}), "one\nthree\n|");
}

TEST_F(LogReaderTest, TheLastLinesOrThoseSince) {
  say("1"), say("2a", false), say("2b"), flush(), say("4"), say("5");
  EXPECT_EQ(log({.tail_lines = 0}), "|");
  EXPECT_EQ(log({.tail_lines = 1}), "5\n|");
  EXPECT_EQ(log({.tail_lines = 3}), "2b\n4\n5\n|") << "parts count";
  EXPECT_EQ(log({.tail_lines = 5}), "1\n2a2b\n4\n5\n|");
  EXPECT_EQ(log({.tail_lines = 1000}), "1\n2a2b\n4\n5\n|");
  EXPECT_EQ(log({.since = system_clock::time_point(4s)}), "4\n5\n|");
  EXPECT_EQ(log({.tail_lines = 1, .since = system_clock::time_point(4s)}), "5\n|");
  EXPECT_EQ(log({.since = system_clock::time_point(9s)}), "|");
}

TEST_F(LogReaderTest, TheLastLinesAsPeopleSeeThem) {
  say("1"), say("2a", false), say("2b"), flush(), say("4"), say("5");
  const auto last = [this](std::uint64_t lines, bool follow = false) {
    return log({.follow = follow, .tail_lines = lines, .whole_lines = true});
  };
  EXPECT_EQ(last(0), "|");
  EXPECT_EQ(last(3), "2a2b\n4\n5\n|");
  EXPECT_EQ(last(4), "1\n2a2b\n4\n5\n|");
  EXPECT_EQ(last(1000), "1\n2a2b\n4\n5\n|");
  // Two outputs: the rest of a line that is not wanted stands among those that are.
  const std::string part(flow::kMaxLine, '6');
  say(part, false), say("7", true, "stderr"), say(part, false), say("8", true, "stderr"), say("6"), say("9");
  EXPECT_EQ(last(1), "9\n|");
  EXPECT_EQ(last(2), "8\n9\n|");
  EXPECT_EQ(last(3), "7\n8\n9\n|");
  EXPECT_TRUE(last(4) == part + "7\n" + part + "8\n6\n9\n|") << "as text has it";
  // A gap is a line for those who see it.
  lose(7), say("10"), say("11", false);
  EXPECT_EQ(last(3), "9\n10\n11|");
  EXPECT_EQ(last(3, true), "[flowtap: 7 bytes are missing here]\n10\n11");
  EXPECT_EQ(store_->summary("f")->lines, 10U);
}

TEST_F(LogReaderTest, TheTailOfALargeLog) {
  std::string all;
  std::vector<std::size_t> begins;
  for (int i = 0; i < 30'000; ++i) {
    begins.push_back(all.size());
    const std::string line = std::to_string(i) + std::string(static_cast<std::size_t>(i % 40), 'x');
    say(line);
    all += line + "\n";
    if (i == 20'000) flush();
  }
  for (const std::size_t tail : {1U, 2U, 999U, 1000U, 5000U, 29'999U, 30'000U})
    EXPECT_TRUE(log({.tail_lines = tail}) == all.substr(begins[begins.size() - tail]) + "|") << tail;
  EXPECT_TRUE(log() == all + "|");
}

// It is no line to those who are shown no gaps, and nobody waits for what nobody looks for.
TEST_F(LogReaderTest, WhereTheCaptureBrokeOff) {
  say("one"), say("tw", false);
  break_off();
  const std::string mark = flow::gap_text(0, flow::MissingCause::kBrokeOff) + "\n";
  EXPECT_EQ(log({.tail_lines = 1}), "tw\n|");
  EXPECT_EQ(log({.tail_lines = 2}), "one\ntw\n|");
  EXPECT_EQ(log({.tail_lines = 2, .gaps = true}), "tw [flowtap: cut]\n" + mark + "|");
  EXPECT_EQ(reader({})->missing_bytes(), 0U);
  EXPECT_EQ(log({.follow = true}), "one\ntw [flowtap: cut]\n" + mark);
}

// One thread answers all, so nothing is done for long at a time, whatever is asked for.
TEST_F(LogReaderTest, WhatTakesLongIsDoneInSteps) {
  constexpr std::size_t kStep = std::size_t{256} << 10U;  // no more of a log in one
  for (int i = 0; i < 60'000; ++i) say("a line of the first half");
  lose(1);
  const std::size_t size = std::size_t{60'000} * (24 + 41);
  EXPECT_EQ(reader({.tail_lines = 1})->missing_bytes(), 1U);
  EXPECT_EQ(steps_, 1U);
  EXPECT_EQ(reader({.tail_lines = 1'000'000})->missing_bytes(), 1U);
  EXPECT_GE(steps_, 2 * size / kStep) << "to find the tail, and again to find the gaps";
  const auto reader = this->reader({.outputs = Outputs::kStderr});
  EXPECT_GE(steps_, size / kStep);
  unsigned reads = 1;
  auto piece = reader->read(100);
  for (; piece && piece->again; piece = reader->read(100)) ++reads;
  EXPECT_TRUE(piece && piece->end && piece->bytes.empty());
  EXPECT_GE(reads, size / kStep) << "though none of it is shown";
  // A piece holds at most what is asked for and one line.
  say(std::string(16'000, 'x')), say(std::string(16'000, 'y'));
  EXPECT_EQ((*this->reader({.follow = true, .tail_lines = 2})->read(100)).bytes.size(), 16'001U);
  EXPECT_EQ((*this->reader({.tail_lines = 2})->read(40'000)).bytes.size(), 32'002U);
}

TEST_F(LogReaderTest, NoMoreBytesThanAsked) {
  say("one"), say("two");
  EXPECT_EQ(log({.limit_bytes = 5}), "one\nt|");
  EXPECT_EQ(log({.limit_bytes = 8}), "one\ntwo\n|");
  EXPECT_EQ(log({.limit_bytes = 100}), "one\ntwo\n|");
  EXPECT_EQ(log({.timestamps = true, .limit_bytes = 4}), "1970|");
}

TEST_F(LogReaderTest, GapsAreSaid) {
  say("one"), say("cut of", false), lose(7), say("f"), lose(3);
  const auto reader = this->reader({});
  EXPECT_EQ(reader->missing_bytes(), 10U);
  std::uint64_t missing = 0;
  EXPECT_EQ(drain(*reader, &missing), "one\ncut of\nf\n|") << "two halves are not one line";
  EXPECT_EQ(missing, 10U);
  const auto last = this->reader({.tail_lines = 1});
  EXPECT_EQ(last->missing_bytes(), 3U);
  const std::string shown =
      "one\ncut of [flowtap: cut]\n[flowtap: 7 bytes are missing here]\nf\n[flowtap: 3 bytes are missing "
      "here]\n";
  EXPECT_EQ(log({.follow = true}), shown);
  EXPECT_EQ(log({.gaps = true}), shown + "|");
  EXPECT_EQ(log({.follow = true, .gaps = false}), "one\ncut of\nf\n");
  EXPECT_EQ(log({.timestamps = true, .gaps = true}),
            "1970-01-01T00:00:01.000000000Z one\n1970-01-01T00:00:02.000000000Z cut of [flowtap: cut]\n"
            "1970-01-01T00:00:03.000000000Z [flowtap: 7 bytes are missing here]\n"
            "1970-01-01T00:00:04.000000000Z f\n"
            "1970-01-01T00:00:05.000000000Z [flowtap: 3 bytes are missing here]\n|");
  EXPECT_EQ(log({.tail_lines = 2, .gaps = true}), "f\n[flowtap: 3 bytes are missing here]\n|");
}

// Followers are shown gaps as lines. Others are not, and get as many lines as they asked for.
TEST_F(LogReaderTest, GapsAreNoneOfTheLastLinesWhereTheyAreNotShown) {
  lose(1), say("one"), lose(2), lose(3), say("two"), lose(4);
  EXPECT_EQ(log({.tail_lines = 1}), "two\n|");
  EXPECT_EQ(log({.tail_lines = 2}), "one\ntwo\n|");
  EXPECT_EQ(log({.tail_lines = 3}), "one\ntwo\n|");
  EXPECT_EQ(reader({.tail_lines = 1})->missing_bytes(), 4U);
  EXPECT_EQ(reader({.tail_lines = 2})->missing_bytes(), 9U);
  EXPECT_EQ(reader({.tail_lines = 3})->missing_bytes(), 10U);
  EXPECT_EQ(log({.follow = true, .tail_lines = 2}), "two\n[flowtap: 4 bytes are missing here]\n");
  // This holds wherever the parts in which the log is read are divided.
  for (std::size_t i = 0; i < 3000; ++i)
    i % 3 == 0 ? lose(1) : say(std::string(i % 50, 'x') + std::to_string(i));
  for (std::size_t tail = 1; tail <= 2002; tail += 7)
    ASSERT_EQ(std::ranges::count(log({.tail_lines = tail}), '\n'), static_cast<std::ptrdiff_t>(tail));
}

TEST_F(LogReaderTest, FollowsToTheEnd) {
  say("one");
  const auto reader = this->reader({.follow = true});
  EXPECT_EQ(drain(*reader), "one\n");
  say("two"), flush();
  EXPECT_EQ(drain(*reader), "two\n");
  std::promise<void> woken;
  reader->when_more([&woken] { woken.set_value(); });
  const auto future = woken.get_future();
  if (future.wait_for(0s) == std::future_status::ready) {
    // These lines were told before it asked.
    EXPECT_EQ(drain(*reader), "");
  }
  say("three"), end();
  EXPECT_EQ(future.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(drain(*reader), "three\n|");
}

TEST_F(LogReaderTest, WithoutFollowItEndsWhereItStood) {
  say("one");
  const auto reader = this->reader({});
  say("two");
  EXPECT_EQ(drain(*reader), "one\n|");
}

// As OpenTelemetry's records: the last record comes with the end, or a while after its last line if somebody follows.
TEST_F(LogReaderTest, ARecordOfSeveralLinesIsOneOfOpenTelemetrys) {
  say("I0821 07:20:00.000001       1 a.go:1] one"), say("more"), say("lo", false), say("ng");
  const auto form = [](bool follow) {
    return std::make_unique<OtelForm>("sched/ns/p", LogReadOptions{.follow = follow}, true);
  };
  auto whole = LogReader::open(*store_, *waker_, "f", {}, nullptr, form(false));
  ASSERT_TRUE(whole && *(*whole)->prepare());
  const std::string all = drain(**whole);
  EXPECT_NE(all.find(R"("body":{"stringValue":"one\nmore\nlong"})"), std::string::npos) << all;
  EXPECT_EQ(std::ranges::count(all, '\n'), 1);
  EXPECT_TRUE(all.ends_with("\n|"));
  auto follows = LogReader::open(*store_, *waker_, "f", {.follow = true}, nullptr, form(true));
  ASSERT_TRUE(follows && *(*follows)->prepare());
  std::string got = drain(**follows);
  while (got.empty()) {
    std::promise<void> woken;
    (*follows)->when_more([&woken, once = std::make_shared<std::once_flag>()] {
      std::call_once(*once, [&woken] { woken.set_value(); });
    });
    ASSERT_EQ(woken.get_future().wait_for(10s), std::future_status::ready) << "nothing has been said since";
    got = drain(**follows);
  }
  EXPECT_EQ(got + "|", all);
}

TEST_F(LogReaderTest, AnUnknownFlowIsSaid) {
  const auto none = LogReader::open(*store_, *waker_, "none", {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ENOENT);
}

}  // namespace
}  // namespace flowtap
