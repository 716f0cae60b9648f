// Tasks of the ext class are counted apart, under the name of the sched_ext scheduler that runs.
//
// On a kernel without sched_ext there is no such task and no such name, and everything belongs to the kernel's
// scheduler.
#include <bpf/libbpf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>

#include "kernel/libbpf_messages.hpp"
#include "kernel/sched_ext.hpp"
#include "tests/bpf/count_crew.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap {
namespace {

constexpr int kRounds = 5'000;

using Object = std::unique_ptr<bpf_object, void (*)(bpf_object*)>;
using Link = std::unique_ptr<bpf_link, int (*)(bpf_link*)>;

Link start_scheduler(const Object& object) {
  EXPECT_TRUE(object);
  EXPECT_EQ(bpf_object__load(object.get()), 0) << kernel::LibbpfMessages::text();
  bpf_map* ops = bpf_object__find_map_by_name(object.get(), "ext_min");
  Link link(bpf_map__attach_struct_ops(ops), bpf_link__destroy);
  EXPECT_TRUE(link) << kernel::LibbpfMessages::text();
  return link;
}

test::Outcome play() {
  const auto cpus = test::online_cpus();
  return test::count_crew([&cpus](test::Hands& hands) { test::ping_pong(hands, kRounds, cpus, cpus); });
}

// While it lives, nobody can read an address of the kernel's in /proc/kallsyms.
class HiddenAddresses {
 public:
  HiddenAddresses() {
    std::ifstream(kPath) >> before_;
    set("2");
  }
  ~HiddenAddresses() { set(before_); }
  HiddenAddresses(const HiddenAddresses&) = delete;
  HiddenAddresses& operator=(const HiddenAddresses&) = delete;
  HiddenAddresses(HiddenAddresses&&) = delete;
  HiddenAddresses& operator=(HiddenAddresses&&) = delete;

 private:
  static constexpr const char* kPath = "/proc/sys/kernel/kptr_restrict";
  static void set(const std::string& value) { EXPECT_TRUE(std::ofstream(kPath) << value << std::flush); }
  std::string before_;
};

TEST(ExtClass, IsCountedUnderTheRunningScheduler) {
  if (::access("/sys/kernel/sched_ext/state", R_OK) != 0) {
    EXPECT_EQ(kernel::sched_ext_scheduler("/sys"), "");
    const auto o = play();
    EXPECT_EQ(o.sum(FTAP_CLASS_EXT), 0U);
    EXPECT_EQ(o.sum(), o.switches.sum());
    return;
  }
  const kernel::LibbpfMessages messages;
  const Object object(bpf_object__open(paths::in_build("tests/bpf/ext_min.bpf.o").c_str()),
                      [](bpf_object* o) { bpf_object__close(o); });
  {
    const Link link = start_scheduler(object);
    ASSERT_TRUE(link);
    EXPECT_EQ(kernel::sched_ext_scheduler("/sys"), "ftap_ext_min");
    const HiddenAddresses hidden;
    const auto o = play();
    EXPECT_EQ(o.sum(FTAP_CLASS_KERNEL) + o.sum(FTAP_CLASS_EXT), o.switches.sum());
    EXPECT_GE(o.sum(FTAP_CLASS_EXT), static_cast<std::uint64_t>(kRounds));
    EXPECT_EQ(o.sum(FTAP_CLASS_KERNEL), 0U) << "the scheduler has taken over all tasks of the crew";
  }
  EXPECT_EQ(kernel::sched_ext_scheduler("/sys"), "");
  EXPECT_EQ(play().sum(FTAP_CLASS_EXT), 0U);
}

}  // namespace
}  // namespace flowtap
