// Records between which a newline, a line's end or the backslashes were lost.
#include "tools/flowtap/saved/unwrap/joined_records.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/paths/paths.hpp"
#include "tests/unit/flowtap/forms/records_in.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap::cli {
namespace {

const std::string kHeader = "I1126 10:00:00.103412       1 schedule_one.go:1129] ";
const std::string kOne =
    kHeader +
    R"("Unable to schedule pod; no fit; waiting" pod="a/b" err="0/3 nodes are available: 3 \"x\".")";
const std::string kOther = kHeader + R"("Attempting to schedule pod" pod="a/c")";
const std::string kJson =
    R"({"ts":1795687200100.1,"caller":"a.go:1","msg":"m","pod":{"name":"b","namespace":"a"},"err":"0/3 \"x\""})";

using test::records_in;

using Records = std::vector<std::string>;

TEST(JoinedRecords, AreToldApartWhateverIsLeftBetweenThem) {
  for (const char* between : {"", " ", "  ", ";", ", ", " | ", "\\n", "\t"})
    EXPECT_EQ(records_in(fmt::format("{1}{0}{2}{0}{1}\n", between, kOne, kOther)),
              (Records{kOne, kOther, kOne}))
        << '"' << between << '"';
  EXPECT_EQ(records_in(kJson + kJson + ' ' + kJson), (Records{kJson, kJson, kJson}));
  const std::string number = kHeader + R"("m" pod="a/b" node="n" feasibleNodes=2)";
  for (const std::string_view between :
       {std::string_view(), std::string_view("<br/>"), std::string_view("</td><td> "),
        std::string_view("\0", 1), std::string_view("\x1e"), std::string_view("\xe2\x80\xa8"),
        std::string_view("\xc2\x85"), std::string_view(" ; ")})
    EXPECT_EQ(records_in(std::string(number).append(between).append(kOther)), (Records{number, kOther}))
        << between;
  const std::string free = kHeader + "Starting the scheduler";
  EXPECT_EQ(records_in(kOne + free), (Records{kOne, free}));
  EXPECT_EQ(records_in(free + kOne), (Records{free, kOne}));
  EXPECT_EQ(records_in(kOne + ' ' + kOne), (Records{kOne, kOne}));
}

TEST(JoinedRecords, ToolsPrefixesBetweenThemBelongToNone) {
  for (const char* prefix : {"[pod/kube-scheduler-cp1/kube-scheduler] ", "kube-scheduler-1  | ",
                             "Nov 26 10:00:00 cp1 kube-scheduler[1234]: ", "2026-11-26T10:00:00Z "})
    EXPECT_EQ(records_in(fmt::format("{0}{1}{0}{2}\n", prefix, kOne, kOther)), (Records{kOne, kOther}))
        << prefix;
}

TEST(JoinedRecords, AHeaderEndsTheRecordThatWasCutBeforeIt) {
  for (std::size_t size = kHeader.size() + 2; size < kOne.size(); ++size) {
    const std::string cut = kOne.substr(0, size);
    if (cut.ends_with('\\') || cut.ends_with("pod=") || cut.ends_with("err=") || cut.ends_with(" p") ||
        cut.ends_with(" po") || cut.ends_with(" pod") || cut.ends_with(" e") || cut.ends_with(" er") ||
        cut.ends_with(" err"))
      continue;  // a key alone is not told from a value without quotes
    const Records found = records_in(cut + kOther + '\n');
    ASSERT_EQ(found.size(), 2U) << cut;
    EXPECT_EQ(found.back(), kOther) << cut;
  }
  const std::string cut = kJson.substr(0, kJson.size() - 6);
  EXPECT_EQ(records_in(cut + kJson), (Records{cut, kJson}));
}

