// Under the names of Debian's prometheus-node-exporter stands what it reads at the same time: its list of names is the list.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "base/fd.hpp"
#include "tests/support/daemon/daemon.hpp"
#include "tests/support/metrics/node_exporter.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

constexpr double kTick = 0.01;  // seconds: 1/USER_HZ
// A gauge may have been anywhere for a moment between two reads. Of three values in random order the second lies between the
// others once in three times. That this never happens to one of some hundred gauges, happens in one of ten thousand runs.
constexpr std::size_t kMostBrackets = 40;

// Nothing in this test changes these gauges, so they are exactly equal.
constexpr std::array kSettled{"node_boot_time_seconds",
                              "node_memory_MemTotal_bytes",
                              "node_memory_SwapTotal_bytes",
                              "node_memory_CommitLimit_bytes",
                              "node_memory_HugePages_Total",
                              "node_memory_HugePages_Free",
                              "node_memory_Hugepagesize_bytes",
                              "node_memory_HardwareCorrupted_bytes",
                              "node_network_up",
                              "node_network_mtu_bytes",
                              "node_network_speed_bytes",
                              "node_filesystem_size_bytes",
                              "node_filesystem_files",
                              "node_filesystem_readonly",
                              "node_filesystem_device_error"};

std::string name_of(const std::string& key) {
  return key.substr(0, key.find('{'));
}

// Whether it is mounted below the node's /run: the root has a run/ of its own.
bool is_of_run(const std::string& key) {
  return key.contains("mountpoint=\"/run/");
}

// These tell of the exporter itself.
constexpr std::array kOfItself{"node_exporter_build_info", "node_scrape_collector_duration_seconds"};

// What later versions of node_exporter have by default, and dashboards ask for.
constexpr std::array kLater{"node_netstat_TcpExt_TCPOFOQueue", "node_netstat_TcpExt_TCPRcvQDrop",
                            "node_pressure_irq_stalled_seconds_total", "node_softnet_received_rps_total",
                            "node_softnet_flow_limit_count_total"};

template <std::size_t N>
bool is_one_of(const std::string& name, const std::array<const char*, N>& all) {
  return std::ranges::find(all, name) != all.end();
}

// Each of their families is ours.
void expect_all_families(const PromPage& theirs, const PromPage& ours) {
  std::size_t families = 0;
  for (const auto& [name, type] : theirs.types) {
    if (!name.starts_with("node_")) continue;
    EXPECT_TRUE(ours.types.contains(name)) << name << " is not ours";
    ++families;
  }
  std::printf("families of theirs: %zu\n", families);
  EXPECT_GE(families, 200U);
}

// Their series, without those that tell of itself.
SeriesMap to_compare(const PromPage& theirs) {
  SeriesMap all;
  for (const auto& [key, value] : theirs.all)
    if (key.starts_with("node_") && !is_of_run(key) && !is_one_of(name_of(key), kOfItself))
      all.emplace(key, value);
  return all;
}

// Makes some of all that is counted, until it ends: computing, faults, files, packets.
class Load {
 public:
  explicit Load(const ScratchRoot& root) {
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
      threads_.emplace_back([](const std::stop_token& stop) {
        volatile unsigned sink = 0;
        while (!stop.stop_requested()) sink = sink + 1;
      });
    threads_.emplace_back([path = root.file("load")](const std::stop_token& stop) {
      const std::vector<char> page(1U << 20U, 'x');
      while (!stop.stop_requested()) {
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "we"),
                                                                   std::fclose);
        std::fwrite(page.data(), 1, page.size(), file.get());
        std::fflush(file.get());
        ::fdatasync(::fileno(file.get()));
        std::this_thread::sleep_for(50ms);
      }
    });
  }

 private:
  std::vector<std::jthread> threads_;
};

// A file system of the test's own, in the node's mount namespace.
class Mounted {
 public:
  Mounted(std::string path, const char* options, unsigned long flags) : path_(std::move(path)) {
    std::filesystem::create_directory(path_);
    if (::mount("flowtap-test", path_.c_str(), "tmpfs", flags, options) != 0)
      throw std::runtime_error("cannot mount " + path_);
  }
  ~Mounted() { ::umount2(path_.c_str(), MNT_DETACH); }
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;

