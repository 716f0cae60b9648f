#include "scheds/domain/balance.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace flowtap::scheds {
namespace {

constexpr double kTolerance = 0.05;

// What the balancer evens out: nodes, or the domains of one node.
struct Side {
  std::uint32_t id = 0;
  double cpus = 0;
  double load = 0;
};

// Pairs the one most above the mean with the one most below it, until none is far from it.
std::vector<Order> even_out(std::vector<Side> sides) {
  double load = 0;
  double cpus = 0;
  for (const Side& side : sides) {
    load += side.load;
    cpus += side.cpus;
  }
  std::vector<Order> orders;
  if (cpus == 0 || load == 0) return orders;
  const double mean = load / cpus;
  const auto above = [mean](const Side& side) { return side.load - mean * side.cpus; };
  std::vector<Side> givers = sides;
  while (!givers.empty()) {
    const auto from = std::ranges::max_element(givers, {}, above);
    const auto to = std::ranges::min_element(sides, {}, above);
    const double move = std::min(above(*from), -above(*to));
    if (move <= kTolerance * mean * std::min(from->cpus, to->cpus)) break;
    orders.push_back({from->id, to->id, move});
    to->load += move;
    givers.erase(from);  // one order each: the next cycle moves the rest
  }
  return orders;
}

using Loads = std::span<const DomainLoad>;

double for_each_cpu(const DomainLoad& domain) {
  return domain.load / domain.cpus;
}

// The busiest of the node's domains that have CPUs; there is at least one.
std::uint32_t busiest(Loads domains, std::uint32_t node) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < domains.size(); ++i)
    if (domains[i].node == node && domains[i].cpus > 0 &&
        (!best || for_each_cpu(domains[i]) > for_each_cpu(domains[*best])))
      best = i;
  return best.value();
}
std::uint32_t idlest(Loads domains, std::uint32_t node) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < domains.size(); ++i)
    if (domains[i].node == node && domains[i].cpus > 0 &&
        (!best || for_each_cpu(domains[i]) < for_each_cpu(domains[*best])))
      best = i;
  return best.value();
}

std::vector<Side> nodes_of(Loads domains) {
  std::map<std::uint32_t, Side> nodes;
  for (const DomainLoad& domain : domains) {
    if (domain.cpus == 0) continue;
    Side& node = nodes[domain.node];
    node.id = domain.node;
    node.cpus += domain.cpus;
    node.load += domain.load;
  }
  std::vector<Side> sides;
  sides.reserve(nodes.size());
  for (const auto& [id, node] : nodes) sides.push_back(node);
  return sides;
}

std::vector<Side> domains_of(Loads domains, std::uint32_t node) {
  std::vector<Side> sides;
  for (std::uint32_t i = 0; i < domains.size(); ++i)
    if (domains[i].node == node && domains[i].cpus > 0)
      sides.push_back({i, static_cast<double>(domains[i].cpus), domains[i].load});
  return sides;
}

}  // namespace

std::vector<Order> balance(std::span<const DomainLoad> domains) {
  std::vector<DomainLoad> later(domains.begin(), domains.end());
  std::vector<bool> busy(domains.size(),
                         false);  // gives or takes for its node; the next cycle moves the rest
  std::vector<Order> orders;
  const auto nodes = nodes_of(domains);
  for (const Order& order : even_out(nodes)) {
    const std::uint32_t from = busiest(later, order.from);
    const std::uint32_t to = idlest(later, order.to);
    if (busy[from]) continue;
    const double load = std::min(order.load, domains[from].load);
    orders.push_back({from, to, load});
    later[from].load -= load;
    later[to].load += load;
    busy[from] = busy[to] = true;
  }
  for (const Side& node : nodes)
    for (const Order& order : even_out(domains_of(later, node.id)))
      if (!busy[order.from]) orders.push_back(order);
  return orders;
}

}  // namespace flowtap::scheds
