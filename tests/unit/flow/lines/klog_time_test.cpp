#include "flow/lines/klog_time.hpp"

#include <gtest/gtest.h>

#include <string>

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
  EXPECT_EQ(json("0"), 0U);
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

}  // namespace
}  // namespace flowtap::flow
