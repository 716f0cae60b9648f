#include "telemetry/energy/node_total.hpp"

#include <gtest/gtest.h>

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kRange = 262143328850;
constexpr std::uint64_t kJoule = 1'000'000;

// A machine whose counters are set by hand; a second passes with each reading.
class Machine {
 public:
  void set(const std::string& part, EnergyDomain domain, std::uint64_t uj, const std::string& place = {}) {
    shown_.counters.push_back({"powercap", part, place.empty() ? part : place, domain, uj, kRange});
  }
  void power(std::uint64_t uw) {
    shown_.powers.push_back({"power_meter", "ACPI000D:00", "power1", true, uw});
  }

  std::optional<std::uint64_t> read(EnergyClock::duration later = 1s) {
    now_ += later;
    shown_.at = now_;
    parts_.begin();
    parts_.add(shown_, unread_);
    last_.assign(parts_.read_now().begin(), parts_.read_now().end());
    const auto node = total_.add(last_, now_, shown_.lacking);
    shown_ = {};
    return node;
  }

  void lack(const std::string& part, EnergyDomain domain) {
    shown_.lacking.push_back({"powercap", part, domain});
  }

  [[nodiscard]] EnergyBasis basis() const { return total_.basis(); }
  [[nodiscard]] std::size_t missing() const { return total_.missing(); }
  [[nodiscard]] std::optional<std::uint64_t> devices_room() const { return total_.devices_room(); }
  [[nodiscard]] const std::vector<EnergyPart>& parts() const { return last_; }
  [[nodiscard]] std::uint64_t jumps() const { return parts_.jumps(); }

 private:
  EnergyClock::time_point now_{1h};
  EnergyParts parts_;
  NodeTotal total_;
  EnergyReadings shown_;
  std::vector<EnergyPart> last_;
  std::uint64_t unread_ = 0;
};

// Counters of a client machine, after `seconds` of 30 W in the platform.
void client(Machine& machine, std::uint64_t seconds, bool psys = true) {
  machine.set("package-0", EnergyDomain::kPackage, seconds * 15 * kJoule);
  machine.set("package-0/core", EnergyDomain::kOther, seconds * 10 * kJoule);
  machine.set("package-0/uncore", EnergyDomain::kOther, seconds * 2 * kJoule);
  machine.set("package-0/dram", EnergyDomain::kMemory, seconds * 3 * kJoule);
  if (psys) machine.set("psys", EnergyDomain::kPlatform, seconds * 30 * kJoule);
}

TEST(NodeTotal, PsysHasAllInIt) {
  Machine machine;
  client(machine, 0);
  EXPECT_FALSE(machine.read());  // nothing is known before the second reading
  client(machine, 1);
  EXPECT_EQ(machine.read(), 30 * kJoule);
  EXPECT_EQ(machine.basis(), EnergyBasis::kPlatform);
  client(machine, 3);
  EXPECT_EQ(machine.read(2s), 60 * kJoule);
}

TEST(NodeTotal, ElsePackagesAndDram) {
  Machine machine;
  client(machine, 0, false);
  machine.read();
  client(machine, 1, false);
  EXPECT_EQ(machine.read(), 18 * kJoule);
  EXPECT_EQ(machine.basis(), EnergyBasis::kPackages);
}

TEST(NodeTotal, OfOneCounterSeenTwiceTheFirstCounts) {
  Machine machine;
  for (std::uint64_t s = 0; s <= 2; ++s) {
    machine.set("package-0", EnergyDomain::kPackage, s * 10 * kJoule, "intel-rapl:0");
    machine.set("package-0", EnergyDomain::kPackage, s * 11 * kJoule, "intel-rapl-mmio:0");
    const auto node = machine.read();
    EXPECT_EQ(node, s > 0 ? std::optional(10 * kJoule) : std::nullopt);
    EXPECT_EQ(machine.parts().size(), 1U);
  }
}

