// The program itself, against a scripted daemon: output, errors and exit codes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <optional>
#include <thread>

#include "api/server.hpp"
#include "base/rfc3339.hpp"
#include "tests/unit/api/scripted_flows.hpp"
#include "tests/unit/api/scripted_node.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap {
namespace {

Outcome flowtap(const std::string& arguments) {
  return flowtap_program(arguments);
}

/// A new cycle every `period` with ten more of one type.
class CountingNode : public api::ScriptedNode {
 public:
  std::chrono::milliseconds period{50};

  [[nodiscard]] stats::SnapshotPtr snapshot() const override {
    const auto now = std::chrono::system_clock::now();
    auto snapshot = std::make_shared<stats::Snapshot>();
    snapshot->cycle = static_cast<std::uint64_t>((now - start_) / period) + 1;
    snapshot->start = start_;
    snapshot->time = start_ + snapshot->cycle * period;
    snapshot->series = {{&stats::stat(stats::StatId::kWSYNC), {"kernel", "wsync"}, snapshot->cycle * 10}};
    return snapshot;
  }

 private:
  std::chrono::system_clock::time_point start_ = std::chrono::system_clock::now();
};

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}

class FlowtapTest : public testing::Test {
 protected:
  void start() {
    auto server = api::ApiServer::start({dir_ / "api.sock", ""}, node_);
    ASSERT_TRUE(server) << server.error().what;
    server_.emplace(std::move(*server));
  }
  [[nodiscard]] std::string at() const { return " --state-dir " + dir_.path(); }
  /// What is shown, then the exit code, where SIGINT comes when `text` has been shown.
  [[nodiscard]] Outcome interrupted(const std::string& arguments, const std::string& text) const {
    const std::string file = dir_ / "shown";
    return shell(FLOWTAP_PROGRAM " " + arguments + at() + " >" + file + R"( 2>&1 & pid=$!
    for i in $(seq 1000); do grep -q )" +
                 text + " " + file + R"( 2>/dev/null && break; sleep 0.01; done
    kill -INT $pid; wait $pid; e=$?; cat )" +
                 file + R"(; echo "exit $e")");
  }
  /// In another thread: `then` once `readers` follow.
  template <typename Then>
  std::thread once_followed(const std::shared_ptr<api::ScriptedFlow>& flow, Then then) {
    return std::thread([flow, then] {
      for (int i = 0; i < 10'000 && flow->readers() == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      then();
    });
  }

  api::TempDir dir_;
  api::ScriptedFlows flows_;
  CountingNode node_;
  std::optional<api::ApiServer> server_;
};

