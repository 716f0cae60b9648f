#include "kernel/dispatch/usage_reader.hpp"

#include <bpf/bpf.h>

#include <atomic>
#include <cerrno>
#include <utility>

namespace flowtap::kernel {
namespace {

constexpr std::uint32_t kBatch = 256;
// Reading another CPU's counter interrupts that CPU. A task that has run for less than this gets its cycles at its next
// switch.
constexpr std::uint64_t kLongNs = 50'000'000;

constexpr auto kWhole = [](auto& value) { return std::atomic_ref(value).load(std::memory_order_relaxed); };
constexpr auto kTaken = [](auto& value) {
  return std::atomic_ref(value).exchange(0, std::memory_order_relaxed);
};

template <typename Take>
GroupUsage sum_of(const UsageMaps& maps, std::uint32_t group, Take take) {
  GroupUsage sum;
  const auto all = maps.usages.elements();
  for (std::size_t i = group; i < all.size(); i += maps.nr_groups) {
    sum.run_ns += take(all[i].run_ns);
    sum.wait_ns += take(all[i].wait_ns);
    sum.dispatches += take(all[i].dispatches);
    for (std::size_t j = 0; j < sum.waits.size(); ++j) sum.waits[j] += take(all[i].waits[j]);
  }
  const auto cycles = maps.cycles.elements();
  for (std::size_t i = group; i < cycles.size(); i += maps.nr_groups) sum.cycles += take(cycles[i]);
  return sum;
}

}  // namespace

std::optional<std::uint32_t> UsageReader::group_of(std::uint64_t cgroup) const {
  std::uint32_t group = 0;
  if (bpf_map_lookup_elem(maps_.groups.get(), &cgroup, &group) != 0) return std::nullopt;
  return group;
}

Result<std::vector<stats::NumberedCgroup>> UsageReader::numbered() const {
  std::vector<stats::NumberedCgroup> all;
  std::vector<std::uint64_t> cgroups(kBatch);
  std::vector<std::uint32_t> groups(kBatch);
  std::uint32_t at = 0;  // opaque: the kernel's position
  const std::uint32_t* from = nullptr;
  while (true) {
    std::uint32_t count = static_cast<std::uint32_t>(cgroups.size());
    const int err = bpf_map_lookup_batch(maps_.groups.get(), const_cast<std::uint32_t*>(from), &at,
                                         cgroups.data(), groups.data(), &count, nullptr);
    // One bucket of the hash did not fit, and the kernel returned nothing of it.
    if (err == -ENOSPC) {
      cgroups.resize(2 * cgroups.size());
      groups.resize(cgroups.size());
      continue;
    }
    if (err != 0 && err != -ENOENT) return fail_errno(-err, "cannot list the cgroups that are accounted for");
    for (std::uint32_t i = 0; i < count; ++i)
      if (groups[i] < maps_.nr_groups) all.push_back({cgroups[i], groups[i]});
    if (err == -ENOENT) return all;
    from = &at;
  }
}

GroupUsage UsageReader::read(std::uint32_t group) const {
  GroupUsage sum = sum_of(maps_, group, kWhole);
  for (const Running& running : running_) {
    if (running.group != group) continue;
    sum.run_ns += running.run_ns;
    sum.cycles += running.cycles;
  }
  return sum;
}

std::uint64_t UsageReader::cycles_of(std::size_t cpu, const ftap_running& running) {
  if (!maps_.counters || running.run_ns < kLongNs || running.cycles == 0) return 0;
  const auto now = maps_.counters->read(cpu);
  if (!now) counts_cycles_ = false;
  return now && *now > running.cycles ? *now - running.cycles : 0;
}

bool UsageReader::look() {
  running_.clear();
  const std::uint64_t unread =
      std::atomic_ref(maps_.numbers.elements()[0].cycles_unread).load(std::memory_order_relaxed);
  counts_cycles_ = maps_.counters && unread == std::exchange(cycles_unread_, unread);
  bpf_test_run_opts options{};  // by hand: LIBBPF_OPTS is no C++ for clang
  options.sz = sizeof(options);
  if (bpf_prog_test_run_opts(maps_.look.get(), &options) != 0) return false;
  const auto all = maps_.running.elements();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].run_ns != 0)
      running_.push_back({.group = static_cast<std::uint32_t>(all[i].group),
                          .run_ns = all[i].run_ns,
                          .cycles = cycles_of(i, all[i])});
  return true;
}

GroupUsage UsageReader::release(const stats::NumberedCgroup& cgroup) {
  bpf_map_delete_elem(maps_.groups.get(), &cgroup.id);
  const GroupUsage last = sum_of(maps_, cgroup.group, kTaken);
  bpf_map_update_elem(maps_.free.get(), nullptr, &cgroup.group, BPF_ANY);
  std::atomic_ref(maps_.numbers.elements()[0].used_up).store(0, std::memory_order_relaxed);
  return last;
}

}  // namespace flowtap::kernel
