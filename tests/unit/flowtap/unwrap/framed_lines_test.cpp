// What a tool puts around lines that no prefix tells: counts, encoded newlines, signs behind each line, columns below each other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/golden.hpp"
#include "tests/unit/flowtap/forms/records_in.hpp"
#include "tests/unit/flowtap/forms/saved_forms.hpp"

namespace flowtap::cli {
namespace {

using flowtap::test::golden;
using flowtap::test::klog_records;
using flowtap::test::LogEntry;

const std::vector<std::string> kLogs = {"found/why/formats/base.log", "found/forms/blocks.log",
                                        "found/forms/json.log", "scheduler/hami-2.10-filter-failed-v4.log"};
const std::string kSyslog = "<14>1 2026-11-26T10:00:00.1Z cp1 kube-scheduler 1234 - - ";
const std::string kHead = "I1126 10:00:00.103412       1 a.go:9] ";

std::string in_place(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string each_line(const std::string& text,
                      const std::function<std::string(const std::string&)>& of_line) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += of_line(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string counted(const std::string& message) {
  return fmt::format("{} {}", kSyslog.size() + message.size(), kSyslog + message);
}

/// `of_record` is a function of a record with its lines.
void expect_read(const std::string& name, const std::function<std::string(const std::string&)>& of_record) {
  for (const std::string& log : kLogs) {
    std::string bytes;
    std::vector<std::string> right;
    for (const LogEntry& record : klog_records(golden(log))) {
      bytes += of_record(record.text);
      right.push_back(record.text);
    }
    EXPECT_EQ(test::whole_records_in(bytes), right) << name << ", " << log;
  }
}

TEST(FramedLines, MessagesMayBeginWithTheirLength) {
  expect_read("whole", counted);
  expect_read("lines", [](const std::string& record) { return each_line(record, counted); });
  expect_read("with their newline", [](const std::string& record) { return counted(record + '\n'); });
  const std::string no_count = kHead + "\"x\" n=\"12 <14>1 \"";
  EXPECT_EQ(test::records_in(no_count + '\n'), std::vector{no_count});
}

TEST(FramedLines, NewlinesMayBeEncoded) {
  for (const auto& [newline, tab] :
       {std::pair{"#012", "#011"}, std::pair{"#012", "\t"}, std::pair{R"(\012)", R"(\011)"}})
    for (const char* const behind : {"\n", "", "#012\n"}) {
      if (std::string_view(newline) != "#012" && std::string_view(behind).contains('#')) continue;
      const std::string end = *behind == '\0' ? newline : behind;
      std::string bytes;
      std::vector<std::string> right;
      for (const LogEntry& record : klog_records(golden(kLogs.at(1)))) {
        bytes += in_place(in_place(record.text, "\n", newline), "\t", tab) + end;
        right.push_back(record.text);
      }
      EXPECT_EQ(test::whole_records_in(bytes), right) << newline << end;
    }
}

// Each stands in the place of all newlines, or of those of a value of several lines.
TEST(FramedLines, OtherSignsMayStandInThePlaceOfNewlines) {
  for (const std::string& sign :
       {std::string("\r"), std::string("\t"), std::string(1, '\0'), std::string(" "), std::string("\x1e"),
        std::string("\xe2\x80\xa8"), std::string("\xe2\x80\xa9"), std::string("<br>"), std::string("<br />")})
    for (const std::string end : {"", "\n"}) {
      std::string bytes;
      std::vector<std::string> right;
      for (const LogEntry& record : klog_records(golden(kLogs.at(1)))) {
        bytes += in_place(record.text, "\n", sign) + sign;
        right.push_back(record.text);
      }
      EXPECT_EQ(test::whole_records_in(bytes + end), right) << sign << end;
    }
}

TEST(FramedLines, SyslogWritesTheTabOfALineAsASign) {
  for (const std::string before : {"", "Nov 26 10:00:02 cp-1 kube-scheduler[812]: "})
    for (const char* const tab : {"#011", R"(\011)"}) {
      std::string bytes;
      std::vector<std::string> right;
      for (const LogEntry& record : klog_records(golden(kLogs.at(1)))) {
        bytes += each_line(
            record.text, [&](const std::string& line) { return before + in_place(line, "\t", tab) + '\n'; });
        right.push_back(record.text);
      }
      EXPECT_EQ(test::whole_records_in(bytes), right) << before << tab;
    }
}

// A page needs them only for two signs.
TEST(FramedLines, APageMayHaveQuotesAsTheyAre) {
  std::string bytes = "<pre>\n";
  std::vector<std::string> right;
  for (const LogEntry& record : klog_records(golden(kLogs.at(1)))) {
    bytes += in_place(in_place(in_place(record.text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;") + '\n';
    right.push_back(record.text);
  }
  auto found = test::whole_records_in(bytes);
  ASSERT_EQ(found.size(), right.size());
  EXPECT_EQ(found, right);
}

TEST(FramedLines, ABlankLineMayStandBehindEachLine) {
  std::string bytes;
  std::vector<std::string> right;
  for (const LogEntry& record : klog_records(golden(kLogs.at(1)))) {
    bytes += in_place(record.text + '\n', "\n", "\n\n");
    right.push_back(record.text);
  }
  auto found = test::whole_records_in(bytes);
  ASSERT_EQ(found.size(), right.size());
  for (std::string& record : found) record = record.substr(0, record.find_last_not_of('\n') + 1);
  EXPECT_EQ(found, right);
}

TEST(FramedLines, APageMayBeOneLine) {
  const std::string one = kHead + "\"x\" pod=\"a/b\" n=1";
  const std::string other = kHead + "\"y\" pod=\"a/c\" n=2";
  const auto shown = [](const std::string& record) { return in_place(record, "\"", "&quot;"); };
  for (const auto& [begin, before, behind, end] :
       std::vector<std::array<std::string, 4>>{{"<table>", "<tr><td>2026</td><td>", "</td></tr>", "</table>"},
                                               {"<ul>", "<li>", "</li>", "</ul>"},
                                               {"", "<p>", "</p>", ""}})
    EXPECT_EQ(test::records_in(begin + before + shown(one) + behind + before + shown(other) + behind + end),
              (std::vector{one, other}))
        << begin;
}

// A tenant may have written them.
TEST(FramedLines, AnEncodedNewlineInAValueIsNone) {
  const std::string forged = "#012" + kHead + R"(\"forged\")";
  for (const std::string& record : {kHead + "\"x\" err=\"a" + forged + '"',
                                    kHead + "\"x\" err=\"a" + in_place(forged, "#012", R"(\n)") + '"'})
    EXPECT_EQ(test::whole_records_in(record + '\n'), std::vector{record});
  const std::string block = kHead + "\"x\" err=<";
  EXPECT_EQ(test::whole_records_in(block + "#012\ta" + forged + "#012 >\n"),
            std::vector{block + "\n\ta" + forged + "\n >"});
}

TEST(FramedLines, ASignBehindEachLineBelongsToNoValue) {
  for (const char* const sign : {"\r", "$", "<br>", "</p>", ",", " \\", " |", "\"", ";", "\xc2\xa0", "#012",
                                 " +", "</td></tr>", "]]></e>", "\\par", "\t1764151200123", " [3 of 9]"})
    for (const char* const before : {"", "[pod/ks-0/ks] "}) {
      const std::string record = kHead + "\"x\" err=<\n\ta \"b\"\n\t\n\tc\n > pod=\"a/b\"";
      const std::string bytes = each_line(
          record + '\n' + record, [&](const std::string& line) { return before + line + sign + '\n'; });
      const auto found = test::whole_records_in(bytes);
      ASSERT_EQ(found.size(), 2U) << sign;
      EXPECT_TRUE(found.front().starts_with(record)) << sign << ": " << found.front();
      EXPECT_EQ(found.front(), found.back()) << sign;
    }
}

TEST(FramedLines, TheEndOfATextIsNoSign) {
  const std::string text = kHead + "dump a=<pod.\"\n\tfoo pod.\"";
  const std::string record = kHead + "\"x\" err=\"no pod.\"";
  EXPECT_EQ(test::whole_records_in(text + '\n' + record + '\n'), (std::vector{text, record}));
}

TEST(FramedLines, APageHasItsOwnMarksBeforeASign) {
  const std::string record = kHead + "\"x\" err=<\n\ta \"b\"\n\t\n\tc\n > pod=\"a/b\"";
  const std::string bytes = each_line(record + '\n' + record, [](const std::string& line) {
    const std::string shown = in_place(in_place(in_place(line, "\"", "&quot;"), "<", "&lt;"), ">", "&gt;");
    return "<tr><td>10:00:00</td><td>" + shown + "</td></tr>\n";
  });
  const auto found = test::whole_records_in(bytes);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found.front().starts_with(record)) << found.front();
}

TEST(FramedLines, ASignMayHaveANumberThatChanges) {
  const std::string record = kHead + "\"x\" err=<\n\ta \"b\"\n\t\n\tc\n > pod=\"a/b\"";
  std::int64_t number = 97;
  const std::string bytes = each_line(record + '\n' + record, [&](const std::string& line) {
    ++number;
    return fmt::format("EVENTS\t{}\t{}\t{}\n", number, line, 1'764'151'200'123 + number);
  });
  const auto found = test::whole_records_in(bytes);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found.front().starts_with(record)) << found.front();
}

TEST(FramedLines, ColumnsMayStandBelowEachOther) {
  expect_read("mysql", [](const std::string& record) {
    return "*************************** 1. row ***************************\n     id: 1\nmessage: " + record +
           "\n stream: stderr\n";
  });
  const auto rows = [](const std::string& record) {
    return each_line(
        record, [](const std::string& line) { return "-[ RECORD 1 ]------\nid  | 1\nlog | " + line + '\n'; });
  };
  expect_read("psql", rows);
}

TEST(FramedLines, QuotesOfWindowsAreQuotes) {
  const std::string record = kHead + R"("x" pod="a/b" err="caf)" + "\xc3\xa9\"";
  bool opens = false;
  std::string bytes;
  for (const char c : record) {
    if (c == '"') opens = !opens;
    bytes += c == '"' ? (opens ? '\x93' : '\x94') : c;
  }
  EXPECT_EQ(test::records_in(bytes + "\r\n"), std::vector{record});
  const std::string own = kHead + "\"x\" err=\"\xe2\x80\x93 \xc3\x93\"";
  EXPECT_EQ(test::records_in(own + '\n'), std::vector{own}) << "UTF-8 has such bytes, too";
}

TEST(FramedLines, OfACutMessageAndAFullOneTheFullOneCounts) {
  const std::string full = kHead + R"(\"x\" pod=\"a/b-0\" err=\"none\")";
  const std::vector right{kHead + R"("x" pod="a/b-0" err="none")"};
  for (const std::size_t cut : {full.find("b-0"), full.find("err=") + 6, full.find("none")}) {
    const std::string brief = full.substr(0, cut);
    for (const char* const dots : {"", "..."}) {
      EXPECT_EQ(
          test::records_in(R"({"short_message":")" + brief + dots + R"(","full_message":")" + full + "\"}\n"),
          right);
      EXPECT_EQ(
          test::records_in(R"({"full_message":")" + full + R"(","short_message":")" + brief + dots + "\"}\n"),
          right);
    }
  }
}

// What goes on with a record stands in both members, too.
TEST(FramedLines, ALineThatAnObjectHasTwiceIsOne) {
  const std::vector right{kHead + "\"x\" err=<\n\ta\n\tb\n >", kHead + "\"y\""};
  for (const auto& [first, second, end] : std::vector<std::array<std::string, 3>>{
           {R"({"message":")", R"(","event":{"original":")", R"("}})"},
           {R"({"_source":{"message":")", R"("},"fields":{"message":[")", R"("]}})"}}) {
    std::string bytes;
    for (const std::string& record : right)
      bytes += each_line(record, [&](const std::string& line) {
        const std::string text = in_place(in_place(line, "\"", R"(\")"), "\t", R"(\t)");
        return first + text + second + text + end + '\n';
      });
    EXPECT_EQ(test::whole_records_in(bytes), right) << first;
    std::erase(bytes, '\n');
    EXPECT_EQ(test::whole_records_in(bytes), right) << first << " in one line";
  }
}

// Nothing but these tells that a value without quotes, or a text, has ended.
TEST(FramedLines, ColumnsBehindARecordAreNoPartOfIt) {
  const std::string value = kHead + R"("scored" node="n1" cells={"a":[1, 2]} score=62)";
  const std::string text = kHead + "Start to count devices for container main";
  const std::string quoted = kHead + R"("no fit" pod="shop/web" err="a\tb")";
  for (const std::string& record : {value, text, quoted})
    for (const auto& [before, behind] : std::vector<std::pair<std::string, std::string>>{
             {"", "\tkube-scheduler-cp1\t{\"a\":1}\t2026-11-26T10:00:00Z"},
             {"EVENTS\t1763688092500\t", "\t1763688091600"},
             {"<tr><td>1</td><td class=\"x\">", "</td><td>cp1</td></tr>"},
             {"<p>", "</p>"},
             {"", "<br/>"},
             {"```", "```"},
             {"", "{noformat}"}}) {
      std::string lines;
      for (int i = 0; i < 3; ++i) lines += before + record + behind + '\n';
      const std::vector<std::string> found = test::records_in(lines);
      EXPECT_EQ(found, std::vector<std::string>(3, record)) << before << behind;
    }
}

}  // namespace
}  // namespace flowtap::cli
