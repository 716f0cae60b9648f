// A scheduler's lines: those of real logs, and the worst that they could be.
#include "stream/lines/scheduler_lines.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/stream/lines/scheduler_log.hpp"

namespace flowtap::flow {
namespace {

using test::Given;
using test::records_of;
using test::scheduler_log;

const std::string kHeader = "I0821 07:20:00.000001       1 a.go:1] ";

std::vector<std::string> flows_of(const std::vector<Given>& records) {
  std::vector<std::string> out;
  for (const Given& record : records) out.push_back(record.flow);
  return out;
}

using Strings = std::vector<std::string>;

// Another program made flows.tsv.
TEST(SchedulerLines, EveryRecordIsInItsFlow) {
  using Table = std::map<std::pair<std::string, std::string>, std::pair<std::size_t, std::string>>;
  Table expected;
  for (const auto& part : flowtap::test::golden_flows())
    expected[{part.file, part.flow}] = {part.records, part.text};
  Table seen;
  for (const std::string& file : test::all_logs())
    for (const Given& record : records_of(scheduler_log(file))) {
      auto& [records, text] = seen[{file, record.flow.empty() ? "-" : record.flow}];
      ++records;
      text += record.text;
    }
  EXPECT_EQ(seen.size(), expected.size());
  for (const auto& [flow, part] : expected)
    EXPECT_TRUE(seen[flow] == part) << flow.first << " " << flow.second;
}

// Another program made main_v2.tsv, too, with each message's V from the sources of the programs.
TEST(SchedulerLines, TheMainLogHasTheRecordsThatAreAtMost2) {
  const auto parts = flowtap::test::golden_main_logs();
  EXPECT_EQ(parts.size(), test::all_logs().size());
  for (const auto& part : parts) {
    std::size_t records = 0;
    std::string text;
    for (const Given& record : records_of(scheduler_log(part.file))) {
      if (!is_shown(record.level, 2)) continue;
      ++records;
      text += record.text;
    }
    EXPECT_EQ(records, part.records) << part.file;
    EXPECT_TRUE(text == part.text) << part.file;
  }
}

TEST(SchedulerLines, NothingIsLostHoweverItComes) {
  for (const std::string& file : test::all_logs()) {
    const std::string text = scheduler_log(file);
    const std::vector<Given> records = records_of(text);
    std::string joined;
    for (const Given& record : records) joined += record.text;
    EXPECT_TRUE(joined == text) << file;
    for (const std::size_t write : {std::size_t{1}, std::size_t{100}, text.size()})
      EXPECT_TRUE(records_of(text, write) == records) << file << ' ' << write;
  }
}

TEST(SchedulerLines, WhatHasNoHeaderBelongsToTheRecordBefore) {
  const auto records =
      records_of("2026/11/21 01:34:50 before\n" + kHeader + "\"m\" pod=\"ns/p\"\ngoroutine 1\n" +
                 "\tmain.go\n\n{\n}\n" + kHeader + "raw {\n \"pod\"\n}\n" +
                 R"({"ts":1.5,"msg":"m","v":2,"pod":{"name":"q","namespace":"ns"}})" + "\nlast");
  EXPECT_EQ(flows_of(records), (Strings{"", "ns/p", "", "ns/q"}));
  EXPECT_FALSE(records[0].headed);
  EXPECT_TRUE(records[1].headed);
  EXPECT_EQ(records[3].level, 2);
}

TEST(SchedulerLines, ABlockBeforeTheKeyIsHeldUntilItsEnd) {
  SchedulerLines lines;
  Strings given;
  std::uint64_t at = 0;
  const auto take = [&](const SchedulerLine& line) {
    given.push_back(std::string(line.line.line.text) + " -> " + std::string(line.flow));
  };
  const auto add = [&](const std::string& text) {
    lines.add({text, true, at, at + text.size() + 1, 0}, take);
    at += text.size() + 1;
  };
  add(kHeader + "\"m\" err=<");
  add("\tline");
  EXPECT_TRUE(given.empty());
  add(" > more=<");
  add("\t >");
  EXPECT_TRUE(given.empty());
  add(" > pod=\"ns/p\"");
  EXPECT_EQ(given, (Strings{kHeader + "\"m\" err=< -> ns/p", "\tline -> ns/p", " > more=< -> ns/p",
                            "\t > -> ns/p", " > pod=\"ns/p\" -> ns/p"}));
  EXPECT_EQ(lines.held(), 0U);
  // If the key stands before the block, the lines go at once.
  given.clear();
  add(kHeader + "\"m\" pod=\"ns/q\" err=<");
  add("\tline");
  EXPECT_EQ(given, (Strings{kHeader + "\"m\" pod=\"ns/q\" err=< -> ns/q", "\tline -> ns/q"}));
  // A line does not wait for ever.
  given.clear();
  add(kHeader + "\"m\" err=<");
  lines.flush(take);
  add(" > pod=\"ns/p\"");
  EXPECT_EQ(given, (Strings{kHeader + "\"m\" err=< -> ", " > pod=\"ns/p\" -> "}));
}

TEST(SchedulerLines, RecordsOfMoreThanALine) {
  const std::string big(40'000, 'x');
  const std::string text = kHeader + "\"m\" a=\"" + big + "\" pod=\"ns/late\"\n" +   // behind two cuts
                           kHeader + "\"m\" pod=\"ns/early\" a=\"" + big + "\"\n" +  // before them
                           kHeader + "\"" + big + "\" pod=\"ns/p\"\n" +              // no message at first
                           R"({"ts":1.5,"msg":")" + big + R"(","pod":{"name":"j","namespace":"ns"},"v":4})" +
                           "\n" + R"({"ts":1.5,"msg":"m","pod":{"name":"k","namespace":"ns"},"a":")" + big +
                           R"(","v":4})" + "\n" + kHeader + "end\n";
  for (const std::size_t write : {std::size_t{1000}, text.size()}) {
    const auto records = records_of(text, write);
    EXPECT_EQ(flows_of(records), (Strings{"ns/late", "ns/early", "ns/p", "ns/j", "ns/k", ""}));
    EXPECT_EQ(records[3].level, 4);
    EXPECT_EQ(records[4].level, 4);
  }
}

