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
      0;  ///< sum of the weights of its tasks, each times the part of the time in which it wanted to run
};

struct Order {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double load = 0;  ///< move tasks of this much load in all
  bool operator==(const Order&) const = default;
};

/// Load moves between nodes first, then between the domains of each node: from those with more load per CPU than the
/// mean to those with less, so that both come to the mean. A difference below a twentieth of the mean stays, since
/// every move costs a cache. Each domain that gives gets at most one order.
[[nodiscard]] std::vector<Order> balance(std::span<const DomainLoad> domains);

}  // namespace flowtap::scheds
