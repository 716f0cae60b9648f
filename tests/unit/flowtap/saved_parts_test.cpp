// What `flowtap why --from` makes of a file's bytes before they are a scheduler's log, part by part.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/flowtap/forms/records_in.hpp"
#include "tools/flowtap/saved/seen_records.hpp"
#include "tools/flowtap/saved/unwrap/around/outer_time.hpp"
#include "tools/flowtap/saved/unwrap/around/prefix.hpp"
#include "tools/flowtap/saved/unwrap/around/prefix_kind.hpp"
#include "tools/flowtap/saved/unwrap/characters/text_decoder.hpp"
#include "tools/flowtap/saved/unwrap/saved_lines.hpp"

namespace flowtap::cli {
namespace {

const std::string kHead = "I1126 10:00:00.103412       1 a.go:9] ";
constexpr std::uint64_t kSecond = 1'795'687'200;  // 2026-11-26T10:00:00Z

std::string utf16(std::string_view ascii, bool little) {
  std::string out;
  for (const char c : ascii) out += little ? std::string{c, '\0'} : std::string{'\0', c};
  return out;
}

// In pieces of one byte, so that every seam is one.
std::string decoded(std::string_view bytes) {
  TextDecoder decoder;
  std::string out;
  for (const char& c : bytes) out += decoder.decode({&c, 1});
  return out += decoder.finish();
}

TEST(TextDecoder, MakesUtf8OfBothKindsOfUtf16) {
  const std::string text = "I1126 \"x\" y=1\r\n";
  for (const bool little : {true, false}) {
    const std::string mark = little ? "\xff\xfe" : "\xfe\xff";
    EXPECT_EQ(decoded(mark + utf16(text, little)), text);
    EXPECT_EQ(decoded(utf16(text, little)), text) << "without a mark";
  }
  EXPECT_EQ(decoded(std::string("\xff\xfe\xe4\x00\x3d\xd8\x00\xde!\x00", 10)), "\u00e4\U0001F600!");
  EXPECT_EQ(decoded(std::string("\xff\xfe\x3d\xd8!\x00", 6)), "\ufffd!") << "half a pair is no character";
}

TEST(TextDecoder, MakesUtf8OfBothKindsOfUtf32) {
  const std::string text = "I1126 \"x\" y=1\r\n\u00e4\U0001F600";
  const std::u32string units = U"I1126 \"x\" y=1\r\n\u00e4\U0001F600";
  for (const bool little : {true, false})
    for (const bool mark : {true, false}) {
      std::string bytes;
      for (const char32_t unit : (mark ? U"\ufeff" : U"") + units)
        for (const unsigned shift : {0U, 8U, 16U, 24U})
          bytes += static_cast<char>(unit >> (little ? shift : 24U - shift) & 0xffU);
      EXPECT_EQ(decoded(bytes), text) << little << mark;
    }
  EXPECT_EQ(decoded(std::string("\xff\xfe\0\0\0\0\x11\0", 8)), "\ufffd") << "no character";
}

TEST(TextDecoder, LeavesOtherBytesAsTheyAre) {
  for (const std::string& text : {std::string("plain"), std::string("ab"), std::string(),
                                  std::string("\0\0\0\0x", 5), std::string("\xc3\xa4\xff")})
    EXPECT_EQ(decoded(text), text);
}

TEST(OuterTime, IsTheNearestThatAgreesWithTheRecords) {
  const std::string text = kHead + "\"x\"";
  const auto record = flow::parse_klog_record(text);
  ASSERT_TRUE(record);
  const auto seconds = [&](std::string_view before, std::string_view behind = {}) {
    return outer_time(*record, before, behind) / 1'000'000'000;
  };
  for (const char* const before :
       {"2026-11-26T10:00:00.103500001Z ", "2026-11-26 10:00:00,103 ", "2026-11-26T11:00:00+0100 ",
        "2026-11-26T05:00:00.1-05:00 ", R"(["1795687200100003", ")", R"({"ts":1795687200100,"m":")",
        "[1795687200.5] ", "2019-01-01T00:00:00Z 2026-11-26T10:00:00Z ", "\"11/26/2026, 10:00:00.100 AM\",",
        "26/11/2026 10:00:00 ", "2/3/2026, 1:00:00 PM 11/26/2026, 10:00:00 "})
    EXPECT_EQ(seconds(before), kSecond) << before;
  EXPECT_EQ(seconds(R"({"log":")", R"(","time":"2026-11-26T10:00:00Z"})"), kSecond);
  for (const char* const none :
       {"", "2026-11-26T14:00:00Z ", "Nov 26 10:00:00 ", "26-11-2026 10:00:00 ", "12345 ",
        "11/26/2026, 10:00:00.100 PM", "11/26/2026", "1/2/3", "11/26/2026, 10", "13/13/2026, 10:00:00"})
    EXPECT_EQ(seconds(none), 0U) << none;
}

TEST(OuterTime, OfAWebPageHasHalvesOfADay) {
  for (const auto& [head, before] :
       std::vector<std::pair<const char*, const char*>>{{"I1126 00:10:00.103412", "11/26/2026, 12:10:00 AM"},
                                                        {"I1126 12:10:00.103412", "11/26/2026, 12:10:00 PM"},
                                                        {"I1126 13:10:00.103412", "11/26/2026, 1:10:00 PM"},
                                                        {"I1126 13:10:00.103412", "11/26/2026, 13:10:00"}}) {
    const std::string text = std::string(head) + "       1 a.go:9] \"x\"";
    EXPECT_NE(outer_time(*flow::parse_klog_record(text), before, {}), 0U) << before;
    EXPECT_TRUE(has_time(before));
  }
  EXPECT_FALSE(has_time("PRIORITY=6"));
}

TEST(Prefix, NumbersAndTimesDoNotTellALog) {
  EXPECT_EQ(source_of("Nov 26 10:00:00 cp1 kube-scheduler[1234]: "),
            source_of("Nov 27 9:00:01 cp1 kube-scheduler[1234]: "));
  EXPECT_EQ(source_of("2026-11-26T10:00:00.103500001Z "), source_of("2026-11-26T10:00:01.1Z "));
  EXPECT_EQ(source_of("12:"), source_of("7:"));
  EXPECT_EQ(source_of("kube.log-12-"), source_of("kube.log:13:"));
  for (const char* const none : {"", "> ", "```", "\t'", "<html><body><pre class=\"x\">", "\xe2\x80\x8b"})
    EXPECT_EQ(source_of(none), "") << none;
  EXPECT_EQ(source_of(std::string_view("logs/a.log\0\000644\0", 16)), "") << "an archive's";
  EXPECT_NE(source_of("<1 "), "") << "no tag";
  EXPECT_NE(source_of("kube-scheduler-cp1 "), source_of("kube-scheduler-cp2 ")) << "two pods";
}

TEST(Prefix, NumbersOfANameTellALog) {
  for (const auto& [one, other] : std::vector<std::pair<const char*, const char*>>{
           {"[pod/scheduler-0/kube-scheduler] ", "[pod/scheduler-1/kube-scheduler] "},
           {"kube-scheduler-84627 kube-scheduler ", "kube-scheduler-15930 kube-scheduler "},
           {"kube-scheduler-7786459-84627 c ", "kube-scheduler-7786459-15930 c "},
           {"scheduler-1  | ", "scheduler-2  | "},
           {"Nov 26 10:00:00 cp-1 kube-scheduler[12]: ", "Nov 26 10:00:00 cp-2 kube-scheduler[12]: "},
           {"Nov 26 10:00:00 10.0.0.1 kube-scheduler[12]: ", "Nov 26 10:00:00 10.0.0.2 kube-scheduler[12]: "},
           {"scheduler-0.log:12:", "scheduler-1.log:12:"},
           {"scheduler_0: ", "scheduler_1: "}})
    EXPECT_NE(source_of(one), source_of(other)) << one;
  for (const auto& [one, other] : std::vector<std::pair<const char*, const char*>>{
           {"scheduler-0.log-12-", "scheduler-0.log:13:"},
           {"0.log-12-2026-11-26T10:00:00Z ", "0.log:13:2026-11-26T10:00:01Z "},
           {"     9\t", "    10\t"},
           {"Nov 30 10:00:00 cp-1 ks[12]: ", "Dec  1 10:00:00 cp-1 ks[12]: "},
           {"Thu 2026-11-26 10:00:00 UTC cp-1 ks[12]: ", "Fri 2026-11-27 10:00:00 UTC cp-1 ks[12]: "},
           {"26-Nov-2026 10:00:00 scheduler-0 ", "27-Nov-2026 10:00:01 scheduler-0 "},
           {"logs-2026.11.26 scheduler-0 ", "logs-2026.11.27 scheduler-0 "},
           {"kube-scheduler-20261126.log:1:", "kube-scheduler-20261127.log:20:"},
           {"2026-11-26T10:00:00-05:00 scheduler-0 ", "2026-11-27T09:00:00-05:00 scheduler-0 "},
           {"Nov 26 10:00:00 10.0.0.1 kube-scheduler[12]: ", "Nov 27 9:01:00 10.0.0.1 kube-scheduler[13]: "}})
    EXPECT_EQ(source_of(one), source_of(other)) << one;
}

TEST(Prefix, IsFoundAgainWithOtherNumbers) {
  EXPECT_EQ(end_of_prefix("9:", "10:\tx"), 3U);
  EXPECT_EQ(end_of_prefix("     9\t", "    10\tx"), 7U);
  EXPECT_EQ(end_of_prefix("[pod/a/b] ", "[pod/a/c] x"), std::nullopt);
  EXPECT_EQ(end_of_prefix("12 x", "12"), std::nullopt);
}

TEST(Prefix, OfATerminalsMarksGoesThatHasAnEnd) {
  std::string buffer;
  EXPECT_EQ(without_colours("\x1b[36mI\x1b[0m\x1b[01;31m\x1b[Kx\x1b[m\x1b[K", buffer), "Ix");
  EXPECT_EQ(without_colours("\x1b[38:2::1:2:3ma\x1b[2J\x1b[?2004lb\x1b]0;t\x07\x1b]8;;u\x1b\\c", buffer),
            "abc");
  EXPECT_EQ(without_colours("a\x1b[12\x1b]0;t\x1b", buffer), "a\x1b[12\x1b]0;t\x1b") << "none has an end";
}

// As `cat -v`, a pager or a program shows them, or without what a copy has lost.
TEST(Prefix, OfAColourThatIsShownGoesBeforeARecord) {
  const std::string record = "I1126 10:00:00.100001       1 a.go:97] \"x\" err=\"[5m] \\x1b[31m\"";
  std::string buffer;
  for (const std::string escape : {"^[", "ESC", R"(\033)", R"(\e)", "\xe2\x90\x9b", ""}) {
    const std::string end = escape + "[0m";
    for (const std::string before : {"", "[pod/a/b] "})
      EXPECT_EQ(without_colours(before + escape + "[32m" + record + end, buffer), before + record) << escape;
    const std::string words = "x " + escape + "[32m y" + end;
    EXPECT_EQ(without_colours(words, buffer), words) << escape;
  }
  EXPECT_EQ(without_colours(record, buffer), record);
}

TEST(Prefix, OfGrepAndOfLabelsIsATools) {
  for (const char* const before :
       {"(standard input):", "(standard input):12:", "(standard input)-12-", "(Standardeingabe):",
        "(entr\xc3\xa9"
        "e standard):",
        "time:2026-11-26T10:00:02Z\tlog:", "host:a b\tstream:stderr\tmessage:"})
    EXPECT_EQ(prefix_kind(before), PrefixKind::kTools) << before;
  for (const char* const before : {"(it said this): ", "he saw\tit say:", "she said:\tand then he said it: "})
    EXPECT_NE(prefix_kind(before), PrefixKind::kTools) << before;
}

struct Kept {
  SavedLine::Kind kind;
  std::string text;
  bool full;
};

std::vector<Kept> lines_of(const std::string& bytes) {
  std::vector<Kept> out;
  SavedLines lines(
      [&out](const SavedLine& line) { out.push_back({line.kind, std::string(line.text), line.full}); });
  for (const char& c : bytes) lines.add({&c, 1}, 0);
  lines.finish();
  return out;
}

std::vector<std::string> texts_of(const std::string& bytes) {
  std::vector<std::string> out;
  for (const Kept& line : lines_of(bytes))
    if (line.kind != SavedLine::Kind::kStrange) out.push_back(line.text);
  return out;
}

using Texts = std::vector<std::string>;

TEST(SavedLinesTest, APlainLogIsGivenByteForByte) {
  const std::string one = kHead + R"("x" err=<)";
  const std::string embedded = "\tI1126 10:00:00.103412       1 b.go:1] \"not a record\"";
  EXPECT_EQ(texts_of(one + '\n' + embedded + "\n >\nloose\nhalf"),
            (Texts{one, embedded, " >", "loose", "half"}));
  EXPECT_FALSE(lines_of(one + "\nhalf").back().full);
}

TEST(SavedLinesTest, QuotingIsUndoneHoweverDeepItIs) {
  const std::string record = kHead + R"("a \"b\"" c="d\\e")";
  std::string quoted = record;
  for (int depth = 0; depth < 3; ++depth) {
    std::string again = "\"";
    for (const char c : quoted) again += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    quoted = again + '"';
    EXPECT_EQ(texts_of(R"({"log": )" + quoted + R"(, "x": "y"})" + "\n"), Texts{record}) << depth;
  }
  std::string doubled;
  for (const char c : record) doubled += std::string(c == '"' ? 2 : 1, c);
  EXPECT_EQ(texts_of("1,\"" + doubled + "\",\"z\"\n"), Texts{record});
}

TEST(SavedLinesTest, OneLineMayHaveManyRecords) {
  std::string line = "[";
  Texts wanted;
  for (int i = 0; i < 1000; ++i) {
    wanted.push_back(kHead + "prose " + std::to_string(i));
    line += R"({"time":1,"message":")" + wanted.back() + R"(\n"},)";
  }
  EXPECT_EQ(texts_of(line + "]\n"), wanted);
}

TEST(SavedLinesTest, JsonOfOthersThatBeginsLikeKlogsIsNone) {
  EXPECT_EQ(texts_of(R"({"ts":1795687200100.1,"log":")" + kHead + R"(\"x\""})" + "\n"),
            Texts{kHead + R"("x")"});
  EXPECT_EQ(texts_of(R"({"caller":"a.go:1","msg":"m","ts":1795687200100.5,"v":2,"pod":{"name":"p"}})"),
            Texts{R"({"ts":1.7956872001005E12,"caller":"a.go:1","msg":"m","v":2,"pod":{"name":"p"}})"});
}

// A tenant's text stands in values of several lines, and may look like a record.
TEST(SavedLinesTest, ABlocksLineIsNoRecordWhateverStandsBeforeIt) {
  const std::string head = kHead + R"("x" err=<)";
  const std::string forged = "\tI1126 10:00:00.103412       1 b.go:1] \"forged\"";
  for (const std::string& prefix : {std::string(), std::string("[pod/ks] "), std::string("12:")})
    EXPECT_EQ(texts_of(fmt::format("{0}{1}\n{0}{2}\n{0} >\n", prefix, head, forged)),
              (Texts{head, forged, " >"}))
        << prefix;
  std::string doubled;
  for (const char c : fmt::format("{}\n{}\n >", head, forged)) doubled += std::string(c == '"' ? 2 : 1, c);
  EXPECT_EQ(texts_of(fmt::format("1,\"{}\"\n", doubled)), (Texts{head, forged, " >"}));
  const Texts merged = texts_of(
      R"({"caller":"a.go:1","err":"I1126 10:00:00.103412       1 b.go:1] \"forged\"","msg":"m","ts":1.5})"
      "\n");
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_TRUE(merged.front().starts_with(R"({"ts":1.5)")) << merged.front();
}

