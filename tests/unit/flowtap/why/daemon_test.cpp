// flowtap why, asking a daemon whose answers are written here.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "api/server.hpp"
#include "explain/diagnosis/diagnosis.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/unit/api/scripted_node.hpp"
#include "tests/unit/flowtap/served.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap {
namespace {

using diagnosis::Diagnosis;
using diagnosis::Verdict;

Diagnosis failed(std::size_t nodes) {
  Diagnosis out;
  out.filter = {Verdict::kFailed, "0/" + std::to_string(nodes) + " nodes are available: x."};
  out.reasons = {{"x\x1b[2J", nodes}};
  out.decide();
  return out;
}

Diagnosis bound() {
  Diagnosis out;
  out.filter.verdict = Verdict::kPassed;
  out.bind = {Verdict::kPassed, "bind success"};
  out.node = "n1";
  out.decide();
  return out;
}

/// Gives the next answer for ns/p each time, and the last one again and again.
class ScriptedDiagnoses : public api::DiagnosesView {
 public:
  std::vector<Diagnosis> answers;
  std::atomic<std::size_t> asked = 0;

  [[nodiscard]] std::optional<std::string> schedulerlog(const std::string& ns, const std::string& pod,
                                                        bool evidence) override {
    if (ns != "ns" || pod != "p") return std::nullopt;
    return to_json(answers.at(std::min(asked++, answers.size() - 1)), evidence);
  }
  [[nodiscard]] std::vector<api::DiagnosedPod> pods(const std::string& /*ns*/) const override {
    std::vector<api::DiagnosedPod> out;
    while (out.size() < answers.size()) out.push_back({"ns", "p" + std::to_string(out.size())});
    return out;
  }
  [[nodiscard]] std::optional<api::DiagnosisEntry> entry(const api::DiagnosedPod& pod,
                                                         bool answer) const override {
    const Diagnosis& one = answers.at(std::stoul(pod.name.substr(1)));
    return api::DiagnosisEntry{to_string(one.status), answer ? to_json(one) : std::string()};
  }
  [[nodiscard]] std::size_t logs() const override { return 1; }
};

class WhyDaemonTest : public testing::Test {
 protected:
  WhyDaemonTest() { node_.explained = &view_; }
  void start() { server_.emplace(served(dir_, node_)); }
  [[nodiscard]] Outcome why(const std::string& arguments) const {
    return flowtap_program("why " + arguments + " --state-dir " + dir_.path());
  }

