// The cost of measuring a node and its containers: a flowtapd that counts and measures, with no pods, 110 and 1,000,
// which wake once a second, and with no pods compared with Debian's node_exporter, which gives the same families.
//
//   bench_telemetry [PODS|PODSsandboxes|node...]     only these; sandboxes sleep; node: the comparison
#include <fmt/core.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/metrics/node_exporter.hpp"
#include "tests/support/net/http_client.hpp"
#include "tools/bench/load/pods.hpp"
#include "tools/bench/load/powercap_tree.hpp"
#include "tools/bench/measure/figures.hpp"
#include "tools/bench/measure/flowtapd.hpp"

namespace flowtap::bench {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kWindows = 6;
constexpr auto kWindow = 5s;
constexpr int kScrapes = 15;
constexpr auto kSpread = 5s;    // the pods start within this time, which is not measured
constexpr auto kSettled = 20s;  // names are asked for, and files read each second, for the first ten
constexpr std::string_view kSandboxes =
    "sandboxes";  // after a count: pods' sandboxes, which sleep, instead of containers
constexpr std::string_view kNode = "node";
constexpr const char* kGzip = "Accept-Encoding: gzip";

// The process that is measured, and where it answers.
struct Server {
  pid_t pid;
  std::uint16_t port;
};

Result<test::HttpAnswer> scrape(const Server& server, const char* header) {
  test::HttpAnswer answer = test::get_tcp(server.port, "/metrics", header);
  if (answer.status != 200) return fail(fmt::format("/metrics answers {}", answer.status));
  return answer;
}

// The CPU time over some windows, with `work` done once in each second.
Result<Rounds> cpu_percent(const Server& server, const std::function<Status()>& work) {
  Rounds percent;
  for (int i = 0; i < kWindows; ++i) {
    FTAP_TRY_ASSIGN(before, process_cpu_ns(server.pid));
    const auto begin = Clock::now();
    for (auto next = begin; next < begin + kWindow; next += 1s) {
      std::this_thread::sleep_until(next);
      FTAP_TRY(work());
    }
    std::this_thread::sleep_until(begin + kWindow);
    FTAP_TRY_ASSIGN(after, process_cpu_ns(server.pid));
    const std::chrono::duration<double, std::nano> wall = Clock::now() - begin;
    percent.add(100 * (after - before) / wall.count());
  }
  return percent;
}

Status time_scrapes(const Server& server, const std::string& who) {
  for (const char* header : {"", kGzip}) {
    Rounds ms;
    Rounds bytes;
    for (int i = 0; i < kScrapes; ++i) {
      std::this_thread::sleep_for(200ms);
      const auto begin = Clock::now();
      FTAP_TRY_ASSIGN(answer, scrape(server, header));
      ms.add(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
      bytes.add(static_cast<double>(answer.body.size()));
    }
    const char* how = *header == '\0' ? "plain" : "gzip";
    print_row(fmt::format("{}, scrape, {}", who, how), ms, "ms");
    print_row(fmt::format("{}, scrape, {}", who, how), fmt::format("{:.0f}", bytes.median()), "bytes");
  }
  return {};
}

Status watch(const Server& server, const std::string& who, std::string_view cpu_goal) {
  FTAP_TRY_ASSIGN(alone, cpu_percent(server, [] { return Status(); }));
  print_row(who + ", nobody asks", alone, "% of a core", cpu_goal);
  FTAP_TRY_ASSIGN(before, anonymous_mib(server.pid));
  print_row(who + ", before the first scrape", fmt::format("{:.1f}", before), "MiB RssAnon");
  FTAP_TRY_ASSIGN(scraped, cpu_percent(server, [&]() -> Status {
                    FTAP_TRY_ASSIGN(answer, scrape(server, kGzip));
                    return {};
                  }));
  print_row(who + ", scraped each second", scraped, "% of a core");
  FTAP_TRY(time_scrapes(server, who));
  FTAP_TRY_ASSIGN(after, anonymous_mib(server.pid));
  print_row(who + ", after all scrapes", fmt::format("{:.1f}", after), "MiB RssAnon");
  return {};
}

// Like the suffix that Kubernetes generates for a pod of a Deployment.
std::string suffix_of(std::size_t number) {
  std::string suffix = fmt::format("{:05}", number);
  for (char& digit : suffix) digit = "bcdfghjklm"[digit - '0'];
  return suffix;
}

// A bundle like containerd's, so that all containers have names of the usual length.
void write_bundle(const test::ScratchRoot& root, std::size_t number, bool sandbox) {
  const std::string id = PodCgroups::id_of(number);
  const std::string directory = "run/containerd/io.containerd.runtime.v2.task/k8s.io/" + id;
  std::filesystem::create_directories(root.file(directory));
  root.write(directory + "/config.json",
             fmt::format(R"({{"annotations": {{"io.kubernetes.cri.container-type": "{}",
  {} "io.kubernetes.cri.sandbox-id": "{}",
  "io.kubernetes.cri.sandbox-namespace": "team-{}", "io.kubernetes.cri.sandbox-uid": "{}",
  "io.kubernetes.cri.sandbox-name": "service-{:03}-5d69c7f9c9-{}"}}}})",
                         sandbox ? "sandbox" : "container",
                         sandbox ? "" : R"("io.kubernetes.cri.container-name": "app",)", id, number % 20,
                         PodCgroups::uid_of(number), number / 3, suffix_of(number)));
}

