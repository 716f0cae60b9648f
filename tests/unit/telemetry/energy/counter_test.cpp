#include "telemetry/energy/counter.hpp"

#include <gtest/gtest.h>

#include <random>

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kRange =
    262143328850;  // for a unit of 2^-14 J, as a package shows it on most machines
constexpr std::uint64_t kMostWatts = 2000;
__extension__ using Wide = unsigned __int128;
const EnergyClock::time_point kStart{1h};

EnergyStep second_reading(std::uint64_t first, std::uint64_t second, EnergyClock::duration since,
                          std::uint64_t range = kRange) {
  EnergyCounter counter(kMostWatts);
  EXPECT_FALSE(counter.read(first, range, kStart).known);
  return counter.read(second, range, kStart + since);
}

TEST(EnergyModulus, IsOneUnitAfterTheRange) {
  // 2^32 * 61035 nJ, 2^32 * 15300 nJ (dram of Haswell servers) and 2^32 J (psys of Sapphire Rapids).
  EXPECT_EQ(energy_modulus(kRange), (EnergyModulus{262143328911, 360}));
  EXPECT_EQ(energy_modulus(65712999613), (EnergyModulus{65712999628, 800}));
  EXPECT_EQ(energy_modulus(4294967295000000), (EnergyModulus{4294967296000000, 0}));
  EXPECT_EQ(energy_modulus(4294967295), (EnergyModulus{4294967296, 0}));
}

TEST(EnergyModulus, OfOtherCountersIsTheNextMicrojoule) {
  EXPECT_EQ(energy_modulus(1), (EnergyModulus{2, 0}));
  EXPECT_EQ(energy_modulus(1'000'000), (EnergyModulus{1'000'001, 0}));
  EXPECT_EQ(energy_modulus(262143328851), (EnergyModulus{262143328852, 0}));
  EXPECT_EQ(energy_modulus(~std::uint64_t{0}), (EnergyModulus{~std::uint64_t{0}, 0}));
}

TEST(EnergyCounter, CountsWhatIsBetweenTwoReadings) {
  const EnergyStep step = second_reading(1000, 50'001'000, 1s);
  EXPECT_TRUE(step.known);
  EXPECT_EQ(step.uj, 50'000'000U);
  EXPECT_EQ(second_reading(5, 5, 1s).uj, 0U);
}

TEST(EnergyCounter, WrapsOneUnitAfterItsRange) {
  const EnergyStep step = second_reading(kRange, 0, 1s);
  EXPECT_TRUE(step.known);
  EXPECT_EQ(step.uj, 61U);
  EXPECT_EQ(second_reading(kRange - 1'000'000, 2'000'000, 1s).uj, 3'000'061U);
}

TEST(EnergyCounter, WhatCouldNotHaveBeenUsedIsAJump) {
  // As a wrap this would mean 262 kJ in a second.
  for (const EnergyStep step : {second_reading(5'000'000, 0, 1s), second_reading(0, 5'000'000'000, 1s),
                                second_reading(kRange / 2, kRange / 2 - 1, 1s)}) {
    EXPECT_TRUE(step.jumped);
    EXPECT_FALSE(step.known);
    EXPECT_EQ(step.uj, 0U);
  }
  // A reading may be a second late: what it contains took longer than the time that is seen.
  EXPECT_EQ(second_reading(0, 1'900'000'000, 1ms).uj, 1'900'000'000U);
  // Over ten minutes it is no jump.
  EXPECT_EQ(second_reading(5'000'000, 0, 10min).uj, kRange + 61 - 5'000'000);
  EXPECT_EQ(second_reading(0, 5'000'000'000, 3s).uj, 5'000'000'000U);
}

TEST(EnergyCounter, WithoutARangeItNeverWraps) {
  EXPECT_TRUE(second_reading(10, 9, 1h, 0).jumped);
  EXPECT_EQ(second_reading(10, 12, 1s, 0).uj, 2U);
}

TEST(EnergyCounter, CountsOnAfterAJump) {
  EnergyCounter counter(kMostWatts);
  counter.read(9'000'000, kRange, kStart);
  EXPECT_TRUE(counter.read(1'000'000, kRange, kStart + 1s).jumped);
  EXPECT_EQ(counter.read(1'000'500, kRange, kStart + 2s).uj, 500U);
  EXPECT_TRUE(counter.read(1'000'500, kRange * 2, kStart + 3s).jumped);  // other units
  counter.forget();
  const EnergyStep step = counter.read(0, kRange * 2, kStart + 4s);
  EXPECT_FALSE(step.known || step.jumped);
}

// The register itself: 32 bits of units, shown in microjoules rounded down.
TEST(EnergyCounter, HasWhatTheRegisterCountedToTheMicrojouleAfterAnyWraps) {
  for (const std::uint64_t unit : {61035U, 15300U, 15258U, 976562U, 1000000000U, 1000U, 333U}) {
    SCOPED_TRACE(unit);
    std::mt19937_64 random(unit);  // NOLINT(bugprone-random-generator-seed): the same steps in every run
    const std::uint64_t first = random() & 0xffffffffU;
    std::uint64_t units = first;
    const std::uint64_t range = 0xffffffffU * unit / 1000;
    EnergyCounter counter(1'000'000'000'000);
    auto now = kStart;
    std::uint64_t total = 0;
    std::uint64_t wraps = 0;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t before = units;
      const EnergyStep step = counter.read((units & 0xffffffffU) * unit / 1000, range, now);
      ASSERT_EQ(step.known, i != 0);
      total += step.uj;
      // What the first reading rounded off and what the last one did: less than a microjoule each.
      const auto exact = static_cast<std::uint64_t>(Wide{units - first} * unit / 1000);
      ASSERT_LE(total > exact ? total - exact : exact - total, 1U) << "after " << wraps << " wraps";
      units += random() & 0x1fffffffU;
      wraps += (units >> 32U) - (before >> 32U);
      now += 1h;
    }
    EXPECT_GT(wraps, 1000U);
  }
}

}  // namespace
}  // namespace flowtap::telemetry
