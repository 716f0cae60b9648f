// What flowtapd says at its start to a configuration, right or wrong.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/support/daemon/daemon.hpp"

namespace flowtap::test {
namespace {

struct Wrong {
  const char* name;
  const char* file;
  std::vector<const char*> says;  // the key, the value, what is accepted
};

// GoogleTest shows the parameter of a test that fails.
std::ostream& operator<<(std::ostream& out, const Wrong& wrong) {
  return out << wrong.name;
}

class WrongConfig : public testing::TestWithParam<Wrong> {};

// It says all in one line, adds one with a hint, and ends with status 2, whether it checks or runs.
TEST_P(WrongConfig, IsToldInOneLine) {
  const ScratchRoot root;
  const std::string file = root.write("wrong.yaml", GetParam().file);
  for (const std::vector<std::string>& flags : std::initializer_list<std::vector<std::string>>{
           {"--config", file}, {"--config", file, "--check-config"}}) {
    const Ended ended = run_flowtapd(root, flags);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(ended.err.find("flowtapd: " + file + ":"), 0U) << ended.err;
    const std::string first = ended.err.substr(0, ended.err.find('\n') + 1);
    for (const char* part : GetParam().says) EXPECT_NE(first.find(part), std::string::npos) << first;
    const std::string rest = ended.err.substr(first.size());
    EXPECT_TRUE(rest.empty() || (rest.starts_with("hint: ") && rest.find('\n') == rest.size() - 1)) << rest;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Node, WrongConfig,
    testing::Values(
        Wrong{"BadYaml", "cycle: [1s\n", {"wrong.yaml:1: the list that begins here with [ is not closed"}},
        Wrong{"UnknownKey", "cylce: 1s\n", {":1: ", "\"cylce\"", "did you mean \"cycle\"?"}},
        Wrong{"UnknownKeyOfASection",
              "statsd:\n  tags: true\n",
              {":2: ", "\"statsd.tags\"", "accepted here: enabled, address"}},
        Wrong{"WrongType", "cycle: fast\n", {":1: cycle: \"fast\" is not a duration", "accepted: 1ms"}},
        Wrong{"NoBoolean",
              "count:\n  enabled: maybe\n",
              {":2: count.enabled: \"maybe\"", "accepted: true or false"}},
        Wrong{"OutOfRange", "cycle: 2h\n", {"cycle: \"2h\" is out of range", "accepted: 1ms to 1m"}},
        Wrong{"ListForAValue", "cycle: [1s]\n", {"cycle: a list is not a duration", "accepted: "}},
        Wrong{"ValueForASection", "prometheus: true\n", {"prometheus: \"true\"", "accepted: enabled"}},
        Wrong{"BadAddress",
              "prometheus:\n  address: here\n",
              {":2: prometheus.address: \"here\"", "accepted: ADDRESS:PORT"}},
        Wrong{
            "UnknownScheduler",
            "scheduler: nonsense\n",
            {":1: scheduler: \"nonsense\" is not a scheduler of flowtap's", "accepted: off, domain or fifo"}},
        Wrong{"TwoDocuments", "cycle: 1s\n---\ncycle: 2s\n", {"more than one YAML document"}},
        Wrong{"NoConfiguration", "hello\n", {":1: ", "accepted: "}}),
    [](const testing::TestParamInfo<Wrong>& wrong) { return std::string(wrong.param.name); });

TEST(Config, WhatIsPrintedIsTakenBack) {
  const ScratchRoot root;
  const std::vector<std::string> some = {"--cycle",     "250ms", "--statsd", "udp://127.0.0.1:8125",
                                         "--log-level", "warn"};
  for (const auto& flags : {std::vector<std::string>{}, some}) {
    auto print = flags;
    print.insert(print.begin(), "--print-config");
    const Ended printed = run_flowtapd(root, print);
    ASSERT_EQ(printed.status, 0) << printed.err;
    const std::string file = root.write("printed.yaml", printed.out);
    const Ended checked = run_flowtapd(root, {"--check-config", "--config", file});
    EXPECT_EQ(checked.status, 0) << checked.err;
    EXPECT_EQ(checked.err, "");
    const Ended again = run_flowtapd(root, {"--print-config", "--config", file});
    EXPECT_EQ(again.out, printed.out);
  }
}

TEST(Config, APatternThatCanFitNothingIsTold) {
  const ScratchRoot root;
  const std::string file =
      root.write("idle.yaml",
                 "stream: {schedulers: [file//tmp/x.log], files: [/tmp/y.log], ring_bytes: 1048576, "
                 "flows_bytes: 16777216, journal_bytes: 8388608}\n");
  const Ended checked = run_flowtapd(root, {"--check-config", "--config", file});
  EXPECT_EQ(checked.status, 0) << checked.err;
  EXPECT_EQ(checked.out,
            "the configuration is right\n"
            "warning: stream.schedulers: \"file//tmp/x.log\" can fit nothing: stream.files does not list "
            "\"/tmp/x.log\", so that it is not followed; list it there\n");
}

TEST(Config, ASettingThatHasNothingIsTold) {
  const ScratchRoot root;
  const std::string file =
      root.write("idle.yaml",
                 "stream: {schedulers: [], main_log: stderr, files: [/tmp], ring_bytes: 1048576, flow_bytes: "
                 "67108864, flows_bytes: 16777216, journal_bytes: 8388608}\n"
                 "telemetry: {enabled: false}\nprometheus: {compat_metrics: node}\n");
  const Ended checked = run_flowtapd(root, {"--check-config", "--config", file});
  EXPECT_EQ(checked.status, 0) << checked.err;
  EXPECT_EQ(checked.out,
            "the configuration is right\n"
            "warning: stream.flow_bytes (67108864) bounds nothing: it is more than stream.flows_bytes "
            "(16777216), which all flows have together\n"
            "warning: stream.main_log (stderr) gets nothing: stream.schedulers is empty\n"
            "warning: stream.files: \"/tmp\" is a directory; list each file in it\n"
            "warning: prometheus.compat_metrics (node) has nothing to show: telemetry.enabled is false\n");
}

TEST(Config, AFileThatIsNotThereIsToldWithAHint) {
  const ScratchRoot root;
  const Ended ended = run_flowtapd(root, {"--config", root.file("none.yaml")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("none.yaml"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("hint: flowtapd --print-config"), std::string::npos) << ended.err;
}

TEST(Config, AWrongFlagIsToldInOneLine) {
  const ScratchRoot root;
  const Ended value = run_flowtapd(root, {"--cycle", "soon"});
  EXPECT_EQ(value.status, 2);
  EXPECT_EQ(value.err.find("flowtapd: --cycle: \"soon\" is not a duration; accepted: 1ms to 1m"), 0U)
      << value.err;
  const Ended scheduler = run_flowtapd(root, {"--scheduler", "nonsense"});
  EXPECT_EQ(scheduler.status, 2);
  EXPECT_EQ(
      scheduler.err.find("flowtapd: --scheduler: \"nonsense\" is not a scheduler of flowtap's; accepted: "
                         "off, domain or fifo"),
      0U)
      << scheduler.err;
  const Ended name = run_flowtapd(root, {"--cylce", "1s"});
  EXPECT_EQ(name.status, 2);
  EXPECT_EQ(name.err.find("flowtapd: unknown flag \"--cylce\"; did you mean \"--cycle\"?"), 0U) << name.err;
}

}  // namespace
}  // namespace flowtap::test