TEST(NodeTotal, TheSecondStandsInWhenTheFirstIsGivenUp) {
  Machine machine;
  std::uint64_t sum = 0;
  for (std::uint64_t s = 0; s <= 200; ++s) {
    if (s < 10 || s > 150) machine.set("package-0", EnergyDomain::kPackage, s * 10 * kJoule, "intel-rapl:0");
    machine.set("package-0", EnergyDomain::kPackage, s * 10 * kJoule, "intel-rapl-mmio:0");
    sum += machine.read().value_or(0);
  }
  // Seconds 0-9 come from the one, 70-200 from the other.
  EXPECT_EQ(sum, kJoule * (9 + 130) * 10);
}

TEST(NodeTotal, APsysThatStandsStillOrShowsAFractionIsNotUsed) {
  for (const std::uint64_t psys : {std::uint64_t{0}, 4 * kJoule}) {
    Machine machine;
    for (std::uint64_t s = 0; s <= 3; ++s) {
      machine.set("package-0", EnergyDomain::kPackage, s * 100 * kJoule);
      machine.set("psys", EnergyDomain::kPlatform, s * psys);
      const auto node = machine.read();
      EXPECT_EQ(node, s > 0 ? std::optional(100 * kJoule) : std::nullopt);
    }
    EXPECT_EQ(machine.basis(), EnergyBasis::kPackages);
  }
}

TEST(NodeTotal, APsysThatFallsBehindLaterIsNotUsedAgain) {
  Machine machine;
  std::uint64_t psys = 0;
  std::uint64_t sum = 0;
  for (std::uint64_t s = 0; s <= 300; ++s) {
    machine.set("package-0", EnergyDomain::kPackage, s * 50 * kJoule);
    machine.set("psys", EnergyDomain::kPlatform, psys);
    if (s < 100 || s > 200) psys += 80 * kJoule;
    sum += machine.read().value_or(0);
  }
  EXPECT_EQ(machine.basis(), EnergyBasis::kPackages);
  // 100 s of psys, and the packages after it; the change is noticed between them.
  EXPECT_LE(sum, kJoule * 100 * 80 + kJoule * 200 * 50);
  EXPECT_GE(sum, kJoule * 100 * 80 + kJoule * 180 * 50);
}

TEST(NodeTotal, APsysOfGarbageIsNotUsed) {
  Machine machine;
  std::uint64_t sum = 0;
  for (std::uint64_t s = 0; s <= 30; ++s) {
    machine.set("package-0", EnergyDomain::kPackage, s * 50 * kJoule);
    machine.set("psys", EnergyDomain::kPlatform, s < 10 ? s * 80 * kJoule : s % 2 * (kRange / 2));
    sum += machine.read().value_or(0);
  }
  EXPECT_EQ(machine.basis(), EnergyBasis::kPackages);
  EXPECT_LE(sum, kJoule * 30 * 80);
  EXPECT_GE(sum, kJoule * 9 * 80 + kJoule * 15 * 50);
}

TEST(NodeTotal, TwoPlatformsAreNobodysSum) {
  Machine machine;
  for (std::uint64_t s = 0; s <= 1; ++s) {
    machine.set("package-0", EnergyDomain::kPackage, s * 50 * kJoule);
    machine.set("package-1", EnergyDomain::kPackage, s * 50 * kJoule);
    machine.set("psys", EnergyDomain::kPlatform, s * 300 * kJoule);
    machine.set("psys-1", EnergyDomain::kPlatform, s * 300 * kJoule);
    machine.read();
  }
  EXPECT_EQ(machine.basis(), EnergyBasis::kPackages);
}

TEST(NodeTotal, WhatIsAwayForAWhileIsHadWhenItIsBack) {
  Machine machine;
  std::uint64_t sum = 0;
  for (std::uint64_t s = 0; s <= 100; ++s) {
    if (s < 20 || s >= 70) {
      client(machine, s);
    } else if (s % 2 == 0) {
      machine.set("package-0", EnergyDomain::kPackage, s * 15 * kJoule);
    }
    const auto node = machine.read();
    EXPECT_EQ(node.has_value(), s > 0 && (s < 20 || s >= 70)) << s;
    sum += node.value_or(0);
  }
  EXPECT_EQ(sum, kJoule * 100 * 30);
}

