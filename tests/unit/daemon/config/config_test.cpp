// Configuration: what is accepted, and the one sentence for everything else.
#include "daemon/config/config.hpp"

#include <gtest/gtest.h>

#include "daemon/config/config_keys.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

/// The sentence for a wrong text.
std::string refusal(std::string_view yaml) {
  const auto config = parse_config(yaml, "c.yaml");
  return config ? "accepted" : config.error().what;
}

TEST(Config, EmptyTextIsAllDefaults) {
  for (const char* yaml : {"", "\n", "# nothing\n", "---\n", "prometheus:\n", "{}"})
    EXPECT_EQ(parse_config(yaml, "c.yaml").value(), Config{}) << yaml;
}

TEST(Config, SetsWhatIsGivenAndNothingElse) {
  const auto config = parse_config(
      "cycle: 250ms\n"
      "log_level: debug\n"
      "count: {enabled: false}\n"
      "prometheus:\n"
      "  enabled: true\n"
      "  address: \"[::1]:9100\"\n"
      "statsd:\n"
      "  max_pending: 7\n"
      "api:\n"
      "  socket_group: adm\n",
      "c.yaml");
  ASSERT_TRUE(config) << config.error().what;
  Config expected;
  expected.cycle = 250ms;
  expected.log_level = LogLevel::kDebug;
  expected.count.enabled = false;
  expected.outlets.prometheus = {true, "[::1]:9100", ""};
  expected.outlets.statsd.max_pending = 7;
  expected.api.socket_group = "adm";
  EXPECT_EQ(*config, expected);
}

TEST(Config, TheSampleIsCompleteAndReadsBackAsTheDefaults) {
  const std::string sample = render_config(Config{});
  const auto config = parse_config(sample, "sample");
  ASSERT_TRUE(config) << config.error().what;
  EXPECT_EQ(*config, Config{});
  for (const Key& key : config_keys()) {
    EXPECT_NE(sample.find(std::string(leaf_name(key.path)) + ":"), std::string::npos) << key.path;
    EXPECT_NE(sample.find(std::string(key.comment)), std::string::npos) << key.path;
  }
}

TEST(Config, ARenderedConfigReadsBackAsItself) {
  Config config;
  config.state_dir = "/tmp/with space: \"quotes\" \\ # and more";
  config.host_root = "/null";
  config.cycle = 40s;
  config.outlets.report.interval = 1h;
  config.outlets.statsd.prefix = "true";
  config.api.socket_group = "null";
  config.outlets.json_lines.output = "/ä/ö";
  const auto again = parse_config(render_config(config), "again");
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(*again, config);
}

TEST(Config, AWrongValueIsToldWithLineKeyValueAndWhatIsAccepted) {
  EXPECT_EQ(refusal("\n\ncycle: abc\n"),
            "c.yaml:3: cycle: \"abc\" is not a duration; accepted: 1ms to 1m, such as 500ms or 2s");
  EXPECT_EQ(refusal("cycle: 2h"),
            "c.yaml:1: cycle: \"2h\" is out of range; accepted: 1ms to 1m, such as 500ms or 2s");
  EXPECT_EQ(refusal("cycle: 61s"),
            "c.yaml:1: cycle: \"61s\" is out of range; accepted: 1ms to 1m, such as 500ms or 2s");
  EXPECT_EQ(refusal("api: {rate: 2000000}"),
            "c.yaml:1: api.rate: \"2000000\" is out of range; accepted: 0 to 1000000");
  EXPECT_EQ(refusal("count:\n  enabled: yes"),
            "c.yaml:2: count.enabled: \"yes\" is neither true nor false; accepted: true or false");
  EXPECT_EQ(refusal("log_level: loud"),
            "c.yaml:1: log_level: \"loud\" is not a log level; accepted: error, warn, info or debug");
  EXPECT_EQ(refusal("statsd: {max_pending: 0}"),
            "c.yaml:1: statsd.max_pending: \"0\" is out of range; accepted: 1 to 10000000");
  EXPECT_EQ(refusal("statsd: {max_pending: -1}"),
            "c.yaml:1: statsd.max_pending: \"-1\" is not a whole number; accepted: 1 to 10000000");
}

