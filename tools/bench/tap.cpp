#include "tools/bench/tap.hpp"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/fd.hpp"
#include "bpf/abi/cpu.h"
#include "kernel/libbpf_messages.hpp"
#include "kernel/map_view.hpp"
#include "kernel/requirements.hpp"

namespace flowtap::bench {
namespace {

constexpr std::string_view kIterator = "iter/task";
constexpr std::string_view kSwitch = "tp_btf/sched_switch";

Status write_places(int map, const kernel::Topology& topology) {
  FTAP_TRY_ASSIGN(cpus, kernel::MapView<ftap_cpu>::map(map, topology.highest_plus_one()));
  for (std::size_t i = 0; i < topology.places.size(); ++i) {
    cpus.elements()[i].llc = topology.places[i].llc;
    cpus.elements()[i].node = topology.places[i].node;
  }
  return {};
}

}  // namespace

void Tap::Delete::operator()(bpf_object* object) const noexcept {
  bpf_object__close(object);
}
void Tap::Delete::operator()(bpf_link* link) const noexcept {
  bpf_link__destroy(link);
}

Result<Tap> Tap::load(const std::string& object_file, const kernel::Topology& topology) {
  const kernel::LibbpfMessages messages;
  Tap tap;
  tap.object_.reset(bpf_object__open_file(object_file.c_str(), nullptr));
  if (!tap.object_) return fail_errno(errno, "cannot open " + object_file);
  for (const char* name : {"ftap_slots", "ftap_cpus"}) {
    bpf_map* map = bpf_object__find_map_by_name(tap.object_.get(), name);
    if (map == nullptr) return fail(object_file + " has no map " + name);
    bpf_map__set_max_entries(map, topology.highest_plus_one());
  }
  if (const int err = bpf_object__load(tap.object_.get()); err != 0)
    return std::unexpected(kernel::bpf_refusal("load " + object_file, -err, messages.reason()));
  FTAP_TRY(write_places(bpf_object__find_map_fd_by_name(tap.object_.get(), "ftap_cpus"), topology));
  return tap;
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
    } else {
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
    const char* section = bpf_program__section_name(program);
    if (section != kIterator) all.push_back({section, bpf_program__fd(program)});
  }
  return all;
}

}  // namespace flowtap::bench
