// The program itself, against a scripted daemon: output, errors and exit codes.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <optional>
#include <thread>

#include "../api/scripted_node.hpp"
#include "api/server.hpp"

namespace flowtap {
namespace {

struct Outcome {
  int exit = -1;
  std::string output;  ///< standard output and error
};

/// FLOWTAP_PROGRAM is the path of the built program.
Outcome flowtap(const std::string& arguments) {
  Outcome run;
  FILE* pipe = ::popen((FLOWTAP_PROGRAM " " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return run;
  std::array<char, 4096> chunk{};
  while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe))
    run.output.append(chunk.data(), n);
  const int status = ::pclose(pipe);
  run.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return run;
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

  api::TempDir dir_;
  CountingNode node_;
  std::optional<api::ApiServer> server_;
};

TEST_F(FlowtapTest, WithoutADaemonItExitsWith4AndSaysSo) {
  for (const char* command : {"status", "top", "top -o json", "status -o json"}) {
    const Outcome run = flowtap(command + at());
    EXPECT_EQ(run.exit, 4) << command;
    EXPECT_TRUE(run.output.starts_with("flowtap: no flowtapd is running here: nobody listens on " +
                                       (dir_ / "api.sock")))
        << run.output;
    EXPECT_NE(run.output.find("  hint: "), std::string::npos);
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

TEST_F(FlowtapTest, UsageErrorsExitWith2) {
  for (const char* arguments :
       {"", "tops", "--nope", "top --interval 1", "top --interval 1ms", "top --count 0", "top --count",
        "status extra", "-o yaml status", "status --count 1", "top status"}) {
    const Outcome run = flowtap(arguments);
    EXPECT_EQ(run.exit, 2) << arguments;
    EXPECT_TRUE(run.output.starts_with("flowtap: ")) << run.output;
    EXPECT_NE(run.output.find("  hint: "), std::string::npos) << run.output;
    EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 2) << run.output;
  }
  EXPECT_NE(flowtap("tops").output.find("unknown command \"tops\"; commands: status, top\n"),
            std::string::npos);
  EXPECT_NE(flowtap("top --interval 1").output.find("accepted: 100ms to 1h, such as 500ms or 2s\n"),
            std::string::npos);
}

TEST_F(FlowtapTest, HelpAndVersionExitWith0) {
  EXPECT_EQ(flowtap("--help").exit, 0);
  EXPECT_EQ(flowtap("top --help").exit, 0);
  EXPECT_TRUE(flowtap("--version").output.starts_with("flowtap "));
}

}  // namespace
}  // namespace flowtap
