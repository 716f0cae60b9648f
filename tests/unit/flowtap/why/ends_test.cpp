// What flowtap why says of containers and services that ended, and of pods that no scheduler explains.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/occurrences.hpp"
#include "tests/unit/api/scripted_flows.hpp"
#include "tests/unit/flowtap/served.hpp"
#include "tests/unit/flowtap/shell.hpp"
#include "tools/flowtap/why/why_exits.hpp"
#include "tools/flowtap/why/why_here.hpp"
#include "tools/flowtap/why/why_next.hpp"

namespace flowtap::cli {
namespace {

using Time = std::chrono::system_clock::time_point;

constexpr Time kTime(std::chrono::seconds(1'700'000'000));
constexpr Time kNow = kTime + std::chrono::seconds(3);
constexpr Style kUtf8{.color = false, .utf8 = true};
constexpr PodName kPod{.ns = "shop", .name = "web-0"};

api::ContainerExit exit_with(std::optional<unsigned> code, std::optional<unsigned> signal = {}) {
  return {.container = "app",
          .flow = "pod/shop/web-0/u/app/0",
          .time = kTime,
          .code = code,
          .signal = signal,
          .oom = false,
          .started = true,
          .process = "app",
          .of = {.ns = "shop", .pod = "web-0", .id = "1f8b", .unit = {}}};
}
Ends of(api::ContainerExit exit, const std::vector<std::string>& lines = {}) {
  LastLines last;
  for (const std::string& line : lines) last.take(line + "\n");
  return {.ended = {{std::move(exit), last.lines()}}, .oom_kills = {}, .of_others = {}};
}
api::ContainerKills hog() {
  return {.container = "app",
          .flow = "pod/shop/web-0/u/app/0",
          .time = kTime,
          .count = 1,
          .process = "h\x1bog",
          .of = {.ns = "shop", .pod = "web-0", .id = "1f8b", .unit = {}}};
}
std::string text_of(const Ends& ends, bool all = false) {
  return ends_text("shop/web-0", ends, all, kNow, kUtf8);
}

TEST(EndsText, HowItsLastLinesAndWhatToDo) {
  EXPECT_EQ(
      text_of(of(exit_with(42), {"on its way", "last\x1bwords"})),
      "shop/web-0: the container app ended with code 42, 3 s ago (2023-11-14T22:13:20.000000000Z); its last "
      "lines:\n"
      "  on its way\n  last\\x1bwords\n  → flowtap logs pod/shop/web-0/u/app/0 has what it wrote\n");
  EXPECT_EQ(text_of(of(exit_with({}, 9))),
            "shop/web-0: the container app was killed by signal 9 (SIGKILL), 3 s ago "
            "(2023-11-14T22:13:20.000000000Z); "
            "nothing that it wrote is kept\n"
            "  → somebody has killed it: a person, or whoever started it because it did not end in time or "
            "did not answer\n"
            "  → kubectl describe pod web-0 -n shop may say who\n");
  EXPECT_EQ(text_of(of(exit_with(0))), "");
  EXPECT_TRUE(text_of(of(exit_with(0)), true)
                  .starts_with("shop/web-0: the container app ended with code 0, 3 s ago"));
}

TEST(EndsText, WhatNeverStartedHasNoCode) {
  api::ContainerExit never = exit_with({});
  never.started = false;
  never.process = "runc:[2:INIT]";
  EXPECT_EQ(text_of(of(never)),
            "shop/web-0: the container app was never started: its program could not be executed, 3 s ago "
            "(2023-11-14T22:13:20.000000000Z)\n"
            "  → kubectl describe pod web-0 -n shop has its runtime's message: the program or its "
            "interpreter is not in "
            "the image, must not be executed or is for another CPU, or a mount of the container failed\n");
  never.of = {};
  EXPECT_NE(text_of(of(never)).find("→ podman inspect app, or docker inspect app, has"), std::string::npos);
}

TEST(EndsText, AChildThatWasKilledForWantOfMemory) {
  Ends ends = of(exit_with(0));
  ends.oom_kills = {hog()};
  EXPECT_EQ(text_of(ends),
            "shop/web-0: the process \"h\\x1bog\" of the container app was killed, because memory was used "
            "up (OOM), 3 s ago "
            "(2023-11-14T22:13:20.000000000Z)\n"
            "  → let it use less, or give it more: resources.limits.memory, or the node's memory, is too "
            "small for what "
            "it does\n");
  ends.oom_kills.at(0).count = 1234;
  EXPECT_TRUE(text_of(ends).starts_with(
      "shop/web-0: 1,234 processes of the container app were killed, because memory "
      "was used up (OOM), the last one, \"h\\x1bog\", 3 s ago"));
  // All of them were killed at once, and the end says so.
  ends.ended.at(0).exit = exit_with({}, 9);
  ends.ended.at(0).exit.oom = true;
  EXPECT_EQ(text_of(ends).find("of the container app"), std::string::npos) << text_of(ends);
  EXPECT_NE(text_of(ends).find("(SIGKILL), because memory was used up (OOM)"), std::string::npos);
}

TEST(EndsText, OfAService) {
  api::ContainerExit exit = exit_with({}, 11);
  exit.container.clear();
  exit.process = "nginx";
  exit.of = {.ns = {}, .pod = {}, .id = {}, .unit = "nginx.service"};
  EXPECT_TRUE(ends_text("nginx", of(exit), true, kNow, kUtf8)
                  .starts_with("nginx: its process \"nginx\" was killed by signal 11 (SIGSEGV), 3 s ago"));
  exit.signal = 15;
  exit.success = true;
  EXPECT_TRUE(
      ends_text("nginx", of(exit), true, kNow, kUtf8)
          .starts_with("nginx: its process \"nginx\" was killed by signal 15 (SIGTERM), which systemd "
                       "counts as a success, 3 s ago"));
  EXPECT_FALSE(of(exit).badly());
  exit.signal = {};
  exit.code = 0;
  EXPECT_TRUE(ends_text("nginx", of(exit), true, kNow, kUtf8)
                  .starts_with("nginx: its process \"nginx\" ended with code 0, 3 s ago"));
}

TEST(NextSteps, EachKindOfEndHasItsOwn) {
  const auto first = [](std::optional<unsigned> code, std::optional<unsigned> signal = {}) {
    const auto steps = next_steps(exit_with(code, signal), false);
    return steps.empty() ? std::string() : steps.front();
  };
  EXPECT_EQ(first(0), "");
  EXPECT_EQ(first(1), "") << "only its lines can say more";
  EXPECT_NE(first(126), "");
  EXPECT_NE(first(127), "");
  EXPECT_EQ(first(139), first({}, 11)) << "a shell's word for the same";
  EXPECT_EQ(first(128), "");
  EXPECT_EQ(first(255), "");
  for (const unsigned signal : {2U, 4U, 6U, 7U, 8U, 9U, 11U, 15U, 31U})
    EXPECT_NE(first({}, signal), "") << signal;
}

TEST(BoundText, SaysWhatBecameOfThePod) {
  const auto text = [](const Here& here, const Ends& ends, const std::string& node = "n1") {
    return bound_text(kPod, node, here, ends, kNow, kUtf8);
  };
  const std::string describe =
      "kubectl describe pod web-0 -n shop says at its end what it waits for: the image, a volume, a secret "
      "or its network\n";
  EXPECT_EQ(text({}, {}), "") << "nothing is captured here";
  Here here{.known = true, .flows = {}, .running = {}, .sandbox = false};
  EXPECT_EQ(text(here, {}),
            "  → flowtap why shop/web-0 on n1 says how its containers are doing; " + describe);
  std::array<char, 256> own{};
  ASSERT_EQ(::gethostname(own.data(), own.size() - 1), 0);
  const std::string none = "  on this node: none of its containers has started yet\n  → " + describe;
  EXPECT_EQ(text(here, {}, own.data()), none);
  here.sandbox = true;
  EXPECT_EQ(text(here, {}), none) << "its image cannot be pulled";
  EXPECT_EQ(text(here, of(exit_with(0))),
            "  on this node: app ended with code 0, 3 s ago; nothing else has started yet\n  → " + describe)
      << "app has prepared what does not start";
  EXPECT_EQ(text(here, of(exit_with(1))), "  on this node: app ended with code 1, 3 s ago\n")
      << "the end says the rest";
  here.running = {"app", "side"};
  EXPECT_EQ(text(here, {}), "  on this node: app runs, side runs\n");
  EXPECT_EQ(text(here, of(exit_with(1))), "  on this node: app runs again, side runs\n");
  here = {.known = true, .flows = {}, .running = {}, .sandbox = false};
  EXPECT_EQ(text(here, of(exit_with(0))), "  on this node: app ended with code 0, 3 s ago\n") << "it is over";
}

// A node with a pod that no scheduler has spoken of, a container and a service.
class Node final : public api::ScriptedNode {
 public:
  api::Exits of_pod;
  api::Exits of_name;

  [[nodiscard]] api::Exits exits(const std::string& ns, const std::string& pod) const override {
    return ns == "shop" && pod == "web-0" ? of_pod : api::Exits{};
  }
  [[nodiscard]] api::Exits exits_of(const std::string& name) const override {
    return name == "batch" ? of_name : api::Exits{};
  }
};

class NoDiagnoses final : public api::DiagnosesView {
 public:
  std::uint64_t evicted = 0;
  [[nodiscard]] std::optional<std::string> schedulerlog(const std::string& /*ns*/, const std::string& /*pod*/,
                                                        bool /*evidence*/) override {
    return std::nullopt;
  }
  [[nodiscard]] std::vector<api::DiagnosedPod> pods(const std::string& /*ns*/) const override { return {}; }
  [[nodiscard]] std::optional<api::DiagnosisEntry> entry(const api::DiagnosedPod& /*pod*/,
                                                         bool /*answer*/) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::size_t logs() const override { return 1; }
  [[nodiscard]] std::uint64_t made_room() const override { return evicted; }
};

class WhyEnds : public testing::Test {
 protected:
  WhyEnds() {
    node_.explained = &diagnoses_;
    node_.captured = &flows_;
    node_.totals = api::full_snapshot();
  }
  [[nodiscard]] Outcome why(const std::string& arguments) {
    if (!server_) server_.emplace(served(dir_, node_));
    return flowtap_program("why " + arguments + " --state-dir " + dir_.path());
  }
  void add_flow(const std::string& id, const std::string& kind, const std::string& container, bool open) {
    api::FlowStatus flow;
    flow.id = id;
    flow.kind = kind;
    if (kind == "pod" || kind == "sched") flow.ns = "shop";
    if (kind == "pod" || kind == "sched") flow.pod = "web-0";
    if (!container.empty()) flow.container = container;
    flow.bytes = 207;
    flow.lines = 9;
    flow.open = open;
    flows_.list.push_back(flow);
  }

  api::TempDir dir_;
  NoDiagnoses diagnoses_;
  api::ScriptedFlows flows_;
  Node node_;
  std::optional<api::ApiServer> server_;
};

TEST_F(WhyEnds, APodWhoseLogIsServedIsNeverUnknown) {
  add_flow("pod/shop/web-0/u/app/0", "pod", "app", true);
  const Outcome text = why("shop/web-0");
  EXPECT_EQ(text.exit, 0);
  EXPECT_TRUE(text.output.starts_with("shop/web-0 is on this node\n")) << text.output;
  EXPECT_NE(text.output.find("  app        runs   207 B, 9 lines  -          pod/shop/web-0/u/app/0\n"),
            std::string::npos)
      << text.output;
  EXPECT_NE(text.output.find(
                "\n  not explained: the pod \"shop/web-0\" is on this node, and no scheduler's log that is "
                "read here mentions it\n"),
            std::string::npos)
      << text.output;
  EXPECT_EQ(text.output.find("not seen"), std::string::npos) << text.output;
  const Outcome json = why("shop/web-0 -o json");
  EXPECT_EQ(json.exit, 0);
  EXPECT_EQ(boost::json::parse(json.output).at("flows").at(0).at("id"), "pod/shop/web-0/u/app/0");
  EXPECT_EQ(boost::json::parse(json.output).at("exits").as_array().size(), 0U);
}

TEST_F(WhyEnds, WhatMadeRoomIsNotCalledUnseen) {
  EXPECT_NE(why("shop/web-0").output.find("was not seen on this node by a scheduler\n"), std::string::npos);
  diagnoses_.evicted = 7;
  Outcome run = why("shop/web-0");
  EXPECT_EQ(run.exit, 3);
  EXPECT_NE(run.output.find("by a scheduler, or it has made room for others, as 7 pods have\n"),
            std::string::npos)
      << run.output;
  EXPECT_NE(run.output.find("flowtap logs sched/shop/web-0"), std::string::npos) << run.output;
  flows_.relist({});
  add_flow("sched/shop/web-0", "sched", "", true);
  run = why("shop/web-0");
  EXPECT_NE(run.output.find("it may have made room for others, as 7 pods have"), std::string::npos)
      << run.output;
  EXPECT_NE(run.output.find("flowtap logs sched/shop/web-0 has what schedulers wrote of it"),
            std::string::npos);
  EXPECT_EQ(run.output.find("not seen"), std::string::npos) << run.output;
}

TEST_F(WhyEnds, OfAContainerByItsName) {
  api::ContainerExit exit = exit_with(3);
  exit.container = "batch";
  exit.flow = "container/batch-1f8b";
  exit.of = {.ns = {}, .pod = {}, .id = "1f8b", .unit = {}};
  node_.of_name.exits = {exit};
  const auto flow = flows_.add("container/batch-1f8b");
  flow->append("last words\n");
  flow->end();
  add_flow("container/batch-1f8b", "container", "batch", true);
  const Outcome text = why("batch");
  EXPECT_EQ(text.exit, 0);
  EXPECT_TRUE(text.output.starts_with("batch: the container batch ended with code 3, ")) << text.output;
  EXPECT_TRUE(
      text.output.ends_with("batch runs again; flowtap logs container/batch-1f8b has what it writes\n"))
      << text.output;
  const auto json = boost::json::parse(why("batch -o json").output);
  EXPECT_EQ(json.at("exits").at(0).at("code"), 3);
  EXPECT_EQ(json.at("exits").at(0).at("lines"), boost::json::array({"last words"}));
  EXPECT_EQ(json.at("flows").at(0).at("id"), "container/batch-1f8b");
}

// Three megabytes on one line say no more than its beginning.
TEST_F(WhyEnds, ALongLineIsQuotedByItsBeginning) {
  api::ContainerExit exit = exit_with(0);
  exit.container = "batch";
  exit.flow = "container/batch-1f8b";
  exit.of = {.ns = {}, .pod = {}, .id = "1f8b", .unit = {}};
  node_.of_name.exits = {exit};
  const auto flow = flows_.add("container/batch-1f8b");
  flow->append("first\n" + std::string(399, 'x') + "\xe2\x82\xac" + std::string(3'000'000, 'x') + "\nlast\n");
  flow->end();
  const std::string begin(399, 'x');
  const Outcome text = why("batch");
  EXPECT_TRUE(
      text.output.contains("; its last lines:\n  first\n  " + begin +
                           "...\n  last\n  → flowtap logs container/batch-1f8b has these lines whole\n"))
      << text.output.substr(0, 2000);
  const auto json = boost::json::parse(why("batch -o json").output);
  EXPECT_EQ(json.at("exits").at(0).at("lines"), boost::json::array({"first", begin, "last"}));
  EXPECT_EQ(json.at("exits").at(0).at("lines_cut"), true);
  node_.of_name.exits.at(0).code = 1;
  const std::string badly = why("batch").output;
  EXPECT_EQ(test::occurrences(badly, "flowtap logs container/batch-1f8b has"), 1U) << badly.substr(0, 2000);
}

// As `flowtap flows` shows them.
TEST_F(WhyEnds, IdsOfFlows) {
  add_flow("pod/shop/web-0/u/app/0", "pod", "app", true);
  add_flow("proc/8690-1508743", "proc", "", true);
  add_flow("file/tmp/x.log", "file", "", true);
  for (const char* of : {"pod/shop/web-0/u/app/0", "sched/shop/web-0"}) {
    const Outcome pod = why(of);
    EXPECT_EQ(pod.exit, 0) << of;
    EXPECT_TRUE(pod.output.starts_with("shop/web-0 is on this node\n")) << pod.output;
  }
  const Outcome process = why("proc/8690-1508743");
  EXPECT_EQ(process.exit, 3);
  EXPECT_EQ(
      process.output,
      "flowtap: \"proc/8690-1508743\" is the flow of a process, and why tells only of pods, containers and "
      "services\n  hint: flowtap logs proc/8690-1508743 has its log\n");
  const Outcome file = why("file/tmp/x.log");
  EXPECT_EQ(file.exit, 3);
  EXPECT_EQ(file.output,
            "flowtap: \"file/tmp/x.log\" is the flow of a file, and why tells only of pods, containers and "
            "services\n  hint: flowtap logs file/tmp/x.log has its log\n");
  EXPECT_TRUE(why("proc/1-2").output.contains("the pod \"proc/1-2\"")) << "a namespace may be called so";
  EXPECT_EQ(why("file/tmp/other").exit, 3);
}

// Two users, or two runtimes, may each have one.
TEST_F(WhyEnds, OfContainersOfOneName) {
  for (const auto& [id, code] : {std::pair("1f8b00112233445566", 3U), std::pair("2a0c00112233445566", 4U),
                                 std::pair("3c0d00112233445566", 5U)}) {
    api::ContainerExit exit = exit_with(code);
    exit.container = "batch";
    exit.flow = "container/batch-" + std::string(id).substr(0, 12);
    exit.time = kTime + std::chrono::seconds(code == 4 ? 9 : code);
    exit.of = {.ns = {}, .pod = {}, .id = id, .unit = {}};
    node_.of_name.exits.push_back(exit);
    add_flow(exit.flow, "container", "batch", false);
  }
  const Outcome text = why("batch");
  EXPECT_EQ(text.exit, 0);
  EXPECT_TRUE(text.output.starts_with("batch: the container batch ended with code 4, ")) << text.output;
  EXPECT_TRUE(
      text.output.ends_with("\nbatch: 2 other containers of this name ended before\n"
                            "  → flowtap why 3c0d00112233 says how\n"
                            "  → flowtap why 1f8b00112233 says how\n"))
      << text.output;
  std::vector<std::int64_t> codes;
  const auto json = boost::json::parse(why("batch -o json").output);
  for (const auto& exit : json.at("exits").as_array()) codes.push_back(exit.at("code").as_int64());
  EXPECT_EQ(codes, (std::vector<std::int64_t>{4, 5, 3})) << "the newest first";
}

// Each night one is made anew. What was killed in one of them says nothing of the next.
TEST_F(WhyEnds, WhatWasKilledInOlderContainersOfOneName) {
  const auto of_id = [](const char* id) {
    return api::EndedInstance{.ns = {}, .pod = {}, .id = std::string(id) + "00112233445566", .unit = {}};
  };
  const auto at = [](int second) { return kTime + std::chrono::seconds(second); };
  for (const auto& [id, second] : {std::pair("1f8b", 10), std::pair("2a0c", 90)}) {
    api::ContainerExit exit = exit_with(0);
    exit.container = "batch";
    exit.time = at(second);
    exit.of = of_id(id);
    node_.of_name.exits.push_back(exit);
  }
  // Of the third one no end is known.
  for (const auto& [id, second] : {std::pair("1f8b", 9), std::pair("3c0d", 50)}) {
    api::ContainerKills kills = hog();
    kills.container = "batch";
    kills.time = at(second);
    kills.of = of_id(id);
    node_.of_name.oom_kills.push_back(kills);
  }
  const auto killed_in = [this] {
    std::vector<std::string> ids;
    const auto json = boost::json::parse(why("batch -o json").output);
    for (const auto& kills : json.at("oom_kills").as_array())
      ids.emplace_back(kills.at("id").as_string().subview(0, 4));
    return ids;
  };
  Outcome text = why("batch");
  EXPECT_TRUE(text.output.starts_with("batch: the container batch ended with code 0, ")) << text.output;
  EXPECT_EQ(text.output.find("OOM"), std::string::npos) << text.output;
  EXPECT_TRUE(
      text.output.ends_with("\nbatch: 2 other containers of this name ended before, or had processes killed\n"
                            "  → flowtap why 3c0d00112233 says how\n"
                            "  → flowtap why 1f8b00112233 says how\n"))
      << text.output;
  EXPECT_EQ(killed_in(), (std::vector<std::string>{"3c0d", "1f8b"})) << "the newest first";
  // A container that goes on is newer than the one that ended last.
  node_.of_name.oom_kills.at(1).time = at(91);
  text = why("batch");
  EXPECT_TRUE(text.output.starts_with("batch: the process \"h\\x1bog\" of the container batch was killed"))
      << text.output;
  EXPECT_EQ(text.output.find("ended with"), std::string::npos) << text.output;
  EXPECT_EQ(killed_in(), (std::vector<std::string>{"3c0d", "1f8b"}));
  // The newest one's own are told.
  node_.of_name.oom_kills.at(1).of = of_id("2a0c");
  text = why("batch");
  EXPECT_NE(text.output.find("batch: the process \"h\\x1bog\" of the container batch was killed"),
            std::string::npos)
      << text.output;
  EXPECT_NE(text.output.find("ended with code 0"), std::string::npos) << text.output;
  EXPECT_EQ(killed_in(), (std::vector<std::string>{"2a0c", "1f8b"}));
}

TEST_F(WhyEnds, ANameThatNobodyHas) {
  const Outcome run = why("nobody");
  EXPECT_EQ(run.exit, 3);
  EXPECT_NE(run.output.find("no container or service \"nobody\" was seen on this node"), std::string::npos)
      << run.output;
  for (const char* const wrong : {"a/b/c", "batch --watch", "batch --evidence", "batch --from x"})
    EXPECT_EQ(why(wrong).exit, 2) << wrong;
}

}  // namespace
}  // namespace flowtap::cli
