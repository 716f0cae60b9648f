// What users of kubectl, docker, podman, journalctl and top type: it means here what it means there, or one sentence says what to
// type instead.
#include <array>
#include <chrono>
#include <functional>
#include <optional>

#include "base/rfc3339.hpp"
#include "tests/unit/flowtap/flowtap_fixture.hpp"
#include "tools/flowtap/other_tools.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;
using Asked = const api::LogReadOptions&;

// What is written of one container of one pod.
constexpr const char* kLog = "first line\nsecond line\n";

class Options : public FlowtapTest {
 protected:
  Options() {
    node_.captured = &flows_;
    flows_.list = {api::full_flow()};  // shop/web-1, nginx
    flows_.add(flows_.list.front().id)->append(kLog);
  }
};

struct Taken {
  const char* words;
  std::function<bool(Asked)> is_asked;
};

bool all(Asked asked) {
  return !asked.tail_lines && !asked.since && !asked.timestamps && !asked.follow;
}
std::function<bool(Asked)> tail(std::uint64_t lines) {
  return [lines](Asked asked) { return asked.tail_lines == lines && asked.whole_lines; };
}
std::function<bool(Asked)> since(const char* time) {
  return [time](Asked asked) { return asked.since == parse_rfc3339(time); };
}
// The program has begun less than a minute before.
std::function<bool(Asked)> ago(std::chrono::seconds before) {
  return [before](Asked asked) {
    const auto latest = std::chrono::system_clock::now() - before;
    return asked.since && *asked.since <= latest && *asked.since > latest - 60s;
  };
}

TEST_F(Options, OfOtherToolsForLogsMeanWhatTheyMeanThere) {
  start();
  const std::vector<Taken> rows = {
      // kubectl logs
      {"shop/web-1", all},
      {"-n shop web-1", all},
      {"-nshop web-1", all},
      {"--namespace=shop web-1", all},
      {"-n shop pod/web-1", all},
      {"-n shop pods/web-1", all},
      {"-n shop po/web-1", all},
      {"-n shop shop/web-1", all},
      {"web-1 -n shop -c nginx", all},
      {"shop/web-1 nginx", all},
      {"-n shop web-1 nginx", all},
      {"--all-containers=false shop/web-1", all},
      {"--ignore-errors shop/web-1", all},
      {"--insecure-skip-tls-verify-backend=true shop/web-1", all},
      {"--max-log-requests=7 shop/web-1", all},
      {"--tail=-1 shop/web-1", all},
      {"--tail -1 shop/web-1", all},
      {"--tail=0 shop/web-1", tail(0)},
      {"--tail=20 shop/web-1", tail(20)},
      {"--tail 5 --tail 6 shop/web-1", tail(6)},
      {"--timestamps shop/web-1", [](Asked asked) { return asked.timestamps; }},
      {"--timestamps=true shop/web-1", [](Asked asked) { return asked.timestamps; }},
      {"--since 30s shop/web-1", ago(30s)},
      {"--since=1h30m shop/web-1", ago(90min)},
      {"--since 1.5h shop/web-1", ago(90min)},
      {"--since 0s shop/web-1", ago(0s)},
      {"--since-time 2026-11-27T08:00:00Z shop/web-1", since("2026-11-27T08:00:00Z")},
      {"--since-time=2026-11-27T08:00:00+02:00 shop/web-1", since("2026-11-27T06:00:00Z")},
      {"--since-time '' shop/web-1", all},
      // docker logs, podman logs, nerdctl logs
      {"-t shop/web-1", [](Asked asked) { return asked.timestamps; }},
      {"--tail all shop/web-1", all},
      {"--since 2026-11-27T08:00:00Z shop/web-1", since("2026-11-27T08:00:00Z")},
      {"--since 2026-11-27T08:00 shop/web-1", since("2026-11-27T08:00:00Z")},
      {"--since 2026-11-27 shop/web-1", since("2026-11-27T00:00:00Z")},
      {"--since 1764316800 shop/web-1", since("2025-11-28T08:00:00Z")},
      {"--since 1764316800.5 shop/web-1", since("2025-11-28T08:00:00.5Z")},
      {"--color never shop/web-1", all},
      // journalctl
      {"--lines 20 shop/web-1", tail(20)},
      {"--lines=all shop/web-1", all},
      {"-S -5min shop/web-1", ago(5min)},
      {"--since '5 minutes ago' shop/web-1", ago(5min)},
      {"--since '2026-11-27 08:00:00' shop/web-1", since("2026-11-27T08:00:00Z")},
      {"--since 'Fri 2026-11-27 08:00' shop/web-1", since("2026-11-27T08:00:00Z")},
      {"--since @1764316800 shop/web-1", since("2025-11-28T08:00:00Z")},
      {"--since now shop/web-1", ago(0s)},
      {"--since today shop/web-1",
       [](Asked asked) { return asked.since && *asked.since > std::chrono::system_clock::now() - 25h; }},
      {"--no-pager --utc --no-hostname --no-tail shop/web-1", all},
      // stern
      {"--since 2d shop/web-1", ago(48h)},
      {"--no-follow shop/web-1", all},
  };
  for (const auto& [words, is_asked] : rows) {
    const Outcome run = shell("TZ=UTC0 " + paths::flowtap() + " logs " + words + at() + " 2>/dev/null");
    EXPECT_EQ(run.exit, 0) << words;
    EXPECT_EQ(run.output, kLog) << words;
    EXPECT_TRUE(is_asked(flows_.log_asked_for())) << words;
  }
}

