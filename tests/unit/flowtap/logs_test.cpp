// flowtap logs as a program: several logs at once, logs that go on, and how following ends.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "base/rfc3339.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/unit/flowtap/flowtap_fixture.hpp"

namespace flowtap {
namespace {

TEST_F(FlowtapTest, AGroupsLogsAreMarkedInColourOnATerminal) {
  node_.captured = &flows_;
  const api::FlowStatus one = api::full_flow();
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
  const std::string logs = paths::flowtap() + " logs -g checkout";
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
  // A log that has just gone must not make the others fail.
  flows_.flow.erase(other.id);
  const Outcome rest = flowtap("logs -g checkout" + at());
  EXPECT_EQ(rest.exit, 0);
  EXPECT_EQ(rest.output, "web-1 second \x1b[2J\n");
}

TEST_F(FlowtapTest, LogsInOrderThatAreInterruptedAreNotShownAsIfWhole) {
  node_.captured = &flows_;
  flows_.list = {api::full_flow()};
  const auto flow = flows_.add(flows_.list.front().id);
  const auto reads = std::make_shared<std::atomic<unsigned>>(0);  // the server ends after this test's body
  flow->append("2026-01-01T00:00:00.000000001Z begin\n");
  flow->set_largest_piece([] { return std::size_t{5}; });
  flow->set_again([reads] { return ++*reads > 2; });
  start();
  const std::string file = dir_ / "out";
  const std::string go = dir_ / "go";
  auto reader = once_followed(flow, [&] {
    EXPECT_TRUE(test::eventually([&] { return *reads >= 3; }));
    shell("touch " + go);
  });
  const Outcome run = shell(paths::flowtap() + " logs -g checkout" + at() + " >" + file + R"( 2>&1 & pid=$!
    for i in $(seq 1000); do test -e )" +
                            go + R"( && break; sleep 0.01; done
    kill -INT $pid; wait $pid; echo "exit $?")");
  reader.join();
  EXPECT_EQ(run.output, "exit 1\n");
  EXPECT_EQ(shell("cat " + file).output,
            "flowtap: interrupted before all of these logs were read, so none of them is shown\n");
}

// A flow ends, the list reports it, and the flow goes on; lines that were read before are not shown again.
class FlowThatGoesOn : public FlowtapTest {
 protected:
  /// The output and the exit code.
  [[nodiscard]] std::string shown(const std::string& options, const std::string& first,
                                  const std::string& then) {
    node_.captured = &flows_;
    const api::FlowStatus one = api::full_flow();
    flows_.list = {one};
    const auto flow = flows_.add(one.id);
    flow->append(first);
    start();
    std::thread container([&] {
      EXPECT_TRUE(test::eventually([&] { return flow->readers() > 0; }));
      flow->end();
      EXPECT_TRUE(test::eventually([&] { return flow->readers() == 0; }));
      flows_.replace(one.id)->append(then);
      flows_.newest_list_reader.load()->come(one);
    });
    const Outcome run = interrupted("logs -g checkout -f " + options, "again");
    container.join();
    return run.output;
  }
};

TEST_F(FlowThatGoesOn, IsFollowedAgain) {
  const std::string end = "2026-01-01T00:00:00.000000002Z end\n";
  EXPECT_EQ(shown("", "2026-01-01T00:00:00.000000001Z begin\n" + end,
                  end + "2026-01-01T00:00:00.000000003Z again\n"),
            "web-1 begin\nweb-1 end\nweb-1 again\nexit 0\n");
  EXPECT_EQ(flows_.log_asked_for().since, parse_rfc3339("2026-01-01T00:00:00.000000002Z"));
}

TEST_F(FlowThatGoesOn, WithoutWhatItsLastLinesHadLeftOut) {
  const std::string wanted = "2026-01-01T00:00:00.000000002Z wanted\n";
  const std::string left_out = "2026-01-01T00:00:00.000000002Z one\n2026-01-01T00:00:00.000000002Z two\n";
  EXPECT_EQ(shown("--tail 1", wanted, left_out + wanted + "2026-01-01T00:00:00.000000003Z again\n"),
            "web-1 wanted\nweb-1 again\nexit 0\n");
  EXPECT_FALSE(flows_.log_asked_for().tail_lines);
}

TEST_F(FlowThatGoesOn, FromWhenNoneOfItsLinesWasWanted) {
  const auto before = std::chrono::system_clock::now();
  EXPECT_EQ(shown("--tail 0", "", "2026-01-01T00:00:00.000000003Z again\n"), "web-1 again\nexit 0\n");
  const api::LogReadOptions asked = flows_.log_asked_for();
  ASSERT_TRUE(asked.since) << "all that it has ever said";
  EXPECT_GE(*asked.since, before);
  EXPECT_LE(*asked.since, std::chrono::system_clock::now());
  EXPECT_FALSE(asked.tail_lines);
}

// Containers that write to files of their own must not look silent.
class WhatIsNotCaptured : public FlowtapTest {
 protected:
  WhatIsNotCaptured() {
    node_.captured = &flows_;
    flows_.list = {one_, uncaptured("side")};
    flows_.add(one_.id)->append("2026-01-01T00:00:00.000000002Z begin\n");
  }
  [[nodiscard]] api::FlowStatus uncaptured(const std::string& container) const {
    api::FlowStatus flow = one_;
    flow.id = "pod/shop/web-1/7/" + container + "/0";
    flow.container = container;
    for (api::StreamStatus& stream : flow.streams) stream.capture = "uncaptured_file";
    return flow;
  }
  static std::string left_out(const std::string& container) {
    return "what web-1/" + container + " prints is not captured, so it is left out";
  }

