// How often one sender may ask, and what counts as one sender.
#include "http/limits/rate_limit.hpp"

#include <gtest/gtest.h>

#include "http/limits/network_shares.hpp"

namespace flowtap::http {
namespace {

using namespace std::chrono_literals;

const RateLimit::Clock::time_point kStart = RateLimit::Clock::time_point() + 1h;

/// The number of `requests` that are answered at once.
int answered(RateLimit& limit, const std::string& network, int requests, RateLimit::Clock::time_point now) {
  int answered = 0;
  for (int i = 0; i < requests; ++i) answered += limit.take(network, now) == 0ms ? 1 : 0;
  return answered;
}

TEST(RateLimit, AnswersTwiceTheRateAtOnceAndThenTheRate) {
  RateLimit limit(10);
  EXPECT_EQ(answered(limit, "a", 100, kStart), 20);
  EXPECT_EQ(limit.take("a", kStart), 100ms);
  EXPECT_EQ(limit.take("a", kStart + 60ms), 40ms);
  EXPECT_EQ(answered(limit, "a", 100, kStart + 1s), 10);
  EXPECT_EQ(answered(limit, "a", 100, kStart + 1h), 20) << "no more than that, however long nobody asked";
  EXPECT_EQ(answered(limit, "b", 100, kStart + 1h), 20) << "another is another";
}

TEST(RateLimit, ARefusedTokenCostsAsMuchAsManyRequests) {
  RateLimit limit(100);
  int guesses = 0;
  while (limit.take("a", kStart) == 0ms) {
    limit.refused("a", kStart);
    ++guesses;
  }
  EXPECT_EQ(guesses, 10);
  EXPECT_EQ(limit.take("a", kStart), 110ms);
  EXPECT_EQ(limit.take("a", kStart + 110ms), 0ms);
  // The wait is short even after many at once, and with a low rate.
  for (int i = 0; i < 1000; ++i) limit.refused("a", kStart + 1s);
  EXPECT_LE(limit.take("a", kStart + 1s), 2010ms);
  RateLimit low(1);
  low.refused("a", kStart);
  EXPECT_EQ(low.take("a", kStart), 3s);
}

TEST(RateLimit, OfZeroIsNone) {
  RateLimit limit(0);
  for (int i = 0; i < 1000; ++i) limit.refused("a", kStart);
  EXPECT_EQ(answered(limit, "a", 1000, kStart), 1000);
  EXPECT_EQ(limit.networks(), 0U);
}

TEST(RateLimit, IsBoundedHoweverManyAsk) {
  RateLimit limit(1);
  EXPECT_EQ(answered(limit, "often", 3, kStart), 2);
  for (int i = 0; i < 100'000; ++i) {
    (void)limit.take(std::to_string(i), kStart);
    EXPECT_GT(limit.take("often", kStart), 0ms) << "who asks on is remembered";
  }
  EXPECT_EQ(limit.networks(), RateLimit::kMostNetworks);
}

TEST(Network, IsAnIpv4AddressOrAnIpv6NetworkOf64Bits) {
  const auto of = [](const char* text) { return network_of(boost::asio::ip::make_address(text)); };
  EXPECT_NE(of("10.0.0.1"), of("10.0.0.2"));
  EXPECT_EQ(of("10.0.0.1"), of("::ffff:10.0.0.1"));
  EXPECT_EQ(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff:ffff:ffff:ffff"));
  EXPECT_NE(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
  EXPECT_NE(of("::"), of("0.0.0.0"));
}

TEST(NetworkShares, AreCountedByNetworkAsLongAsTheyStay) {
  NetworkShares guests(2);
  std::optional<NetworkShares::Place> first = guests.take("a");
  const auto second = guests.take("a");
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(guests.take("a"));
  EXPECT_TRUE(guests.take("b"));
  EXPECT_EQ(guests.networks(), 1U) << "who has gone is forgotten";
  std::optional<NetworkShares::Place> moved(std::move(first));
  first.reset();
  EXPECT_FALSE(guests.take("a"));
  moved.reset();
  EXPECT_TRUE(guests.take("a"));
}

}  // namespace
}  // namespace flowtap::http