TEST(NodeTotal, AfterAMinuteOthersStandInAndNothingIsCountedTwice) {
  Machine machine;
  std::uint64_t sum = 0;
  for (std::uint64_t s = 0; s <= 200; ++s) {
    client(machine, s, s < 20 || s > 150);
    sum += machine.read().value_or(0);
  }
  EXPECT_EQ(machine.basis(), EnergyBasis::kPackages);
  // psys to 19 s, packages and dram from 79 s on.
  EXPECT_EQ(sum, kJoule * 19 * 30 + kJoule * 121 * 18);
}

TEST(NodeTotal, APackageThatWasAwayWhenTheBasisChangedDoesNotBringThatTimeAlong) {
  Machine machine;
  std::uint64_t psys = 0;
  std::uint64_t sum = 0;
  std::uint64_t changed = 0;
  for (std::uint64_t s = 0; s <= 60; ++s) {
    machine.set("package-0", EnergyDomain::kPackage, s * 50 * kJoule);
    if (s < 5 || s > 40) machine.set("package-1", EnergyDomain::kPackage, s * 50 * kJoule);
    machine.set("psys", EnergyDomain::kPlatform, psys);
    if (s < 10) psys += 200 * kJoule;
    sum += machine.read().value_or(0);
    if (changed == 0 && machine.basis() == EnergyBasis::kPackages) changed = s;
  }
  ASSERT_GT(changed, 10U);
  EXPECT_LT(changed, 40U);
  EXPECT_EQ(sum, kJoule * 10 * 200 + kJoule * (60 - changed) * 50 + kJoule * (60 - 41) * 50);
}

TEST(NodeTotal, WhatWasAwayIsNotHeldAgainstPsys) {
  for (const bool package_away : {true, false}) {
    Machine machine;
    std::uint64_t sum = 0;
    for (std::uint64_t s = 0; s <= 100; ++s) {
      const bool away = s > 20 && s <= 50;
      if (!away || !package_away) machine.set("package-0", EnergyDomain::kPackage, s * 50 * kJoule);
      if (!away || package_away) machine.set("psys", EnergyDomain::kPlatform, s * 80 * kJoule);
      sum += machine.read().value_or(0);
    }
    EXPECT_EQ(machine.basis(), EnergyBasis::kPlatform);
    EXPECT_EQ(sum, kJoule * 100 * 80);
  }
}

TEST(NodeTotal, AJumpIsNoEnergy) {
  Machine machine;
  std::uint64_t sum = 0;
  std::uint64_t at = 100'000 * kJoule;
  for (int s = 0; s <= 10; ++s) {
    if (s == 5) at = 0;  // the module was loaded anew
    machine.set("package-0", EnergyDomain::kPackage, at);
    at += 20 * kJoule;
    sum += machine.read().value_or(0);
  }
  EXPECT_EQ(sum, kJoule * 9 * 20);
  EXPECT_EQ(machine.jumps(), 1U);
}

TEST(NodeTotal, ALongCycleIsNoAbsence) {
  Machine machine;
  client(machine, 0, false);
  machine.read();
  client(machine, 600, false);
  EXPECT_EQ(machine.read(10min), kJoule * 600 * 18);
}

TEST(NodeTotal, AMeterIsAddedUpWhereNothingCounts) {
  Machine machine;
  machine.power(200 * kJoule);
  EXPECT_FALSE(machine.read());
  machine.power(100'000'001);
  EXPECT_EQ(machine.read(1500ms), 150'000'001U);
  EXPECT_EQ(machine.basis(), EnergyBasis::kMeter);
  machine.power(1);  // the half microjoule from before is not lost
  EXPECT_EQ(machine.read(500ms), 1U);
  // No reading stays valid for more than a minute.
  machine.power(10 * kJoule);
  EXPECT_EQ(machine.read(1h), 600 * kJoule);
  EXPECT_FALSE(machine.read());
}