TEST(SchedulerLines, APartThatLooksLikeAHeaderIsNone) {
  std::string text = kHeader + "\"m\" pod=\"ns/p\" a=\"";
  text +=
      std::string(kMaxLine - text.size(), 'x') + kHeader + "\"m\" pod=\"ns/forged\"\"\n" + kHeader + "x\n";
  EXPECT_EQ(flows_of(records_of(text)), (Strings{"ns/p", ""}));
}

TEST(SchedulerLines, WhatIsHeldIsBounded) {
  const std::string line = "\t" + std::string(1000, 'x') + "\n";
  std::string text = kHeader + "\"m\" err=<\n";
  while (text.size() < 3 * SchedulerLines::kMostHeld) text += line;
  text += " > pod=\"ns/p\"\n";
  SchedulerLines lines;
  std::size_t most = 0;
  std::string given;
  LineAssembler assembler;
  const auto take = [&](const SchedulerLine& out) {
    EXPECT_EQ(out.flow, "");
    EXPECT_EQ(out.line.record, 0U);
    given.append(out.line.line.text).append(1, '\n');
  };
  assembler.add(text, 0, [&](const LineView& view) {
    lines.add(view, take);
    most = std::max(most, lines.held());
  });
  lines.flush(take);
  EXPECT_TRUE(given == text);
  EXPECT_LE(most, SchedulerLines::kMostHeld);
}

TEST(SchedulerLines, BehindAGapNobodyKnowsTheRecord) {
  SchedulerLines lines;
  std::vector<std::tuple<std::uint64_t, bool, std::string>> given;
  const auto take = [&](const SchedulerLine& line) {
    given.emplace_back(line.line.record, line.line.headed, std::string(line.flow));
  };
  const std::string first = kHeader + "\"m\" pod=\"ns/p\" a=\"cut";
  lines.add({first, false, 0, first.size(), 0}, take);
  lines.add({"rest of something", true, 5000, 5018, 0}, take);
  lines.add({"\tmore", true, 5018, 5024, 0}, take);
  const std::string next = kHeader + "\"m\" pod=\"ns/q\"";
  lines.add({next, true, 6000, 6001 + next.size(), 0}, take);
  using Row = std::tuple<std::uint64_t, bool, std::string>;
  EXPECT_EQ(given, (std::vector<Row>{{0, true, "ns/p"}, {1, false, ""}, {1, false, ""}, {2, true, "ns/q"}}));
}

}  // namespace
}  // namespace flowtap::flow