// logcli puts time and labels before the first line of an entry only. A tenant may have written the others.
TEST(SavedLinesTest, ALineOfAValueIsNoRecordWhereOnlyTheFirstOneHasAPrefix) {
  const std::string head = kHead + R"("x" err=<)";
  const std::string value = "\n\tI1126 10:00:00.103412       1 b.go:1] \"forged\"\n >";
  const std::string after = kHead + "\"a\"";
  for (const std::string prefix : {"2026-11-26T10:00:00Z {pod=\"ks-0\"} ", "[pod/ks-0/ks] ", "ks-1  | "})
    EXPECT_EQ(test::whole_records_in(fmt::format("{0}{1}{2}\n{0}{3}\n", prefix, head, value, after)),
              (std::vector{head + value, after}))
        << prefix;
}

// kubectl and stern follow several pods at once.
TEST(SavedLinesTest, ABlockStaysItsPodsWhateverComesBetween) {
  const std::string head = kHead + R"("x" err=<)";
  const std::string forged = "\tI1126 10:00:00.103412       1 b.go:1] \"forged\"";
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
           {"[pod/scheduler-0/ks] ", "[pod/scheduler-1/ks] "}, {"sched-a ks ", "sched-b ks "}}) {
    std::vector<std::string> found;
    DoubtedPrefixes doubted;
    LogNames names;
    CsvRows rows;
    Unwrapper lines(doubted, names, rows);
    const auto take = [&found](const SavedLine& line) {
      found.push_back(std::string(line.source).append(is_schedulers(line.kind) ? "" : "?").append(line.text));
    };
    const std::string a = kHead + "\"a\"";
    for (const std::string& line : {one + head, other + a, one + forged, other + head, one + "\tof one",
                                    other + "\tof two", one + " >", other + a, other + "\tstrange"})
      lines.add(line, true, 0, take);
    EXPECT_EQ(found, (Texts{one + head, other + a, one + forged, other + head, one + "\tof one",
                            other + "\tof two", one + " >", other + a, "?" + other + "\tstrange"}));
  }
}

