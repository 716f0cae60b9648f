// Patterns of the configuration that can fit nothing.
#include "stream/idle_patterns.hpp"

#include <gtest/gtest.h>

namespace flowtap {
namespace {

const SourceOptions kSources{.units = {"kube-scheduler.service", "a\\x2db.service"},
                             .processes = {},
                             .files = {"/tmp/x.log", "/var/log/a b.log", "/var/log/s1.log"}};

// Why the pattern is idle; empty: it is not.
std::string why(const std::string& pattern) {
  LineOptions::Schedulers schedulers;
  schedulers.logs = {pattern};
  const auto idle = idle_patterns(schedulers, kSources, {});
  if (idle.empty()) return {};
  EXPECT_EQ(idle.size(), 1U);
  EXPECT_EQ(idle.front().key, "stream.schedulers");
  EXPECT_EQ(idle.front().pattern, pattern);
  return idle.front().why;
}

TEST(IdlePatterns, OfTheDefaultsThereAreNone) {
  EXPECT_TRUE(idle_patterns({}, {}, {}).empty());
}

TEST(IdlePatterns, FilesThatAreNotFollowed) {
  EXPECT_EQ(why("file//tmp/x.log"), "");
  EXPECT_EQ(why("file/tmp/x.log"), "");
  EXPECT_EQ(why("file//var/log/a b.log"), "");
  EXPECT_EQ(why("file//tmp/y.log"),
            R"(stream.files does not list "/tmp/y.log", so that it is not followed; list it there)");
  EXPECT_EQ(
      why("file//var/log/s*.log"),
      R"(stream.files does not list "/var/log/s*.log", so that it is not followed; in a path, * and ? stand )"
      R"(for themselves: write "file//var/log/s1.log")");
  EXPECT_TRUE(why("file/opt/*.log").ends_with("write each path whole"));
  EXPECT_EQ(why("file//tmp/y.log/"),
            R"(stream.files does not list "/tmp/y.log", so that it is not followed; list it there and write )"
            R"("file//tmp/y.log" here)");
  for (const char* pattern : {"file//var/log//s1.log", "file/var/./log/s1.log", "file/var/log/x/../s1.log",
                              "file//var/log/s1.log/"})
    EXPECT_EQ(why(pattern), R"(stream.files has it as "/var/log/s1.log"; write "file//var/log/s1.log")")
        << pattern;
}

TEST(IdlePatterns, ListsOfAStreamPathThatIsOff) {
  StreamOptions options;
  EXPECT_EQ(idle_lists(options), "");
  options.enabled = false;
  EXPECT_EQ(idle_lists(options), "") << "the defaults are nobody's wish";
  options.sources = kSources;
  options.lines.schedulers.logs = {"unit/kube-scheduler.service"};
  EXPECT_EQ(
      idle_lists(options),
      "nothing of what the configuration lists (stream.units, stream.files, stream.schedulers) is captured: "
      "stream.enabled is false");
  options.enabled = true;
  EXPECT_EQ(idle_lists(options), "");
}

TEST(IdlePatterns, PathsThatAreWrittenAsPatterns) {
  const auto idle = idle_patterns(
      {}, {.units = {}, .processes = {"/usr/bin/slurm*"}, .files = {"/a", "/var/log/*.log"}}, {});
  ASSERT_EQ(idle.size(), 2U);
  EXPECT_EQ(idle[0].key, "stream.files");
  EXPECT_EQ(idle[0].pattern, "/var/log/*.log");
  EXPECT_EQ(idle[0].why, "in a path, * and ? stand for themselves: write each path whole");
  EXPECT_EQ(idle[1].key, "stream.processes");
  EXPECT_EQ(idle[1].pattern, "/usr/bin/slurm*");
}

TEST(IdlePatterns, UnitsThatAreNotListed) {
  EXPECT_EQ(why("unit/kube-scheduler.service"), "");
  EXPECT_EQ(why("unit/kube-*"), "");
  EXPECT_EQ(why("unit/a\\x2db.service"), "");
  EXPECT_EQ(why("unit/kube-scheduler"),
            R"(stream.units has it as "kube-scheduler.service"; write "unit/kube-scheduler.service")");
  const std::string none = "stream.units lists no unit that fits, so that none is captured; list ";
  EXPECT_EQ(why("unit/volcano.service"), none + R"("volcano.service" there)");
  EXPECT_EQ(why("unit/kubelet"), none + R"("kubelet.service" there and write "unit/kubelet.service" here)");
  EXPECT_EQ(why("unit/my.app"), none + R"("my.app.service" there and write "unit/my.app.service" here)");
  EXPECT_EQ(why("unit/volcano*"), none + "each by its whole name there, such as kube-scheduler.service");
  EXPECT_EQ(
      why("unit/kubelet.timer"),
      R"(stream.units takes services alone, and "kubelet.timer" is none; write the service whose output it )"
      R"(is, such as "unit/kubelet.service")");
}

TEST(IdlePatterns, PodsThatNobodyCanName) {
  EXPECT_EQ(why("pod/kube-system/kube-scheduler-*/*"), "");
  EXPECT_EQ(why("pod/a/b.c-?/POD"), "");
  EXPECT_EQ(why("pod/kube_system/a/b"), R"(no namespace has "_" in its name)");
  EXPECT_EQ(why("pod/a/Kube-*/b"), R"(no pod has "K" in its name)");
  EXPECT_EQ(why("pod/a/b/c.d"), R"(no container has "." in its name)");
  EXPECT_EQ(why("pod/a/-b/c"), R"(no pod has a name that begins or ends with "-")");
  EXPECT_EQ(why("pod/" + std::string(64, 'a') + "/b/c"),
            "no namespace has a name of more than 63 characters");
  EXPECT_EQ(why("pod/" + std::string(63, 'a') + "/b/c"), "");
}

TEST(IdlePatterns, WildcardsForContainersWithoutTheirId) {
  for (const char* pattern :
       {"container/kube-scheduler-*", "container/*", "container/a-????????????", "container/a-1f8bb19be14c",
        "container/a*4c", "container/etcd", "container/*-scheduler-*", "container/*etcd",
        "container/kube-scheduler", "container/a-1f8bb19be14", "container/a-1f8bb19be14X"})
    EXPECT_EQ(why(pattern), "") << pattern;
  for (const char* pattern : {"container/*-scheduler", "container/?-1f8bb19be14X"})
    EXPECT_EQ(why(pattern),
              "behind a container's name, its flow has - and the first 12 digits of its id; write \"" +
                  std::string(pattern) + "-*\"")
        << pattern;
}

TEST(IdlePatterns, ContainersThatNobodyCanName) {
  EXPECT_EQ(why("container/my scheduler"), R"(no container has " " in its name)");
  EXPECT_EQ(why("container/my\tscheduler-*"), R"(no container has "\t" in its name)");
}

TEST(IdlePatterns, RulesThatLeaveNothingForOthers) {
  const auto idle_of = [](const std::vector<flow::GroupRule>& rules) {
    EXPECT_TRUE(flow::GroupRules::parse(rules));
    std::vector<std::string> all;
    for (const api::IdlePattern& idle : idle_patterns({}, {}, rules))
      all.push_back(idle.pattern + ": " + idle.why);
    return all;
  };
  using All = std::vector<std::string>;
  EXPECT_EQ(idle_of({{"(*)-?????", "", "$1"}, {"(*)", "", "$1"}}), All{});
  EXPECT_EQ(idle_of({{"(*)", "", "$1"}, {"(*)-?????", "", "$1"}}),
            All{R"~((*)-?????: the rule for "(*)" before it takes all of its pods)~"});
  EXPECT_EQ(idle_of({{"a-*", "", "x"}, {"a-(*)", "prod", "$1"}}),
            All{R"~(a-(*): the rule for "a-*" before it takes all of its pods)~"});
  EXPECT_EQ(idle_of({{"a-*", "prod", "x"}, {"a-*", "", "x"}}), All{}) << "there are other namespaces";
  EXPECT_EQ(idle_of({{"(*)a", "", "$1"}, {"*a", "", "x"}}), All{}) << "a group without a name is none";
  EXPECT_EQ(idle_of({{"-a*", "", "x"}}), All{R"(-a*: no pod has a name that begins or ends with "-")"});
  EXPECT_EQ(idle_of({{"a", "b.c", "x"}}), All{R"(a: no namespace has "." in its name)"});
}

}  // namespace
}  // namespace flowtap
