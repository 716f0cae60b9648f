// Durations as kubectl, docker, podman, journalctl and people write them.
#include "base/time/duration.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace flowtap {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsEachForm) {
  const std::array<std::pair<const char*, std::chrono::nanoseconds>, 37> forms = {{
      {"500ms", 500ms},
      {"2s", 2s},
      {"5m", 5min},
      {"1h", 1h},
      {"0s", 0s},
      {"0", 0s},
      {"0h0m0s", 0s},
      {"90m", 90min},
      {"1d", 24h},
      {"2w", 336h},
      {"1h30m", 90min},
      {"1h30m10s", 5410s},
      {"1d12h", 36h},
      {"1m1h", 61min},
      {"1.5h", 90min},
      {".5h", 30min},
      {"1.25s", 1250ms},
      {"0.1s", 100ms},
      {"2.5m", 150s},
      {"1.000000001s", 1'000'000'001ns},
      {"1.0000000009s", 1s},
      {"3us", 3us},
      {"3µs", 3us},
      {"3μs", 3us},
      {"7ns", 7ns},
      {"5min", 5min},
      {"5 min", 5min},
      {"2 hours", 2h},
      {"1 hour", 1h},
      {"1 hour 30 minutes", 90min},
      {"1h 30min", 90min},
      {"3 days", 72h},
      {"1week", 168h},
      {"10sec", 10s},
      {"2hr", 2h},
      {"1 year", 8766h},
      {"1 month", 43'830min},
  }};
  for (const auto& [text, duration] : forms) EXPECT_EQ(parse_duration(text), duration) << text;
}

TEST(Duration, RefusesEverythingElse) {
  for (const char* text : {"",
                           "1",
                           "s",
                           ".",
                           ".s",
                           "1.",
                           "1.s",
                           "-1s",
                           "+1s",
                           "1S",
                           "1H",
                           "1M",
                           "1s ",
                           " 1s",
                           "1h30",
                           "1hs",
                           "1 h x",
                           "1,5h",
                           "0x1s",
                           "1e3s",
                           "s1",
                           "1..5s",
                           "now",
                           "99999999999999999999s",
                           "9223372036854775807h",
                           "200 years 200 years",
                           "9223372036854775807ns1ns"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Duration, WritesWhatItReads) {
  for (const auto d : {0ms, 1ms, 999ms, 1000ms, 1500ms, 60'000ms, 90'000ms, 3'600'000ms, 5'400'000ms})
    EXPECT_EQ(parse_duration(format_duration(d)), d) << format_duration(d);
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(2h), "2h");
}

}  // namespace
}  // namespace flowtap
