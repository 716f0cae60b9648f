// A line that is too long to be read at once loses no record where it is divided.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tools/flowtap/saved/unwrap/pieces.hpp"
#include "tools/flowtap/saved/unwrap/saved_lines.hpp"

namespace flowtap::cli {
namespace {

std::string record(std::size_t number) {
  return fmt::format(
      R"(I1126 10:00:00.{:06}       1 a.go:9] \"record\" number={} err=\"C:\\new\" list=\"a\",\"b\")",
      number % 1'000'000, number);
}

// Each record that is whole, as often as it comes.
std::size_t whole_records_in(const std::string& bytes) {
  std::size_t out = 0;
  SavedLines lines([&out](const SavedLine& line) {
    std::string_view rest = line.text;
    while (!rest.empty()) {
      const std::string_view one = rest.substr(0, rest.find('\n'));
      out += one.starts_with("I1126 ") && one.ends_with(R"(err="C:\new" list="a","b")") ? 1 : 0;
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    }
  });
  constexpr std::size_t kRead = std::size_t{64} << 10U;
  for (std::size_t at = 0; at < bytes.size(); at += kRead)
    lines.add(std::string_view(bytes).substr(at, kRead), 0);
  lines.finish();
  return out;
}

TEST(LongLines, AStringThatIsAWholeLogIsDividedBetweenItsLines) {
  constexpr std::size_t kRecords = 200'000;
  for (const std::string& prefix : {std::string(), std::string("2026-11-26T10:00:00Z stderr F ")}) {
    std::string bytes = R"({"stdout":")";
    for (std::size_t i = 0; i < kRecords; ++i) bytes.append(prefix).append(record(i)).append(R"(\n)");
    bytes += "\"}\n";
    ASSERT_GT(bytes.size(), 2 * kLongestWhole);
    EXPECT_EQ(whole_records_in(bytes), kRecords) << prefix;
  }
}

TEST(DividingPlace, StandsBehindAStringOrItsLastLine) {
  const auto rest = [](std::string_view line) { return line.substr(dividing_place(line)); };
  EXPECT_EQ(rest(R"([{"a":"some text"},{"b":"other)"), R"(,{"b":"other)");
  EXPECT_EQ(rest(R"("a text of some lines\nand one\nmore)"), "more");
  EXPECT_EQ(rest(R"("a text of some lines\nand C:\\new)"), "and C:\\\\new") << "a backslash of the text";
  EXPECT_EQ(rest("no string at all"), "");
}

}  // namespace
}  // namespace flowtap::cli
