#include "tools/bench/measure/tap.hpp"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/fd.hpp"
#include "bpf/abi/cpu.h"
#include "bpf/abi/usage.h"
#include "kernel/libbpf_messages.hpp"
#include "kernel/map_view.hpp"
#include "kernel/requirements.hpp"
#include "kernel/sched_ext.hpp"

namespace flowtap::bench {
namespace {

constexpr std::string_view kIterator = "iter/";
constexpr std::string_view kSwitch = "tp_btf/sched_switch";
constexpr std::string_view kAsked = "syscall";  // programs that run on request and are attached to nothing
constexpr std::string_view kMoved = "tp_btf/cgroup_attach_task";  // used only for the usage

Status write_places(int map, const kernel::Topology& topology) {
  FTAP_TRY_ASSIGN(cpus, kernel::MapView<ftap_cpu>::map(map, topology.highest_plus_one()));
  for (std::size_t i = 0; i < topology.places.size(); ++i) {
    cpus.elements()[i].llc = topology.places[i].llc;
    cpus.elements()[i].node = topology.places[i].node;
  }
  return {};
}

// A constant of the programs, to be set before they are loaded.
template <typename T>
Status set_constant(bpf_object* object, const char* name, T value) {
  const btf* types = bpf_object__btf(object);
  bpf_map* constants = bpf_object__find_map_by_name(object, ".rodata");
  std::size_t size = 0;
  void* memory = constants != nullptr ? bpf_map__initial_value(constants, &size) : nullptr;
  const int section = btf__find_by_name_kind(types, ".rodata", BTF_KIND_DATASEC);
  if (memory == nullptr || section < 0) return fail("there are no constants to set");
  const btf_type* all = btf__type_by_id(types, static_cast<std::uint32_t>(section));
  for (int i = 0; i < btf_vlen(all); ++i) {
    const btf_var_secinfo& one = btf_var_secinfos(all)[i];
    const btf_type* variable = btf__type_by_id(types, one.type);
    if (std::string_view(btf__name_by_offset(types, variable->name_off)) != name) continue;
    if (one.size != sizeof(value) || one.offset + sizeof(value) > size) break;
    std::memcpy(static_cast<char*>(memory) + one.offset, &value, sizeof(value));
    return {};
  }
  return fail(std::string("there is no constant ") + name + " of that size");
}

}  // namespace

void Tap::Delete::operator()(bpf_object* object) const noexcept {
  bpf_object__close(object);
}
void Tap::Delete::operator()(bpf_link* link) const noexcept {
  bpf_link__destroy(link);
}

Result<Tap> Tap::load(const std::string& object_file, const kernel::Topology& topology, Account account) {
  const kernel::LibbpfMessages messages;
  Tap tap;
  tap.account_ = std::move(account);
  tap.object_.reset(bpf_object__open_file(object_file.c_str(), nullptr));
  bpf_object* object = tap.object_.get();
  if (object == nullptr) return fail_errno(errno, "cannot open " + object_file);
  FTAP_TRY(tap.size(topology));
  // An object of an earlier build may not have this constant.
  if (kernel::has_sched_ext("/sys")) (void)set_constant(object, "ftap_has_ext", true);
  if (tap.account_.cgroups != 0) {
    FTAP_TRY(set_constant(object, "ftap_usage_on", true));
    FTAP_TRY(set_constant(object, "ftap_nr_groups", tap.account_.cgroups + 1));
    FTAP_TRY(set_constant(object, "ftap_cycles_on", tap.account_.counters != nullptr));
  }
  if (const int err = bpf_object__load(object); err != 0)
    return std::unexpected(kernel::bpf_refusal("load " + object_file, -err, messages.reason()));
  FTAP_TRY(write_places(bpf_object__find_map_fd_by_name(object, "ftap_cpus"), topology));
  if (tap.account_.cgroups != 0) FTAP_TRY(tap.free_all_groups());
  if (tap.account_.counters)
    FTAP_TRY(tap.account_.counters->give_to(bpf_object__find_map_fd_by_name(object, "ftap_counters")));
  return tap;
}

Status Tap::size(const kernel::Topology& topology) {
  const std::uint32_t cpus = topology.highest_plus_one();
  struct Map {
    const char* name;
    std::uint32_t entries;
  };
  std::vector<Map> maps{{"ftap_slots", cpus}, {"ftap_cpus", cpus}};
  if (account_.cgroups != 0) {
    const std::uint32_t elements = cpus * (account_.cgroups + 1);
    maps.insert(maps.end(), {{"ftap_runnings", cpus},
                             {"ftap_usages", elements},
                             {"ftap_groups", account_.cgroups},
                             {"ftap_free_groups", account_.cgroups}});
    if (account_.counters) maps.insert(maps.end(), {{"ftap_cycles", elements}, {"ftap_counters", cpus}});
  }
  for (const auto& [name, entries] : maps) {
    bpf_map* map = bpf_object__find_map_by_name(object_.get(), name);
    if (map == nullptr) return fail(std::string("there is no map ") + name);
    if (const int err = bpf_map__set_max_entries(map, entries); err != 0)
      return fail_errno(-err, std::string("cannot size the map ") + name);
  }
  return {};
}

Status Tap::free_all_groups() {
  const int free = bpf_object__find_map_fd_by_name(object_.get(), "ftap_free_groups");
  for (std::uint32_t group = FTAP_GROUP_OTHER + 1; group <= account_.cgroups; ++group)
    if (const int err = bpf_map_update_elem(free, nullptr, &group, BPF_ANY); err != 0)
      return fail_errno(-err, "cannot number the cgroups");
  return {};
}

bool Tap::runs(const bpf_program* program) const {
  const std::string_view section = bpf_program__section_name(program);
  return !section.starts_with(kIterator) && section != kAsked && (section != kMoved || account_.cgroups != 0);
}

Status Tap::visit_tasks(const bpf_program* iterator) {
  const std::unique_ptr<bpf_link, Delete> link(bpf_program__attach_iter(iterator, nullptr));
  if (!link) return fail_errno(errno, "cannot attach the task iterator");
  const Fd walk(bpf_iter_create(bpf_link__fd(link.get())));
  if (!walk.valid()) return fail_errno(errno, "cannot start the task iterator");
  std::array<char, 64> nothing{};
  while (true) {
    const ssize_t n = ::read(walk.get(), nothing.data(), nothing.size());
    if (n == 0) return {};
    if (n < 0 && errno != EINTR && errno != EAGAIN) return fail_errno(errno, "cannot walk over the tasks");
  }
}

Status Tap::attach() {
  std::vector<bpf_program*> order;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_.get()) {
    if (bpf_program__section_name(program) == kIterator) {
      FTAP_TRY(visit_tasks(program));
    } else if (runs(program)) {
      order.push_back(program);
    }
  }
  std::ranges::stable_partition(order, [](auto* p) { return bpf_program__section_name(p) != kSwitch; });
  for (bpf_program* p : order) {
    links_.emplace_back(bpf_program__attach(p));
    if (!links_.back()) return fail_errno(errno, std::string("cannot attach ") + bpf_program__name(p));
  }
  return {};
}

std::vector<Tap::Program> Tap::programs() const {
  std::vector<Program> all;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_.get()) {
    if (runs(program)) all.push_back({bpf_program__section_name(program), bpf_program__fd(program)});
  }
  return all;
}

}  // namespace flowtap::bench
