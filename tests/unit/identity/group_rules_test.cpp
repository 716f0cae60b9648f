// Groups of pods: the patterns, and the names that workflow engines give.
#include "identity/patterns/group_rules.hpp"

#include <gtest/gtest.h>

namespace flowtap::flow {
namespace {

/// The parts that a pattern finds, separated by "|"; "-" where the name does not match.
std::string parts(std::string_view pattern, std::string_view name) {
  const auto parsed = NamePattern::parse(pattern);
  if (!parsed) return "refused: " + parsed.error().what;
  EXPECT_EQ(parsed->match(name).has_value(), fits(std::string(pattern), name) || pattern.contains('('));
  const auto found = parsed->match(name);
  if (!found) return "-";
  std::string text;
  for (std::size_t i = 0; i < parsed->parts(); ++i) text += (i > 0 ? "|" : "") + std::string(found->at(i));
  return text;
}

std::string group(const GroupRule& rule, std::string_view pod, std::string_view ns = "default") {
  const auto rules = GroupRules::parse({rule});
  if (!rules) return "refused: " + rules.error().what;
  return rules->group_of(ns, pod).value_or("-");
}

TEST(NamePattern, StarsTakeAsMuchAsTheyCan) {
  EXPECT_EQ(parts("(*)-*", "my-job-abc12"), "my-job");
  EXPECT_EQ(parts("(*)-(*)-(*)", "a-b-c-d"), "a-b|c|d");
  EXPECT_EQ(parts("(*)", "a"), "a");
  EXPECT_EQ(parts("(*)", ""), "");
  EXPECT_EQ(parts("(*)(*)", "ab"), "ab|");
  EXPECT_EQ(parts("a(*)a(*)a", "aaaaa"), "aa|");
  EXPECT_EQ(parts("(a*)b(?)(*)", "aabbcd"), "aab|c|d");
  EXPECT_EQ(parts("x(?)(?)", "xab"), "a|b");
  EXPECT_EQ(parts("()a", "a"), "");
  EXPECT_EQ(parts("(wf-(*))", "wf-1"), "refused: has a ( inside of parentheses");
}

TEST(NamePattern, AllOfANameMustFit) {
  for (const char* name : {"", "a", "ab-", "abc-", "-abc", "ab-cd"})
    EXPECT_EQ(parts("ab-?", name), "-") << name;
  EXPECT_EQ(parts("ab-?", "ab-c"), "");
  EXPECT_EQ(parts("a*b*c", "abbc"), "");
  EXPECT_EQ(parts("a*b*c", "acb"), "-");
  EXPECT_EQ(parts("ab*ba", "aba"), "-") << "what stands before a star and behind it must not share a letter";
  EXPECT_EQ(parts("*ab*ab*", "abxab"), "");
  EXPECT_EQ(parts("*ab*ab*", "abab"), "");
  EXPECT_EQ(parts("*ab*ab*", "ababa"), "");
  EXPECT_EQ(parts("*ab*ba*", "aba"), "-");
}

TEST(NamePattern, WhatIsNoPatternIsRefused) {
  EXPECT_EQ(parts("", "a"), "refused: fits nothing");
  EXPECT_EQ(parts("()", "a"), "refused: fits nothing");
  EXPECT_EQ(parts("a(b", "a"), "refused: has no ) for its (");
  EXPECT_EQ(parts("a)b", "a"), "refused: has no ( for its )");
  EXPECT_EQ(parts("(a)(a)(a)(a)(a)(a)(a)(a)(a)(a)", "a"), "refused: has more than 9 parentheses");
  EXPECT_EQ(parts(std::string(17, '*'), "a"), "refused: has more than 16 stars");
  EXPECT_FALSE(fits(std::string(17, '*'), "a"));
}

// The same answer by a search through all ways to divide a name.
TEST(NamePattern, IsWhatBacktrackingFinds) {
  struct Slow {
    static bool match(std::string_view p, std::string_view n) {
      if (p.empty()) return n.empty();
      if (p.front() != '*')
        return !n.empty() && (p.front() == '?' || p.front() == n.front()) && match(p.substr(1), n.substr(1));
      for (std::size_t i = 0; i <= n.size(); ++i)
        if (match(p.substr(1), n.substr(i))) return true;
      return false;
    }
  };
  std::uint64_t seed = 1;
  const auto text = [&seed](std::string_view letters, std::size_t most) {
    std::string out;
    for (std::size_t n = (seed = seed * 6364136223846793005U + 1442695040888963407U) >> 33U, i = 0;
         i < n % most; ++i)
      out += letters[((seed = seed * 6364136223846793005U + 1442695040888963407U) >> 33U) % letters.size()];
    return out;
  };
  int fit = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string pattern = text("ab**?", 8);
    const std::string name = text("ab", 8);
    const bool expected = Slow::match(pattern, name);
    fit += expected ? 1 : 0;
    ASSERT_EQ(fits(pattern, name), expected) << pattern << " " << name;
  }
  EXPECT_GT(fit, 1000);
}

// The most work that a rule and a name can cause is a product of their lengths. With backtracking it would take hours.
TEST(NamePattern, NobodyCanMakeItSlow) {
  std::string pattern;
  for (int i = 0; i < 16; ++i) pattern += "*aaaaaaaaaaaaaab";
  const std::string name(253, 'a');
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(fits(pattern, name));
}

TEST(GroupRules, NamesThatWorkflowEnginesGive) {
  // A Job, an indexed Job, a CronJob (its Jobs have the minute as suffix).
  EXPECT_EQ(group({"(*)-?????", "", "$1"}, "render-frames-x7k2p"), "render-frames");
  EXPECT_EQ(group({"(*)-*-?????", "", "$1"}, "render-frames-17-x7k2p"), "render-frames");
  EXPECT_EQ(group({"(backup)-????????"
                   "-?????",
                   "", "$1"},
                  "backup-29384750-x7k2p"),
            "backup");
  // Argo: WORKFLOW-TEMPLATE-HASH, the workflow with its own five letters.
  const GroupRule argo{
      "(nightly-????"
      "?)-*",
      "argo", "argo/$1"};
  EXPECT_EQ(group(argo, "nightly-x7k2p-print-message-2834619450", "argo"), "argo/nightly-x7k2p");
  EXPECT_EQ(group(argo, "nightly-x7k2p-print-message-2834619450", "default"), "-");
  // REANA: the uuid of the batch's workflow, and of each job.
  EXPECT_EQ(group({"reana-run-batch-(*)-?????", "", "$1"},
                  "reana-run-batch-9e5a1c0e-6f0a-4a57-8d3e-0c3f8d1f2b6a-x7k2p"),
            "9e5a1c0e-6f0a-4a57-8d3e-0c3f8d1f2b6a");
  // Airflow: DAG-TASK-HASH.
  EXPECT_EQ(group({"etl-(*)-????????", "airflow", "etl: $1"}, "etl-load-users-4f9a1c2e", "airflow"),
            "etl: load-users");
  EXPECT_EQ(group({"wf-(*)-step-*", "", "wf-$1"}, "wf-12-step-3"), "wf-12");
  // A tenant's pods are a group of his own, whatever he calls them.
  EXPECT_EQ(group({"train-*", "team-*", "$namespace"}, "train-1", "team-a"), "team-a");
}

TEST(GroupRules, TheFirstThatFitsDecides) {
  const auto rules = GroupRules::parse({{"wf-1-*", "", "first"}, {"wf-(*)-*", "", "$1"}, {"(*)x", "", "$1"}});
  ASSERT_TRUE(rules) << rules.error().what;
  EXPECT_EQ(rules->group_of("a", "wf-1-b"), "first");
  EXPECT_EQ(rules->group_of("a", "wf-2-b"), "2");
  EXPECT_EQ(rules->group_of("a", "x"), std::nullopt) << "a group without a name is none";
  EXPECT_EQ(GroupRules().group_of("a", "x"), std::nullopt);
}

TEST(GroupRules, WhatIsNoRuleIsRefused) {
  EXPECT_EQ(group({"", "", "a"}, ""), R"x(refused: pod: "" is not a pattern for names of pods)x");
  EXPECT_EQ(group({"wf[0-9]", "", "a"}, ""),
            R"x(refused: pod: "wf[0-9]" is not a pattern for names of pods)x");
  EXPECT_EQ(group({"WF-*", "", "a"}, ""), R"x(refused: pod: "WF-*" is not a pattern for names of pods)x");
  EXPECT_EQ(group({"wf-(*", "", "a"}, ""), R"x(refused: pod: "wf-(*" has no ) for its ()x");
  EXPECT_EQ(group({"*", "a/b", "a"}, ""),
            R"x(refused: namespace: "a/b" is not a pattern for names of namespaces)x");
  EXPECT_EQ(group({"*", "(a)", "a"}, ""),
            R"x(refused: namespace: "(a)" is not a pattern for names of namespaces)x");
  EXPECT_EQ(group({"*", "", ""}, ""), R"x(refused: group: "" is not the name of a group)x");
  EXPECT_EQ(group({"*", "", "$1"}, ""), R"x(refused: group: "$1" has $1, and its pod no parentheses)x");
  EXPECT_EQ(group({"(*)", "", "$2"}, ""),
            R"x(refused: group: "$2" has $2, and its pod one pair of parentheses)x");
  EXPECT_EQ(group({"*", "", "$0"}, ""),
            R"x(refused: group: "$0" has a $ that neither 1 to 9 nor namespace follows)x");
}

}  // namespace
}  // namespace flowtap::flow
