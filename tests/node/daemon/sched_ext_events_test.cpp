// The kernel's own counters of a sched_ext scheduler, as flowtapd shows them and as sysfs has them. One scheduler is ours, and
// one is somebody else's. For virtual machines only.
#include <bpf/libbpf.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "kernel/libbpf_messages.hpp"
#include "tests/node/daemon/switching.hpp"
#include "tests/scheds/refused.hpp"
#include "tests/support/daemon/daemon.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

constexpr const char* kFolder = "/sys/kernel/sched_ext/";

using Events = std::map<std::string, double>;  // "SCX_EV_NAME" by its name

Events in_sysfs() {
  Events all;
  std::ifstream file(std::string(kFolder) + "root/events");
  std::string name;
  for (double value = 0; file >> name >> value;) all[name] = value;
  return all;
}

double rejected_in_sysfs() {
  double value = -1;
  std::ifstream(std::string(kFolder) + "nr_rejected") >> value;
  return value;
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// -1: it is absent.
double shown(const PromPage& page, const std::string& scheduler, const std::string& event) {
  const std::string label = lower(event.substr(std::string("SCX_EV_").size()));
  const bool time = label == "bypass_duration";
  const auto found = page.all.find(
      time ? series_key("flowtap_sched_ext_bypass_seconds_total", {{"scheduler", scheduler}})
           : series_key("flowtap_sched_ext_events_total", {{"scheduler", scheduler}, {"event", label}}));
  if (found == page.all.end()) return -1;
  return time ? found->second * 1e9 : found->second;
}

// What is shown lies between two readings of the file, however fast the counters count.
void expect_as_in_sysfs(const Daemon& daemon, const std::string& scheduler) {
  Crew crew([](Hands& hands) { hand_to_and_fro(hands, 1'000); });
  crew.go();
  crew.finish();
  (void)crew.quiesce();
  const Events before = in_sysfs();
  ASSERT_GE(before.size(), 8U);
  const double rejected = rejected_in_sysfs();
  constexpr double kRounded = 1e3;  // of ns, which Prometheus has as seconds
  PromPage page;
  for (const auto& [event, least] : before)
    EXPECT_TRUE(eventually([&, name = event, value = least] {
      page = daemon.scrape();
      return shown(page, scheduler, name) >= value - kRounded * (name == "SCX_EV_BYPASS_DURATION");
    })) << event;
  page = daemon.scrape();
  const Events after = in_sysfs();
  double sum = 0;
  for (const auto& [event, most] : after) {
    std::printf("%s %s %.0f to %.0f\n", scheduler.c_str(), event.c_str(), before.at(event), most);
    EXPECT_LE(shown(page, scheduler, event), most + kRounded * (event == "SCX_EV_BYPASS_DURATION")) << event;
    sum += most;
  }
  EXPECT_GT(sum, 0) << "too few to tell";
  const std::string label = "scheduler=\"" + scheduler + "\"";
  std::size_t series = 0;
  for (const auto& [name, value] : page.all)
    series += name.starts_with("flowtap_sched_ext_events_total{") && name.contains(label) ? 1 : 0;
  EXPECT_EQ(series, after.size() - after.count("SCX_EV_BYPASS_DURATION"));
  const auto refused =
      page.all.find(series_key("flowtap_sched_ext_rejected_tasks_total", {{"scheduler", scheduler}}));
  ASSERT_NE(refused, page.all.end());
  EXPECT_EQ(refused->second, rejected);
  const auto errors = page.all.find(series_key("flowtap_read_errors_total", {{"what", "sched_ext"}}));
  EXPECT_TRUE(errors == page.all.end() || errors->second == 0);
}

// The kernel's defaults, loaded by somebody other than flowtapd.
class SomebodyElses {
 public:
  explicit SomebodyElses(int refused_tgid = 0)
      : object_(bpf_object__open(paths::in_build("tests/bpf/ext_min.bpf.o").c_str()), bpf_object__close),
        link_(nullptr, bpf_link__destroy) {
    if (!object_) return;
    bpf_map* settings = bpf_object__find_map_by_name(object_.get(), ".rodata");
    std::size_t size = 0;
    void* value = settings == nullptr ? nullptr : bpf_map__initial_value(settings, &size);
    if (value == nullptr || size != sizeof refused_tgid) return;  // if another setting was added
    std::memcpy(value, &refused_tgid, size);
    if (bpf_object__load(object_.get()) == 0)
      link_.reset(bpf_map__attach_struct_ops(bpf_object__find_map_by_name(object_.get(), "ext_min")));
    said_ = kernel::LibbpfMessages::text();
  }
  [[nodiscard]] ::testing::AssertionResult runs() const {
    return link_ ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << said_;
  }

 private:
  const kernel::LibbpfMessages messages_;
  std::unique_ptr<bpf_object, void (*)(bpf_object*)> object_;
  std::unique_ptr<bpf_link, int (*)(bpf_link*)> link_;
  std::string said_;
};

TEST(SchedExtEvents, OfOneOfOurs) {
  if (refused_here()) return;
  const ScratchRoot root;
  Daemon daemon(root, {.flags = {"--scheduler", "fifo", "--cycle", "100ms"}});
  daemon.wait_ready();
  ASSERT_TRUE(daemon.component("scheduler").value().up);
  expect_as_in_sysfs(daemon, "fifo");
}

TEST(SchedExtEvents, OfSomebodyElses) {
  if (refused_here()) return;
  const SomebodyElses scheduler;
  ASSERT_TRUE(scheduler.runs());
  const ScratchRoot root;
  Daemon daemon(root, {.flags = {"--cycle", "100ms"}});
  daemon.wait_ready();
  expect_as_in_sysfs(daemon, "ftap_ext_min");
}

// The scheduler refuses a process. A task of it that has asked for SCHED_EXT is rejected as the scheduler starts.
TEST(SchedExtEvents, TasksThatTheSchedulerRejects) {
  if (refused_here()) return;
  constexpr int kTasks = 3;
  std::atomic<int> asked = 0;
  std::vector<std::jthread> tasks;
  for (int i = 0; i < kTasks; ++i)
    tasks.emplace_back([&asked](const std::stop_token& stop) {
      constexpr int kSchedExt = 7;
      const sched_param none{};
      EXPECT_EQ(::sched_setscheduler(0, kSchedExt, &none), 0);
      asked += 1;
      while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    });
  ASSERT_TRUE(eventually([&asked] { return asked == kTasks; }));
  const SomebodyElses scheduler(::getpid());
  ASSERT_TRUE(scheduler.runs());
  EXPECT_EQ(rejected_in_sysfs(), kTasks);
  const ScratchRoot root;
  Daemon daemon(root, {.flags = {"--cycle", "100ms"}});
  daemon.wait_ready();
  const std::string series =
      series_key("flowtap_sched_ext_rejected_tasks_total", {{"scheduler", "ftap_ext_min"}});
  PromPage page;
  ASSERT_TRUE(eventually([&] { return (page = daemon.scrape()).all.contains(series); }));
  EXPECT_EQ(page.all.at(series), kTasks);
}

}  // namespace
}  // namespace flowtap::test