TEST(JoinedRecords, WhatARecordQuotesIsItsOwn) {
  for (const std::string& whole : Records{
           kHeader + R"("m" err="it said: I1126 10:00:00.103412       1 a.go:1] \"Unable\" pod=\"a/c\"" n=1)",
           kHeader + R"("m" err="it said: I1126 10:00:00.103412       1 a.go:1] " pod="a/c")",
           kHeader + R"("m" err="it said: I1126 10:00:00.103412       1 a.go:1] ")",
           kHeader + R"("m" info=&{a I1126 10:00:00.103412       1 a.go:1] "Unable" pod="a/c")",
           kHeader +
               R"("m" pod="a/c" and then it said I1126 10:00:00.103412       1 a.go:1] "Unable" pod="a/c")",
           kHeader + R"(the log has I1126 10:00:00.103412       1 a.go:1] "Unable to" pod="a/c")",
           kHeader + R"("I1126 10:00:00.103412       1 a.go:1] Starting")",
           kHeader + "I1126 10:00:00.103412       1 a.go:1] Starting",
           kOne + " I1126 is a word",
           kOne + R"( x="cut I1126 10:00:00.1 1 b.go:1] )",
           kOne + " I1126 10:00:00.100001       1 no source",
           R"({"ts":1795687200100.1,"caller":"a.go:1","msg":"m","o":{"ts":1},"err":"{\"ts\":1,\"x\":2}"})",
       })
    EXPECT_EQ(records_in(whole + '\n'), Records{whole}) << whole;
}

std::string answer(const std::string& pod, const std::string& file) {
  const Outcome run = shell("LC_ALL=C.UTF-8 " + paths::flowtap() + " why " + pod + " --from " +
                            paths::golden() + "/found/why/joined/" + file + " 2>&1");
  EXPECT_EQ(run.exit, 0) << run.output;
  return run.output;
}

TEST(JoinedRecords, GiveAnAnswerForEachPod) {
  const std::string web = "shop/web-7f9c-abcde";
  const std::string no_room = " is pending: none of 3 nodes fits; 3 cannot reach the pod's volume\n";
  for (const char* file : {"whole.txt", "spaces.txt", "cut.txt"})
    EXPECT_TRUE(answer("shop/db-0", file).starts_with("shop/db-0" + no_room)) << file;
  for (const char* file : {"whole.txt", "spaces.txt"})
    EXPECT_TRUE(answer(web, file).starts_with(
        web +
        " is pending: none of 3 nodes fits; 2 lack CPU, 1 has a taint that the pod does not tolerate\n"))
        << file;
  const std::string cut = answer(web, "cut.txt");
  EXPECT_TRUE(cut.starts_with(web + " is pending: ")) << cut;
  EXPECT_FALSE(cut.contains("I1126") || cut.contains(R"(""0/)")) << cut;
  for (const char* pod : {"shop/db", "shop/mq"})
    EXPECT_TRUE(answer(pod, "json.txt")
                    .starts_with(std::string(pod) + " is pending: none of 30 nodes fits; 30 lack CPU\n"));
  EXPECT_TRUE(answer("shop/web", "json.txt").starts_with("shop/web is pending: none of 30 nodes fits; "));
}

TEST(JoinedRecords, AValueIsWholeWithoutItsBackslashes) {
  EXPECT_TRUE(answer("t/p", "no-backslashes.txt")
                  .starts_with("t/p is pending: none of 3 nodes fits; 3 cannot mount a claim that does not "
                               "exist\n"));
  EXPECT_TRUE(answer("t/x", "no-backslashes.txt")
                  .starts_with("t/x is pending: no node was found: \"Post \"http://127.0.0.1:32766/filter\": "
                               "EOF\"\n"));
}

// With the square of their number it would take many minutes.
TEST(JoinedRecords, HundredsOfThousandsInOneLineAreReadOnce) {
  constexpr std::size_t kMany = 400'000;
  std::string line;
  for (std::size_t i = 0; i < kMany; ++i) line += fmt::format("I1126 10:00:00.{:06} 1 a.go:9] x\r", i);
  EXPECT_EQ(records_in(line + '\n').size(), kMany);
}

}  // namespace
}  // namespace flowtap::cli
