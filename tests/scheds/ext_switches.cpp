#include "tests/scheds/ext_switches.hpp"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "kernel/libbpf_messages.hpp"

namespace flowtap::test {
namespace {

int counts_of(const bpf_object& object) {
  return bpf_map__fd(bpf_object__find_map_by_name(&object, "counted"));
}

}  // namespace

ExtSwitches::ExtSwitches() : object_(bpf_object__open(FLOWTAP_EXT_SWITCHES), bpf_object__close) {
  const kernel::LibbpfMessages messages;
  const int refused = bpf_object__load(object_.get());
  EXPECT_EQ(refused, 0) << kernel::LibbpfMessages::text();
  if (refused != 0) return;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_.get()) {
    links_.emplace_back(bpf_program__attach(program), bpf_link__destroy);
    EXPECT_TRUE(links_.back()) << bpf_program__name(program) << ": " << kernel::LibbpfMessages::text();
  }
}

ftap_ext_switches ExtSwitches::read() const {
  ftap_ext_switches counts{};
  const std::uint32_t key = 0;
  EXPECT_EQ(bpf_map_lookup_elem(counts_of(*object_), &key, &counts), 0);
  return counts;
}

// The counts of before are lost in the race with those that are made now, which is why they are not read afterwards.
void ExtSwitches::watch(int process) const {
  ftap_ext_switches counts{};
  counts.watched = static_cast<unsigned long long>(process);
  const std::uint32_t key = 0;
  EXPECT_EQ(bpf_map_update_elem(counts_of(*object_), &key, &counts, BPF_ANY), 0);
}

}  // namespace flowtap::test
