#include "base/lru.hpp"

#include <gtest/gtest.h>

#include <string>

namespace flowtap {
namespace {

TEST(Lru, ForgetsWhatWasAskedForLeastRecently) {
  Lru<int> lru(2);
  lru.put("a", 1);
  lru.put("b", 2);
  ASSERT_NE(lru.get("a"), nullptr);
  lru.put("c", 3);
  EXPECT_EQ(lru.get("b"), nullptr);
  EXPECT_EQ(*lru.get("a"), 1);
  EXPECT_EQ(*lru.get("c"), 3);
  EXPECT_EQ(lru.size(), 2U);
}

TEST(Lru, AnotherValueForAKeyTakesItsPlace) {
  Lru<int> lru(2);
  lru.put("a", 1);
  lru.put("b", 2);
  lru.put("a", 3);
  EXPECT_EQ(lru.size(), 2U);
  lru.put("c", 4);
  EXPECT_EQ(*lru.get("a"), 3) << "and is recent";
  EXPECT_EQ(lru.get("b"), nullptr);
}

TEST(Lru, GivesUpItsOldest) {
  Lru<int> lru(3);
  lru.put("a", 1);
  lru.put("b", 2);
  *lru.get("a") = 7;
  std::string seen;
  lru.each([&](const std::string& key, int value) { seen += key + std::to_string(value); });
  EXPECT_EQ(seen, "a7b2");
  EXPECT_EQ(lru.drop_oldest(), 2);
  EXPECT_EQ(lru.get("b"), nullptr);
  EXPECT_EQ(lru.drop_oldest(), 7);
  EXPECT_EQ(lru.drop_oldest(), std::nullopt);
}

TEST(Lru, OfNoSizeKeepsNothing) {
  Lru<int> lru(0);
  lru.put("a", 1);
  EXPECT_EQ(lru.get("a"), nullptr);
}

}  // namespace
}  // namespace flowtap