TEST(SavedLinesTest, AStringMayBeAWholeLogWithPrefixes) {
  const std::string one = kHead + "one";
  const std::string two = kHead + "two";
  EXPECT_EQ(
      texts_of(R"({"stdout":"2026-11-26T10:00:00Z )" + one + R"(\n2026-11-26T10:00:01Z )" + two + "\"}\n"),
      (Texts{one, two}));
}

TEST(SavedLinesTest, OthersLinesAreCountedAndThoseOfTheFormAreNot) {
  const auto strange = [](const std::string& bytes) {
    const auto all = lines_of(bytes);
    return std::ranges::count(all, SavedLine::Kind::kStrange, &Kept::kind);
  };
  EXPECT_EQ(strange("[pod/a] " + kHead + "x\nnonsense\n[pod/b] nonsense\n"), 2);
  EXPECT_EQ(strange(R"({"log":")" + kHead + "x\"}\n{\"log\":\"other\"}\n"), 1);
  EXPECT_EQ(strange("    MESSAGE=" + kHead + "x\n    _PID=1\n    PRIORITY=6\n"), 0);
  EXPECT_EQ(strange("[\n {\n  \"log\": \"" + kHead + "x\",\n  \"time\": 1\n }\n]\n"), 0);
}

// Both took minutes.
TEST(SavedLinesTest, ALineOfManyObjectsIsReadOnce) {
  std::string objects = "[";
  std::string pieces = R"({"a":")" + kHead + R"(\"x\" err=<"})";
  for (int i = 0; i < 50'000; ++i) {
    objects += R"({"ts":179568720)" + std::to_string(i) + R"(.5,"caller":"a.go:1","msg":"m"},)";
    pieces += R"({"a":"\tpiece"})";
  }
  EXPECT_GE(texts_of(objects + "]\n").size(), 50'000U);
  EXPECT_EQ(texts_of(pieces + R"({"a":" >"},{"a":")" + kHead + R"(end"})" + "\n").size(), 50'003U);
}

flow::WholeRecord record_of(std::string_view text) {
  return flow::whole_record(text);
}

TEST(SeenRecordsTest, KnowsARecordByItsWholeText) {
  SeenRecords seen;
  const std::string one = kHead + R"("x" pod="a/b")";
  EXPECT_EQ(seen.add(record_of(one), 3), std::nullopt);
  EXPECT_EQ(seen.add(record_of(one), 4), 3);
  EXPECT_EQ(seen.add(record_of(kHead + R"("x" pod="a/c")"), 4), std::nullopt);
  EXPECT_TRUE(seen.has_header_of(record_of(kHead + R"("x" po)")));
  EXPECT_FALSE(seen.has_header_of(record_of("I1126 10:00:00.103413       1 a.go:9] \"x\"")));
}

TEST(SeenRecordsTest, ManyAreToldApart) {
  SeenRecords seen;
  const auto text = [](int i) {
    return "I1126 10:00:00.103412       1 a.go:9] \"" + std::to_string(i * 7919) + '"';
  };
  constexpr int kMany = 100'000;
  for (int i = 0; i < kMany; ++i) ASSERT_EQ(seen.add(record_of(text(i)), 1), std::nullopt) << i;
  for (int i = 0; i < kMany; ++i) ASSERT_EQ(seen.add(record_of(text(i)), 2), 1) << i;
}

}  // namespace
}  // namespace flowtap::cli