TEST_F(Options, NameAUnitAsJournalctlDoes) {
  api::FlowStatus unit = api::full_flow();
  unit.id = "unit/nginx.service";
  unit.kind = "unit";
  flows_.list.push_back(unit);
  flows_.add(unit.id)->append("of the unit\n");
  start();
  for (const char* words :
       {"-u nginx", "--unit=nginx.service", "nginx", "nginx.service", "unit/nginx.service"})
    EXPECT_EQ(flowtap(std::string("logs ") + words + at()).output, "of the unit\n") << words;
}

TEST_F(Options, ChooseANamespace) {
  start();
  static_cast<void>(flowtap("flows -n shop" + at()));
  EXPECT_EQ(flows_.asked_for().ns, "shop");
  EXPECT_EQ(flowtap("logs --group checkout -n shop --prefix" + at()).exit, 0);
  EXPECT_EQ(flows_.asked_for().ns, "shop");
  EXPECT_EQ(flows_.asked_for().group, "checkout");
  static_cast<void>(flowtap("logs --group checkout" + at()));
  EXPECT_FALSE(flows_.asked_for().ns);
}

// A namespace may be called so, and people who know docker or journalctl mean lines by it.
TEST_F(Options, ANumberIsANamespaceWhereItCanBe) {
  flows_.list.front().ns = "2024";
  start();
  for (const char* words : {"-n 2024 web-1", "-n 2024 pod/web-1", "-n 2024 2024/web-1", "2024/web-1"})
    EXPECT_EQ(flowtap(std::string("logs ") + words + at()).output, kLog) << words;
  EXPECT_EQ(flowtap("logs --group checkout -n 2024 --prefix" + at()).exit, 0);
  EXPECT_EQ(flows_.asked_for().ns, "2024");
  const auto is_told = [this](const char* words) {
    const Outcome run = flowtap(std::string("logs ") + words + at());
    EXPECT_EQ(run.exit, 3) << words;
    EXPECT_EQ(occurrences(run.output, "\n"), 2U) << words << "\n" << run.output;
    return run.output.ends_with("; -n takes a namespace: --tail 5 prints the last lines\n");
  };
  EXPECT_TRUE(is_told("-n 5 web-1"));
  for (const char* words : {"-n cart web-1", "5/web-1", "--tail 5 5/web-1"})
    EXPECT_FALSE(is_told(words)) << words;
  flows_.relist({});
  EXPECT_TRUE(is_told("-n 5 web-1 --all-containers"));
  EXPECT_FALSE(is_told("-n cart web-1 --all-containers"));
}

TEST_F(Options, FromNowOnSaysThatWithoutFollowThereIsNothing) {
  start();
  for (const char* when : {"now", "0s", "2099-01-01"})
    EXPECT_TRUE(flowtap("logs shop/web-1 --since " + std::string(when) + at())
                    .output.starts_with("flowtap: --since leaves out all that has been written so far\n"
                                        "  hint: -f prints what comes from then on\n"))
        << when;
  EXPECT_FALSE(flowtap("logs shop/web-1 --since 1s" + at()).output.contains("leaves out"));
}

