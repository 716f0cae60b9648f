#include "explain/diagnosis/reasons.hpp"

#include <gtest/gtest.h>

namespace flowtap::diagnosis {
namespace {

TEST(Reasons, AreSortedAsStrings) {
  EXPECT_EQ(sorted_reason("3/8 CardInsufficientMemory, 2/8 NumaNotFit, 1/8 CardInsufficientCore"),
            "1/8 CardInsufficientCore, 2/8 NumaNotFit, 3/8 CardInsufficientMemory");
  EXPECT_EQ(sorted_reason("9/16 B, 10/16 A"), "10/16 A, 9/16 B") << "as HAMi sorts them";
  EXPECT_EQ(sorted_reason("8/8 CardTypeMismatch"), "8/8 CardTypeMismatch");
}

TEST(Reasons, OtherTextIsLeftAsItIs) {
  for (const char* text :
       {"", "NodeInsufficientDevice", "Device type not found", "2/8 B, and 1/8 A", "2/8 two words, 1/8 A",
        "/8 B, 1/8 A", "2/ B, 1/8 A", "2/8 , 1/8 A", "2/8 B,1/8 A", "2/8 B, "})
    EXPECT_EQ(sorted_reason(text), text);
}

TEST(Reasons, TheNodeBeforeThemIsTakenAway) {
  EXPECT_EQ(sorted_reason("node:n1 resaon:2/8 B, 1/8 A"), "1/8 A, 2/8 B");
  EXPECT_EQ(sorted_reason("node:n1 reason:x"), "node:n1 reason:x");
}

TEST(Reasons, CountsBeforeThemAreTakenAway) {
  EXPECT_EQ(without_counts("2/8 B"), "B");
  EXPECT_EQ(without_counts("12 Too many pods"), "Too many pods");
  EXPECT_EQ(without_counts("1 2/8 B"), "B") << "of nodes, and of each one's cards";
  for (const char* text : {"", "B", "2", "2/8", "2/ B", "/8 B", "2/8B", "2x B", "B 2/8"})
    EXPECT_EQ(without_counts(text), text);
}

TEST(Reasons, OfAListAreOneAfterTheOther) {
  const auto parts = [](std::string_view list) {
    std::string out;
    each_reason(list, [&](std::string_view part) { out.append(1, '[').append(part).append(1, ']'); });
    return out;
  };
  EXPECT_EQ(parts("2/8 B, 1/8 A"), "[2/8 B][1/8 A]");
  EXPECT_EQ(parts("A,B, "), "[A,B]");
  EXPECT_EQ(parts(", A"), "[][A]");
  EXPECT_EQ(parts(""), "");
}

TEST(Reasons, AreCountedPerCard) {
  EXPECT_EQ(counted_reasons({"CardTypeMismatch", "CardInsufficientCore", "CardTypeMismatch"}, 8),
            "1/8 CardInsufficientCore, 2/8 CardTypeMismatch");
  EXPECT_EQ(counted_reasons({"B", "A", "B"}, 0), "A, B");
  EXPECT_EQ(counted_reasons({}, 8), "");
}

TEST(Reasons, OfEventsAreAListWithoutCounts) {
  EXPECT_EQ(with_reason("", "B"), "B");
  EXPECT_EQ(with_reason("B", "A"), "A, B");
  EXPECT_EQ(with_reason("A, C", "B"), "A, B, C");
  EXPECT_EQ(with_reason("A, B", "B"), "A, B");
}

}  // namespace
}  // namespace flowtap::diagnosis
