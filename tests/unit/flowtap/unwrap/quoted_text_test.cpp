// Records that somebody quotes amid other words are cut out of these.
#include "tools/flowtap/saved/quoted/quoted_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace flowtap::cli {
namespace {

using Lines = std::vector<std::string>;

const std::string kVerdict =
    R"(I1126 10:00:00.103412       1 schedule_one.go:1129] "Unable to schedule pod; no fit; waiting" pod="a/b" )"
    R"(err="0/3 nodes are available: 1 node(s) didn't match \"x\", 2 Insufficient cpu.")";
const std::string kBind =
    R"(I1126 10:00:09.103412       1 schedule_one.go:314] "Successfully bound pod to node" pod="a/c" node="n1")";

Lines lines_in(const std::string& text) {
  QuotedText quoted;
  Lines out;
  const QuotedText::Take take = [&out](std::string_view line) { out.emplace_back(line); };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) quoted.add(line, take);
  quoted.finish(take);
  return out;
}

// A page may lose blanks at its edge.
Lines without_many_blanks(Lines lines) {
  for (std::string& line : lines)
    for (std::size_t at = 0; (at = line.find("  ", at)) != std::string::npos;) line.erase(at, 1);
  return lines;
}

// As `fold -w` does.
std::string folded(std::string text, std::size_t width) {
  for (std::size_t at = width; at < text.size(); at += width + 1) text.insert(at, 1, '\n');
  return text;
}

// As `fold -s` does, or as a mail that loses the blanks.
std::string folded_at_words(const std::string& text, std::size_t width, bool keeps_blanks) {
  std::string out;
  std::string line;
  for (const char c : text) {
    line += c;
    if (line.size() < width) continue;
    const std::size_t blank = line.rfind(' ');
    out.append(line, 0, keeps_blanks ? blank + 1 : blank).append(1, '\n');
    line.erase(0, blank + 1);
  }
  return out + line;
}

std::string replied(const std::string& text) {
  std::string out = "> ";
  for (const char c : text) out += c == '\n' ? std::string("\n> ") : std::string(1, c);
  return out;
}

const std::vector<std::pair<std::string, std::string>> kMarks = {{"`", "`"},
                                                                 {"(", ")"},
                                                                 {"[", "]"},
                                                                 {"'", "'"},
                                                                 {"\xe2\x80\x9c", "\xe2\x80\x9d"},
                                                                 {"\xc2\xab", "\xc2\xbb"}};

std::string said_in(const std::pair<std::string, std::string>& marks) {
  return fmt::format("the scheduler says {0}{2}{1} again and again, also {0}{3}{1}, and then nothing",
                     marks.first, marks.second, kVerdict, kBind);
}

TEST(QuotedText, RecordsEndWhereTheQuotationDoes) {
  for (const auto& marks : kMarks)
    EXPECT_EQ(lines_in(said_in(marks)), (Lines{kVerdict, kBind})) << marks.first;
}

TEST(QuotedText, APageMayHaveBrokenItsLines) {
  const Lines right = without_many_blanks({kVerdict, kBind});
  for (const auto& marks : kMarks)
    for (const std::size_t width : {60U, 72U, 80U, 100U, 132U}) {
      SCOPED_TRACE(fmt::format("{}{}", marks.first, width));
      const std::string text = said_in(marks);
      const std::string mail = folded_at_words(text, width, false);
      for (const std::string& broken : {folded_at_words(text, width, true), mail, replied(mail)})
        EXPECT_EQ(without_many_blanks(lines_in(broken)), right);
      if (marks.first.size() > 1) continue;  // a terminal counts characters
      EXPECT_EQ(lines_in(folded(text, width)), (Lines{kVerdict, kBind}));
    }
}

TEST(QuotedText, RecordsEndBeforeTheNextOneAndAtTheLinesEnd) {
  EXPECT_EQ(lines_in("we saw " + kVerdict + "\nand then " + kBind + "\nwhy?\n"), (Lines{kVerdict, kBind}));
  EXPECT_EQ(lines_in("we saw " + kVerdict.substr(0, kVerdict.size() - 20) + "... and " + kBind),
            (Lines{kVerdict.substr(0, kVerdict.size() - 20) + "... and ", kBind}))
      << "somebody has left out the end of a value";
}

TEST(QuotedText, ObjectsOfKlogsAreRecords) {
  const std::string object =
      R"({"ts":1795687200103.4,"caller":"a.go:1","msg":"no \"{fit\"","v":2,"pod":{"name":"b"}})";
  EXPECT_EQ(lines_in("we saw `" + object + "` and " + object + ", why?"), (Lines{object, object}));
  EXPECT_EQ(lines_in(folded("we saw `" + object + "`, why?", 40)), Lines{object});
}

TEST(QuotedText, OtherLinesStayAsTheyAre) {
  const std::string mail = "Hello,\n\nthe pods are pending:\n  web-0\n";
  EXPECT_EQ(lines_in(mail), (Lines{"Hello,", "", "the pods are pending:", "  web-0"}));
  const std::string object = R"({"msg":"saw: I1126 10:00:00.103412       1 a.go:1] x"})";
  EXPECT_EQ(lines_in("we saw\n" + object + "\n"), (Lines{"we saw", object}));
  const std::string escaped = R"(msg="saw: I1126 10:00:00.103412       1 a.go:1] \"x\"")";
  EXPECT_EQ(lines_in(escaped), Lines{escaped});
}

}  // namespace
}  // namespace flowtap::cli
