// A file that has its newest record first is turned round, whatever stands around its lines: a record's further lines stay with it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/golden.hpp"
#include "tests/unit/flowtap/forms/records_in.hpp"
#include "tests/unit/flowtap/forms/saved_forms.hpp"

namespace flowtap::cli {
namespace {

using flowtap::test::golden;
using flowtap::test::klog_records;
using flowtap::test::LogEntry;
using flowtap::test::SavedForm;

const std::vector<std::string> kLogs = {"found/forms/blocks.log", "found/forms/json.log",
                                        "scheduler/hami-2.10-filter-failed-v5.log",
                                        "scheduler/numa-logid-era-v6.log"};

std::string with_crlf(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return out;
}

TEST(NewestFirst, ARecordKeepsItsLinesInEachForm) {
  for (const std::string& log : kLogs) {
    const std::vector<LogEntry> records = klog_records(golden(log));
    std::vector<LogEntry> newest = records;
    std::ranges::reverse(newest);
    for (const SavedForm& form : flowtap::test::line_forms()) {
      if (form.name == "CRI in parts")
        continue;  // what goes on in the next part begins with nothing of klog's
      const bool has_end_within =
          log.contains("numa");  // a line of a value there begins as the value's end does
      if (has_end_within &&
          (form.name == "a blank for each tab" || form.name == "without the blank before a line"))
        continue;
      const std::vector<std::string> right = test::whole_records_in(file_of(form, records));
      ASSERT_EQ(right.size(), records.size()) << form.name << ", " << log;
      const std::string bytes = file_of(form, newest);
      EXPECT_EQ(test::whole_records_in(bytes), right) << form.name << ", " << log;
      if (form.name.starts_with("UTF-16")) continue;
      EXPECT_EQ(test::whole_records_in(with_crlf(bytes)), right) << form.name << " with CRLF, " << log;
    }
  }
}

// Each record stands whole behind the other pod's, or between its lines.
TEST(NewestFirst, ARecordKeepsItsLinesAmidAnotherPods) {
  const std::vector<LogEntry> records = klog_records(golden(kLogs.front()));
  std::string bytes;
  std::vector<std::string> right;
  for (std::size_t i = records.size(); i-- > 0;) {
    const std::string text = records[i].text + '\n';
    const std::size_t first = text.find('\n') + 1;
    const std::string other = text.substr(0, text.find(']')) + "] \"another's\"";
    bytes += "[pod/scheduler-0/ks] " + text.substr(0, first);
    bytes += "[pod/scheduler-1/ks] " + other + '\n';
    for (std::size_t at = first; at < text.size(); at = text.find('\n', at) + 1)
      bytes += "[pod/scheduler-0/ks] " + text.substr(at, text.find('\n', at) + 1 - at);
    right.insert(right.begin(), {other, records[i].text});
  }
  EXPECT_EQ(test::whole_records_in(bytes), right);
}

std::string record_at(int micros) {
  return fmt::format("I1126 10:00:00.{:06}       1 a.go:9] \"x\"", micros);
}

std::vector<std::string> records_at(const std::vector<int>& micros) {
  std::vector<std::string> out;
  for (const int one : micros) out.push_back(record_at(one));
  return out;
}

std::vector<std::string> in_file(const std::vector<std::string>& lines) {
  return test::records_in(fmt::format("{}\n", fmt::join(lines, "\n")));
}

// Whoever has put them in order had only milliseconds.
TEST(NewestFirst, RecordsOfOneMillisecondStandAsTheirOwnTimesSay) {
  const auto right = records_at({100'001, 100'420, 108'000, 108'300, 108'301});
  EXPECT_EQ(in_file(records_at({108'000, 108'300, 108'301, 100'001, 100'420})), right);
  EXPECT_EQ(in_file(records_at({108'301, 108'300, 108'000, 100'001, 100'420})), right);
  EXPECT_EQ(in_file(records_at({108'301, 108'300, 108'000, 100'420, 100'001})), right);
}

TEST(NewestFirst, TwoRecordsAreEnough) {
  EXPECT_EQ(in_file(records_at({103'412, 100'001})), records_at({100'001, 103'412}));
}

// As tac turns it.
TEST(NewestFirst, AValueAboveItsFirstLineTellsItOfAFewRecords) {
  const std::string value = record_at(203'412) + " err=<\n\ta\n\tb\n >";
  const std::string turned = " >\n\tb\n\ta\n" + record_at(203'412) + " err=<\n";
  const std::string before = record_at(100'001);
  EXPECT_EQ(test::whole_records_in(turned), std::vector{value});
  EXPECT_EQ(test::whole_records_in(turned + before + '\n'), (std::vector{before, value}));
  EXPECT_EQ(test::whole_records_in(turned + before), (std::vector{before, value}));
  EXPECT_EQ(test::whole_records_in(before + '\n' + value + '\n'), (std::vector{before, value}));
}

// klog does not say the year.
TEST(NewestFirst, ALogOfMoreThanHalfAYearIsNotOne) {
  std::vector<std::string> written;
  for (const char* const day : {"0110", "0415", "0801", "0802"})
    written.push_back(fmt::format("I{} 10:00:00.000001       1 a.go:9] \"x\"", day));
  EXPECT_EQ(in_file(written), written);
  const std::vector<std::string> newest(written.rbegin(), written.rend());
  EXPECT_EQ(in_file(newest), written);
  const std::string later = "I0802 10:00:00.000002       1 a.go:9] \"x\"";
  EXPECT_EQ(in_file({newest[0], later, newest[1], newest[2], newest[3]}),
            (std::vector<std::string>{written[0], written[1], written[2], written[3], later}));
}

// A pod that is bound is not tried again.
TEST(NewestFirst, AClockThatWasSetBackALittleIsNotOne) {
  const auto at = [](int micros, const char* text) {
    return fmt::format("I1126 10:00:00.{:06}       1 schedule_one.go:9] {}", micros, text);
  };
  const std::vector<std::string> written = {
      at(500'001, R"("Attempting to schedule pod" pod="shop/web-0")"),
      at(100'001, R"("Attempting to schedule pod" pod="shop/web-0")"),
      at(110'001, R"("Successfully bound pod to node" pod="shop/web-0" node="n1")")};
  EXPECT_EQ(in_file(written), written);
}

// Threads that write at once.
TEST(NewestFirst, ALogWhoseRecordsGoBackALittleIsNotOne) {
  const auto written = records_at({100'001, 100'420, 100'400, 103'562, 100'430, 108'000});
  EXPECT_EQ(in_file(written), written);
}

TEST(NewestFirst, ATextWithoutAMarkKeepsItsOrder) {
  const std::string one = "I1126 10:00:01.000000       1 a.go:9] one";
  const std::string two = "I1126 10:00:02.000000       1 a.go:9] two";
  const std::string three = "I1126 10:00:03.000000       1 a.go:9] three";
  const std::vector<std::string> right = {one + "\nof it\nand more", two, three};
  EXPECT_EQ(test::whole_records_in(three + '\n' + two + '\n' + one + "\nof it\nand more\n"), right);
  EXPECT_EQ(test::whole_records_in(three + '\n' + two + "\nand more\nof it\n" + one + '\n'), right)
      << "tac turns its lines round, too";
}

}  // namespace
}  // namespace flowtap::cli