 private:
  std::string path_;
};

// The root has a run/ of its own. All its other folders are the node's.
void show_the_nodes_folders(const ScratchRoot& root) {
  for (const auto& entry : std::filesystem::directory_iterator("/")) {
    const std::string name = entry.path().filename();
    std::error_code there;
    if (!std::filesystem::exists(std::filesystem::symlink_status(root.file(name))))
      std::filesystem::create_symlink(entry.path(), root.file(name), there);
  }
}

// Our reads before and after one of theirs.
struct Bracket {
  SeriesMap before, theirs, after;
  std::map<std::string, std::string> types;  // of ours
};

// The page that is new after this many reads of all collectors.
PromPage page_after(const Daemon& daemon, int reads) {
  const auto switches = [](const PromPage& page) { return page.all.at("node_context_switches_total"); };
  PromPage page = daemon.scrape();
  for (; reads > 0; --reads) {
    const double old = switches(page);
    if (!eventually([&] { return switches(page = daemon.scrape()) != old; }))
      throw std::runtime_error("nothing was read anew");
  }
  return page;
}

Bracket bracket(const Daemon& daemon, const NodeExporter& exporter) {
  const PromPage before = page_after(daemon, 1);  // was read just now, so theirs is hardly later
  const PromPage theirs = exporter.scrape();
  const PromPage after = page_after(daemon, 2);  // the first read may have been under way
  expect_all_families(theirs, before);
  return {before.all, to_compare(theirs), after.all, before.types};
}

bool is_counter(const Bracket& bracket, const std::string& key) {
  const auto type = bracket.types.find(name_of(key));
  return type != bracket.types.end() && type->second == "counter";
}

// They and we round the same number of ticks to seconds, so a tick may differ, and the last digit of a double.
double rounding(const std::string& key, double value) {
  return (key.starts_with("node_cpu_") ? kTick : 0) + std::abs(value) * 1e-9;
}

// Their value lies between ours, for every one of their series that we have a family for. Returns how many counters there are.
std::size_t expect_counters_within(const Bracket& bracket) {
  std::size_t compared = 0;
  std::size_t still = 0;
  for (const auto& [key, value] : bracket.theirs) {
    SCOPED_TRACE(key);
    if (!is_counter(bracket, key) || !bracket.before.contains(key) || !bracket.after.contains(key)) continue;
    EXPECT_GE(value, bracket.before.at(key) - rounding(key, value));
    EXPECT_LE(value, bracket.after.at(key) + rounding(key, value));
    ++compared;
    still += bracket.before.at(key) == bracket.after.at(key) ? 1 : 0;
  }
  std::printf("counters within ours: %zu, of which %zu stood still\n", compared, still);
  return compared;
}

bool is_settled(const std::string& key) {
  const std::string name = name_of(key);
  return std::ranges::any_of(kSettled, [&name](const char* settled) { return name == settled; });
}

// Takes those out of `open` whose value lies between ours, with nothing to spare.
void close_gauges_within(const Bracket& bracket, std::set<std::string>& open) {
  std::erase_if(open, [&bracket](const std::string& key) {
    const auto before = bracket.before.find(key);
    const auto after = bracket.after.find(key);
    const auto theirs = bracket.theirs.find(key);
    if (before == bracket.before.end() || after == bracket.after.end() || theirs == bracket.theirs.end())
      return false;
    const double more = is_settled(key) ? 0 : rounding(key, theirs->second);
    const auto [low, high] = std::minmax(before->second, after->second);
    return theirs->second >= low - more && theirs->second <= high + more;
  });
}

