// A scheduler's message beside a time is a record without its header.
#include "tools/flowtap/saved/quoted/headerless_message.hpp"

#include <gtest/gtest.h>

#include <string>

namespace flowtap::cli {
namespace {

const std::string kMessage = R"("Attempting to schedule pod" pod="shop/web")";
const std::string kRecord = "I1126 10:00:00.100001       1 schedule_one.go:1] " + kMessage;
constexpr std::uint64_t kTime = 1'795'687'200'100'001'000;

TEST(HeaderlessMessage, IsARecordBesideATime) {
  const std::string doubled = R"("""Attempting to schedule pod"" pod=""shop/web""")";
  for (const std::string& line :
       {"2026-11-26T10:00:00.100001Z\t" + kMessage, "2026-11-26 10:00:00.100001 UTC " + kMessage,
        "1795687200100001000 " + kMessage, "x1," + doubled + ",1,2026-11-26T10:00:00.100001000Z",
        "2026-11-26T10:00:00.100001Z," + doubled, "INFO 2026-11-26T10:00:00.100001Z " + kMessage}) {
    const auto record = record_of_message(line);
    ASSERT_TRUE(record.has_value()) << line;
    EXPECT_EQ(record->text, kRecord) << line;
    EXPECT_EQ(record->time, kTime) << line;
  }
}

TEST(HeaderlessMessage, IsNoneWithoutATimeOrBehindOtherWords) {
  const std::string time = "2026-11-26T10:00:00.100001Z ";
  for (const std::string& line :
       {std::string(), kMessage, "the scheduler said: " + time + kMessage,
        time + "we have seen this: " + kMessage, time + R"("Starting the server" address="a")",
        time + R"(msg="x" pod="a/b")"})
    EXPECT_FALSE(record_of_message(line).has_value()) << line;
}

}  // namespace
}  // namespace flowtap::cli