TEST(Config, TheJournalLeavesRoomInItsFileSystem) {
  EXPECT_EQ(refusal("stream: {journal_bytes: 8388607}"),
            "c.yaml:1: stream.journal_bytes: \"8388607\" is out of range; accepted: auto, or 8388608 to "
            "1099511627776");
  EXPECT_EQ(refusal("stream: {flows_bytes: 16777215}"),
            "c.yaml:1: stream.flows_bytes: \"16777215\" is out of range; accepted: auto, or 16777216 to "
            "1099511627776");
  EXPECT_EQ(refusal("cycle: 1s\nstream:\n  flows_bytes: 67108864\n  journal_bytes: 50331649\n"),
            "c.yaml:4: stream.journal_bytes: \"50331649\" is more than three quarters of stream.flows_bytes, "
            "\"67108864\"; accepted: at most 50331648");
  EXPECT_EQ(refusal("stream:\n  enabled: true\n  flows_bytes: 16777216\n"), "accepted") << "auto fits";
  EXPECT_EQ(refusal("stream: {journal_bytes: 824633720832, flows_bytes: auto}"), "accepted");
  EXPECT_EQ(refusal("stream: {ring_bytes: automatic}"),
            "c.yaml:1: stream.ring_bytes: \"automatic\" is not a whole number or auto; accepted: auto, or "
            "262144 to "
            "1073741824");
  EXPECT_EQ(refusal("stream: {flows_bytes: 16777216, journal_bytes: 12582912}"), "accepted");
  EXPECT_EQ(refusal("stream: {flows_bytes: 16777216, journal_bytes: 8388608}"), "accepted");
  EXPECT_EQ(refusal("stream: {journal_bytes: 824633720832, flows_bytes: 1099511627776}"), "accepted");
  Config config;
  EXPECT_NE(render_config(config).find("\n  flows_bytes: auto\n"), std::string::npos);
  EXPECT_EQ(parse_config(render_config(config), "again").value(), config);
  config.stream.lines.flows_bytes = 3'000'000'001;
  config.stream.lines.journal_bytes = 2'250'000'000;
  EXPECT_EQ(parse_config(render_config(config), "again").value(), config);
}

TEST(Config, ListsOfWhatIsCaptured) {
  const auto config = parse_config(
      "stream:\n"
      "  units: [kubelet.service, 'getty@tty1.service']\n"
      "  processes:\n"
      "    - /usr/bin/kube-scheduler\n"
      "  files:\n",
      "c.yaml");
  ASSERT_TRUE(config) << config.error().what;
  const auto& sources = config->stream.sources;
  EXPECT_EQ(sources.units, (std::vector<std::string>{"kubelet.service", "getty@tty1.service"}));
  EXPECT_EQ(sources.processes, (std::vector<std::string>{"/usr/bin/kube-scheduler"}));
  EXPECT_TRUE(sources.files.empty());

  Config all = *config;
  all.stream.sources.units.emplace_back(R"(dev-disk-by\x2dlabel-a.service)");
  all.stream.sources.files = {"/var/log/with space, comma.log", "/var/log/[x]: \"#\".log"};
  const auto again = parse_config(render_config(all), "again");
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(*again, all);
}

TEST(Config, AWrongMemberOfAListIsToldWithItsLine) {
  const std::string unit =
      "; accepted: a list of at most 64, each the name of a systemd service of at most 127 bytes, such as "
      "kubelet.service";
  EXPECT_EQ(refusal("stream:\n  units:\n    - a.service\n    - a.slice\n"),
            "c.yaml:4: stream.units: \"a.slice\" is not the name of a service" + unit);
  EXPECT_EQ(refusal("stream: {units: [a.service, a.service]}"),
            "c.yaml:1: stream.units: \"a.service\" is given twice" + unit);
  EXPECT_EQ(refusal("stream: {units: a.service}"),
            "c.yaml:1: stream.units: \"a.service\" is not a list" + unit);
  EXPECT_EQ(refusal("stream: {units: {a: b}}"), "c.yaml:1: stream.units: a section is not a list" + unit);
  EXPECT_EQ(refusal("stream: {units: [[a.service]]}"),
            "c.yaml:1: stream.units: a list or section stands where a member is expected" + unit);
  EXPECT_EQ(refusal("stream: {units: [a/b.service]}"),
            "c.yaml:1: stream.units: \"a/b.service\" is not the name of a service" + unit);
  const std::string longest = std::string(119, 'a') + ".service";
  EXPECT_EQ(refusal("stream: {units: [" + longest + "]}"), "accepted");
  EXPECT_NE(refusal("stream: {units: [a" + longest + "]}"), "accepted");
  for (const char* path : {"var/log/x", "/", "/var//log", "/var/./log", "/var/../log", "/var/log/", "''"})
    EXPECT_NE(refusal(std::string("stream: {files: [") + path + "]}"), "accepted") << path;
  std::string many = "stream: {files: [";
  for (int i = 0; i < 64; ++i) many += "/log/" + std::to_string(i) + ",";
  EXPECT_EQ(refusal(many + "]}"), "accepted");
  EXPECT_EQ(
      refusal(many + "/log/64]}"),
      "c.yaml:1: stream.files: \"/log/64\" is one more than 64; accepted: a list of at most 64, each an "
      "absolute path of at most 1024 bytes, such as /var/log/kube-scheduler.log");
}