  api::TempDir dir_;
  ScriptedDiagnoses view_;
  api::ScriptedNode node_;
  std::optional<api::ApiServer> server_;
};

TEST_F(WhyDaemonTest, ShowsAPodAsTextOrAsTheBody) {
  view_.answers = {bound()};
  start();
  const Outcome text = why("ns/p");
  EXPECT_EQ(text.exit, 0);
  EXPECT_EQ(text.output, "ns/p is bound to n1\n") << "with the evidence";
  const Outcome json = why("ns/p -o json");
  EXPECT_EQ(json.exit, 0);
  EXPECT_EQ(json.output, to_json(bound()) + '\n');
  Diagnosis again = bound();
  again.scheduler = "HAMi";
  again.attempt = 12;
  again.history = {{{}, "HAMi", Diagnosis::Status::kFailed, false, "0/3 nodes are available: x."},
                   {{}, "HAMi", Diagnosis::Status::kPending, false, ""},
                   {{}, "HAMi", Diagnosis::Status::kFailed, false, "no\x1b[2J"},
                   {{}, "HAMi", Diagnosis::Status::kFailed, false, ""},
                   {{}, "HAMi", Diagnosis::Status::kFailed, false, "0/3 nodes are available: y."}};
  view_.answers = {again};
  const Outcome twelfth =
      shell("LC_ALL=C.UTF-8 " + paths::flowtap() + " why ns/p --state-dir " + dir_.path() + " 2>&1");
  EXPECT_EQ(twelfth.output,
            "ns/p is bound to n1\n  12th attempt, by HAMi; before: 2 × none of 3 nodes fits, nothing was "
            "decided, \"no\\x1b[2J\", 7 more\n");
  EXPECT_EQ(why("ns/p -o json --evidence").output, to_json(again, true) + '\n');
  again.attempt = 2;
  again.history = {{{}, "HAMi", Diagnosis::Status::kFailed, true, ""}};
  view_.answers = {again};
  EXPECT_NE(why("ns/p").output.find("2nd attempt, by HAMi; before: the bind failed\n"), std::string::npos)
      << "no node was found for an attempt that had found one";
}

TEST_F(WhyDaemonTest, SaysWhatMakesRoom) {
  Diagnosis waits = failed(3);
  waits.nominated = "n\x1b[2J";
  waits.victims = {"ns/a", "ns/b"};
  waits.plugins = {"NodeResourcesFit"};
  view_.answers = {waits};
  start();
  const std::string text = why("ns/p").output;
  EXPECT_TRUE(text.starts_with(
      "ns/p is pending: none of 3 nodes fits; 3 are turned down: \"x\\x1b[2J\"; room is being "
      "made on n\\x1b[2J\n"))
      << text;
  EXPECT_NE(text.find("\n  ended to make room: ns/a, ns/b\n  turned down by: NodeResourcesFit\n"),
            std::string::npos)
      << text;
}

TEST_F(WhyDaemonTest, ListsThePods) {
  view_.answers = {failed(3), bound()};
  start();
  const Outcome text = why("");
  EXPECT_EQ(text.exit, 0);
  EXPECT_EQ(text.output,
            "  pod    state          why\n"
            "  ns/p0  unschedulable  none of 3 nodes fits; 3 are turned down: \"x\\x1b[2J\"\n"
            "  ns/p1  bound          bound\n");
  const Outcome json = why("-o json");
  EXPECT_EQ(json.exit, 0);
  EXPECT_EQ(json.output, R"([{"namespace":"ns","name":"p0","diagnosis":)" + to_json(failed(3)) +
                             R"(},{"namespace":"ns","name":"p1","diagnosis":)" + to_json(bound()) + "}]\n");
}

TEST_F(WhyDaemonTest, SaysWhatTheDaemonRefuses) {
  EXPECT_EQ(why("ns/p").exit, 4);
  EXPECT_EQ(why("").exit, 4);
  EXPECT_EQ(why("ns/p --watch").exit, 4);
  start();
  for (const char* const arguments : {"ns/q", "ns/q --watch", "ns/q -o json", "'a b/..%2F'"}) {
    const Outcome run = why(arguments);
    EXPECT_EQ(run.exit, 3) << arguments;
    EXPECT_NE(run.output.find("was not seen on this node"), std::string::npos) << run.output;
  }
  node_.explained = nullptr;
  const Outcome off = why("ns/p");
  EXPECT_EQ(off.exit, 1);
  EXPECT_NE(off.output.find("the explain path is off"), std::string::npos) << off.output;
}

TEST_F(WhyDaemonTest, WatchShowsWhatChangesUntilThePodIsBound) {
  view_.answers = {failed(3), failed(3), failed(2), bound()};
  start();
  const Outcome text = why("ns/p --watch");
  EXPECT_EQ(text.exit, 0);
  EXPECT_EQ(view_.asked, 4U);
  EXPECT_TRUE(text.output.starts_with("ns/p is pending: none of 3 ")) << text.output;
  EXPECT_NE(text.output.find("\n\nns/p is pending: none of 2 "), std::string::npos) << text.output;
  EXPECT_TRUE(text.output.ends_with("\n\nns/p is bound to n1\n")) << text.output;
  EXPECT_EQ(text.output.find("none of 3"), text.output.rfind("none of 3"));
  view_.asked = 0;
  const Outcome json = why("ns/p --watch -o json");
  EXPECT_EQ(json.exit, 0);
  EXPECT_EQ(json.output, to_json(failed(3)) + '\n' + to_json(failed(2)) + '\n' + to_json(bound()) + '\n');
}

TEST_F(WhyDaemonTest, WatchEndsOnASignal) {
  view_.answers = {failed(3)};
  start();
  const std::string file = dir_ / "out";
  const Outcome run = shell(paths::flowtap() + " why ns/p --watch --state-dir " + dir_.path() + " >" + file +
                            R"( 2>&1 & pid=$!
    for i in $(seq 3000); do grep -q pending )" +
                            file + R"( 2>/dev/null && break; sleep 0.01; done
    kill -INT $pid; wait $pid; echo "exit $?")");
  EXPECT_EQ(run.output, "exit 0\n");
}

}  // namespace
}  // namespace flowtap