// Checks that everything that was started has its own series, and its part of the energy.
Status check(const Server& server, std::size_t count) {
  FTAP_TRY_ASSIGN(answer, scrape(server, ""));
  for (const std::string_view name :
       {"flowtap_workload_cpu_seconds_total{", "flowtap_workload_joules_total{"}) {
    std::size_t found = 0;
    for (auto at = answer.body.find(name); at != std::string::npos; at = answer.body.find(name, at + 1)) {
      const std::string_view line = std::string_view(answer.body).substr(at, answer.body.find('\n', at) - at);
      found += line.contains("service-") ? 1 : 0;
    }
    print_row(fmt::format("- pods with {}", name.substr(0, name.size() - 1)), fmt::format("{}", found), "",
              fmt::format("{}", count));
    if (found != count) return fail(fmt::format("{} of {} pods have a series {}", found, count, name));
  }
  return {};
}

// The families of node_exporter that a page has. Their scrape_* and build_info tell of the exporter itself.
Result<std::set<std::string>> node_families(const Server& server) {
  FTAP_TRY_ASSIGN(answer, scrape(server, ""));
  std::set<std::string> names;
  constexpr std::string_view kType = "# TYPE node_";
  for (auto at = answer.body.find(kType); at != std::string::npos; at = answer.body.find(kType, at + 1)) {
    const auto begin = at + kType.size();
    const std::string name = answer.body.substr(begin, answer.body.find(' ', begin) - begin);
    if (!name.starts_with("scrape_") && !name.starts_with("exporter_")) names.insert(name);
  }
  return names;
}

Status run_with(std::size_t count, std::string_view cpu_goal, bool sandboxes = false) {
  const test::ScratchRoot root;
  FTAP_TRY_ASSIGN(energy, PowercapTree::make(root));
  for (std::size_t i = 0; i < count; ++i) write_bundle(root, i, sandboxes);
  const std::uint16_t port = test::free_port();
  Flowtapd daemon(root, "enabled: false",
                  {"--enable-prometheus", "--prometheus-address", fmt::format("127.0.0.1:{}", port)});
  FTAP_TRY(daemon.wait_ready());
  std::unique_ptr<Pods> pods;
  if (count != 0) {
    FTAP_TRY_ASSIGN(started, Pods::start(count, {.ticking = !sandboxes, .network = true}, kSpread));
    pods = std::move(started);
  }
  std::this_thread::sleep_for(kSettled);
  const Server server{daemon.pid(), port};
  const std::string who =
      count == 0 ? "no pods" : fmt::format("{} {}", count, sandboxes ? kSandboxes : "pods");
  FTAP_TRY(watch(server, "flowtapd, " + who, cpu_goal));
  return count == 0 ? Status() : check(server, count);
}

// Two processes that give the same families of the node, one after the other: Debian's node_exporter, and a flowtapd that gives these
// beside its own table. A family that only the first one has would make the comparison wrong.
Status compare_with_node_exporter() {
  std::set<std::string> theirs;
  {
    const test::ScratchRoot root;
    const test::NodeExporter exporter(root);
    std::this_thread::sleep_for(2s);
    const Server server{exporter.pid(), exporter.port()};
    FTAP_TRY_ASSIGN(families, node_families(server));
    theirs = std::move(families);
    FTAP_TRY(watch(server, "node_exporter", ""));
  }
  const test::ScratchRoot root;
  std::filesystem::create_directory(root.file("etc"));
  std::filesystem::copy_file("/etc/os-release", root.file("etc/os-release"));
  const std::uint16_t port = test::free_port();
  Flowtapd daemon(root, "enabled: false",
                  {"--enable-prometheus", "--prometheus-address", fmt::format("127.0.0.1:{}", port),
                   "--compat-metrics", "node"});
  FTAP_TRY(daemon.wait_ready());
  std::this_thread::sleep_for(kSettled);
  const Server server{daemon.pid(), port};
  FTAP_TRY(watch(server, "flowtapd, node_exporter's families", ""));
  FTAP_TRY_ASSIGN(ours, node_families(server));
  std::size_t missing = 0;
  for (const std::string& name : theirs)
    if (!ours.contains(name)) {
      ++missing;
      print_row("- not given: node_" + name, "", "");
    }
  print_row("- families of node_exporter", fmt::format("{}", theirs.size() - missing), "",
            fmt::format("{}", theirs.size()));
  return missing == 0 ? Status() : fail("the two do not give the same families");
}

std::string_view goal_of(std::size_t pods) {
  return pods == 110 ? "0.5" : pods == 1000 ? "3" : "";
}

Status run(const std::vector<std::string>& counts) {
  print_section(fmt::format("telemetry, {} windows of {} s", kWindows, kWindow.count()));
  for (const std::string& word : counts) {
    if (word == kNode) {
      FTAP_TRY(compare_with_node_exporter());
      continue;
    }
    std::size_t digits = 0;
    const std::size_t count = std::stoul(word, &digits);
    const std::string_view behind = std::string_view(word).substr(digits);
    if (!behind.empty() && behind != kSandboxes)
      return fail(fmt::format("'{}' is neither PODS, PODS{} nor {}", word, kSandboxes, kNode));
    FTAP_TRY(run_with(count, behind.empty() ? goal_of(count) : "", !behind.empty()));
  }
  if (!counts.empty()) return {};
  FTAP_TRY(compare_with_node_exporter());
  for (const std::size_t count : {0UL, 110UL, 1000UL}) FTAP_TRY(run_with(count, goal_of(count)));
  return {};
}

}  // namespace
}  // namespace flowtap::bench

int main(int argc, char** argv) {
  flowtap::bench::Pods::be_one(argc, argv);
  try {
    return flowtap::bench::finish(flowtap::bench::run({argv + 1, argv + argc}));
  } catch (const std::exception& e) {
    return flowtap::bench::finish(flowtap::fail(e.what()));
  }
}
