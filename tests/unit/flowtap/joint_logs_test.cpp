// The parts that join the logs of several containers: marks, order, and lines from pieces.
#include <gtest/gtest.h>

#include <set>

#include "base/rfc3339.hpp"
#include "tools/flowtap/logs/line_cutter.hpp"
#include "tools/flowtap/logs/logs.hpp"
#include "tools/flowtap/logs/marks.hpp"
#include "tools/flowtap/logs/read_so_far.hpp"
#include "tools/flowtap/logs/timed_merge.hpp"

namespace flowtap::cli {
namespace {

api::FlowStatus flow(const std::string& ns, const std::string& pod, const std::string& container) {
  api::FlowStatus flow;
  flow.ns = ns;
  flow.pod = pod;
  flow.container = container;
  return flow;
}

TEST(Marks, NameNoMoreThanTellsPodsApart) {
  Marks marks;
  const Style plain;
  marks.know(flow("a", "p", "main"));
  EXPECT_EQ(marks.of(flow("a", "p", "main"), plain), "p");
  marks.know(flow("a", "q", "main"));
  marks.know(flow("a", "p", "side"));
  EXPECT_EQ(marks.of(flow("a", "p", "main"), plain), "p main");
  EXPECT_EQ(marks.of(flow("a", "q", "main"), plain), "q");
  marks.know(flow("b", "q", "main"));
  EXPECT_EQ(marks.of(flow("b", "q", "main"), plain), "b/q");
  EXPECT_EQ(marks.of(flow("a", "p", "side"), plain), "a/p side");
  marks.set_one_pod();
  EXPECT_EQ(marks.of(flow("a", "p", "side"), plain), "side");
}

TEST(Marks, APodHasOneColourEverywhere) {
  const Style style{.color = true, .utf8 = false};
  Marks marks;
  Marks others;
  others.know(flow("a", "z", "main"));
  std::set<std::string> colours;
  for (int i = 0; i < 100; ++i) {
    const auto pod = flow("a", "wf-1-step-" + std::to_string(i), "main");
    marks.know(pod);
    others.know(pod);
    const std::string mark = marks.of(pod, style);
    EXPECT_EQ(mark, others.of(pod, style));
    EXPECT_TRUE(mark.starts_with("\x1b[") && mark.ends_with("\x1b[0m")) << mark;
    colours.insert(mark.substr(0, mark.find('m')));
  }
  EXPECT_EQ(colours.size(), 10U);
  EXPECT_EQ(marks.of(flow("a", "wf-1-step-1", "main"), style), "\x1b[36mwf-1-step-1\x1b[0m");
}

std::string time_text(unsigned n) {
  std::string text = std::to_string(n);
  return "2026-01-01T00:00:00." + std::string(9 - text.size(), '0') + text + "Z";
}

TEST(TimedMerge, IsInTheOrderOfTimeAndOfEachLog) {
  auto merge = TimedMerge::create();
  ASSERT_TRUE(merge) << merge.error().what;
  std::vector<std::pair<std::size_t, std::string>> expected;
  constexpr unsigned kLogs = 7;
  constexpr unsigned kLines = 3000;
  for (unsigned log = 0; log < kLogs; ++log) {
    std::string text;
    for (unsigned i = 0; i < kLines; ++i)
      text += time_text(i * kLogs + log) + " " + std::string(i % 300 == 0 ? 20'000 : i % 50, 'x') + "\n";
    if (log == 3) text.pop_back();  // the last line has no newline
    merge->begin_log();
    for (std::size_t at = 0; at < text.size(); at += 777) ASSERT_TRUE(merge->add(text.substr(at, 777)));
  }
  merge->begin_log();  // a log without lines
  unsigned next = 0;
  const Status merged = merge->merge([&](std::size_t log, std::string_view line) {
    EXPECT_EQ(log, next % kLogs);
    EXPECT_EQ(line.substr(0, 30), time_text(next));
    const unsigned i = next / kLogs;
    EXPECT_EQ(line.size(), 31 + (i % 300 == 0 ? 20'000 : i % 50));
    return ++next < kLogs * kLines + 1;
  });
  ASSERT_TRUE(merged) << merged.error().what;
  EXPECT_EQ(next, kLogs * kLines);
}

TEST(TimedMerge, LinesOfOneTimeAndThoseWithoutKeepTheirPlace) {
  auto merge = TimedMerge::create();
  ASSERT_TRUE(merge);
  merge->begin_log();
  ASSERT_TRUE(merge->add(time_text(5) + " a\nno time\n" + time_text(4) + " late\n"));
  merge->begin_log();
  ASSERT_TRUE(merge->add(time_text(5) + " b\n" + time_text(6) + " c\n"));
  std::string order;
  ASSERT_TRUE(merge->merge([&](std::size_t log, std::string_view line) {
    order += std::to_string(log) + std::string(line.substr(std::min<std::size_t>(line.size(), 30))) + ",";
    return true;
  }));
  EXPECT_EQ(order, "0 a,0,0 late,1 b,1 c,");
}

TEST(TimedMerge, KnowsTheTimesOfRecords) {
  auto merge = TimedMerge::create(TimedMerge::Form::kOtel);
  ASSERT_TRUE(merge);
  const auto record = [](const char* time) { return R"({"timeUnixNano":")" + std::string(time) + "\"}\n"; };
  merge->begin_log();
  ASSERT_TRUE(merge->add(record("1767323045000000002") + "{}\n" + record("1767323045000000004")));
  merge->begin_log();
  ASSERT_TRUE(merge->add(record("1767323045000000001") + record("1767323045000000003")));
  std::string order;
  ASSERT_TRUE(merge->merge([&](std::size_t log, std::string_view) {
    order += std::to_string(log);
    return true;
  }));
  EXPECT_EQ(order, "10010");
}

TEST(LineCutter, GivesLinesWhateverThePieces) {
  LineCutter cutter(10);
  std::string lines;
  const auto take = [&lines](std::string_view line) { lines += "<" + std::string(line) + ">"; };
  for (const char* piece : {"a", "b\nc", "\n\nd", "", "0123456789", "x\ny"}) cutter.take(piece, take);
  EXPECT_EQ(lines, "<ab><c><><d0123456789><x>") << "a line without end is given in parts";
  cutter.finish(take);
  EXPECT_EQ(lines, "<ab><c><><d0123456789><x><y>");
  cutter.finish(take);
  EXPECT_EQ(lines, "<ab><c><><d0123456789><x><y>");
}

std::string said(std::optional<std::string_view> fresh) {
  return fresh ? std::string(*fresh) : "-";
}

TEST(ReadSoFar, KnowsWhatItHasReadWhenALogIsReadAgain) {
  ReadSoFar read(TimedMerge::Form::kText);
  EXPECT_FALSE(read.since());
  for (const std::string& line : {time_text(1) + " a", time_text(5) + " b", std::string("no time"),
                                  time_text(5) + " b", time_text(4) + " late"})
    EXPECT_EQ(said(read.take(line)), line);
  EXPECT_EQ(read.since(), parse_rfc3339(time_text(5)));
  read.begin_again();
  EXPECT_EQ(said(read.take(time_text(5) + " b")), "-");
  EXPECT_EQ(said(read.take("no time")), "-") << "it belongs to the line before";
  EXPECT_EQ(said(read.take(time_text(5) + " b")), "-");
  EXPECT_EQ(said(read.take(time_text(5) + " b")), time_text(5) + " b") << "a third";
  EXPECT_EQ(said(read.take(time_text(6) + " c")), time_text(6) + " c");
  EXPECT_EQ(said(read.take("no time")), "no time");
  read.begin_again();
  EXPECT_EQ(said(read.take(time_text(7) + " d")), time_text(7) + " d") << "c had to make room";
}

TEST(ReadSoFar, GoesOnAmidALine) {
  ReadSoFar read(TimedMerge::Form::kText);
  const std::string half = time_text(1) + " without";
  EXPECT_EQ(said(read.take(half)), half);
  read.note_cut(half);
  read.begin_again();
  EXPECT_EQ(said(read.take(half + " newline")), time_text(1) + "  newline");
  read.begin_again();
  EXPECT_EQ(said(read.take(half + " newline")), "-");
}

// Lines of one write have the same time, and only the last of them were requested.
TEST(ReadSoFar, WhatWasLeftOutBeforeTheLastLinesDoesNotComeLater) {
  const auto now = *parse_rfc3339(time_text(9));
  ReadSoFar read(TimedMerge::Form::kText);
  read.begin_at_last(2, now);
  EXPECT_FALSE(read.since()) << "there was none to be left out";
  for (const char* line : {" d", " half"}) EXPECT_NE(said(read.take(time_text(5) + line)), "-");
  read.note_cut(time_text(5) + " half");
  EXPECT_EQ(read.since(), parse_rfc3339(time_text(5)));
  read.begin_again();
  for (const char* line : {" a", " b", " c", " d"})
    EXPECT_EQ(said(read.take(time_text(5) + line)), "-") << line;
  EXPECT_EQ(said(read.take(time_text(5) + " half way")), time_text(5) + "  way");
  EXPECT_EQ(said(read.take(time_text(6) + " e")), time_text(6) + " e");
  read.begin_again();
  EXPECT_EQ(said(read.take(time_text(6) + " e")), "-");
  EXPECT_EQ(said(read.take(time_text(6) + " e")), time_text(6) + " e") << "behind the first, each is known";

  ReadSoFar none(TimedMerge::Form::kText);
  none.begin_at_last(0, now);
  EXPECT_EQ(none.since(), now);
}

TEST(ReadSoFar, KnowsTheTimesOfRecords) {
  ReadSoFar read(TimedMerge::Form::kOtel);
  const std::string record = R"({"timeUnixNano":"1767323045000000002","body":{}})";
  EXPECT_EQ(said(read.take(record)), record);
  EXPECT_EQ(read.since()->time_since_epoch().count(), 1767323045000000002);
  read.begin_again();
  EXPECT_EQ(said(read.take(record)), "-");
  EXPECT_EQ(said(read.take(record)), record);
}

TEST(ReadSoFar, GoesOnAmidALineOfJson) {
  ReadSoFar read(TimedMerge::Form::kJson);
  const auto object = [](const std::string& text, const char* more = "") {
    return R"({"time":")" + time_text(1) + R"(","text":")" + text + "\"" + more + "}";
  };
  const std::string half = object("without", R"(,"partial":true)");
  EXPECT_EQ(said(read.take(half)), half);
  read.note_cut(half);
  EXPECT_EQ(read.since(), parse_rfc3339(time_text(1)));
  read.begin_again();
  EXPECT_EQ(said(read.take(object("without newline"))), object(" newline"));
  read.note_cut(object("without newline"));
  read.begin_again();
  EXPECT_EQ(said(read.take(object("without newline"))), "-");
}

TEST(TimedMerge, KnowsTheTimesOfObjects) {
  EXPECT_EQ(
      TimedMerge::time_of(R"({"time":"2026-01-01T00:00:00.000000007Z","text":"x"})", TimedMerge::Form::kJson),
      time_text(7));
  EXPECT_EQ(TimedMerge::time_of(R"({"text":"[flowtap: x]"})", TimedMerge::Form::kJson), "");
}

TEST(JsonLines, ALineWithoutEndIsGivenInParts) {
  JsonLines json;
  const std::string piece(kLongestLine / 4, 'x');
  std::size_t held = 0;
  for (int i = 0; i < 16; ++i) {
    held += piece.size();
    for (std::string out = json.take(piece); !out.empty(); out.clear()) {
      EXPECT_EQ(out, R"({"text":")" + std::string(kLongestLine, 'x') + "\"}\n");
      held -= kLongestLine;
    }
    EXPECT_LE(held, kLongestLine);
  }
  EXPECT_EQ(json.finish(), "");
}

TEST(JointLogs, AskForEachLogAsItIsWanted) {
  LogsOptions options;
  options.group = "g";
  options.container = "c";
  options.follow = options.json = true;
  options.tail = 5;
  EXPECT_EQ(flow_log_target(options, "pod/a/b"),
            "/api/v1/flows/pod%2Fa%2Fb/log?follow=true&format=json&gaps=true&tailLines=5");
  options.json = options.follow = false;
  options.otel = true;
  EXPECT_EQ(flow_log_target(options, "f"), "/api/v1/flows/f/log?format=otel&gaps=true&tailLines=5");
  LogsOptions last;
  last.of = "a/b";
  last.tail = 5;
  EXPECT_EQ(logs_target(last).value(),
            "/api/v1/namespaces/a/pods/b/log?gaps=true&tailLines=5&wholeLines=true")
      << "this route counts as kubelet does, the other one as people do";
  last.of = "unit/b";
  EXPECT_EQ(logs_target(last).value(), "/api/v1/flows/unit%2Fb/log?gaps=true&tailLines=5");
  options.tail.reset();
  options.since_time = parse_rfc3339(time_text(7));
  EXPECT_EQ(flow_log_target(options, "f"),
            "/api/v1/flows/f/log?format=otel&gaps=true&sinceTime=2026-01-01T00%3A00%3A00.000000007Z");
}

TEST(JointLogs, AskForListsOfPods) {
  LogsOptions options;
  options.group = "wf 1/a";
  EXPECT_EQ(*list_target(options), "/api/v1/flows?kind=pod&history=true&group=wf%201%2Fa");
  options.group.clear();
  options.of = "ns/pod";
  EXPECT_EQ(*list_target(options), "/api/v1/flows?kind=pod&history=true&namespace=ns&pod=pod");
  options.of = "pod";
  EXPECT_FALSE(list_target(options));
}

}  // namespace
}  // namespace flowtap::cli
