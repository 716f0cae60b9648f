// Bytes over PCIe: a counter that wraps, and a link that may take it round unseen.
#include "telemetry/devices/nvml/nvml_pcie.hpp"

#include <gtest/gtest.h>

#include "tests/unit/telemetry/devices/nvml_rounds.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using telemetry::DeviceClock;
using telemetry::nvml::pcie_most;
using telemetry::nvml::PcieCounter;

constexpr std::uint64_t kRound = std::uint64_t{1} << 32U;
constexpr bool kWide = true;
constexpr bool kNarrow = false;
const DeviceClock::time_point kStart{1h};
const auto kSlow = pcie_most(3, 1);   // 1 GB/s
const auto kFast = pcie_most(5, 16);  // 64 GB/s

TEST(PcieCounter, LosesNothingWhereItWraps) {
  PcieCounter counter;
  EXPECT_FALSE(counter.next(kRound - 100, kNarrow, kSlow, kStart)) << "nothing is known of before";
  EXPECT_EQ(counter.next(50, kNarrow, kSlow, kStart + 1s), 150U);
  EXPECT_EQ(counter.next(900'000'050, kNarrow, kSlow, kStart + 2s), 900'000'150U);
  std::uint64_t all = 900'000'050;
  for (int i = 3; i < 30; ++i) {
    all += 900'000'000;
    EXPECT_EQ(counter.next(all % kRound, kNarrow, kSlow, kStart + i * 1s), all + 100);
  }
}

TEST(PcieCounter, AFallThatTheLinkCannotHaveMadeIsABeginning) {
  PcieCounter counter;
  (void)counter.next(1'000'000, kNarrow, kSlow, kStart);
  EXPECT_EQ(counter.next(1'500'000, kNarrow, kSlow, kStart + 1s), 500'000U);
  EXPECT_EQ(counter.next(1'000, kNarrow, kSlow, kStart + 2s), 500'000U) << "a wrap were 4 GiB in a second";
  EXPECT_EQ(counter.next(3'000, kNarrow, kSlow, kStart + 3s), 502'000U);
}

TEST(PcieCounter, IsAbsentWhereItMayHaveWrappedUnseen) {
  PcieCounter fast;
  PcieCounter unknown;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(fast.next(1000U * static_cast<unsigned>(i), kNarrow, kFast, kStart + i * 1s));
    EXPECT_FALSE(unknown.next(1000U * static_cast<unsigned>(i), kNarrow, std::nullopt, kStart + i * 1s));
  }
  // This also holds for a slow link, after a while in which nobody looked; counting goes on from there.
  PcieCounter slow;
  (void)slow.next(1000, kNarrow, kSlow, kStart);
  EXPECT_EQ(slow.next(2000, kNarrow, kSlow, kStart + 1s), 1000U);
  EXPECT_FALSE(slow.next(5000, kNarrow, kSlow, kStart + 6s));
  EXPECT_EQ(slow.next(5500, kNarrow, kSlow, kStart + 7s), 1500U);
}

TEST(PcieCounter, OneThatHasBeenBeyondIsBelievedOnAnyLink) {
  PcieCounter counter;
  EXPECT_FALSE(counter.next(kRound - 1, kWide, kFast, kStart)) << "it may be of 32 bits all the same";
  EXPECT_EQ(counter.next(kRound + 9, kWide, kFast, kStart + 1s), 10U);
  EXPECT_EQ(counter.next(5 * kRound + 9, kWide, kFast, kStart + 60s), 4 * kRound + 10);
  EXPECT_EQ(counter.next(7, kWide, kFast, kStart + 61s), 4 * kRound + 10) << "the driver was loaded anew";
  EXPECT_EQ(counter.next(8, kWide, kFast, kStart + 62s), 4 * kRound + 11);
}

TEST(PcieCounter, TheLinksSpeed) {
  EXPECT_EQ(pcie_most(1, 16), 4e9);
  EXPECT_EQ(pcie_most(4, 16), 32e9);
  EXPECT_FALSE(pcie_most(0, 16));
  EXPECT_FALSE(pcie_most(4, 0));
  EXPECT_FALSE(pcie_most(4294967295, 4294967295));
}

const std::string kBytes = "device_pcie_bytes_total{" + kGpu + ",direction=";

TEST(Nvml, PcieBytesOnASlowLink) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.pcie_generation", "3").set("0.pcie_lanes", "1").set("0.pcie_rate", "1500 250");
  nvml.set("0.field.197", "1 4294967290").set("0.field.198", "1 1000");
  Rounds rounds = nvml_rounds();
  (void)rounds.next();
  nvml.set("0.field.197", "1 4").set("0.field.198", "1 1700");
  const Series all = rounds.next();
  EXPECT_EQ(all.at(kBytes + "transmit}"), 10);
  EXPECT_EQ(all.at(kBytes + "receive}"), 700);
  EXPECT_TRUE(only(all, "device_pcie_bytes_per_second").empty());
}

TEST(Nvml, PcieIsMeasuredWhereItIsNotCounted) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.pcie_rate", "1500 250");
  Rounds rounds = nvml_rounds();
  const Series none = rounds.next();
  EXPECT_EQ(none.at("device_pcie_bytes_per_second{" + kGpu + ",direction=transmit}"), 1.5e6);
  EXPECT_EQ(none.at("device_pcie_bytes_per_second{" + kGpu + ",direction=receive}"), 250e3);
  // Nor can such a count be true for the link of any card of today.
  nvml.set("0.field.197", "1 4294967290").set("0.field.198", "1 1000");
  nvml.set("0.pcie_generation", "5").set("0.pcie_lanes", "16");
  (void)rounds.next();
  nvml.set("0.field.197", "1 4");
  const Series all = rounds.next();
  EXPECT_TRUE(only(all, "device_pcie_bytes_total").empty());
  EXPECT_EQ(all.at("device_pcie_bytes_per_second{" + kGpu + ",direction=transmit}"), 1.5e6);
  EXPECT_EQ(rounds.unread, 0U);
}

}  // namespace
}  // namespace flowtap::test
