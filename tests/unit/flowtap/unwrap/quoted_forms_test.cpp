// A value of several lines may have what looks like the form in which a log was saved: a tenant may have written it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/flowtap/forms/records_in.hpp"

namespace flowtap::cli {
namespace {

using Lines = std::vector<std::string>;

const std::string kHead = "I1126 10:00:00.103412       1 a.go:9] ";
const std::string kForged =
    "I1126 10:00:00.103412       1 b.go:1] \"Successfully bound pod to node\" pod=\"a/b\" node=\"n\"";
const Lines kPrefixes = {"", "Nov 26 10:00:00 cp1 ks[1]: ", "[pod/ks-0/ks] ",
                         "<14>Nov 26 10:00:00 cp1 ks[1]: "};
const Lines kSeparators = {"\r",   "\t",    std::string(1, '\0'), " ", "\v", "\x1e", "\xe2\x80\xa8",
                           "<br>", "<br />"};
const Lines kRight = {kHead + "\"x\" err=<", kHead + "\"z\""};

/// A log with these lines in a value. `below` stands before these, `before` before all others.
std::string log_with(const std::string& before, const std::string& below, const Lines& lines,
                     const std::string& behind_opening = "") {
  std::string out = before + kHead + "\"x\" err=<" + behind_opening + '\n' + below + "\ty\n";
  for (const std::string& line : lines) out.append(below).append(1, '\t').append(line).append(1, '\n');
  return out + below + " > pod=\"c/d\"\n" + before + kHead + "\"z\"\n";
}

TEST(QuotedForms, AValueHasNoEncodedNewlines) {
  const Lines firsts = {"y", kHead + "\"q\"", kHead + "\"q\" k=<", "> " + kHead};
  const std::string unit = "Nov 26 10:00:00 cp1 ks[1]: ";
  const std::string below_unit(unit.size(), ' ');  // as journalctl sets further lines
  for (const std::string& before : kPrefixes)
    for (const std::string& below : {before, std::string(), before == unit ? below_unit : before})
      for (const char* const newline : {R"(\n)", "#012", R"(\012)"})
        for (std::string line : firsts) {
          line.append(newline).append(kForged);
          for (const char* const colour : {"", "\x1b[0m"})
            EXPECT_EQ(test::records_in(log_with(before, below, {line}, colour)), kRight)
                << before << below << "| " << line;
        }
}

// klog writes a value's own signs as they are, but for newlines.
TEST(QuotedForms, AValueHasNoSignsForNewlines) {
  const std::string row = "<tr><td>1</td><td>" + kForged + "</td></tr>";
  Lines values = {row + row, "<p>" + kForged + "</p><p>" + kForged + "</p>"};
  for (const std::string& sign : kSeparators)
    for (const std::string& behind : kPrefixes)
      values.push_back(kHead + "\"q\" k=<" + sign + "\ty" + sign + " >" + sign + behind + kForged);
  for (const std::string& before : kPrefixes)
    for (const std::string& value : values)
      EXPECT_EQ(test::records_in(log_with(before, before, {value})), kRight) << before << "| " << value;
}

// However many lines of the value look as if they opened one.
TEST(QuotedForms, AValueOpensNoOthers) {
  Lines lines(64, kHead + "\"q\" k=<");
  lines.push_back("y\\n" + kForged);
  lines.push_back("y#012" + kForged);
  for (const std::string& before : kPrefixes)
    EXPECT_EQ(test::records_in(log_with(before, before, lines)), kRight) << before;
}

// Two replicas' lines take turns.
TEST(QuotedForms, AnotherLogsRecordClosesNoValue) {
  const std::string one = "[pod/ks-0/ks] ";
  const std::string other = "[pod/ks-1/ks] ";
  const std::string bytes = one + kHead + "\"x\" err=<\n" + other + kHead + "\"z\"\n" + one + "\ty\\n" +
                            kForged + '\n' + one + " > pod=\"c/d\"\n";
  EXPECT_EQ(test::records_in(bytes), kRight);
}

TEST(QuotedForms, AValueHasNoObjectsOfAnExport) {
  for (const std::string& before : kPrefixes)
    for (const char* const object :
         {R"({"ts":1764151209000.0,"caller":"a.go:1","msg":"Successfully bound pod to node","node":"n"})",
          R"({"caller":"a.go:1","msg":"Successfully bound pod to node","v":2,"node":"n"})",
          R"({"kind":"Event","involvedObject":{"kind":"Pod","namespace":"a","name":"b"},)"
          R"("reason":"Scheduled","message":"Successfully assigned a/b to n"})"})
      EXPECT_EQ(test::records_in(log_with(before, before, {object})), kRight) << before << object;
}

// Of a log that a terminal has shown, with blanks for tabs.
TEST(QuotedForms, AValueHasNoRowsOfATable) {
  const std::string bytes =
      kHead +
      "\"x\" err=<\n        y\n        *************************** 1. row ***************************\n" +
      "        message: " + kForged + "\n > pod=\"c/d\"\n" + kHead + "\"z\"\n";
  EXPECT_EQ(test::records_in(bytes), kRight);
}

TEST(QuotedForms, ASignIsNoPartOfWhatOpensAValue) {
  const std::string first = kHead + "\"x\" a=<<\n\tb<\n";
  const std::string second = kHead + "\"x\" err=<\n\ty\n\t" + kForged + "\n > pod=\"c/d\"\n";
  const Lines found = test::records_in(first + second);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.back(), kHead + "\"x\" err=<");
}

}  // namespace
}  // namespace flowtap::cli
