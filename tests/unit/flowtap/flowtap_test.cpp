// The program itself, against a scripted daemon: output, errors and exit codes.
#include "tests/unit/flowtap/flowtap_fixture.hpp"

namespace flowtap {
namespace {

TEST_F(FlowtapTest, WithoutADaemonItExitsWith4AndSaysSo) {
  for (const char* command :
       {"status", "top", "top -o json", "status -o json", "flows", "flows -o json", "tap 7", "tap 7 -o json",
        "tap 7 --stderr", "logs a/b", "logs -g a", "logs -g a -f"}) {
    const Outcome run = flowtap(command + at());
    EXPECT_EQ(run.exit, 4) << command;
    EXPECT_TRUE(run.output.starts_with("flowtap: ") &&
                run.output.contains("nobody listens on " + (dir_ / "api.sock")))
        << run.output;
    EXPECT_NE(run.output.find("  hint: "), std::string::npos);
    EXPECT_EQ(occurrences(run.output, "\n"), 2U) << run.output;
  }
}

TEST_F(FlowtapTest, StatusShowsTheReport) {
  node_.report = api::full_report();
  start();
  const Outcome text = flowtap("status" + at());
  EXPECT_EQ(text.exit, 0);
  EXPECT_TRUE(text.output.starts_with("flowtapd 1.2.3 on Linux 6.1.0-test, up 12 s\n")) << text.output;
  EXPECT_EQ(text.output.find('\x1b'), std::string::npos);
  const Outcome json = flowtap("status -o json" + at());
  EXPECT_EQ(json.exit, 0);
  EXPECT_TRUE(json.output.starts_with(R"({"version":"1.2.3",)")) << json.output;
}

TEST_F(FlowtapTest, TopPrintsBlocksWithTheRate) {
  start();
  const Outcome run = flowtap("top --interval 200ms --count 2" + at());
  EXPECT_EQ(run.exit, 0);
  EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\x1b'), 0);
  EXPECT_EQ(occurrences(run.output, " 200.0  "), 4U) << run.output;  // type and total, twice
}

TEST_F(FlowtapTest, TopShowsEachCycleOnceEvenIfItAsksMoreOften) {
  node_.period = std::chrono::milliseconds(250);
  start();
  const Outcome run = flowtap("top --interval 100ms --count 2" + at());
  EXPECT_EQ(occurrences(run.output, " 40.0  "), 4U) << run.output;
}

TEST_F(FlowtapTest, TopPrintsOneJsonObjectPerInterval) {
  start();
  const Outcome run = flowtap("-o json top --interval 100ms --count 3" + at());
  EXPECT_EQ(run.exit, 0);
  EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 3);
  EXPECT_NE(run.output.find(R"("types":[{"type":"wsync","count":)"), std::string::npos) << run.output;
}

TEST_F(FlowtapTest, TopOfPodsIsTheRateOfEachInterval) {
  start();
  const Outcome text = flowtap("top --pods --interval 100ms -n 2 --sort logs --namespace shop" + at());
  EXPECT_EQ(text.exit, 0);
  EXPECT_EQ(occurrences(text.output, "  shop/web-0     200 B\n"), 2U) << text.output;
  const Outcome json = flowtap("-o json top --pods --containers --interval 100ms -n 3" + at());
  EXPECT_EQ(json.exit, 0);
  EXPECT_EQ(std::count(json.output.begin(), json.output.end(), '\n'), 3);
  EXPECT_EQ(
      occurrences(json.output, R"("pod":"web-0","container":"app","workload":"web","log_bytes_per_second":)"),
      3U)
      << json.output;
}

TEST_F(FlowtapTest, FlowsIsATableOrTheBody) {
  node_.captured = &flows_;
  flows_.list = {api::full_flow()};
  start();
  const Outcome text = flowtap("flows" + at());
  EXPECT_EQ(text.exit, 0);
  EXPECT_TRUE(text.output.starts_with("  group     pod         container  runtime")) << text.output;
  EXPECT_NE(
      text.output.find("  shop/web-1  nginx      containerd  118 MiB+  1,000+    7 B    42 B?  open   "),
      std::string::npos)
      << text.output;
  EXPECT_EQ(text.output.find('\x1b'), std::string::npos);
  const Outcome json = flowtap("flows -o json --namespace 'a b' --pod p --group 'g&h' --kind pod" + at());
  EXPECT_EQ(json.exit, 0);
  EXPECT_TRUE(json.output.starts_with(R"({"flows":[{"id":"pod/shop/web-1/)")) << json.output;
  EXPECT_EQ(flows_.asked_for().ns, "a b");
  EXPECT_EQ(flows_.asked_for().pod, "p");
  EXPECT_EQ(flows_.asked_for().group, "g&h");
  EXPECT_EQ(flows_.asked_for().kind, "pod");
}

TEST_F(FlowtapTest, FlowsWithoutTheStreamPathExitsWith1AndSaysSo) {
  start();
  const Outcome run = flowtap("flows" + at());
  EXPECT_EQ(run.exit, 1);
  EXPECT_TRUE(run.output.starts_with("flowtap: nothing is captured: the stream path is off\n")) << run.output;
}

TEST_F(FlowtapTest, UsageErrorsExitWith2) {
  for (const char* arguments : {"",
                                "tops",
                                "--nope",
                                "top --interval 1",
                                "top --interval 1ms",
                                "top --interval 1h1ms",
                                "top --count 0",
                                "top --count ''",
                                "top --count 5x",
                                "top --count -18446744073709551615",
                                "top --count 18446744073709551617",
                                "top --count",
                                "status extra",
                                "-o yaml status",
                                "status --count 1",
                                "top status",
                                "top --sort cpu",
                                "top --containers",
                                "top --namespace shop",
                                "top --pods --sort name",
                                "tap",
                                "tap x",
                                "tap ''",
                                "tap 0",
                                "tap -1",
                                "tap 4194305",
                                "tap 7 8",
                                "flows x",
                                "flows --kind",
                                "flows --pods x",
                                "flows --color blue",
                                "status -o otel",
                                "logs",
                                "logs a/b -g c",
                                "logs -g c --previous",
                                "logs a --all-containers",
                                "logs a/b --all-containers -c d",
                                "logs a/b --stream stdout --tail 5",
                                "logs -g c --stream stderr --tail 0",
                                "logs container/x -c d",
                                "logs unit/x.service --previous",
                                "logs container/x --all-containers",
                                "logs pod/a/b/u/c/0 --all-containers -f"}) {
    const Outcome run = flowtap(arguments);
    EXPECT_EQ(run.exit, 2) << arguments;
    EXPECT_TRUE(run.output.starts_with("flowtap: ")) << run.output;
    EXPECT_NE(run.output.find("  hint: "), std::string::npos) << run.output;
    EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 2) << run.output;
  }
  EXPECT_EQ(flowtap("tap").output, "flowtap: PID is required\n  hint: flowtap tap PID\n");
  EXPECT_TRUE(flowtap("top -n").output.starts_with("flowtap: --count needs one value\n"));
  EXPECT_TRUE(flowtap("logs -u").output.starts_with("flowtap: --unit needs one value\n"));
  EXPECT_TRUE(flowtap("why -- shop --nothing").output.starts_with("flowtap: unknown flag \"--nothing\"\n"));
  EXPECT_TRUE(flowtap("tap x").output.starts_with(
      "flowtap: this value of PID is not accepted; accepted: the number of a process\n"));
  EXPECT_NE(
      flowtap("tops").output.find("unknown command \"tops\"; commands: status, top, flows, logs, tap, why\n"),
      std::string::npos);
  EXPECT_NE(flowtap("-o xml status").output.find("accepted: text, json, or otel (only with logs)\n"),
            std::string::npos);
  EXPECT_NE(flowtap("top --interval 1").output.find("accepted: 100ms to 1h, such as 500ms or 2s\n"),
            std::string::npos);
  EXPECT_NE(flowtap("top --pods --sort name")
                .output.find("accepted: cpu, wait, memory, io, logs, watts, gpu, gpu-memory\n"),
            std::string::npos);
  EXPECT_TRUE(flowtap("logs a/b --tail 5 --stream stdout")
                  .output.starts_with("flowtap: --stream and --tail exclude each other\n"));
  EXPECT_TRUE(
      flowtap("logs pod/a/b/u/c/0 --all-containers")
          .output.starts_with("flowtap: --all-containers needs a pod: a flow belongs to one container\n"));
}

TEST_F(FlowtapTest, HelpAndVersionExitWith0) {
  EXPECT_EQ(flowtap("--help").exit, 0);
  EXPECT_EQ(flowtap("top --help").exit, 0);
  EXPECT_TRUE(flowtap("--version").output.starts_with("flowtap "));
}

}  // namespace
}  // namespace flowtap
