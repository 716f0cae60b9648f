// Whoever writes into a log must not keep its reader busy: a line takes a time that its length tells, whatever it says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <string>
#include <vector>

#include "tests/unit/flowtap/forms/records_in.hpp"

namespace flowtap::cli {
namespace {

/// A line that says the same again and again.
struct Line {
  std::string begins;
  std::string first;   // half of the line
  std::string second;  // the other half

  [[nodiscard]] std::string of(std::size_t size) const {
    std::string out = begins;
    for (const std::string& part : {first, second})
      for (const std::size_t end = out.size() + size / 2; out.size() < end;) out += part;
    return out + '\n';
  }
};

// Others that run beside the test take none of it.
double seconds_for(const std::string& bytes) {
  const auto now = [] {
    std::timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  };
  const double begin = now();
  (void)test::records_in(bytes);
  return now() - begin;
}

TEST(HostileLines, TakeATimeThatTheirLengthTells) {
  const std::string head = "I1126 10:00:00.103412       1 a.go:9] ";
  const std::string opened = head + R"("x" pod="a/b" err=")";
  const std::string in_csv = "a,\"" + head + R"(""x"" pod=""a/b"" err="")";
  const std::vector<Line> lines = {
      {R"({"log":")" + head + R"(\"x\" err=<\n\t)", R"("{"ts":1)", "]"},
      {"", R"({"a":)", R"({"ts":1})"},
      {head + '"', R"("")", R"({"log":")" + head + '\f'},
      {in_csv, R"({"log":")" + head + '{', R"({"log":")" + head + '{'},
      {in_csv, R"(","I)", '"' + head + R"({"a":)"},
      {opened, "\r\t", "\r\t"},
      {head + "\"x\" err=<\r\t", "\r\t", "\"\r\t"},
      {opened, "\\", "\""},
      {"", "{[", "{["},
      {"", ",\"", ",\""},
  };
  constexpr std::size_t kSize = std::size_t{64} << 10U;
  for (const Line& line : lines) {
    const double one = std::min(seconds_for(line.of(kSize)), seconds_for(line.of(kSize)));
    EXPECT_LT(seconds_for(line.of(4 * kSize)), 8 * one + 0.1) << line.begins << line.first << line.second;
  }
}

}  // namespace
}  // namespace flowtap::cli
