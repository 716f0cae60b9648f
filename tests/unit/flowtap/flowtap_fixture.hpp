// flowtap as a program, against a scripted daemon.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "api/server.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/occurrences.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/unit/api/scripted_flows.hpp"
#include "tests/unit/api/scripted_node.hpp"
#include "tests/unit/flowtap/served.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap {

inline Outcome flowtap(const std::string& arguments) {
  return flowtap_program(arguments);
}

using test::occurrences;

/// Begins a new cycle every `period`, with ten more dispatches of one type.
class CountingNode : public api::ScriptedNode {
 public:
  std::chrono::milliseconds period{50};

  [[nodiscard]] stats::SnapshotPtr snapshot() const override {
    const auto now = std::chrono::system_clock::now();
    auto snapshot = std::make_shared<stats::Snapshot>();
    snapshot->cycle = static_cast<std::uint64_t>((now - start_) / period) + 1;
    snapshot->start = start_;
    snapshot->time = start_ + snapshot->cycle * period;
    snapshot->steady = std::chrono::steady_clock::time_point(snapshot->cycle * period);
    snapshot->measured = snapshot->steady;
    snapshot->series = {{&stats::stat(stats::StatId::kWSYNC), {"kernel", "wsync"}, snapshot->cycle * 10},
                        {&stats::stat(stats::StatId::kWORKLOAD_LOG_BYTES),
                         {"pod", "shop", "web-0", "app", "web"},
                         snapshot->cycle * 10}};
    return snapshot;
  }

 private:
  std::chrono::system_clock::time_point start_ = std::chrono::system_clock::now();
};

class FlowtapTest : public testing::Test {
 protected:
  void start() { server_.emplace(served(dir_, node_)); }
  [[nodiscard]] std::string at() const { return " --state-dir " + dir_.path(); }
  /// Returns the output and then the exit code; SIGINT is sent when `text` has been shown.
  [[nodiscard]] Outcome interrupted(const std::string& arguments, const std::string& text) const {
    const std::string file = dir_ / "shown";
    // The output of an earlier run must not count, or the signal would be sent before this run waits for it.
    return shell("rm -f " + file + "; " + paths::flowtap() + " " + arguments + at() + " >" + file +
                 R"( 2>&1 & pid=$!
    for i in $(seq 1000); do grep -q )" +
                 text + " " + file + R"( 2>/dev/null && break; sleep 0.01; done
    kill -INT $pid; wait $pid; e=$?; cat )" +
                 file + R"(; echo "exit $e")");
  }
  /// Calls `then` in another thread, once `readers` follow.
  template <typename Then>
  std::thread once_followed(const std::shared_ptr<api::ScriptedFlow>& flow, Then then) {
    return std::thread([flow, then] {
      EXPECT_TRUE(test::eventually([&] { return flow->readers() > 0; }));
      then();
    });
  }

  api::TempDir dir_;
  api::ScriptedFlows flows_;
  CountingNode node_;
  std::optional<api::ApiServer> server_;
};

}  // namespace flowtap
