// Durations and the "did you mean" of the configuration.
#include "daemon/config/duration.hpp"

#include <gtest/gtest.h>

#include <array>

#include "daemon/config/nearest.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsWholeNumbersWithAUnit) {
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("2s"), 2s);
  EXPECT_EQ(parse_duration("5m"), 5min);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(parse_duration("0s"), 0s);
}

TEST(Duration, RefusesEverythingElse) {
  for (const char* text : {"", "1", "s", "1 s", "1.5s", "-1s", "+1s", "1S", "1sec", "1s ", " 1s", "0x1s",
                           "99999999999999999999s", "9223372036854775807h"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Duration, WritesWhatItReads) {
  for (const auto d : {0ms, 1ms, 999ms, 1000ms, 1500ms, 60'000ms, 90'000ms, 3'600'000ms, 5'400'000ms})
    EXPECT_EQ(parse_duration(format_duration(d)), d) << format_duration(d);
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(2h), "2h");
}

TEST(Nearest, FindsWhatWasMeant) {
  constexpr std::array<std::string_view, 3> kKnown = {"cycle", "log_level", "host_root"};
  EXPECT_EQ(nearest("cycel", kKnown), "cycle");
  EXPECT_EQ(nearest("Log-Level", kKnown), "log_level");
  EXPECT_EQ(nearest("hostroot", kKnown), "host_root");
  EXPECT_EQ(nearest("state", kKnown), "");
  EXPECT_EQ(nearest("", kKnown), "");
  EXPECT_EQ(nearest(std::string(100'000, 'c'), kKnown), "");
}

}  // namespace
}  // namespace flowtap
