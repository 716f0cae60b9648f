#include "kernel/usage_reader.hpp"

#include <bpf/bpf.h>

#include <atomic>

namespace flowtap::kernel {

std::optional<std::uint32_t> UsageReader::group_of(std::uint64_t cgroup) const {
  std::uint32_t group = 0;
  if (bpf_map_lookup_elem(groups_.get(), &cgroup, &group) != 0) return std::nullopt;
  return group;
}

GroupUsage UsageReader::read(std::uint32_t group) const {
  const auto whole = [](unsigned long long& value) {
    return std::atomic_ref(value).load(std::memory_order_relaxed);
  };
  GroupUsage sum;
  const auto all = usages_.elements();
  for (std::size_t i = group; i < all.size(); i += nr_groups_) {
    sum.run_ns += whole(all[i].run_ns);
    sum.wait_ns += whole(all[i].wait_ns);
    sum.dispatches += whole(all[i].dispatches);
  }
  return sum;
}

}  // namespace flowtap::kernel