TEST(NodeTotal, AMeterBesideCountersIsOnlyShown) {
  Machine machine;
  for (std::uint64_t s = 0; s <= 2; ++s) {
    client(machine, s, false);
    machine.power(100 * kJoule);
    machine.read();
  }
  EXPECT_EQ(machine.basis(), EnergyBasis::kPackages);
  EXPECT_EQ(machine.parts().back().part, "power_meter/ACPI000D:00/power1");
  EXPECT_EQ(machine.parts().back().total, 200 * kJoule);
}

TEST(NodeTotal, CountersThatHaveJustComeAreWaitedFor) {
  Machine machine;
  machine.power(100 * kJoule);
  machine.read();
  for (std::uint64_t s = 0; s <= 1; ++s) {
    client(machine, s, false);
    machine.power(100 * kJoule);
    EXPECT_EQ(machine.read(), s > 0 ? std::optional(18 * kJoule) : std::nullopt);
  }
  EXPECT_EQ(machine.basis(), EnergyBasis::kPackages);
}

TEST(NodeTotal, DevicesAreInWhatThePackagesLeaveOfAPlatformAndInAMeter) {
  Machine machine;
  client(machine, 0);
  machine.read();
  EXPECT_FALSE(machine.devices_room());
  client(machine, 1);
  machine.read();
  EXPECT_EQ(machine.devices_room(), kJoule * (30 - 18));
  machine.set("package-0", EnergyDomain::kPackage, 2 * 15 * kJoule);
  machine.read();  // psys is away
  EXPECT_FALSE(machine.devices_room());

  Machine packages;
  for (std::uint64_t s = 0; s <= 2; ++s) {
    client(packages, s, false);
    packages.read();
    EXPECT_FALSE(packages.devices_room());
  }
  Machine meter;
  for (int s = 0; s <= 1; ++s) {
    meter.power(200 * kJoule);
    meter.read();
  }
  EXPECT_EQ(meter.devices_room(), 200 * kJoule);
}

TEST(NodeTotal, WhatIsMissingIsOfTheBasisAlone) {
  Machine machine;
  const auto second = [&](std::uint64_t s, bool psys, bool dram) {
    machine.set("package-0", EnergyDomain::kPackage, s * 15 * kJoule);
    machine.set("package-0/core", EnergyDomain::kOther, s * 10 * kJoule);
    if (psys) machine.set("psys", EnergyDomain::kPlatform, s * 30 * kJoule);
    if (dram)
      machine.set("package-0/dram", EnergyDomain::kMemory, s * 3 * kJoule);
    else
      machine.lack("package-0/dram", EnergyDomain::kMemory);
    machine.lack("package-0/uncore", EnergyDomain::kOther);
    machine.read();
    return machine.missing();
  };
  second(0, true, true);
  EXPECT_EQ(second(1, true, false), 0U) << "psys has it all";
  std::uint64_t s = 2;
  while (machine.basis() == EnergyBasis::kPlatform) {
    ASSERT_LT(s, 100U);
    second(s++, false, false);
  }
  ASSERT_EQ(machine.basis(), EnergyBasis::kPackages);
  EXPECT_EQ(machine.missing(), 1U) << "dram counts now";
  EXPECT_EQ(second(s++, false, true), 0U);
}

TEST(NodeTotal, SocketsOfAmdEnergy) {
  Machine machine;
  for (std::uint64_t s = 0; s <= 1; ++s) {
    machine.set("amd_energy/x/Esocket0", EnergyDomain::kSocket, s * 100 * kJoule);
    machine.set("amd_energy/x/Esocket1", EnergyDomain::kSocket, s * 120 * kJoule);
    machine.power(500 * kJoule);
    const auto node = machine.read();
    EXPECT_EQ(node, s > 0 ? std::optional(220 * kJoule) : std::nullopt);
  }
}

}  // namespace
}  // namespace flowtap::telemetry
