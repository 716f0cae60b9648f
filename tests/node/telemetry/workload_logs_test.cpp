// What containers wrote == what /metrics and `flowtap top --pods` count for them, over their restarts and the ends of their
// flows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/daemon/daemon.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap::test {
namespace {

namespace json = boost::json;

// Writes this many lines of this many bytes each, the newline among them.
std::vector<std::string> writer(unsigned lines, unsigned bytes, const std::string& then = "") {
  return shell(
      fmt::format("x=$(head -c {} /dev/zero | tr '\\0' x); yes $x | head -n {}; {}", bytes - 1, lines, then));
}

Labels of_pod(const std::string& pod, const std::string& workload) {
  return {{"kind", "pod"}, {"namespace", "shop"}, {"pod", pod}, {"container", "app"}, {"workload", workload}};
}

double value(const SeriesMap& series, const char* family, const Labels& labels) {
  const auto at = series.find(series_key(family, labels));
  return at == series.end() ? -1 : at->second;
}

constexpr const char* kBytes = "flowtap_workload_log_bytes_total";
constexpr const char* kLines = "flowtap_workload_log_lines_total";
constexpr const char* kMissing = "flowtap_workload_log_missing_bytes_total";

// False where something is missing; then it shows all that the daemon has counted.
bool expect_written(const Daemon& daemon, const Labels& labels, double bytes, double lines) {
  const bool come = eventually([&] { return value(daemon.scrape().all, kBytes, labels) >= bytes; });
  if (!come) fmt::print("{}\n", daemon.metrics());
  EXPECT_TRUE(come);
  const SeriesMap all = daemon.scrape().all;
  fmt::print("{}: {:.0f} B in {:.0f} lines, of {:.0f} in {:.0f}\n", labels.at("container"),
             value(all, kBytes, labels), value(all, kLines, labels), bytes, lines);
  EXPECT_EQ(value(all, kBytes, labels), bytes);
  EXPECT_EQ(value(all, kLines, labels), lines);
  EXPECT_EQ(value(all, kMissing, labels), 0);
  return come;
}

// The line of `flowtap top --pods` for this pod or container, which may have ended by now.
json::object top(const Daemon& daemon, const std::string& member, const std::string& name) {
  const Outcome run = flowtap_program("-o json top --pods --ended -n 1 --state-dir " + daemon.state_dir());
  EXPECT_EQ(run.exit, 0) << run.output;
  const json::value answer = json::parse(run.output);
  for (const json::value& pod : answer.at("pods").as_array())
    if (const auto* text = pod.as_object().if_contains(member); text != nullptr && text->as_string() == name)
      return pod.as_object();
  ADD_FAILURE() << name << " is not in " << run.output;
  return {};
}

TEST(WorkloadLogs, OfAPodAreWhatWentInOverRestartsAndEvictions) {
  const ScratchRoot root;
  Containerd containerd(root);
  DaemonOptions options = kCapturing;
  // Two flows are kept, so those of the pod that ended first have gone before its last one begins.
  options.room = "flows_bytes: 134217728, journal_bytes: 67108864, max_flows: 2";
  Daemon daemon(root, options);
  daemon.wait_ready();
  const std::string pod = "web-5d69c7f9c9-x7x2b";
  const Labels labels = of_pod(pod, "web");
  double bytes = 0;
  double lines = 0;
  for (unsigned run = 0; run < 4; ++run) {
    const unsigned wrote = 1000 * (run + 1);
    const std::string id = container_id(fmt::format("run{}", run));
    const std::string end = fmt::format("end{}", run);
    // A shim reads a container's pipes for some seconds after its end, and then gives up what is left (containerd#12364). So the
    // container ends when all is read.
    const std::string then =
        fmt::format("echo error >&2; until [ -e /{} ] || [ ! -e /bin ]; do sleep 0.05; done; exit 3", end);
    const auto running = containerd.start({.id = id,
                                           .command = writer(wrote, 100, then),
                                           .annotations = cri_annotations("shop", pod, kPod, "app"),
                                           .restart = run});
    bytes += wrote * 100 + 6;
    lines += wrote + 1;
    ASSERT_TRUE(expect_written(daemon, labels, bytes, lines))
        << "the runtime itself has " << containerd.out(id).size() << " bytes of " << wrote * 100;
    let_go(root, end);
    EXPECT_EQ(running->wait(), 3);
  }
  const json::object shown = top(daemon, "pod", pod);
  EXPECT_EQ(shown.at("log_bytes").to_number<double>(), bytes);
  EXPECT_EQ(shown.at("log_lines").to_number<double>(), lines);
  EXPECT_EQ(shown.at("log_missing_bytes").to_number<double>(), 0);
  EXPECT_EQ(shown.at("workload").as_string(), "web");
  const SeriesMap all = daemon.scrape().all;
  EXPECT_GE(value(all, "flowtap_flows_evicted_total", {{"reason", "flows"}}), 2)
      << "the first ones had to go";
}

TEST(WorkloadLogs, OfPodmansContainerAreShownWithWhatItUses) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  podman.start(
      {.name = "talker",
       .command = writer(2500, 40, "printf unfinished; while [ ! -e /never ]; do sleep 0.01; done")});
  const Labels labels{
      {"kind", "container"}, {"namespace", ""}, {"pod", ""}, {"container", "talker"}, {"workload", ""}};
  expect_written(daemon, labels, 100'010, 2500);
  EXPECT_TRUE(eventually([&] { return top(daemon, "container", "talker").contains("cpu_cores"); }));
  const json::object shown = top(daemon, "container", "talker");
  EXPECT_EQ(shown.at("log_bytes").to_number<double>(), 100'010);
  EXPECT_GT(shown.at("cpu_cores").to_number<double>(), 0);
  EXPECT_LT(shown.at("cpu_cores").to_number<double>(), 2.5);
  EXPECT_EQ(shown.at("log_bytes_per_second").to_number<double>(), 0) << "it is silent by now";
  fmt::print("{}\n", flowtap_program("top --pods -n 1 --state-dir " + daemon.state_dir()).output);
  podman.kill("talker");
}

}  // namespace
}  // namespace flowtap::test
