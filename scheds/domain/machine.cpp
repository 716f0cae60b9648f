#include "scheds/domain/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/node/cpu_list.hpp"
#include "scheds/domain/abi.h"

namespace flowtap::scheds {
namespace {

using Place = std::pair<std::uint32_t, std::uint32_t>;  // node and cache

Machine group(const kernel::Topology& topology, const std::vector<unsigned>& online, bool by_cache) {
  Machine machine;
  std::map<Place, std::uint32_t> domains;
  for (std::size_t cpu = 0; cpu < topology.places.size(); ++cpu) {
    // Where sysfs knows no nodes, or no caches, it says the same about an offline CPU as about an online one.
    if (!std::ranges::binary_search(online, cpu)) {
      machine.domain_of_cpu.push_back(FTAP_DOMAIN_NONE);
      continue;
    }
    // Where no cache of a node's CPUs is known, they are one domain.
    const kernel::CpuPlace& place = topology.places[cpu];
    const auto next = static_cast<std::uint32_t>(domains.size());
    const auto [at, added] = domains.emplace(Place{place.node, by_cache ? place.llc : 0}, next);
    if (added) {
      machine.node_of_domain.push_back(place.node);
      machine.cpus_of_domain.push_back(0);
    }
    machine.domain_of_cpu.push_back(at->second);
    ++machine.cpus_of_domain.at(at->second);
  }
  return machine;
}

}  // namespace

Result<Machine> read_machine(const kernel::Topology& topology) {
  if (topology.places.size() > FTAP_DOMAIN_CPUS)
    return fail(fmt::format("the scheduler domain is for up to {} CPUs, and there may be {} here",
                            FTAP_DOMAIN_CPUS, topology.places.size()),
                "use the scheduler fifo, or the kernel's own");
  FTAP_TRY_ASSIGN(online, parse_cpu_list(topology.online_list));
  Machine machine = group(topology, online, true);
  if (machine.domains() > FTAP_DOMAINS) machine = group(topology, online, false);
  if (machine.domains() > FTAP_DOMAINS || machine.domains() == 0)
    return fail(fmt::format("the scheduler domain is for 1 to {} NUMA nodes, and there are {} here",
                            FTAP_DOMAINS, machine.domains()),
                "use the scheduler fifo, or the kernel's own");
  for (std::uint32_t from = 0; from < machine.domains(); ++from) {
    std::vector<std::uint32_t> order(machine.domains());
    std::iota(order.begin(), order.end(), 0U);
    const auto far = [&](std::uint32_t to) {
      if (to == from) return 0;
      return machine.node_of_domain.at(to) == machine.node_of_domain.at(from) ? 1 : 2;
    };
    // Each begins with its own neighbour, so that they do not all look into the same one first.
    std::ranges::rotate(order, order.begin() + from);
    std::ranges::stable_sort(order, {}, far);
    machine.nearest.push_back(std::move(order));
  }
  return machine;
}

}  // namespace flowtap::scheds