TEST(Config, RulesForGroups) {
  const auto config = parse_config(
      "stream:\n"
      "  flow_rules:\n"
      "    - pod: (nightly-????"
      "?)-*\n"
      "      namespace: argo\n"
      "      group: $1\n"
      "    - {pod: 'job-(*)-????"
      "?', group: \"job: $1\"}\n",
      "c.yaml");
  ASSERT_TRUE(config) << config.error().what;
  EXPECT_EQ(config->stream.flow_rules, (std::vector<flow::GroupRule>{{"(nightly-????"
                                                                      "?)-*",
                                                                      "argo", "$1"},
                                                                     {"job-(*)-?????", "", "job: $1"}}));
  const auto again = parse_config(render_config(*config), "again");
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(*again, *config);
  EXPECT_TRUE(parse_config("stream: {flow_rules: }", "c.yaml")->stream.flow_rules.empty());
}

TEST(Config, AWrongRuleIsToldWithItsLine) {
  const std::string rules =
      "; accepted: a list of at most 64, each with pod, group and, to hold in one namespace alone, "
      "namespace, "
      "such as {pod: train-(*)-worker-*, group: train-$1}";
  EXPECT_EQ(
      refusal("stream:\n  flow_rules:\n    - {pod: a, group: b}\n    - pod: a\n      group: $1\n"),
      "c.yaml:4: stream.flow_rules: group: \"$1\" has $1, and its pod no parentheses; accepted: at most "
      "253 characters, with $1 to $9 for what stands in the pod's parentheses and $namespace for its "
      "namespace, such as train-$1");
  EXPECT_EQ(refusal("stream: {flow_rules: [{pod: a}]}"),
            "c.yaml:1: stream.flow_rules: a rule has no group" + rules);
  EXPECT_EQ(refusal("stream: {flow_rules: [{pattern: a, group: b}]}"),
            "c.yaml:1: stream.flow_rules: a rule has no \"pattern\"" + rules);
  EXPECT_EQ(refusal("stream: {flow_rules: [{pod: [a], group: b}]}"),
            "c.yaml:1: stream.flow_rules: pod has no value" + rules);
  EXPECT_EQ(refusal("stream: {flow_rules: [a]}"),
            "c.yaml:1: stream.flow_rules: a rule is a section with a pod and a group" + rules);
  EXPECT_EQ(refusal("stream: {flow_rules: a}"),
            "c.yaml:1: stream.flow_rules: \"a\" is not a list of rules" + rules);
  std::string many = "stream: {flow_rules: [";
  for (int i = 0; i < 64; ++i) many += "{pod: a, group: b},";
  EXPECT_EQ(refusal(many + "]}"), "accepted");
  EXPECT_EQ(refusal(many + "{pod: a, group: b}]}"),
            "c.yaml:1: stream.flow_rules: there is one more than 64" + rules);
}

TEST(Config, AWrongTypeIsToldAsWell) {
  EXPECT_EQ(refusal("cycle: [1s]"),
            "c.yaml:1: cycle: a list is not a duration; accepted: 1ms to 1m, such as 500ms or 2s");
  EXPECT_EQ(refusal("cycle: {a: 1s}"),
            "c.yaml:1: cycle: a section is not a duration; accepted: 1ms to 1m, such as 500ms or 2s");
  EXPECT_EQ(refusal("cycle:\n"), "c.yaml:1: cycle: has no value; accepted: 1ms to 1m, such as 500ms or 2s");
  EXPECT_EQ(refusal("prometheus: true"),
            "c.yaml:1: prometheus: \"true\" stands where a section is expected; accepted: enabled, address, "
            "compat_metrics");
  EXPECT_EQ(refusal("- cycle"), "c.yaml:1: not a configuration; accepted: lines of the form \"key: value\"");
}

