// The machine as scheds/domain sees it: which CPUs make a domain, and which domains are near to which.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "kernel/topology.hpp"

namespace flowtap::scheds {

struct Machine {
  std::vector<std::uint32_t> domain_of_cpu;   ///< by CPU id; FTAP_DOMAIN_NONE: it is offline
  std::vector<std::uint32_t> node_of_domain;  ///< by domain
  std::vector<std::uint32_t> cpus_of_domain;  ///< how many
  std::vector<std::vector<std::uint32_t>>
      nearest;  ///< all domains for each one: itself, those of its node, the others

  [[nodiscard]] std::size_t domains() const { return node_of_domain.size(); }
};

/// A domain is the CPUs under one last-level cache of one NUMA node. Where that would be too many domains, the CPUs of
/// a node are one. An Error where the machine is larger than the scheduler's tables.
[[nodiscard]] Result<Machine> read_machine(const kernel::Topology& topology);

}  // namespace flowtap::scheds
