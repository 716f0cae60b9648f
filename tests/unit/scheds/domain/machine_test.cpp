#include "scheds/domain/machine.hpp"

#include <gtest/gtest.h>

#include "bpf/abi/cpu.h"
#include "scheds/domain/abi.h"

namespace flowtap::scheds {
namespace {

// All CPUs are online if nothing says which are.
kernel::Topology topology(std::vector<kernel::CpuPlace> places, std::string online = {}) {
  kernel::Topology t;
  t.places = std::move(places);
  t.online_list =
      !online.empty() || t.places.empty() ? std::move(online) : "0-" + std::to_string(t.places.size() - 1);
  return t;
}

using Ids = std::vector<std::uint32_t>;

TEST(Machine, ADomainIsACacheOfANode) {
  const auto machine =
      read_machine(topology({{0, 0}, {0, 0}, {2, 0}, {2, 0}, {4, 1}, {4, 1}, {6, 1}, {6, 1}}));
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->domain_of_cpu, (Ids{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(machine->node_of_domain, (Ids{0, 0, 1, 1}));
  EXPECT_EQ(machine->cpus_of_domain, (Ids{2, 2, 2, 2}));
}

TEST(Machine, TheNearestDomainsComeFirstAndEachBeginsWithItsOwnNeighbour) {
  const auto machine = read_machine(topology({{0, 0}, {1, 0}, {2, 0}, {3, 1}, {4, 1}}));
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->nearest,
            (std::vector<Ids>{
                {0, 1, 2, 3, 4}, {1, 2, 0, 3, 4}, {2, 0, 1, 3, 4}, {3, 4, 0, 1, 2}, {4, 3, 0, 1, 2}}));
}

TEST(Machine, ACpuThatIsOfflineIsNobodys) {
  const auto machine =
      read_machine(topology({{0, 0}, {FTAP_PLACE_UNKNOWN, FTAP_PLACE_UNKNOWN}, {0, 0}}, "0,2"));
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->domain_of_cpu, (Ids{0, FTAP_DOMAIN_NONE, 0}));
  EXPECT_EQ(machine->cpus_of_domain, Ids{2});
  const auto without_nodes = read_machine(topology({{0, 0}, {FTAP_PLACE_UNKNOWN, 0}, {0, 0}}, "0,2"));
  ASSERT_TRUE(without_nodes);
  EXPECT_EQ(without_nodes->domain_of_cpu, (Ids{0, FTAP_DOMAIN_NONE, 0}));
  const auto without_caches = read_machine(topology({{FTAP_PLACE_UNKNOWN, 0}, {FTAP_PLACE_UNKNOWN, 0}}, "0"));
  ASSERT_TRUE(without_caches);
  EXPECT_EQ(without_caches->domain_of_cpu, (Ids{0, FTAP_DOMAIN_NONE}));
  EXPECT_EQ(without_caches->cpus_of_domain, Ids{1});
}

// Tasks that are bound to it would wait for ever.
TEST(Machine, AnOnlineCpuOfWhichNoCacheIsKnownIsInADomainOfItsNode) {
  const auto machine = read_machine(topology(
      {{0, 0}, {0, 0}, {FTAP_PLACE_UNKNOWN, 0}, {FTAP_PLACE_UNKNOWN, 1}, {FTAP_PLACE_UNKNOWN, 1}, {5, 1}}));
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->domain_of_cpu, (Ids{0, 0, 1, 2, 2, 3}));
  EXPECT_EQ(machine->node_of_domain, (Ids{0, 0, 1, 1}));
  EXPECT_EQ(machine->cpus_of_domain, (Ids{2, 1, 2, 1}));
}

TEST(Machine, WithoutCachesANodeIsADomain) {
  const auto machine =
      read_machine(topology({{FTAP_PLACE_UNKNOWN, 0}, {FTAP_PLACE_UNKNOWN, 0}, {FTAP_PLACE_UNKNOWN, 1}}));
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->domain_of_cpu, (Ids{0, 0, 1}));
}

TEST(Machine, MoreCachesThanTheTablesHoldAreTakenTogetherByNode) {
  std::vector<kernel::CpuPlace> places;
  for (std::uint32_t cpu = 0; cpu < 2 * FTAP_DOMAINS; ++cpu) places.push_back({cpu, cpu / FTAP_DOMAINS});
  const auto machine = read_machine(topology(places));
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->cpus_of_domain, (Ids{FTAP_DOMAINS, FTAP_DOMAINS}));
}

TEST(Machine, OneThatIsTooLargeIsRefusedInASentence) {
  const std::vector<kernel::CpuPlace> places(FTAP_DOMAIN_CPUS + 1, {0, 0});
  const auto machine = read_machine(topology(places));
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().what, "the scheduler domain is for up to 4096 CPUs, and there may be 4097 here");
  std::vector<kernel::CpuPlace> nodes;
  for (std::uint32_t cpu = 0; cpu <= FTAP_DOMAINS; ++cpu) nodes.push_back({cpu, cpu});
  EXPECT_FALSE(read_machine(topology(nodes)));
  EXPECT_FALSE(read_machine(topology({})));
}

}  // namespace
}  // namespace flowtap::scheds