TEST(Config, AnUnknownKeyIsToldWithTheOneThatWasMeant) {
  EXPECT_EQ(refusal("cycel: 1s"), "c.yaml:1: unknown key \"cycel\"; did you mean \"cycle\"?");
  EXPECT_EQ(refusal("prometheus:\n  adress: x"),
            "c.yaml:2: unknown key \"prometheus.adress\"; did you mean \"prometheus.address\"?");
  EXPECT_EQ(refusal("socket_group: adm"),
            "c.yaml:1: unknown key \"socket_group\"; did you mean \"api.socket_group\"?");
  EXPECT_EQ(refusal("prometheus-address: x"),
            "c.yaml:1: unknown key \"prometheus-address\"; did you mean \"prometheus.address\"?");
  EXPECT_EQ(refusal("prometheus.address: x"),
            "c.yaml:1: unknown key \"prometheus.address\"; write \"address:\" in a section \"prometheus:\"");
  EXPECT_EQ(refusal("count: {zzzzzz: x}"), "c.yaml:1: unknown key \"count.zzzzzz\"; accepted here: enabled");
}

TEST(Config, TextValuesFollowTheirRules) {
  const auto takes = [](const std::string& key, const std::string& value) {
    Config config;
    return set_config_value(config, key, value, "flag").has_value();
  };
  for (const char* good : {"0.0.0.0:9000", "127.0.0.1:0", "[::]:65535"})
    EXPECT_TRUE(takes("prometheus.address", good)) << good;
  for (const char* bad :
       {"", ":9000", "9000", "a:", "1.2.3.4:65536", "1.2.3.4:-1", "1.2.3.4:9x", "::1:9000", "[::1:9"})
    EXPECT_FALSE(takes("prometheus.address", bad)) << bad;
  for (const char* good : {"udp://127.0.0.1:8125", "unix:///run/a.sock", "udp://[::1]:8125"})
    EXPECT_TRUE(takes("statsd.address", good)) << good;
  for (const char* bad : {"127.0.0.1:8125", "http://a:1", "unix://", "udp://a", ""})
    EXPECT_FALSE(takes("statsd.address", bad)) << bad;
  EXPECT_FALSE(takes("statsd.address", "unix:///" + std::string(108, 'a')));
  EXPECT_TRUE(takes("state_dir", "/" + std::string(85, 'a')));
  EXPECT_FALSE(takes("state_dir", "/" + std::string(86, 'a')));
  EXPECT_FALSE(takes("state_dir", "relative"));
  EXPECT_FALSE(takes("host_root", "/" + std::string(5000, 'a')));
  EXPECT_TRUE(takes("json_lines.output", "-"));
  EXPECT_FALSE(takes("json_lines.output", "file"));
  EXPECT_TRUE(takes("statsd.prefix", ""));
  EXPECT_FALSE(takes("statsd.prefix", "a|b"));
  EXPECT_FALSE(takes("api.socket_group", "-x"));
}

TEST(Config, AValueCannotSteerTheTerminalThroughItsError) {
  EXPECT_EQ(refusal("state_dir: \"/a\\e[2J\""),
            "c.yaml:1: state_dir: \"/a\\x1b[2J\" contains control characters or is not UTF-8; accepted: an "
            "absolute "
            "path of at most 86 bytes, such as /run/flowtap");
  EXPECT_EQ(parse_config("a: {", "c\x1b.yaml").error().what.find('\x1b'), std::string::npos);
  EXPECT_LT(refusal("cycle: " + std::string(100'000, 'x')).size(), 300U);
}

TEST(Config, AMissingFileIsToldWithTheWayOut) {
  const auto config = load_config("/nonexistent/c.yaml");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().what, "cannot open /nonexistent/c.yaml: No such file or directory");
  EXPECT_NE(config.error().hint.find("--print-config"), std::string::npos);
}

TEST(Config, AFlagNamesItselfInItsError) {
  Config config;
  const auto status = set_config_value(config, "cycle", "soon", "--cycle");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what,
            "--cycle: \"soon\" is not a duration; accepted: 1ms to 1m, such as 500ms or 2s");
  EXPECT_EQ(config, Config{});
}

}  // namespace
}  // namespace flowtap
