#include "stream/lines/klog/klog_time.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/rfc3339.hpp"

namespace flowtap::flow {
namespace {

KlogTime text(const std::string& stamp) {
  const std::string line = "I" + stamp + "       1 a.go:1] x";
  const auto record = parse_klog_record(line);
  return record ? klog_time(*record) : std::nullopt;
}

KlogTime json(const std::string& stamp) {
  const std::string line = R"({"ts":)" + stamp + R"(,"msg":"x","v":0})";
  const auto record = parse_klog_record(line);
  return record ? klog_time(*record) : std::nullopt;
}

TEST(KlogTime, TextAndJsonAreOneTime) {
  EXPECT_EQ(text("0101 00:00:00.000000"), 0U);
  EXPECT_EQ(text("0102 00:00:01.000002"), 86'401'000'002U);
  EXPECT_EQ(json("1795224038348.3086"), text("1121 01:20:38.348308"));
  EXPECT_FALSE(json("0")) << "a ts of 0 stands where no time is known";
  EXPECT_EQ(text("1231 23:59:59.999999"), 366ULL * 86'400'000'000U - 1);
}

TEST(KlogTime, TheYearsEndIsNoEnd) {
  EXPECT_TRUE(is_earlier(text("0821 07:20:00.000001"), text("0821 07:20:00.000002")));
  EXPECT_FALSE(is_earlier(text("0821 07:20:00.000002"), text("0821 07:20:00.000001")));
  EXPECT_FALSE(is_earlier(text("0821 07:20:00.000001"), text("0821 07:20:00.000001")));
  EXPECT_TRUE(is_earlier(text("1231 23:59:59.999999"), text("0101 00:00:00.000001")));
  EXPECT_FALSE(is_earlier(text("0101 00:00:00.000001"), text("1231 23:59:59.999999")));
  EXPECT_TRUE(is_earlier(text("0228 23:00:00.000000"), text("0301 01:00:00.000000")));
}

TEST(KlogTime, WhatIsNoTimeIsBeforeAndAfterNothing) {
  for (const char* stamp : {"1e300", "-1", "1e15"}) EXPECT_FALSE(json(stamp)) << stamp;
  for (const char* stamp : {"0001 00:00:00.000000", "1301 00:00:00.000000", "0132 00:00:00.000000"})
    EXPECT_FALSE(text(stamp)) << stamp;
  EXPECT_FALSE(is_earlier(std::nullopt, text("0821 07:20:00.000001")));
  EXPECT_FALSE(is_earlier(text("0821 07:20:00.000001"), std::nullopt));
}

// The time of a line that was kept at `kept`.
std::string instant(const std::string& line, const char* kept) {
  const auto time = parse_rfc3339(kept);
  const auto record = parse_klog_record(line);
  const auto ns =
      time ? static_cast<std::uint64_t>(std::chrono::nanoseconds(time->time_since_epoch()).count()) : 0;
  const auto found = record ? klog_instant(*record, ns) : std::nullopt;
  return found ? rfc3339_nano(*found) : "none";
}

TEST(KlogInstant, JsonSaysIt) {
  const std::string line = R"({"ts":1795224038348.3086,"msg":"x","v":0})";
  EXPECT_EQ(instant(line, ""), "2026-11-21T01:20:38.348308000Z");
  EXPECT_EQ(instant(line, "2020-01-01T00:00:00Z"), "2026-11-21T01:20:38.348308000Z");
  EXPECT_EQ(instant(R"({"ts":1e13,"msg":"x","v":0})", ""), "none") << "the clock ends before";
}

TEST(KlogInstant, OfTextTheYearIsThatInWhichItsLineWasKept) {
  const std::string line = "I0821 07:20:00.000001       1 a.go:1] x";
  EXPECT_EQ(instant(line, "2026-08-21T07:20:00.5Z"), "2026-08-21T07:20:00.000001000Z");
  EXPECT_EQ(instant(line, "2024-08-21T07:30:00Z"), "2024-08-21T07:20:00.000001000Z");
  EXPECT_EQ(instant(line, "2024-08-21T07:19:59Z"), "2024-08-21T07:20:00.000001000Z") << "clocks differ";
  EXPECT_EQ(instant("I1231 23:59:59.900000       1 a.go:1] x", "2027-01-01T00:00:00.1Z"),
            "2026-12-31T23:59:59.900000000Z");
}

TEST(KlogInstant, WhatDoesNotAgreeIsNotTold) {
  const std::string line = "I0821 07:20:00.000001       1 a.go:1] x";
  EXPECT_EQ(instant(line, ""), "none");
  EXPECT_EQ(instant(line, "2026-08-21T05:20:00.5Z"), "none") << "another zone";
  EXPECT_EQ(instant(line, "2026-11-21T07:20:00.5Z"), "none");
  EXPECT_EQ(instant("I0001 00:00:00.000000       1 a.go:1] x", "2026-01-01T00:00:00Z"), "none");
}

}  // namespace
}  // namespace flowtap::flow
