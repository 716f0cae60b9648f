// Measures the answers of the explain path: the memory of 1,000 pods, each refused by all of 100 nodes with 8 cards,
// and the cost of a request for one of them over HTTP, made by wrk.
#include <fmt/core.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "api/server.hpp"
#include "base/file.hpp"
#include "explain/diagnosis/diagnosis.hpp"
#include "explain/diagnosis/diagnosis_store.hpp"
#include "explain/diagnosis/scheduler_log.hpp"
#include "tests/support/files/scratch_root.hpp"
#include "tools/bench/measure/figures.hpp"
#include "tools/bench/measure/flowtapd.hpp"

namespace flowtap::bench {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kPods = 1000;
constexpr unsigned kCards = 8;
constexpr int kRounds = 5;
constexpr const char* kToken = "of-the-benchmark";

// The lines about all of a pod's nodes, as in the evidence.
std::size_t cards_of(diagnosis::DiagnosisStore& store, std::string_view pod) {
  std::size_t cards = 0;
  if (const auto found = store.find("jobs", pod))
    for (const diagnosis::NodeVerdict& node : found->nodes) cards += node.cards.size();
  return cards;
}

// The log of HAMi 2.10 at -v=5.
std::string text_of(std::string_view text) {
  return fmt::format("I0821 07:12:30.002400       1 score.go:1] {}", text);
}

void read(diagnosis::SchedulerLog& log, const std::string& text) {
  log.read(flow::whole_record(text));
}

std::string card_of(unsigned node, unsigned card) {
  return fmt::format("GPU-{:08x}-b005-4c1e-9f00-{:012x}", node, card);
}

constexpr const char* why(unsigned card) {
  return card == 0   ? "CardInsufficientCore"
         : card == 1 ? "CardTimeSlicingExhausted"
                     : "CardInsufficientMemory";
}

void fill(diagnosis::DiagnosisStore& store, unsigned nodes) {
  diagnosis::SchedulerLog log(store);
  for (unsigned n = 0; n < nodes; ++n) {
    std::string cards;
    for (unsigned c = 0; c < kCards; ++c)
      cards += fmt::format(R"({}{{"id":"{}","index":{}}})", c == 0 ? "" : ",", card_of(n, c), c);
    read(
        log,
        text_of(fmt::format(
            R"("Node device added" nodeName="node-{0:03}" deviceVendor="NVIDIA" nodeInfo={{"ID":"node-{0:03}","Node":{{}},"Devices":{{"NVIDIA":[{1}]}}}})",
            n, cards)));
  }
  for (unsigned p = 0; p < kPods; ++p) {
    read(
        log,
        text_of(fmt::format(
            R"("Starting schedule filter process" pod="pod-{0}" uuid="a7c9d1de-5a5f-4f0e-8a3b-{0:012}" namespace="jobs")",
            p)));
    const std::string pod = fmt::format("jobs/pod-{}", p);
    for (unsigned n = 0; n < nodes; ++n) {
      for (unsigned c = 0; c < kCards; ++c)
        read(
            log,
            text_of(fmt::format(
                R"("{}" pod="{}" device="{}" device index={} device total memory=40960 device used memory=39000 request memory=3000)",
                why(c), pod, card_of(n, c), c)));
      read(
          log,
          text_of(fmt::format(
              R"("NodeUnfitPod" pod="{}" node="node-{:03}" reason="1/8 CardInsufficientCore, 1/8 CardTimeSlicingExhausted, 6/8 CardInsufficientMemory")",
              pod, n)));
    }
    read(log, text_of(fmt::format(R"("No available nodes meet the required scores" pod="pod-{}")", p)));
  }
}

class View final : public api::NodeView, public api::DiagnosesView {
 public:
  explicit View(diagnosis::DiagnosisStore& store) : store_(store) {}

  [[nodiscard]] api::StatusReport status() const override { return {}; }
  [[nodiscard]] stats::SnapshotPtr snapshot() const override { return nullptr; }
  [[nodiscard]] Status ready() const override { return {}; }
  [[nodiscard]] Result<api::DiagnosesView*> diagnoses() const override {
    return const_cast<View*>(
        this);  // NOLINT(cppcoreguidelines-pro-type-const-cast): as the daemon's is another's
  }
  [[nodiscard]] std::optional<std::string> schedulerlog(const std::string& ns, const std::string& pod,
                                                        bool evidence) override {
    const auto found = store_.find(ns, pod);
    if (!found) return std::nullopt;
    return diagnosis::to_json(*found, evidence);
  }
  [[nodiscard]] std::vector<api::DiagnosedPod> pods(const std::string& /*ns*/) const override { return {}; }
  [[nodiscard]] std::optional<api::DiagnosisEntry> entry(const api::DiagnosedPod& /*pod*/,
                                                         bool /*answer*/) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::size_t logs() const override { return 1; }