TEST_F(Options, OfOtherToolsThatAreNotThereNameWhatIs) {
  std::size_t tried = 0;
  for (const cli::OtherTools& row : cli::flags_of_other_tools()) {
    std::string words(row.words);
    for (std::size_t end = 0; !words.empty(); words.erase(0, end + 1)) {
      end = std::min(words.find(' '), words.size() - 1);
      const std::string flag = words.substr(0, words.find(' '));
      const std::string command = row.command.empty() ? "status" : std::string(row.command);
      const Outcome run = flowtap(command + (command == "tap" ? " 7 " : " ") + "'" + flag + "'");
      EXPECT_EQ(run.exit, 2) << command << " " << flag;
      EXPECT_TRUE(
          run.output.starts_with("flowtap: flowtap " + command + " does not have \"" + flag + "\"\n  hint: "))
          << command << " " << flag << "\n"
          << run.output;
      // A row for the command comes first.
      if (!row.command.empty()) {
        EXPECT_TRUE(run.output.ends_with("  hint: " + std::string(row.instead) + "\n")) << run.output;
      }
      ++tried;
    }
  }
  EXPECT_GT(tried, 150U);
}

TEST(OptionsRefused, NameWhatToTypeInstead) {
  constexpr std::array<std::array<const char*, 3>, 39> kRows = {{
      {"logs -n 5", "-n is the namespace, as for kubectl", "--tail 5 prints"},
      {"logs -n 5 -u nginx", "-n is the namespace, as for kubectl", "--tail 5 prints"},
      {"logs -n 5 nginx.service", "-n is the namespace, as for kubectl", "--tail 5 prints"},
      {"logs -n 5 nginx.service", "the namespace", "5/nginx.service is a pod of the namespace 5"},
      {"logs -n 5 container/web-1f8b", "-n is the namespace, as for kubectl", "--tail 5 prints"},
      {"logs -n 5 pod/shop/web-1/7/nginx/0", "-n is the namespace, as for kubectl", "--tail 5 prints"},
      {"logs -n 5 shop/web-1", "-n is the namespace, as for kubectl", "--tail 5 prints"},
      {"logs -n shop deploy/web", "\"deploy/web\" is no pod", "--group GROUP"},
      {"logs -n shop job/train", "\"job/train\" is no pod", "flowtap flows -n shop"},
      {"logs -n shop cart/web-1", "two namespaces, \"shop\" and \"cart\"",
       "-n shop web-1, or cart/web-1 alone"},
      {"logs -n shop pod/shop/web-1/7/nginx/0", "is the id of a flow", "leave out -n"},
      {"logs pod/web-1", "does not say its namespace", "NAMESPACE/web-1, or -n NAMESPACE web-1"},
      {"logs -n shop", "needs a pod", "flowtap logs NAMESPACE/POD"},
      {"logs a/b c d", "unexpected argument \"d\"", "--help"},
      {"logs web db", "unexpected argument \"db\"", "flowtap logs NAME"},
      {"logs -l app=web", "\"-l\"", "--group GROUP"},
      {"logs -lapp=web", "\"-lapp=web\"", "--group GROUP"},
      {"logs --selector=app=web", "\"--selector=app=web\"", "--group GROUP"},
      {"logs a/b --until 5m", "\"--until\"", "--timestamps"},
      {"logs a/b --prefix", "--prefix needs several logs", "--all-containers"},
      {"logs a/b --since 5", "--since: \"5\" has no unit", "5s, 5m, 5h and 5d"},
      {"logs a/b --since soon", "--since: \"soon\" is no time",
       "accepted: how long ago, such as 30s, 1h30m or 2d"},
      {"logs a/b --since ''", "--since: \"\" is no time", "accepted: how long ago"},
      {"logs a/b --since-time yes", "--since-time: \"yes\" is no time", "accepted: how long ago"},
      {"logs a/b --since 1h --since-time 2026-11-27T08:00:00Z", "exclude each other", "leave one"},
      {"logs a/b --since --tail 5", "--since: \"--tail\" is no time", "accepted: how long ago"},
      {"logs a/b --tail 5x", "--tail does not take \"5x\"", "-1 and all"},
      {"logs a/b --tail=-2", "--tail does not take \"-2\"", "-1 and all"},
      {"logs a/b --tail +5", "--tail does not take \"+5\"", "-1 and all"},
      {"logs a/b --limit-bytes 1k", "--limit-bytes", "a whole number of bytes"},
      {"logs a/b --limit-bytes=-1", "--limit-bytes", "a whole number of bytes"},
      {"logs a/b -o short-iso", "--output", "text, json"},
      {"logs -u nginx other", "--unit and \"other\" name two logs", "leave one"},
      {"top --pods -n shop", "--count", "--namespace NS"},
      {"top pods", "unexpected argument \"pods\"", "flowtap top --pods"},
      {"ps", "unknown command \"ps\"", "flowtap flows"},
      {"describe pod web-1", "unknown command \"describe\"", "flowtap why NAMESPACE/POD"},
      {"help", "unknown command \"help\"", "flowtap --help"},
      {"why -n shop deploy/web", "\"deploy/web\" is no pod", "flowtap flows -n shop"},
  }};
  for (const auto& [words, what, hint] : kRows) {
    const Outcome run = flowtap(words);
    EXPECT_EQ(run.exit, 2) << words;
    EXPECT_TRUE(run.output.starts_with("flowtap: ")) << words << "\n" << run.output;
    EXPECT_TRUE(run.output.contains(what) && run.output.contains(hint)) << words << "\n" << run.output;
    EXPECT_EQ(occurrences(run.output, "\n"), 2U) << run.output;
  }
}