  const api::FlowStatus one_ = api::full_flow();
};

TEST_F(WhatIsNotCaptured, IsOneOfSeveralLogsAsItsRuntimeHasKeptIt) {
  const api::FlowStatus side = flows_.list.back();
  const api::FlowStatus lost = uncaptured("lost");
  flows_.list.push_back(lost);
  flows_.add(side.id)->append("2026-01-01T00:00:00.000000001Z kept\n");
  flows_.no_log.emplace(lost.id, Error{"it is not captured", "nor has its runtime kept it", ENOTSUP});
  start();
  for (const char* how : {"shop/web-1 --all-containers", "-g checkout"}) {
    const Outcome run = shell(paths::flowtap() + " logs " + std::string(how) + at() + " 2>" + (dir_ / "err"));
    EXPECT_EQ(run.exit, 0) << how;
    EXPECT_EQ(occurrences(run.output, " kept\n"), 1U) << run.output;
    EXPECT_EQ(occurrences(run.output, " begin\n"), 1U) << run.output;
    EXPECT_EQ(shell("cat " + (dir_ / "err")).output,
              "flowtap: " + left_out("lost") +
                  "\n  hint: its runtime has not kept anything of it on this node, either\n");
  }
}

TEST_F(WhatIsNotCaptured, IsLeftOutAloudByWhoFollowsWheneverItComes) {
  start();
  std::thread container([&] {
    ASSERT_TRUE(test::eventually([&] { return flows_.newest_list_reader.load() != nullptr; }));
    for (const char* name : {"side", "late", "late", "last"})
      flows_.newest_list_reader.load()->come(uncaptured(name));
  });
  const std::string said = interrupted("logs -g checkout -f", "web-1/last").output;
  container.join();
  for (const char* name : {"side", "late", "last"}) EXPECT_EQ(occurrences(said, left_out(name)), 1U) << said;
  EXPECT_EQ(occurrences(said, "hint: without -f, what its runtime has kept is shown"), 3U) << said;
  EXPECT_TRUE(said.ends_with("exit 0\n")) << said;
}

TEST_F(WhatIsNotCaptured, IsNobodyWhoWasNotSeen) {
  flows_.list = {uncaptured("side")};
  start();
  const std::string said = interrupted("logs shop/web-1 --all-containers -f", "web-1/side").output;
  EXPECT_EQ(occurrences(said, left_out("side")), 1U) << said;
  EXPECT_EQ(occurrences(said, "was not seen"), 0U) << said;
}

// A pod that nobody has seen may still come, or its name may be misspelt.
TEST_F(FlowtapTest, WhoeverFollowsNobodyIsToldOnce) {
  node_.captured = &flows_;
  const api::FlowStatus one = api::full_flow();
  flows_.add(one.id)->append("2026-01-01T00:00:00.000000001Z begin\n");
  start();
  for (const auto& [how, who] :
       {std::pair("-g typo", "no pod of the group \"typo\" was seen on this node yet"),
        std::pair("-g typo -c app", "no container \"app\" of the group \"typo\" was seen on this node yet"),
        std::pair("shop/typo --all-containers",
                  "no log of the pod \"shop/typo\" is known on this node yet")}) {
    const std::string err = dir_ / "err";
    const Outcome run = shell(fmt::format(R"(rm -f {0}; {1} logs -f {2}{3} 2>{0} & pid=$!
    for i in $(seq 1000); do grep -q hint {0} 2>/dev/null && break; sleep 0.01; done
    kill -INT $pid; wait $pid; echo "exit $?")",
                                          err, paths::flowtap(), how, at()));
    EXPECT_EQ(run.output, "exit 0\n") << how;
    const std::string said = shell("cat " + err).output;
    EXPECT_TRUE(said.starts_with("flowtap: " + std::string(who) + "; waiting for it\n  hint: ")) << said;
    EXPECT_EQ(occurrences(said, "\n"), 2U) << said;
  }
  flows_.relist({one});
  EXPECT_EQ(interrupted("logs -g checkout -f", "begin").output, "web-1 begin\nexit 0\n") << "and no other";
}