 private:
  diagnosis::DiagnosisStore& store_;
};

// The CPU time of the thread that serves, which is not the one that asks.
Result<double> api_cpu_ns() {
  for (const auto& task : fs::directory_iterator("/proc/self/task")) {
    FTAP_TRY_ASSIGN(name, read_line(task.path() / "comm"));
    if (name != "ftap-api") continue;
    FTAP_TRY_ASSIGN(times, read_line(task.path() / "schedstat"));
    return std::stod(times);
  }
  return fail("there is no thread of the API");
}

// Requests that wrk made in its seconds, one pod after the other.
Result<double> requests(const test::ScratchRoot& root, const std::string& url) {
  const std::string script = root.write("pods.lua", fmt::format(R"(local n = 0
wrk.headers["Authorization"] = "Bearer {}"
request = function()
  n = (n + 1) % {}
  return wrk.format("GET", "/api/v1/namespaces/jobs/pods/pod-" .. n .. "/schedulerlog")
end
done = function(summary)
  io.write("refused ", summary.errors.status, " made ", summary.requests, "\n")
end
)",
                                                                kToken, kPods));
  fs::remove(root.file("wrk.out"));
  test::Process wrk({.argv = {"/usr/bin/wrk", "-t1", "-c16", "-d3s", "-s", script, url},
                     .out = root.file("wrk.out"),
                     .err = root.file("wrk.out")});
  if (wrk.wait() != 0) return fail("wrk failed: " + root.read("wrk.out"));
  const std::string said = root.read("wrk.out");
  FTAP_TRY_ASSIGN(refused, number_behind(said, "refused"));
  FTAP_TRY_ASSIGN(made, number_behind(said, "made"));
  if (refused != 0 || made == 0) return fail(fmt::format("{} of {} requests were refused", refused, made));
  return static_cast<double>(made);
}

Status ask(diagnosis::DiagnosisStore& store, unsigned nodes) {
  const test::ScratchRoot root;
  std::ofstream(root.file("tokens")) << kToken << "\n";
  fs::permissions(root.file("tokens"), fs::perms::owner_read);
  const View view(store);
  FTAP_TRY_ASSIGN(server, api::ApiServer::start({.socket_path = root.file("api.sock"),
                                                 .socket_group = "",
                                                 .tcp = http::TcpOptions{.host = "127.0.0.1"}},
                                                view, {root.file("tokens")}));
  if (!*server.tcp()) return std::unexpected(server.tcp()->error());
  // A new thread gets its name a moment after its start.
  if (!test::eventually([] { return api_cpu_ns().has_value(); }))
    return fail("there is no thread of the API");
  Rounds cost;
  Rounds rate;
  for (int i = 0; i < kRounds; ++i) {
    FTAP_TRY_ASSIGN(before, api_cpu_ns());
    FTAP_TRY_ASSIGN(made, requests(root, **server.tcp()));
    FTAP_TRY_ASSIGN(after, api_cpu_ns());
    cost.add((after - before) / made / 1e3);
    rate.add(made / (after - before) * 1e9);
  }
  const std::size_t size =
      store.find("jobs", "pod-0") ? diagnosis::to_json(*store.find("jobs", "pod-0")).size() : 0;
  print_row(fmt::format("GET schedulerlog of {} nodes, {} B of JSON", nodes, size), cost,
            "µs of the API's thread");
  print_row("- requests that one core serves in a second", rate, "1/s", nodes < 10 ? "20,000" : "");
  return {};
}

Status run() {
  for (const unsigned nodes : {3U, 100U}) {
    print_section(fmt::format("{} pods, each refused by {} nodes of {} cards", kPods, nodes, kCards));
    FTAP_TRY_ASSIGN(before, anonymous_mib(::getpid()));
    // More than the product allows itself, so that all pods are kept.
    diagnosis::DiagnosisStore store(kPods, std::size_t{256} << 20U);
    fill(store, nodes);
    FTAP_TRY_ASSIGN(after, anonymous_mib(::getpid()));
    if (store.size() != kPods) return fail(fmt::format("{} of {} pods are there", store.size(), kPods));
    if (const std::size_t cards = cards_of(store, "pod-0"); cards != std::size_t{nodes} * kCards)
      return fail(fmt::format("{} of {} cards are there", cards, nodes * kCards));
    print_row("memory of them", fmt::format("{:.1f}", after - before), "MiB RssAnon");
    print_row("- as the store counts it", fmt::format("{:.1f}", static_cast<double>(store.bytes()) / 1048576),
              "MiB");
    FTAP_TRY(ask(store, nodes));
  }
  diagnosis::DiagnosisStore bounded;
  fill(bounded, 100);
  print_row("pods of 100 nodes that stay within the store's own bound", fmt::format("{}", bounded.size()),
            fmt::format("of {}, in {} MiB", kPods, diagnosis::DiagnosisStore::kMostBytes >> 20U));
  return {};
}

}  // namespace
}  // namespace flowtap::bench

int main() {
  try {
    return flowtap::bench::finish(flowtap::bench::run());
  } catch (const std::exception& error) {
    return flowtap::bench::finish(flowtap::fail(error.what()));
  }
}