class LimitBytes : public Options {
 protected:
  /// The bytes on standard output, and what is said beside them.
  [[nodiscard]] std::pair<std::string, std::string> limited(const std::string& words) const {
    const std::string err = dir_ / "err";
    const Outcome run = shell("timeout 60 " + paths::flowtap() + " logs " + words + at() + " 2>" + err);
    EXPECT_EQ(run.exit, 0) << words;
    return {run.output, shell("cat " + err).output};
  }
  static std::string ends_after(const std::string& bytes) {
    return "flowtap: the output ends after " + bytes + " (--limit-bytes)\n";
  }
};

TEST_F(LimitBytes, EndsTheOutputAfterExactlySoManyBytes) {
  start();
  const std::string log = kLog;
  for (std::size_t most = 1; most < log.size(); ++most)
    EXPECT_EQ(
        limited("shop/web-1 --limit-bytes " + std::to_string(most)),
        std::pair(log.substr(0, most), ends_after(std::to_string(most) + (most == 1 ? " byte" : " bytes"))));
  for (const std::size_t most : {log.size(), log.size() + 1, std::size_t{0}})
    EXPECT_EQ(limited("shop/web-1 --limit-bytes=" + std::to_string(most)), std::pair(log, std::string()))
        << most;
}

TEST_F(LimitBytes, KeepsJsonWhole) {
  flows_.list.front().id = "pod/shop/web-1/7/nginx/1";
  flows_.add(flows_.list.front().id)->append("{\"a\":1}\n{\"b\":22}\n{\"c\":3}\n");
  start();
  EXPECT_EQ(limited("shop/web-1 -o json --limit-bytes 16"),
            std::pair(std::string("{\"a\":1}\n"), ends_after("8 bytes")));
  EXPECT_EQ(limited("shop/web-1 -o json --limit-bytes 17").first, "{\"a\":1}\n{\"b\":22}\n");
  EXPECT_EQ(limited("shop/web-1 -o json --limit-bytes 0x11").first, "{\"a\":1}\n{\"b\":22}\n");
  EXPECT_EQ(limited("shop/web-1 -o json --limit-bytes 25"),
            std::pair(std::string("{\"a\":1}\n{\"b\":22}\n{\"c\":3}\n"), std::string()));
  EXPECT_EQ(limited("shop/web-1 -o json --limit-bytes 7"), std::pair(std::string(), ends_after("0 bytes")));
}

TEST_F(LimitBytes, CountsAllThatSeveralLogsPrint) {
  flows_.list.front().id = "pod/shop/web-1/7/nginx/1";
  flows_.add(flows_.list.front().id)
      ->append("2026-01-01T00:00:00.000000001Z one\n2026-01-01T00:00:00.000000002Z two\n");
  start();
  const std::string whole = "web-1 one\nweb-1 two\n";
  EXPECT_EQ(limited("-g checkout --limit-bytes 13"), std::pair(whole.substr(0, 13), ends_after("13 bytes")));
  EXPECT_EQ(limited("-g checkout --limit-bytes 20"), std::pair(whole, std::string()));
  // Nobody else has to say anything before it ends.
  EXPECT_EQ(limited("-g checkout -f --limit-bytes 13"),
            std::pair(whole.substr(0, 13), ends_after("13 bytes")));
  EXPECT_EQ(limited("shop/web-1 --timestamps -f --limit-bytes 30").first, "2026-01-01T00:00:00.000000001Z");
}

TEST_F(LimitBytes, EndsTheLineOfATerminalOnly) {
  start();
  EXPECT_EQ(shell("TERM=xterm script -qec '" + paths::flowtap() + " logs shop/web-1 --limit-bytes 5" + at() +
                  "' /dev/null </dev/null")
                .output,
            "first\r\nflowtap: the output ends after 5 bytes (--limit-bytes)\r\n");
}

}  // namespace
}  // namespace flowtap