TEST_F(FlowtapTest, WhoFollowsAGroupIsToldOnceThatTheDaemonHasEnded) {
  node_.captured = &flows_;
  const api::FlowStatus one = api::full_flow();
  api::FlowStatus other = one;
  other.id = "pod/shop/web-2/7/nginx/0";
  other.pod = "web-2";
  flows_.list = {one, other};
  const auto first = flows_.add(one.id);
  const auto second = flows_.add(other.id);
  start();
  auto daemon = once_followed(first, [&] { once_followed(second, [&] { server_.reset(); }).join(); });
  const std::string said =
      shell("timeout 60 " + paths::flowtap() + " logs -g checkout -f" + at() + R"( 2>&1; echo "exit $?")")
          .output;
  daemon.join();
  EXPECT_TRUE(said.starts_with("flowtap: cut off by ") && said.ends_with("\nexit 1\n")) << said;
  EXPECT_EQ(occurrences(said, ": flowtapd ends\n"), 1U) << said;
  EXPECT_EQ(occurrences(said, "\n"), 3U) << "and a hint\n" << said;
}

TEST_F(FlowtapTest, FollowingAPodEndsWithASignalAndIsNoFailure) {
  node_.captured = &flows_;
  flows_.list = {api::full_flow()};
  const auto flow = flows_.add(flows_.list.front().id);
  flow->append("begin\nhalf");
  start();
  EXPECT_EQ(interrupted("logs shop/web-1 -f", "half").output, "begin\nhalfexit 0\n");
  EXPECT_FALSE(flows_.log_asked_for().json);
  EXPECT_EQ(flows_.log_asked_for().gaps, true);
  EXPECT_EQ(interrupted("logs shop/web-1 -f -o json", "half").output, "begin\nhalfexit 0\n")
      << "the daemon makes the objects";
  EXPECT_TRUE(flows_.log_asked_for().json);
}

// Also while nobody reads its output.
TEST_F(FlowtapTest, FollowingAPodEndsWithASignalWhileItsOutputIsNotRead) {
  node_.captured = &flows_;
  flows_.list = {api::full_flow()};
  const auto flow = flows_.add(flows_.list.front().id);
  flow->append(std::string(1U << 20U, 'x'));
  start();
  const std::string pid_file = dir_ / "pid";
  FILE* pipe = ::popen(
      ("echo $$ >" + pid_file + "; exec " + paths::flowtap() + " logs shop/web-1 -f" + at()).c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  EXPECT_TRUE(test::eventually([&] {
    int bytes = 0;
    return ::ioctl(::fileno(pipe), FIONREAD, &bytes) == 0 &&
           bytes > ::fcntl(::fileno(pipe), F_GETPIPE_SZ) / 2;
  }));
  const pid_t pid = std::stoi(shell("cat " + pid_file).output);
  EXPECT_EQ(::kill(pid, SIGINT), 0);
  int status = -1;
  EXPECT_TRUE(test::eventually([&] { return status != -1 || ::waitpid(pid, &status, WNOHANG) == pid; }));
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
  server_.reset();  // before the objects that it asks are gone
}

}  // namespace
}  // namespace flowtap
