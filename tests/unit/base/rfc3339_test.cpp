#include "base/rfc3339.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace flowtap {
namespace {

using std::chrono::nanoseconds;
using std::chrono::system_clock;

TEST(Rfc3339, HasAlwaysNineDigits) {
  EXPECT_EQ(rfc3339_nano(system_clock::time_point()), "1970-01-01T00:00:00.000000000Z");
  EXPECT_EQ(rfc3339_nano(system_clock::time_point(nanoseconds(-1))), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(rfc3339_nano(system_clock::time_point(nanoseconds(1'709'164'800'000'000'000))),
            "2024-02-29T00:00:00.000000000Z");
}

TEST(Rfc3339, ReadsWhatItWrites) {
  for (const std::int64_t ns : {0L, 1L, -1L, 1'700'000'000'123'456'789L, 9'000'000'000'000'000'000L}) {
    const system_clock::time_point time{nanoseconds(ns)};
    EXPECT_EQ(parse_rfc3339(rfc3339_nano(time)), time) << ns;
  }
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:01.5Z"), system_clock::time_point(nanoseconds(1'500'000'000)));
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:01Z"), system_clock::time_point(nanoseconds(1'000'000'000)));
}

TEST(Rfc3339, ReadsEveryZone) {
  const auto utc = parse_rfc3339("2026-08-21T07:12:30.004211Z");
  ASSERT_TRUE(utc);
  EXPECT_EQ(parse_rfc3339("2026-08-21T09:12:30.004211+02:00"), utc);
  EXPECT_EQ(parse_rfc3339("2026-08-21T01:42:30.004211-05:30"), utc);
  EXPECT_EQ(parse_rfc3339("2026-08-21T07:12:30.004211000+00:00"), utc);
}

TEST(Rfc3339, RefusesEverythingElse) {
  for (const char* text :
       {"", "Z", "1970-01-01T00:00:00", "1970-01-01 00:00:00Z", "1970-13-01T00:00:00Z",
        "1970-02-30T00:00:00Z", "1970-01-01T24:00:00Z", "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00.0000000001Z", "1970-01-01T00:00:00.xZ", "0001-01-01T00:00:00Z",
        "9999-01-01T00:00:00Z", "-970-01-01T00:00:00Z", "1970-01-01T00:00:00+01:00Z",
        "1970-01-01T00:00:00+1:00", "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00+01:0x"})
    EXPECT_FALSE(parse_rfc3339(text)) << text;
}

}  // namespace
}  // namespace flowtap
