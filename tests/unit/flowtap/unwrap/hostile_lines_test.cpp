// Whoever writes into a log must not keep its reader busy: a line takes a time that its length tells, whatever it says.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

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

const std::string kHead = "I1126 10:00:00.103412       1 a.go:9] ";
const std::string kOpened = kHead + R"("x" pod="a/b" err=")";
const std::string kInCsv = "a,\"" + kHead + R"(""x"" pod=""a/b"" err="")";

class HostileLine : public testing::TestWithParam<Line> {};

// If the time grew with the square of the length, this would take until the test's time limit.
TEST_P(HostileLine, TakesATimeThatItsLengthTells) {
  const std::string bytes = GetParam().of(std::size_t{2} << 20U);
  EXPECT_LE(test::records_in(bytes).size(), bytes.size());
}

INSTANTIATE_TEST_SUITE_P(
    Unwrapping, HostileLine,
    testing::Values(Line{R"({"log":")" + kHead + R"(\"x\" err=<\n\t)", R"("{"ts":1)", "]"},
                    Line{"", R"({"a":)", R"({"ts":1})"},
                    Line{kHead + '"', R"("")", R"({"log":")" + kHead + '\f'},
                    Line{kInCsv, R"({"log":")" + kHead + '{', R"({"log":")" + kHead + '{'},
                    Line{kInCsv, R"(","I)", '"' + kHead + R"({"a":)"}, Line{kOpened, "\r\t", "\r\t"},
                    Line{kHead + "\"x\" err=<\r\t", "\r\t", "\"\r\t"}, Line{kOpened, "\\", "\""},
                    Line{"", "{[", "{["}, Line{"", ",\"", ",\""}),
    [](const auto& tested) { return "line" + std::to_string(tested.index); });

}  // namespace
}  // namespace flowtap::cli
