#include "identity/lru.hpp"

#include <gtest/gtest.h>

#include <string>

namespace flowtap::identity {
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

TEST(Lru, OfNoSizeKeepsNothing) {
  Lru<int> lru(0);
  lru.put("a", 1);
  EXPECT_EQ(lru.get("a"), nullptr);
}

}  // namespace
}  // namespace flowtap::identity
