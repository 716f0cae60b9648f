#include "tools/flowtap/saved/unwrap/around/csv_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/flowtap/forms/records_in.hpp"

namespace flowtap::cli {
namespace {

using Lines = std::vector<std::string>;

const std::string kRecord = "I1126 10:00:00.103412       1 a.go:9] x";
const std::string kQuoted = R"(I1126 10:00:00.103412       1 a.go:9] ""x"" k=""1, 2"")";

std::string shown(CsvRows rows, const std::string& line) {
  std::string buffer;
  return std::string(rows.quoted(line, buffer));
}

/// What has learnt from a row with the record between these texts.
CsvRows of_row(const std::string& before, const std::string& behind) {
  CsvRows out;
  out.note_row(before + '"' + kQuoted + '"' + behind, before.size() + 1);
  return out;
}

TEST(CsvRows, AFieldWithoutQuotesGetsSome) {
  for (const char* const between : {",", ";", "\t"}) {
    const std::string sign(between);
    const CsvRows middle = of_row("1" + sign + "\"a, b\"" + sign, sign + "2");
    EXPECT_EQ(shown(middle, "3" + sign + "\"a, b\"" + sign + kRecord + sign + "4"),
              "3" + sign + "\"a, b\"" + sign + '"' + kRecord + '"' + sign + "4");
    const CsvRows last = of_row("1" + sign, "");
    EXPECT_EQ(shown(last, "2" + sign + kRecord), "2" + sign + '"' + kRecord + '"');
    EXPECT_EQ(shown(last, "2" + sign + kRecord + sign + "y"), "2" + sign + '"' + kRecord + sign + "y\"")
        << "what stands behind the last sign is of no other column";
    EXPECT_EQ(shown(last, "2" + sign + " >"), "2" + sign + "\" >\"");
    EXPECT_EQ(shown(last, "2" + sign + "\ty"), "2" + sign + "\"\ty\"");
    EXPECT_EQ(shown(of_row("", sign + "1"), kRecord + sign + "2"), '"' + kRecord + '"' + sign + "2");
  }
}

TEST(CsvRows, AnyOtherLineStaysAsItIs) {
  const CsvRows rows = of_row("2026-11-26 10:00:00,", "");
  for (const std::string& line :
       Lines{kRecord, std::string(), "2026-11-26 10:00:00,y", "2026-11-26 10:00:00,y " + kRecord,
             "2026-11-26 10:00:00,\"" + kRecord + '"', "2026-11-26 10:00:00," + kRecord + " \"y\"",
             "another, " + kRecord, "another," + kRecord, "timestamp,message"})
    EXPECT_EQ(shown(rows, line), line);
  EXPECT_EQ(shown(CsvRows(), "2026-11-26 10:00:00," + kRecord), "2026-11-26 10:00:00," + kRecord);
}

// A field may hold what looks like a row, another source's rows are not this log's, and words before the field are of a sentence.
TEST(CsvRows, AnotherProgramsTextIsNoRow) {
  CsvRows rows = of_row("2026-11-26 10:00:00,", "");
  const std::string row = "2026-11-26 10:00:01," + kRecord;
  const std::string read = "2026-11-26 10:00:01,\"" + kRecord + '"';
  std::string buffer;
  EXPECT_EQ(rows.quoted("2026-11-26 10:00:01,\"GET", buffer), "2026-11-26 10:00:01,\"GET");
  EXPECT_EQ(rows.quoted(row, buffer), row) << "amid the field";
  EXPECT_EQ(rows.quoted("\"", buffer), "\"");
  EXPECT_EQ(rows.quoted(row, buffer), read);
  EXPECT_EQ(shown(rows, "2026-11-26 10:00:01 hello 5," + kRecord), "2026-11-26 10:00:01 hello 5," + kRecord);
  const CsvRows named = of_row("2026-11-26 10:00:00,hami-1,", "");
  EXPECT_EQ(shown(named, "2026-11-26 10:00:01,nginx," + kRecord), "2026-11-26 10:00:01,nginx," + kRecord);
}

TEST(CsvRows, ALogOfKlogsOwnHasNone) {
  CsvRows rows = of_row("", ",1");
  rows.note_plain("I1126 10:00:00.103412       1 a.go:9] no, 1 is none");
  EXPECT_NE(shown(rows, kRecord + ",2"), kRecord + ",2");
  rows.note_plain(R"(I1126 10:00:00.103412       1 a.go:9] "x")");
  EXPECT_EQ(shown(rows, kRecord + ",2"), kRecord + ",2");
}

/// Each record with its further lines, and how many logs they are of.
struct Read {
  Lines records;
  std::size_t logs = 0;
};

Read read_of(const std::string& bytes) {
  std::set<std::string> logs;
  SavedLines lines([&logs](const SavedLine& line) {
    if (line.kind == SavedLine::Kind::kRecord) logs.emplace(line.source);
  });
  lines.add(bytes, 0);
  lines.finish();
  return {.records = test::whole_records_in(bytes), .logs = logs.size()};
}

std::string record_at(int second, const std::string& says) {
  return fmt::format("I1126 10:00:0{}.103412       1 a.go:9] {}", second, says);
}

TEST(CsvRows, AnIdTellsNoLog) {
  const Lines records = {record_at(0, "a"), record_at(1, "b err=<\n\tof b\n >"), record_at(2, "c"),
                         record_at(3, "d")};
  const Lines ids = {"Zq-x", "_kPw", "b7Ra", "Ufo_", "0-Xy", "Kelp"};
  for (const char* const between : {",", ";", "\t", " | "}) {
    Lines rows;
    for (const std::string& record : records)
      for (const auto line : std::views::split(record, '\n'))
        rows.push_back(ids[rows.size()] + between + "ks-1" + between + std::string(std::string_view(line)) +
                       '\n');
    const Read read = read_of(fmt::format("{}", fmt::join(rows, "")));
    EXPECT_EQ(read.records, records) << between;
    EXPECT_EQ(read.logs, 1U) << between;
    const Lines newest = {rows[5], rows[4], rows[1], rows[2], rows[3], rows[0]};
    EXPECT_EQ(read_of(fmt::format("{}", fmt::join(newest, ""))).records, records) << between;
  }
}

TEST(CsvRows, APodTellsALog) {
  std::string bytes;
  const Lines ids = {"Zq-x", "_kPw", "b7Ra", "Ufo_"};
  for (int i = 0; i < 4; ++i)
    bytes +=
        ids.at(static_cast<std::size_t>(i)) + ",ks-" + (i % 2 == 0 ? "a," : "b,") + record_at(i, "x") + '\n';
  EXPECT_EQ(read_of(bytes).logs, 2U);
  EXPECT_EQ(read_of("ks-a," + record_at(0, "x") + "\nks-b," + record_at(1, "x") + '\n').logs, 2U)
      << "few rows";
}

// Whatever the heading calls it.
TEST(CsvRows, AContainersIdTellsALog) {
  const std::string rest = "\tof a\n";
  for (const char* const heading : {"id\tmessage\n", "container\tmessage\n", ""}) {
    const std::string bytes = std::string(heading) + "4f0cA\t" + record_at(0, "\"a\" err=<") + "\n91abB\t" +
                              record_at(1, "b") + "\n4f0cA\t" + rest + "4f0cA\t >\n7ddeC\t" +
                              record_at(2, "c") + "\na1b2D\t" + record_at(3, "d") + '\n';
    EXPECT_EQ(read_of(bytes + bytes).logs, 4U) << heading;
  }
  std::string bytes = "id,message\n";
  for (int i = 0; i < 11; ++i)
    bytes += fmt::format("{}0aB,{}\n", "abcdefghija"[i], record_at(i % 10, fmt::format("x {}", i)));
  EXPECT_EQ(read_of(bytes).logs, 10U) << "two records have the same id";
}

// Of a number no digit is left, so two of them do not show that the id is a container's.
TEST(CsvRows, IdsOfDigitsOnlyAreNotOne) {
  std::string bytes = "id,message\n12345678," + record_at(0, "a") + "\n87654321," + record_at(1, "b") + '\n';
  for (int i = 0; i < 10; ++i)
    bytes += fmt::format("{}0aB,{}\n", "abcdefghij"[i], record_at(i, fmt::format("x {}", i)));
  EXPECT_EQ(read_of(bytes).logs, 1U);
}

// The lines of a value may have the id of its record.
TEST(CsvRows, AnIdOfARecordTellsNoLog) {
  std::string bytes = "id\tmessage\n";
  for (int i = 0; i < 4; ++i)
    for (const std::string& line : {record_at(i, "x err=<"), std::string("\tof a"), std::string(" >")})
      bytes += fmt::format("{}0aB\t{}\n", "abcd"[i], line);
  EXPECT_EQ(read_of(bytes).logs, 1U);
  EXPECT_EQ(read_of(bytes + bytes).logs, 1U) << "the export is twice in the file";
}

TEST(CsvRows, FilesTellTheirLogs) {
  const auto rows = [](const Lines& names) {
    std::string bytes;
    for (const std::string& name : names) bytes += name + ',' + record_at(1, "x") + '\n';
    return bytes;
  };
  EXPECT_EQ(read_of(rows({"/log/hami-a_0a.log", "/log/hami-b_0b.log"})).logs, 2U);
  EXPECT_EQ(read_of(rows({"/log/A0a", "/log/A0b", "/log/B0a", "/log/B0b"})).logs, 4U);
  EXPECT_EQ(read_of(rows({"hami_a.x", "hami_b.x"})).logs, 2U);
}

// Each says it in words of their own.
TEST(CsvRows, WordsBeforeATabAreNoIds) {
  for (const Lines& who : {Lines{"Alice said", "then Bob", "and Carol", "at last Dan"},
                           Lines{"2026-11-26 10:00:00\talice", "2026-11-26 10:00:01\tbob",
                                 "2026-11-26 10:00:02\tcarol", "2026-11-26 10:00:03\tdan"}}) {
    std::string bytes;
    for (const std::string& one : who) bytes += one + '\t' + record_at(1, "x") + '\n';
    EXPECT_EQ(read_of(bytes).records, Lines{}) << bytes;
  }
}

// A tenant may have written it.
TEST(CsvRows, AValueHasNone) {
  const std::string head = "I1126 10:00:00.103412       1 a.go:9] ";
  const std::string bytes = head + "\"x\" err=<\n\t1,\"" + kQuoted + "\"\n\t1," + kRecord +
                            "\n > pod=\"c/d\"\n" + head + "y, 1\n" + head + "\"z\"\n";
  EXPECT_EQ(test::records_in(bytes), (Lines{head + "\"x\" err=<", head + "y, 1", head + "\"z\""}));
  const std::string row = "1795687200100,\"I1126 10:00:00.103412       1 a.go:9] \"\"x\"\" err=<\"\n";
  const std::string forged = "1795687200101,\"\t1795687200102," + kRecord + "\"\n";
  EXPECT_EQ(test::records_in(row + forged + "1795687200103, >\n"), (Lines{head + "\"x\" err=<"}));
}

}  // namespace
}  // namespace flowtap::cli
