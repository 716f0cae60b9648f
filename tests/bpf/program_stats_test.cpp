// What the kernel says about a program before it is attached, while it is, and afterwards.
#include "kernel/program_stats.hpp"

#include <bpf/libbpf.h>
#include <gtest/gtest.h>

#include <memory>

#include "kernel/libbpf_messages.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::kernel {
namespace {

TEST(ProgramStats, AttachedIsWhatTheKernelLinks) {
  const LibbpfMessages messages;
  const std::unique_ptr<bpf_object, void (*)(bpf_object*)> object(
      bpf_object__open(paths::in_build("bpf/dispatch.bpf.o").c_str()),
      [](bpf_object* o) { bpf_object__close(o); });
  ASSERT_TRUE(object && bpf_object__load(object.get()) == 0) << LibbpfMessages::text();
  const auto program = [&object](const char* name) {
    return bpf_object__find_program_by_name(object.get(), name);
  };
  bpf_program* wakeup = program("ftap_wakeup");
  const auto attached = [&](const char* name, const bpf_link* link) {
    const auto stats = read_program_stats(name, bpf_program__fd(program(name)), false,
                                          link != nullptr ? bpf_link__fd(link) : -1);
    return stats.has_value() && stats->attached;
  };
  EXPECT_FALSE(attached("ftap_wakeup", nullptr));
  std::unique_ptr<bpf_link, int (*)(bpf_link*)> link(bpf_program__attach(wakeup), bpf_link__destroy);
  ASSERT_TRUE(link) << LibbpfMessages::text();
  EXPECT_TRUE(attached("ftap_wakeup", link.get()));
  EXPECT_FALSE(attached("ftap_waking", link.get())) << "it leads to another program";
}

}  // namespace
}  // namespace flowtap::kernel
