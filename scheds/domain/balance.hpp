// Which load should go from which domain to which. Pure arithmetic: what is measured comes in, orders go out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flowtap::scheds {

struct DomainLoad {
  std::uint32_t node = 0;
  std::uint32_t cpus = 0;
  double load =
      0;  ///< sum of the weights of those who want to run, each by the part of the time in which it did
};

struct Order {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double load = 0;  ///< tasks of so much in all
  bool operator==(const Order&) const = default;
};

/// Between nodes first, then between the domains of each node: from those with more load for each of their CPUs than the
/// mean to those with less, so that both come to the mean. What is less than a twentieth of it stays where it is, since every
/// move costs a cache. At most one order for each domain that gives.
[[nodiscard]] std::vector<Order> balance(std::span<const DomainLoad> domains);

}  // namespace flowtap::scheds
