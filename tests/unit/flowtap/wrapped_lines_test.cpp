// Lines that a terminal, a page or a mail has broken become what they were, and no other line changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/golden.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/unit/flowtap/text_lines.hpp"
#include "tools/flowtap/saved/unwrap/wrapped/wrapped_lines.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kPod = "[pod/kube-scheduler-cp1/kube-scheduler] ";

Lines joined(const Lines& lines) {
  Lines out;
  WrappedLines wrapped;
  const auto take = [&out](std::string_view line, bool full, std::uint64_t time) {
    EXPECT_TRUE(full);
    EXPECT_EQ(time, 7U);
    out.emplace_back(line);
  };
  for (const std::string& line : lines) wrapped.add(line, true, 7, take);
  wrapped.finish(take);
  return out;
}

// The records that stand in one line each and have pairs; a terminal breaks others, too, but nothing tells where these end.
Lines structured(const std::string& log) {
  Lines out = lines_of(test::golden(log));
  std::erase_if(out, [](const std::string& line) {
    const bool text = line.size() > 5 && line[1] == '1' && line.contains(R"(] ")") && line.ends_with('"');
    return !text && !(line.starts_with(R"({"ts":)") && line.ends_with('}'));
  });
  return out;
}

Lines broken_at(const Lines& lines, std::size_t width) {
  Lines out;
  for (const std::string& line : lines)
    for (std::size_t at = 0; at < line.size(); at += width) out.push_back(line.substr(at, width));
  return out;
}

Lines without_blanks_at_ends(Lines lines) {
  for (std::string& line : lines) line.resize(line.find_last_not_of(' ') + 1);
  return lines;
}

// No word is divided, however long it is.
Lines broken_at_blanks(const Lines& lines, std::size_t width, const std::string& indent = {}) {
  Lines out;
  for (std::string rest : lines) {
    std::string before;
    while (rest.size() > width) {
      std::size_t end = rest.rfind(' ', width);
      if (end == std::string::npos || end < 40)
        end = rest.find(' ', width);  // a header has blanks of its own
      if (end == std::string::npos) break;
      out.push_back(before + rest.substr(0, end));
      rest.erase(0, end + 1);
      before = indent;
    }
    out.push_back(before + rest);
  }
  return out;
}

Lines behind(const std::string& before, Lines lines) {
  for (std::string& line : lines) line.insert(0, before);
  return lines;
}

// The first line that differs says more than all of them.
void expect_lines(const Lines& got, const Lines& right, const std::string& of) {
  const auto [one, other] = std::ranges::mismatch(got, right);
  if (one == got.end() && other == right.end()) return;
  ADD_FAILURE() << of << ":\n"
                << (one == got.end() ? "nothing" : *one) << "\ninstead of\n"
                << (other == right.end() ? "nothing" : *other);
}

TEST(WrappedLines, AreWholeAgainWhereATerminalHasBrokenThem) {
  for (const char* const log : {"found/why/formats/base.log", "found/why/h1-metax/in.log",
                                "found/forms/json.log", "scheduler/kube-scheduler-v2.log"}) {
    const Lines lines = structured(log);
    ASSERT_GT(lines.size(), 1U) << log;
    for (const std::size_t width : {50UL, 64UL, 80UL, 97UL, 120UL, 131UL, 133UL, 200UL, 251UL}) {
      const std::string of = fmt::format("{} at {}", log, width);
      const Lines broken = broken_at(lines, width);
      expect_lines(joined(broken), lines, of);
      // Two parts that long do not show that blanks are lost.
      if (width < 150) expect_lines(joined(without_blanks_at_ends(broken)), lines, of + ", without blanks");
      for (const std::string& before : {std::string(kPod), std::string("| ")}) {
        const Lines prefixed = behind(before, lines);
        expect_lines(joined(broken_at(prefixed, width + before.size())), prefixed,
                     fmt::format("{}, behind {}", of, before));
      }
    }
  }
}

TEST(WrappedLines, AreWholeAgainWhereWordsWereKept) {
  const Lines lines = structured("found/why/formats/base.log");
  for (const std::size_t width : {60UL, 74UL, 80UL, 100UL, 133UL}) {
    EXPECT_EQ(joined(broken_at_blanks(lines, width)), lines) << width;
    EXPECT_EQ(joined(broken_at_blanks(lines, width, "  ")), lines) << width << ", indented";
    const Lines mail = broken_at_blanks(lines, width);
    EXPECT_EQ(joined(behind("> ", mail)), behind("> ", lines)) << width << ", in a mail";
  }
}

