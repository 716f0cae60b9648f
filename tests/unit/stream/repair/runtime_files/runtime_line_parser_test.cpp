// The three formats, as their runtimes write them.
#include "stream/repair/runtime_files/runtime_line_parser.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/stream/repair/runtime_files/runtime_kit.hpp"

namespace flowtap::flow {
namespace {

std::string output_of(const std::vector<Kept>& lines, std::string_view output) {
  std::string bytes;
  for (const Kept& line : lines)
    if (line.output == output) append_bytes(bytes, {line.time, line.output, line.full, line.text});
  return bytes;
}

std::size_t newlines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(RuntimeLineParser, ReadsWhatContainerdWrote) {
  const std::string file = golden_runtime_file("kubelet-main.log");
  const auto lines = lines_in(RuntimeFormat::kCri, file);
  ASSERT_EQ(lines.size(), newlines(file));
  EXPECT_EQ(lines.front(),
            (Kept{1'795'223'578'833'781'113, "stdout", true, "out line 0 Sat Nov 21 01:12:58 UTC 2026"}));
  EXPECT_EQ(lines.back(),
            (Kept{1'795'223'606'959'570'885, "stdout", true, "out line 28 Sat Nov 21 01:13:26 UTC 2026"}));
  std::string err;
  for (int i = 0; i <= 28; ++i) err += "err line " + std::to_string(i) + "\n";
  EXPECT_EQ(output_of(lines, "stderr"), err);
  EXPECT_EQ(output_of(lines_in(RuntimeFormat::kCri, golden_runtime_file("kubelet-side.log")), "stdout"),
            "no newline part1 part2\n");
}

TEST(RuntimeLineParser, JoinsThePartsOfALine) {
  const auto lines = lines_in(RuntimeFormat::kCri, golden_runtime_file("cri-partial-16k.log"));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].text.size(), kMaxLine);
  EXPECT_FALSE(lines[0].full);
  EXPECT_TRUE(lines[1].full);
  EXPECT_EQ(newlines(output_of(lines, "stderr")), 2U);
}

TEST(RuntimeLineParser, ReadsWhatConmonWrote) {
  const auto lines = lines_in(RuntimeFormat::kK8sFile, golden_runtime_file("k8s-file.log"));
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_EQ(lines[0], (Kept{1'795'295'258'813'374'878, "stdout", true, "one line"}));
  EXPECT_EQ(output_of(lines, "stdout"),
            "one line\nhalf a line\r\n\nno utf-8: \xff\xfe\n" + std::string(9000, 'z') + "\nthe end");
  EXPECT_EQ(output_of(lines, "stderr"), "to stderr\n");
}

TEST(RuntimeLineParser, ReadsWhatDockerWrites) {
  const auto lines = lines_in(RuntimeFormat::kJsonFile, golden_runtime_file("json-file.log"));
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines[0], (Kept{1'787'296'350'004'211'000, "stdout", true, "first line"}));
  EXPECT_EQ(output_of(lines, "stderr"), "with attributes <b> & \"quotes\" \t \x1b[0m\r\nthe end");
  EXPECT_EQ(output_of(lines, "stdout"),
            "first line\n\nno utf-8: \xEF\xBF\xBD\xEF\xBF\xBD, and some: żółw 🐢\n" +
                std::string(2 * kMaxLine, 'x') + "xyz\n");
  EXPECT_FALSE(lines.back().full);
}

TEST(RuntimeLineParser, EverythingElseIsNone) {
  const std::string deep(100'000, '[');
  for (const std::string& line :
       {std::string(), std::string("x"), std::string(1000, '\0'), std::string("{"), std::string("{}"),
        std::string("null"), std::string(R"(["log"])"), std::string("{\"log\":") + deep,
        std::string(R"({"log":"x\n","stream":"stdin","time":"2026-08-21T07:12:30Z"})"),
        std::string(R"({"log":"x\n","stream":"stdout","time":"yesterday"})"),
        std::string(R"({"log":"x\n","stream":"stdout","time":"1969-12-31T23:59:59Z"})"),
        std::string(R"({"log":7,"stream":"stdout","time":"2026-08-21T07:12:30Z"})"),
        std::string(R"({"log":"x\n","stream":"stdout"})"),
        std::string(R"({"log":"x\n","stream":"stdout","time":"2026-08-21T07:12:30Z")"),
        std::string(R"({"log":"x\n","stream":"stdout","time":"2026-08-21T07:12:30Z"} {)"),
        std::string("{\"log\":\"\xff\",\"stream\":\"stdout\",\"time\":\"2026-08-21T07:12:30Z\"}"),
        std::string("2026-08-21T07:12:30Z stdout X x")})
    for (const RuntimeFormat format :
         {RuntimeFormat::kCri, RuntimeFormat::kJsonFile, RuntimeFormat::kK8sFile})
      EXPECT_FALSE(RuntimeLineParser(format).parse(line)) << line.substr(0, 80);
}

TEST(RuntimeLineParser, ConmonKnowsOneTag) {
  EXPECT_TRUE(parse_k8s_file_line("2026-08-21T07:12:30.000000001+02:00 stdout F "));
  for (const std::string_view line : {"2026-08-21T07:12:30Z stdout F:tag x", "2026-08-21T07:12:30Z stdout F",
                                      "2026-08-21T07:12:30Z stdout P"}) {
    EXPECT_FALSE(parse_k8s_file_line(line)) << line;
    EXPECT_TRUE(RuntimeLineParser(RuntimeFormat::kCri).parse(line)) << line;
  }
}

}  // namespace
}  // namespace flowtap::flow