TEST_F(FlowtapTest, WithoutADaemonItExitsWith4AndSaysSo) {
  for (const char* command :
       {"status", "top", "top -o json", "status -o json", "flows", "flows -o json", "tap 7", "tap 7 -o json",
        "tap 7 --stderr", "logs a/b", "logs -g a", "logs -g a -f"}) {
    const Outcome run = flowtap(command + at());
    EXPECT_EQ(run.exit, 4) << command;
    EXPECT_TRUE(run.output.starts_with("flowtap: no flowtapd is running here: nobody listens on " +
                                       (dir_ / "api.sock")))
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

TEST_F(FlowtapTest, FlowsIsATableOrTheBody) {
  node_.captured = &flows_;
  flows_.list = {api::full_flow()};
  start();
  const Outcome text = flowtap("flows" + at());
  EXPECT_EQ(text.exit, 0);
  EXPECT_TRUE(text.output.starts_with("  group     pod         container  runtime")) << text.output;
  EXPECT_NE(text.output.find("  shop/web-1  nginx      containerd  118 MiB  1,000    42 B?  open   "),
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

TEST_F(FlowtapTest, TapKeepsTheTwoOutputsApartAndEndsWithTheProcess) {
  node_.captured = &flows_;
  const auto out = flows_.add(7, api::Outputs::kStdout);
  const auto err = flows_.add(7, api::Outputs::kStderr);
  start();
  auto process = once_followed(out, [out, err] {
    for (int i = 0; i < 10'000 && err->readers() == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    out->append(std::string_view("raw \x1b[2J \xff\0 bytes", 18));
    err->append("a complaint\n");
    out->lose(1234);
    out->append("\nand more");
    out->end();
    err->end();
  });
  const std::string files = dir_ / "out" + " 2>" + (dir_ / "err");
  const Outcome run = shell(FLOWTAP_PROGRAM " tap 7" + at() + " >" + files);
  process.join();
  EXPECT_EQ(run.exit, 0);
  EXPECT_EQ(shell("cat " + (dir_ / "out")).output,
            std::string("raw \x1b[2J \xff\0 bytes", 18) + "\nand more");
  EXPECT_EQ(shell("cat " + (dir_ / "err")).output,
            "a complaint\nflowtap: 1,234 bytes passed that are not shown: they could not be captured\n");
}

// As `flowtap logs -o json` has them, of both outputs on the one of ours that is for programs.
TEST_F(FlowtapTest, TapHasObjectsForLines) {
  node_.captured = &flows_;
  const auto out = flows_.add(7, api::Outputs::kStdout);
  const auto err = flows_.add(7, api::Outputs::kStderr);
  start();
  auto process = once_followed(out, [out, err] {
    for (int i = 0; i < 10'000 && err->readers() == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    out->append("2026-01-02T03:04:05.000000006Z a \x1b[2J \xff");
    out->append("b\n2026-01-02T03:04:06.000000000Z half");
    err->append("2026-01-02T03:04:07.000000000Z a complaint\n");
    err->end();
    out->end();
  });
  const Outcome run = shell(FLOWTAP_PROGRAM " tap 7 -o json" + at() + " 2>" + (dir_ / "err"));
  process.join();
  EXPECT_EQ(run.exit, 0);
  EXPECT_EQ(occurrences(run.output, "\n"), 3U) << run.output;
  EXPECT_NE(run.output.find(R"({"time":"2026-01-02T03:04:05.000000006Z","text":"a \u001b[2J \\xffb"})"
                            "\n"),
            std::string::npos)
      << run.output;
  EXPECT_NE(run.output.find(R"({"time":"2026-01-02T03:04:06.000000000Z","text":"half"})"
                            "\n"),
            std::string::npos)
      << run.output;
  EXPECT_NE(run.output.find(R"({"time":"2026-01-02T03:04:07.000000000Z","text":"a complaint"})"
                            "\n"),
            std::string::npos)
      << run.output;
  EXPECT_EQ(shell("cat " + (dir_ / "err")).output, "");
  EXPECT_TRUE(flows_.options.lines && flows_.options.timestamps);
}

TEST_F(FlowtapTest, TapOnATerminalShowsControlCharactersEscaped) {
  node_.captured = &flows_;
  const auto out = flows_.add(7, api::Outputs::kStdout);
  out->set_largest_piece([] { return std::size_t{1}; });  // every character comes in pieces
  start();
  auto process = once_followed(out, [out] {
    out->append("\xe2\x82\xac\t\x1b[2J\r\n\xff\xe2\x82");
    out->end();
  });
  const Outcome run =
      shell("script -qec '" FLOWTAP_PROGRAM " tap 7 --stdout" + at() + "' /dev/null </dev/null");
  process.join();
  EXPECT_EQ(run.exit, 0);
  EXPECT_EQ(run.output, "\xe2\x82\xac\t\\x1b[2J\\r\r\n\\xff\\xe2\\x82");  // the terminal adds \r before \n
}

TEST_F(FlowtapTest, AGroupsLogsAreMarkedInColourOnATerminal) {
  node_.captured = &flows_;
  api::FlowStatus one = api::full_flow();
  api::FlowStatus other = one;
  other.id = "pod/shop/web-2/7/nginx/0";
  other.pod = "web-2";
  flows_.list = {one, other};
  flows_.add(one.id)->append("2026-01-01T00:00:00.000000002Z second \x1b[2J\n");
  flows_.add(other.id)->append("2026-01-01T00:00:00.000000001Z first\n2026-01-01T00:00:00.000000003Z end");
  start();
  const auto on_terminal = [this](const std::string& how) {
    return shell("TERM=xterm script -qec '" + how + at() + "' /dev/null </dev/null").output;
  };
  const std::string logs = FLOWTAP_PROGRAM " logs -g checkout";
  const std::string plain = "web-2 first\r\nweb-1 second \\x1b[2J\r\nweb-2 end\r\n";
  EXPECT_EQ(
      on_terminal(logs),
      "\x1b[96mweb-2\x1b[0m first\r\n\x1b[34mweb-1\x1b[0m second \\x1b[2J\r\n\x1b[96mweb-2\x1b[0m end\r\n");
  EXPECT_EQ(flows_.asked_for().group, "checkout");
  EXPECT_EQ(on_terminal(logs + " --color never"), plain);
  EXPECT_EQ(on_terminal("NO_COLOR=1 " + logs), plain);
  const Outcome piped = flowtap("logs -g checkout" + at());
  EXPECT_EQ(piped.exit, 0);
  EXPECT_EQ(piped.output, "web-2 first\nweb-1 second \x1b[2J\nweb-2 end\n") << "as they are";
  EXPECT_NE(flowtap("logs -g checkout --color always" + at()).output.find("\x1b[96mweb-2"),
            std::string::npos);
  // One that has just gone is no failure of the others.
  flows_.flow.erase(other.id);
  const Outcome rest = flowtap("logs -g checkout" + at());
  EXPECT_EQ(rest.exit, 0);
  EXPECT_EQ(rest.output, "web-1 second \x1b[2J\n");
}

TEST_F(FlowtapTest, LogsInOrderThatAreInterruptedAreNotShownAsIfWhole) {
  node_.captured = &flows_;
  flows_.list = {api::full_flow()};
  const auto flow = flows_.add(flows_.list.front().id);
  std::atomic<unsigned> reads = 0;
  flow->append("2026-01-01T00:00:00.000000001Z begin\n");
  flow->set_largest_piece([] { return std::size_t{5}; });
  flow->set_again([&reads] { return ++reads > 2; });
  start();
  const std::string file = dir_ / "out";
  const std::string go = dir_ / "go";
  auto reader = once_followed(flow, [&] {
    for (int i = 0; i < 10'000 && reads < 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    shell("touch " + go);
  });
  const Outcome run = shell(FLOWTAP_PROGRAM " logs -g checkout" + at() + " >" + file + R"( 2>&1 & pid=$!
    for i in $(seq 1000); do test -e )" +
                            go + R"( && break; sleep 0.01; done
    kill -INT $pid; wait $pid; echo "exit $?")");
  reader.join();
  EXPECT_EQ(run.output, "exit 1\n");
  EXPECT_EQ(shell("cat " + file).output,
            "flowtap: interrupted before all of these logs were read: nothing of them is shown\n");
}

// Its end is told, and that it goes on; what was read by then is not shown again.
TEST_F(FlowtapTest, AFlowThatGoesOnAfterItsEndIsFollowedAgain) {
  node_.captured = &flows_;
  const api::FlowStatus one = api::full_flow();
  flows_.list = {one};
  const auto first = flows_.add(one.id);
  const std::string end = "2026-01-01T00:00:00.000000002Z end\n";
  first->append("2026-01-01T00:00:00.000000001Z begin\n" + end);
  start();
  std::thread container([&] {
    const auto until = [](auto condition) {
      for (int i = 0; i < 10'000 && !condition(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    until([&] { return first->readers() > 0; });
    first->end();
    until([&] { return first->readers() == 0; });
    const auto again = flows_.replace(one.id);
    again->append(end + "2026-01-01T00:00:00.000000003Z again\n");
    flows_.watcher.load()->come(one);
  });
  const std::string file = dir_ / "out";
  const Outcome run = shell(FLOWTAP_PROGRAM " logs -g checkout -f" + at() + " >" + file + R"( 2>&1 & pid=$!
    for i in $(seq 1000); do grep -q again )" +
                            file + R"( 2>/dev/null && break; sleep 0.01; done
    kill -INT $pid; wait $pid; echo "exit $?")");
  container.join();
  EXPECT_EQ(run.output, "exit 0\n");
  EXPECT_EQ(shell("cat " + file).output, "web-1 begin\nweb-1 end\nweb-1 again\n");
  EXPECT_EQ(flows_.log_asked_for().since, parse_rfc3339("2026-01-01T00:00:00.000000002Z"));
}

// What nobody has seen may still come, or be misspelt.
TEST_F(FlowtapTest, WhoeverFollowsNobodyIsToldOnce) {
  node_.captured = &flows_;
  const api::FlowStatus one = api::full_flow();
  flows_.add(one.id)->append("2026-01-01T00:00:00.000000001Z begin\n");
  start();
  for (const auto& [how, who] :
       {std::pair("-g typo", "no pod of the group \"typo\" was seen on this node yet"),
        std::pair("-g typo -c app", "no container \"app\" of the group \"typo\" was seen on this node yet"),
        std::pair("shop/typo --all-containers", "the pod \"shop/typo\" was not seen on this node yet")}) {
    const std::string err = dir_ / "err";
    const Outcome run =
        shell(FLOWTAP_PROGRAM " logs -f " + std::string(how) + at() + " 2>" + err + R"( & pid=$!
    for i in $(seq 1000); do grep -q hint )" +
              err + R"( 2>/dev/null && break; sleep 0.01; done
    kill -INT $pid; wait $pid; echo "exit $?")");
    EXPECT_EQ(run.output, "exit 0\n") << how;
    const std::string said = shell("cat " + err).output;
    EXPECT_TRUE(said.starts_with("flowtap: " + std::string(who) + "; waiting for it\n  hint: ")) << said;
    EXPECT_EQ(occurrences(said, "\n"), 2U) << said;
  }
  flows_.list = {one};
  EXPECT_EQ(interrupted("logs -g checkout -f", "begin").output, "web-1 begin\nexit 0\n") << "and no other";
}

TEST_F(FlowtapTest, FollowingAPodEndsWithASignalAndIsNoFailure) {
  node_.captured = &flows_;
  flows_.list = {api::full_flow()};
  const auto flow = flows_.add(flows_.list.front().id);
  flow->append("begin\nhalf");
  start();
  EXPECT_EQ(interrupted("logs shop/web-1 -f", "half").output, "begin\nhalfexit 0\n");
  EXPECT_EQ(interrupted("logs shop/web-1 -f -o json", "begin").output,
            "{\"text\":\"begin\"}\n{\"text\":\"half\"}\nexit 0\n");
}

// Also while nobody takes what it writes.
TEST_F(FlowtapTest, FollowingAPodEndsWithASignalWhileItsOutputIsNotRead) {
  node_.captured = &flows_;
  flows_.list = {api::full_flow()};
  const auto flow = flows_.add(flows_.list.front().id);
  flow->append(std::string(1U << 20U, 'x'));
  start();
  const std::string pid_file = dir_ / "pid";
  FILE* pipe =
      ::popen(("echo $$ >" + pid_file + "; exec " FLOWTAP_PROGRAM " logs shop/web-1 -f" + at()).c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  const auto until = [](auto condition) {
    for (int i = 0; i < 10'000 && !condition(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return condition();
  };
  EXPECT_TRUE(until([&] {
    int bytes = 0;
    return ::ioctl(::fileno(pipe), FIONREAD, &bytes) == 0 &&
           bytes > ::fcntl(::fileno(pipe), F_GETPIPE_SZ) / 2;
  }));
  const pid_t pid = std::stoi(shell("cat " + pid_file).output);
  EXPECT_EQ(::kill(pid, SIGINT), 0);
  int status = -1;
  EXPECT_TRUE(until([&] { return status != -1 || ::waitpid(pid, &status, WNOHANG) == pid; }));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ::pclose(pipe);
}

TEST_F(FlowtapTest, ALogThatIsInterruptedIsNoWholeOne) {
  node_.captured = &flows_;
  flows_.list = {api::full_flow()};
  const auto flow = flows_.add(flows_.list.front().id);
  flow->append("begin\n");
  std::atomic<bool> has_begun = false;
  std::atomic<bool> is_over = false;
  flow->set_largest_piece([&has_begun] {
    has_begun = true;
    return std::size_t{6};
  });
  flow->append("rest");
  flow->set_again([&] { return has_begun && !is_over; });
  start();
  EXPECT_EQ(interrupted("logs shop/web-1", "begin").output,
            "begin\nflowtap: interrupted before all of this log was read\nexit 1\n");
  is_over = true;
}

TEST_F(FlowtapTest, TapGoesOnWithTheOutputThatCanBeFollowed) {
  node_.captured = &flows_;
  const auto out = flows_.add(7, api::Outputs::kStdout);
  flows_.refuse(7, api::Outputs::kStderr, {"it is /dev/null", "", ENOTSUP});
  start();
  auto process = once_followed(out, [out] {
    out->append("x\n");
    out->end();
  });
  const Outcome run = flowtap("tap 7" + at());
  process.join();
  EXPECT_EQ(run.exit, 0);
  EXPECT_NE(run.output.find("flowtap: stderr is not followed: it is /dev/null\n"), std::string::npos);
  EXPECT_NE(run.output.find("x\n"), std::string::npos);
  EXPECT_EQ(flowtap("tap 7 --stderr" + at()).exit, 1);
  flows_.refuse(7, api::Outputs::kStdout, {"it is closed", "", ENOTSUP});
  const Outcome none = flowtap("tap 7" + at());
  EXPECT_EQ(none.exit, 1);
  EXPECT_EQ(occurrences(none.output, "is not followed"), 2U) << none.output;
}

TEST_F(FlowtapTest, TapOfNoProcessExitsWith3) {
  node_.captured = &flows_;
  start();
  const Outcome run = flowtap("tap 8" + at());
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(occurrences(run.output, "flowtap: there is no process 8\n"), 1U) << run.output;
}

TEST_F(FlowtapTest, TapEndsOnASignalAndStillSaysWhatIsMissing) {
  node_.captured = &flows_;
  const auto out = flows_.add(7, api::Outputs::kStdout);
  start();
  auto process = once_followed(out, [out] {
    out->append("x\n");
    out->lose(5);
    out->append("y\n");
  });
  const std::string file = dir_ / "out";
  const Outcome run = shell(FLOWTAP_PROGRAM " tap 7 --stdout" + at() + " >" + file + R"( 2>&1 & pid=$!
    for i in $(seq 3000); do grep -q y )" +
                            file + R"( 2>/dev/null && break; sleep 0.01; done
    kill -INT $pid; wait $pid; echo "exit $?")");
  process.join();
  EXPECT_EQ(run.output, "exit 0\n");
  EXPECT_EQ(shell("cat " + file).output,
            "x\ny\nflowtap: 5 bytes passed that are not shown: they could not be captured\n");
}

TEST_F(FlowtapTest, UsageErrorsExitWith2) {
  for (const char* arguments : {"",
                                "tops",
                                "--nope",
                                "top --interval 1",
                                "top --interval 1ms",
                                "top --count 0",
                                "top --count",
                                "status extra",
                                "-o yaml status",
                                "status --count 1",
                                "top status",
                                "tap",
                                "tap x",
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
                                "logs a",
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
  EXPECT_NE(
      flowtap("tops").output.find("unknown command \"tops\"; commands: status, top, flows, logs, tap, why\n"),
      std::string::npos);
  EXPECT_NE(flowtap("top --interval 1").output.find("accepted: 100ms to 1h, such as 500ms or 2s\n"),
            std::string::npos);
  EXPECT_TRUE(flowtap("logs a/b --tail 5 --stream stdout")
                  .output.starts_with("flowtap: --stream and --tail exclude each other\n"));
  EXPECT_TRUE(flowtap("logs pod/a/b/u/c/0 --all-containers")
                  .output.starts_with("flowtap: --all-containers is of a pod: a flow is of one container\n"));
}

TEST_F(FlowtapTest, HelpAndVersionExitWith0) {
  EXPECT_EQ(flowtap("--help").exit, 0);
  EXPECT_EQ(flowtap("top --help").exit, 0);
  EXPECT_TRUE(flowtap("--version").output.starts_with("flowtap "));
}

}  // namespace
}  // namespace flowtap