// Editors set them under each other.
TEST(WrappedLines, MayHaveOnlyTheFirstOneNumbered) {
  const Lines lines = structured("found/why/formats/base.log");
  for (const std::string& sign : {std::string(" "), std::string(" | ")}) {
    Lines parts;
    Lines right;
    for (const std::string& line : lines) {
      const std::string number = fmt::format("{:4}", right.size() + 9);
      right.push_back(fmt::format("{}{}{}", number, sign, line));
      std::string before = number;
      for (const std::string& part : broken_at({line}, 96)) {
        parts.push_back(fmt::format("{}{}{}", before, sign, part));
        before = "    ";
      }
    }
    expect_lines(joined(parts), right, "numbered" + sign);
  }
}

// A part may begin with a number, too.
TEST(WrappedLines, MayBeginLikeTheNumberBeforeThem) {
  const Lines lines = structured("found/why/formats/base.log");
  for (const char* const before : {"7:", "42:", "     9\t", "131:"})
    for (std::size_t width = 60; width < 140; ++width) {
      const Lines prefixed = behind(before, lines);
      expect_lines(joined(broken_at(prefixed, width)), prefixed, fmt::format("{} at {}", before, width));
    }
}

TEST(WrappedLines, OfAPodsNameAreOneWord) {
  const std::string head =
      R"(I1126 10:00:00.100001       1 schedule_one.go:97] "Attempting to schedule pod" pod="shop/)";
  EXPECT_EQ(joined({head + "web-", R"(7f9c-abcde")", R"(  "x")", head + "a-",
                    R"(much-longer-name-than-the-other")"}),
            (Lines{head + R"(web-7f9c-abcde")", R"(  "x")", head + R"(a-much-longer-name-than-the-other")"}));
}

TEST(WrappedLines, InJsonAreOneString) {
  const std::string line =
      R"({"log":"I1126 10:00:00.100001       1 a.go:9] \"x y\" pod=\"shop/web-7f9c\"\n","stream":"stderr"})";
  EXPECT_EQ(joined(broken_at({line, line}, 80)), (Lines{line, line}));
}

// YAML marks where it breaks a string in quotes.
TEST(WrappedLines, OfYamlLoseItsMarks) {
  const std::string head = R"(- msg: "I1126 10:00:00.100001       1 a.go:9] \"no fit)";
  EXPECT_EQ(joined({head + "\\", R"(    \ here\" pod=\"shop/web\"")"}),
            Lines{head + R"( here\" pod=\"shop/web\"")"});
}

TEST(WrappedLines, OfAnEventEndWithItsSentence) {
  const std::string row =
      "  Warning  FailedScheduling  48s  default-scheduler  0/3 nodes are available: 3 Insufficient cpu.";
  const std::string other = "  Normal   Pulled            48s  kubelet            Already there.";
  EXPECT_EQ(joined({row.substr(0, 80), row.substr(80), other}), (Lines{row, other}));
  EXPECT_EQ(joined({row.substr(0, 80), other}), (Lines{row.substr(0, 80), other}));
}

// A copy that begins or ends within a record.
TEST(WrappedLines, ThatAreNotAllThereAreJoinedAsFarAsTheyGo) {
  const Lines lines = structured("found/why/formats/base.log");
  Lines parts = broken_at(lines, 80);
  parts.pop_back();
  parts.emplace_back("$ logout");
  std::string last = lines.back();
  last.resize(last.size() - last.size() % 80);
  Lines right(lines.begin(), lines.end() - 1);
  right.push_back(last + "$ logout");
  EXPECT_EQ(joined(parts), right);
  parts.insert(parts.begin(), "cut off\"");
  right.insert(right.begin(), "cut off\"");
  EXPECT_EQ(joined(parts), right);
}

// A line that was cut by whoever kept it is not closed by what comes next.
TEST(WrappedLines, AreNotMadeOfOtherLines) {
  const std::string cut =
      R"(I1126 10:00:00.103412       1 a.go:9] "no fit" pod="shop/web" err="0/3 nodes are ava)";
  const std::string whole = R"(I1126 10:00:00.103412       1 a.go:9] "no fit" pod="shop/web")";
  for (const Lines& lines :
       {Lines{cut, "goroutine 1 [running]:", "main.main()"}, Lines{cut, "", "ilable\""},
        Lines{cut, whole, "ilable\""}, Lines{cut, "\tilable\""}, Lines{whole, "PATH=/usr/bin", "x=\"y"},
        Lines{whole, "and \"so\" on"}, Lines{std::string(kPod) + cut, std::string(kPod) + "ilable\""},
        Lines{"ilable\"", cut}})
    EXPECT_EQ(joined(lines), lines) << fmt::format("{}", fmt::join(lines, "|"));
}

TEST(WrappedLines, OfLogsThatNobodyHasBrokenAreAsTheyWere) {
  int logs = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(paths::golden())) {
    if (file.path().extension() != ".log") continue;
    ++logs;
    const Lines lines =
        lines_of(test::golden(std::filesystem::relative(file.path(), paths::golden()).string()));
    EXPECT_EQ(joined(lines), lines) << file.path();
  }
  EXPECT_GT(logs, 40);
}

}  // namespace
}  // namespace flowtap::cli
