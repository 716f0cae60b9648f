// The command line of flowtapd: flags override the file, and each mistake gets a sentence.
#include "daemon/config/flags.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

namespace flowtap {
namespace {

using namespace std::chrono_literals;

Result<Invocation> parse(std::vector<const char*> args) {
  args.insert(args.begin(), "flowtapd");
  return parse_flags(static_cast<int>(args.size()), args.data());
}

std::string refusal(std::vector<const char*> args) {
  const auto invocation = parse(std::move(args));
  if (invocation) return "accepted";
  EXPECT_FALSE(invocation.error().hint.empty()) << invocation.error().what;
  return invocation.error().what;
}

class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text) { std::ofstream(path_) << text; }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;
  ~ConfigFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const char* path() const { return path_.c_str(); }

 private:
  std::string path_ = testing::TempDir() + "flags_test." + std::to_string(::getpid()) + ".yaml";
};

TEST(Flags, WithoutAnyItRunsWithTheDefaults) {
  const auto invocation = parse({});
  ASSERT_TRUE(invocation) << invocation.error().what;
  EXPECT_EQ(invocation->action, Action::kRun);
  EXPECT_EQ(invocation->config, Config{});
}

TEST(Flags, EachSetsItsKey) {
  const auto invocation =
      parse({"--enable-prometheus", "--prometheus-address", "127.0.0.1:1", "--state-dir=/s", "--cycle", "2s",
             "--host-root", "/host", "--log-level", "warn", "--report=5s", "--statsd", "udp://a:1",
             "--spectatord", "unix:///s", "--json-lines", "-"});
  ASSERT_TRUE(invocation) << invocation.error().what;
  Config expected;
  expected.outlets.prometheus = {true, "127.0.0.1:1", ""};
  expected.state_dir = "/s";
  expected.cycle = 2s;
  expected.host_root = "/host";
  expected.log_level = LogLevel::kWarn;
  expected.outlets.report = {true, 5s};
  expected.outlets.statsd.enabled = true;
  expected.outlets.statsd.address = "udp://a:1";
  expected.outlets.spectatord.enabled = true;
  expected.outlets.spectatord.address = "unix:///s";
  expected.outlets.json_lines.enabled = true;
  EXPECT_EQ(invocation->config, expected);
}

TEST(Flags, OverrideTheFile) {
  const ConfigFile file("cycle: 3s\nhost_root: /host\nreport: {interval: 9s}\n");
  const auto invocation = parse({"--config", file.path(), "--cycle", "4s", "--report"});
  ASSERT_TRUE(invocation) << invocation.error().what;
  EXPECT_EQ(invocation->config.cycle, 4s);
  EXPECT_EQ(invocation->config.host_root, "/host");
  EXPECT_TRUE(invocation->config.outlets.report.enabled);
  EXPECT_EQ(invocation->config.outlets.report.interval, 9s);
  EXPECT_EQ(invocation->config_path, file.path());
}

TEST(Flags, ReportNeedsNoValue) {
  const auto invocation = parse({"--report", "--cycle", "2s"});
  ASSERT_TRUE(invocation) << invocation.error().what;
  EXPECT_EQ(invocation->config.outlets.report, (stats::OutletOptions::Report{true, 1s}));
  EXPECT_EQ(invocation->config.cycle, 2s);
}

TEST(Flags, ChooseTheAction) {
  const ConfigFile file("cycle: 3s\n");
  EXPECT_EQ(parse({"--check-config", "--config", file.path()})->action, Action::kCheckConfig);
  EXPECT_EQ(parse({"--print-config"})->action, Action::kPrintConfig);
  EXPECT_EQ(parse({"--version"})->action, Action::kVersion);
  EXPECT_EQ(parse({"--detach"})->action, Action::kDetach);
  EXPECT_EQ(parse({"--help"})->action, Action::kHelp);
}

TEST(Flags, ABadFileIsAnErrorWhateverTheAction) {
  const ConfigFile file("cycel: 3s\n");
  for (const char* action : {"--check-config", "--print-config", "--detach"})
    EXPECT_EQ(refusal({action, "--config", file.path()}),
              std::string(file.path()) + ":1: unknown key \"cycel\"; did you mean \"cycle\"?");
}

TEST(Flags, MistakesAreTold) {
  EXPECT_EQ(refusal({"--cycel", "1s"}), "unknown flag \"--cycel\"; did you mean \"--cycle\"?");
  EXPECT_EQ(refusal({"--enable_prometheus"}),
            "unknown flag \"--enable_prometheus\"; did you mean \"--enable-prometheus\"?");
  EXPECT_EQ(refusal({"-v"}), "unknown flag \"-v\"");
  EXPECT_EQ(refusal({"start"}), "unexpected argument \"start\"");
  EXPECT_EQ(refusal({"--cycle"}), "--cycle needs a value");
  EXPECT_EQ(refusal({"--cycle="}), "--cycle needs a value");
  EXPECT_EQ(refusal({"--cycle", "1s", "--cycle=2s"}), "\"--cycle\" is given more than once");
  EXPECT_EQ(refusal({"--enable-prometheus=false"}), "--enable-prometheus takes no value");
  EXPECT_EQ(refusal({"--cycle", "abc"}),
            "--cycle: \"abc\" is not a duration; accepted: 1ms to 1m, such as 500ms or 2s");
  EXPECT_EQ(refusal({"--scheduler", "nonsense"}),
            "--scheduler: \"nonsense\" is not a scheduler of flowtap's; accepted: off, domain or fifo");
  EXPECT_EQ(refusal({"--scheduler"}), "--scheduler needs a value");
  EXPECT_EQ(refusal({"--check-config"}), "--check-config needs a file to check");
  EXPECT_EQ(refusal({"--print-config", "--detach"}), "--print-config and --detach exclude each other");
}

TEST(Flags, HelpNamesEveryFlag) {
  const std::string help = flags_help();
  for (const char* name :
       {"--config", "--check-config", "--print-config", "--enable-prometheus", "--prometheus-address",
        "--api-address", "--state-dir", "--cycle", "--report", "--host-root", "--detach", "--version",
        "--statsd", "--spectatord", "--json-lines", "--log-level", "--help"})
    EXPECT_NE(help.find(name), std::string::npos) << name;
}

}  // namespace
}  // namespace flowtap