// Between two brackets theirs grow as ours do, within 1 % and what passed inside of the brackets.
void expect_same_growth(const Bracket& first, const Bracket& last) {
  double largest = 0;
  std::string where = "none";
  std::size_t grown = 0;
  for (const auto& [key, value] : last.theirs) {
    if (!is_counter(last, key) || !first.theirs.contains(key) || !first.after.contains(key) ||
        !last.after.contains(key))
      continue;
    const double theirs = value - first.theirs.at(key);
    const double ours = last.before.at(key) - first.before.at(key);
    const double inside =
        first.after.at(key) - first.before.at(key) + last.after.at(key) - last.before.at(key);
    EXPECT_NEAR(ours, theirs, 0.01 * theirs + inside + 2 * rounding(key, value)) << key;
    grown += theirs > 0 ? 1 : 0;
    const bool telling = theirs > (key.contains("_seconds_") ? 1 : 1000);
    if (telling && std::abs(ours - theirs) > largest * theirs) {
      largest = std::abs(ours - theirs) / theirs;
      where = key;
    }
  }
  std::printf("counters that grew: %zu; largest difference of growth: %.2f %% (%s)\n", grown, largest * 100,
              where.c_str());
  EXPECT_GE(grown, 20U);
}

// Both sides have the same series, except for what came or went meanwhile: others work on this node, too.
void expect_nothing_left_out(const Bracket& first, const Bracket& last) {
  for (const auto& [key, value] : first.theirs)
    if (last.theirs.contains(key)) {
      EXPECT_TRUE(first.before.contains(key) || last.after.contains(key)) << key << " is not ours";
    }
  for (const auto& [key, value] : first.before) {
    const std::string name = name_of(key);
    if (!key.starts_with("node_") || is_of_run(key) || !last.after.contains(key)) continue;
    if (is_one_of(name, kOfItself) || is_one_of(name, kLater)) continue;
    EXPECT_TRUE(first.theirs.contains(key) || last.theirs.contains(key)) << key << " is not theirs";
  }
}

TEST(NodeExporter, ReadsWhatWeRead) {
  const ScratchRoot root;
  show_the_nodes_folders(root);
  const Mounted spaced(root.file("a b"), "size=8m,nr_inodes=1000", 0);
  const Mounted readonly(root.file("readonly"), "size=4m", MS_RDONLY);
  Daemon daemon(root, {.flags = {"--cycle", "50ms", "--compat-metrics", "node"}});
  daemon.wait_ready();
  const NodeExporter exporter(root);
  const Load load(root);
  static_cast<void>(page_after(daemon, 2));

  const Bracket first = bracket(daemon, exporter);
  const std::size_t counters = expect_counters_within(first);
  std::set<std::string> open;
  for (const auto& [key, value] : first.theirs)
    if (!is_counter(first, key)) open.insert(key);
  const std::size_t gauges = open.size();
  close_gauges_within(first, open);

  std::this_thread::sleep_for(5s);  // time itself: what passes inside of the brackets is a small part of it
  const Bracket last = bracket(daemon, exporter);
  expect_counters_within(last);
  expect_same_growth(first, last);
  expect_nothing_left_out(first, last);
  std::erase_if(open, [&last](const std::string& key) { return !last.theirs.contains(key); });  // it went
  close_gauges_within(last, open);
  std::size_t brackets = 2;
  for (; !open.empty() && brackets < kMostBrackets; ++brackets)
    close_gauges_within(bracket(daemon, exporter), open);
  for (const std::string& key : open)
    ADD_FAILURE() << key << " was never between ours: theirs " << last.theirs.at(key) << ", ours "
                  << last.before.at(key) << " and " << last.after.at(key);

  std::printf("series compared: %zu counters, %zu gauges, in %zu brackets\n", counters, gauges, brackets);
  EXPECT_GE(counters, 100U);
  EXPECT_GE(gauges, 200U);
  const auto labels = [&root](const char* point) {
    return series_key("flowtap_node_filesystem_readonly",
                      {{"device", "flowtap-test"}, {"fstype", "tmpfs"}, {"mountpoint", root.file(point)}});
  };
  EXPECT_EQ(first.before.at(labels("a b")), 0);
  EXPECT_EQ(first.before.at(labels("readonly")), 1);
}

}  // namespace
}  // namespace flowtap::test
