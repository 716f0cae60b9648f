#include "scheds/domain/domain.hpp"

#include <atomic>
#include <chrono>

#include "domain.skel.h"
#include "kernel/libbpf_messages.hpp"
#include "scheds/domain/abi.h"
#include "scheds/domain/balance.hpp"
#include "scheds/domain/machine.hpp"
#include "scheds/lib/struct_ops.hpp"

namespace flowtap::scheds {
namespace {

constexpr std::string_view kName = "domain";

using Clock = std::chrono::steady_clock;

struct SkeletonDeleter {
  void operator()(domain_bpf* skeleton) const noexcept { domain_bpf::destroy(skeleton); }
};
using Skeleton = std::unique_ptr<domain_bpf, SkeletonDeleter>;
using Domains = kernel::MapView<ftap_domain>;

class Domain final : public Scheduler {
 public:
  Domain(Skeleton skeleton, Domains domains, Machine machine, Attached attached)
      : skeleton_(std::move(skeleton)),
        domains_(std::move(domains)),
        machine_(std::move(machine)),
        attached_(std::move(attached)) {}

  std::string_view name() const override { return kName; }
  Result<std::unique_ptr<stats::SlotSource>> slots() const override { return read_slots(skeleton_->obj); }
  std::optional<Exit> exited() const override { return attached_.exited(); }
  void look_around() override;

 private:
  [[nodiscard]] std::vector<DomainLoad> take_loads(std::chrono::nanoseconds took);

  Skeleton skeleton_;
  Domains domains_;
  Machine machine_;
  Attached attached_;
  Clock::time_point measured_ = Clock::now();
};

std::vector<DomainLoad> Domain::take_loads(std::chrono::nanoseconds took) {
  std::vector<DomainLoad> loads;
  for (std::size_t i = 0; i < machine_.domains(); ++i) {
    ftap_domain& domain = domains_.elements()[i];
    const auto sum = std::atomic_ref(domain.load).exchange(0, std::memory_order_relaxed);
    loads.push_back({machine_.node_of_domain[i], machine_.cpus_of_domain[i],
                     static_cast<double>(sum) / static_cast<double>(took.count())});
  }
  return loads;
}

// Orders of the last cycle that were not met are forgotten: they were made for the loads of that time.
void Domain::look_around() {
  const auto now = Clock::now();
  const auto took = now - measured_;
  if (took < std::chrono::milliseconds(500)) return;
  measured_ = now;
  const auto orders = balance(take_loads(took));
  std::atomic_ref(skeleton_->bss->balance_cycle).fetch_add(1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < machine_.domains(); ++i)
    std::atomic_ref(domains_.elements()[i].to_move).store(0, std::memory_order_relaxed);
  for (const Order& order : orders) {
    ftap_domain& from = domains_.elements()[order.from];
    std::atomic_ref(from.to).store(order.to, std::memory_order_relaxed);
    std::atomic_ref(from.to_move)
        .store(static_cast<unsigned long long>(order.load * FTAP_LOAD_PARTS), std::memory_order_release);
  }
}

void describe(domain_bpf& skeleton, const Machine& machine) {
  auto& rodata = *skeleton.rodata;
  rodata.nr_cpus = static_cast<unsigned>(machine.domain_of_cpu.size());
  rodata.nr_domains = static_cast<unsigned>(machine.domains());
  for (std::size_t cpu = 0; cpu < FTAP_DOMAIN_CPUS; ++cpu)
    rodata.domain_of_cpu[cpu] =
        cpu < machine.domain_of_cpu.size() ? machine.domain_of_cpu[cpu] : FTAP_DOMAIN_NONE;
  unsigned listed = 0;
  for (std::size_t domain = 0; domain < machine.domains(); ++domain) {
    rodata.first_cpu[domain] = listed;
    for (std::size_t cpu = 0; cpu < machine.domain_of_cpu.size(); ++cpu)
      if (machine.domain_of_cpu[cpu] == domain) rodata.cpus[listed++] = static_cast<unsigned>(cpu);
  }
  for (std::size_t from = 0; from < machine.domains(); ++from) {
    rodata.node_of_domain[from] = machine.node_of_domain[from];
    rodata.cpus_of_domain[from] = machine.cpus_of_domain[from];
    for (std::size_t i = 0; i < machine.domains(); ++i) rodata.nearest[from][i] = machine.nearest[from][i];
  }
}

}  // namespace

Result<std::unique_ptr<Scheduler>> start_domain(const StartOptions& options) {
  FTAP_TRY(check_sched_ext(options.sysfs));
  // This comes before the topology is read: from here on the kernel notices a CPU that comes or goes.
  const auto sequence = hotplug_sequence(options.sysfs);
  FTAP_TRY_ASSIGN(topology, kernel::read_topology(options.sysfs));
  FTAP_TRY_ASSIGN(machine, read_machine(topology));
  const kernel::LibbpfMessages messages;
  Skeleton skeleton(domain_bpf::open());
  if (!skeleton) return std::unexpected(load_refusal(kName, errno));
  FTAP_TRY(prepare_maps(skeleton->obj, options));
  describe(*skeleton, machine);
  if (sequence) skeleton->struct_ops.domain->hotplug_seq = *sequence;
  set_longest_wait(options, skeleton->struct_ops.domain->timeout_ms);
  FTAP_TRY(tell_of_taken_cpus(skeleton->obj, skeleton->struct_ops.domain->cpu_release));
  if (const int err = domain_bpf::load(skeleton.get()); err != 0)
    return std::unexpected(load_refusal(kName, -err));
  FTAP_TRY_ASSIGN(domains, Domains::map(bpf_map__fd(skeleton->maps.ftap_domains), FTAP_DOMAINS));
  FTAP_TRY_ASSIGN(attached, Attached::attach(skeleton->obj, skeleton->maps.domain, options));
  return std::make_unique<Domain>(std::move(skeleton), std::move(domains), std::move(machine),
                                  std::move(attached));
}

}  // namespace flowtap::scheds
