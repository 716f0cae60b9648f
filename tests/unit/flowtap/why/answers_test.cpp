// flowtap why --from: the answers for people, and the list of all pods.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>

#include "tests/unit/flowtap/why/why_kit.hpp"

namespace flowtap {
namespace {

using diagnosis::test::Case;
using diagnosis::test::cases;
using diagnosis::test::golden;
using diagnosis::test::paths_of;

TEST_F(WhyTest, TextIsASentenceTheNodesAndWhatToDo) {
  ASSERT_GT(cases("why/cases.tsv").size(), 4U);
  for (const Case& one : cases("why/cases.tsv")) {
    std::vector<std::string> paths;
    for (const std::string& path : paths_of(one)) paths.push_back(kGolden + path);
    const Outcome run =
        shell("LC_ALL=C.UTF-8 " + paths::flowtap() + " why " + one.pod + from(paths) + " 2>&1");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(run.output, golden("why/" + one.expected)) << one.logs;
  }
}

// Logs that were once answered wrongly.
TEST_F(WhyTest, WhatHappenedToAPodIsSaid) {
  const auto all = diagnosis::test::found_cases();
  ASSERT_GT(all.size(), 12U);
  for (const auto& one : all) {
    const Outcome run = flowtap_program("why " + one.pod + from({kGolden + one.log}));
    EXPECT_EQ(run.exit, 0) << one.log;
    EXPECT_TRUE(run.output.starts_with(one.beginning)) << one.log << ": " << run.output;
    EXPECT_TRUE(one.has.empty() || run.output.contains('\n' + one.has) ||
                run.output.contains("\n  " + one.has))
        << one.log << ": " << run.output;
  }
}

TEST_F(WhyTest, APodThatIsNoMoreNeedsNoAdvice) {
  const Outcome run = flowtap_program("why del/gone" + from({kGolden + "found/why/pod-deleted/in.log"}));
  EXPECT_EQ(run.output.find("not said"), std::string::npos) << run.output;
  EXPECT_EQ(run.output.find("add nodes"), std::string::npos) << run.output;
  const Outcome list = flowtap_program("why" + from({kGolden + "found/why/pod-deleted/in.log"}));
  EXPECT_NE(list.output.find(" was deleted before it was bound; "), std::string::npos) << list.output;
  const Outcome json =
      flowtap_program("why del/gone -o json --evidence" + from({kGolden + "found/why/pod-deleted/in.log"}));
  EXPECT_EQ(boost::json::parse(json.output).at_pointer("/lifecycle/deleted"), true) << json.output;
}

// It may be the beginning of several names, and so may another row's that is as wide.
TEST_F(WhyTest, ANameThatAScreenHasCutIsNobodys) {
  const std::string file = kGolden + "found/why/events-cut/in.txt";
  EXPECT_FALSE(flowtap_program("why shop/web-d" + from({file})).output.contains("gpu-node"));
  std::string text = golden("found/why/events-cut/in.txt");
  text.replace(text.rfind("gpu-node-"), 9, "gpu-node1");
  const Outcome wide = flowtap_program("why shop/web-d" + from({write("wide", text)}));
  EXPECT_TRUE(wide.output.starts_with("shop/web-d is bound\n")) << wide.output;
  const std::string row = "shop        5s          Normal    Scheduled          pod/web-d   ";
  const Outcome whole = flowtap_program(
      "why shop/web-d" + from({write("whole", text + row + "Successfully assigned shop/web-d to n1\n")}));
  EXPECT_TRUE(whole.output.starts_with("shop/web-d is bound to n1\n")) << whole.output;
}

TEST_F(WhyTest, EvidenceIsTheAttemptAndWhatTheVerdictsRestOn) {
  const std::string log = kGolden + "scheduler/kube-scheduler-v5.json.log";
  const Outcome run = flowtap_program("why default/toobig-v5json-1 -o json --evidence" + from({log}));
  EXPECT_EQ(run.exit, 0);
  for (const char* const name : {"scheduler", "attempt", "times", "history", "lacks"})
    EXPECT_TRUE(boost::json::parse(run.output).as_object().contains(name)) << name << ": " << run.output;
}

TEST_F(WhyTest, EvidenceOfTextIsTheLinesThatSayIt) {
  const std::string log = kGolden + "diagnosis/hami-2.10-bind-failed.log";
  const Outcome plain = flowtap_program("why default/gpu-pod" + from({log}));
  const Outcome run = flowtap_program("why default/gpu-pod --evidence" + from({log}));
  EXPECT_EQ(run.exit, 0);
  ASSERT_TRUE(run.output.starts_with(plain.output)) << run.output;
  std::istringstream lines(run.output.substr(plain.output.size()));
  std::vector<std::string> of;
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find("0821 07:10:03."); at != std::string::npos)
      of.push_back(line.substr(2, line.find(' ', 2) - 2) + ' ' + line.substr(at - 1, 21));
  EXPECT_EQ(of, (std::vector<std::string>{"filter I0821 07:10:03.116001", "node1 I0821 07:10:03.106302",
                                          "node2 I0821 07:10:03.105988", "node3 I0821 07:10:03.106705",
                                          "bind E0821 07:10:03.145075"}))
      << run.output;
}

// klog's text has no year, but the file that a runtime keeps has one.
TEST_F(WhyTest, WhatARuntimeKeptSaysWhenItWas) {
  const auto attempt = [](int micros) {
    return "I0821 07:12:29.90010" + std::to_string(micros) +
           "       1 a.go:1] \"Unable to schedule pod; no fit; waiting\" pod=\"ns/p\" "
           "err=\"0/1 nodes are available: 1 x.\"\n";
  };
  const std::string log = attempt(0);
  const std::string sentence = "ns/p is pending: the only node does not fit; 1 is turned down: \"x\"\n";
  EXPECT_TRUE(flowtap_program("why ns/p" + from({write("plain", log)})).output.starts_with(sentence + "\n"));
  EXPECT_TRUE(
      flowtap_program("why ns/p" + from({write("kept", as_cri(log))}))
          .output.starts_with(sentence + "  1st attempt, by kube-scheduler at 2026-08-21 07:12:29 UTC\n"));
  const Outcome third = shell("LC_ALL=C.UTF-8 " + paths::flowtap() + " why ns/p" +
                              from({write("thrice", log + attempt(1) + attempt(2))}) + " 2>&1");
  EXPECT_TRUE(third.output.starts_with(
      sentence + "  3rd attempt, by kube-scheduler; before: 2 × the only node does not fit\n"))
      << third.output;
}

TEST_F(WhyTest, APodThatIsHeldBackSaysByWhom) {
  const std::string log =
      "I0821 07:12:29.900100       1 a.go:1] \"Status after running PreEnqueue plugin\" pod=\"ns/p\" "
      "plugin=\"SchedulingGates\" status={}\n";
  const Outcome run = flowtap_program("why ns/p" + from({write("log", log)}));
  EXPECT_TRUE(
      run.output.starts_with("ns/p is pending: held back by SchedulingGates: waiting for scheduling gates\n"))
      << run.output;
  EXPECT_EQ(run.output.find("turned down"), std::string::npos) << run.output;
}

// kube-scheduler says it of the pods that had a place as well as of those that it did not try any more.
TEST_F(WhyTest, APodWhoseGroupHasNoPlaceMayHaveOne) {
  for (const std::string says :
       {"pod group is unschedulable", "pod group is unschedulable: no feasible placements found",
        "minCount (4) cannot be satisfied: 3 scheduled, 0 remaining"}) {
    const std::string log =
        "I0821 07:12:29.900100       1 a.go:1] \"Unable to schedule pod belonging to a pod group; waiting\" "
        "podGroup=\"ns/g\" pod=\"ns/p\" err=\"" +
        says + "\"\n";
    const Outcome run = flowtap_program("why ns/p" + from({write("log", log)}));
    EXPECT_TRUE(run.output.starts_with("ns/p is pending: its group could not be placed as a whole: \"" +
                                       says + "\"\n"))
        << run.output;
  }
}

TEST_F(WhyTest, WithoutAPodAllAreListed) {
  const std::string log = from({kGolden + "scheduler/hami-2024-v4.log"});
  const Outcome text = flowtap_program("why" + log);
  EXPECT_EQ(text.exit, 0);
  EXPECT_TRUE(text.output.starts_with("  pod ")) << text.output;
  EXPECT_NE(text.output.find("  default/hami-ok-a     bound          bound to gpu-node-"), std::string::npos)
      << text.output;
  EXPECT_NE(text.output.find("  default/hami-many-a   unschedulable  none of 3 nodes fits; 3 "),
            std::string::npos)
      << text.output;
  const Outcome json = flowtap_program("why -o json" + log);
  EXPECT_EQ(json.exit, 0);
  const auto list = boost::json::parse(json.output).as_array();
  EXPECT_EQ(std::ranges::count(text.output, '\n'), static_cast<std::ptrdiff_t>(list.size()) + 1);
  const auto found = std::ranges::find_if(
      list, [](const boost::json::value& item) { return item.at("name") == "hami-ok-a"; });
  ASSERT_NE(found, list.end());
  EXPECT_EQ(found->at("namespace"), "default");
  EXPECT_EQ(found->at("diagnosis"), boost::json::parse(golden("diagnosis/hami-2024-ok.json")));
}

TEST_F(WhyTest, ANamespaceWithoutPodsIsNoEmptyLog) {
  const std::string log = from({kGolden + "scheduler/hami-2024-v4.log"});
  const Outcome other = flowtap_program("why -n other" + log);
  EXPECT_EQ(other.exit, 0);
  EXPECT_NE(other.output.find(R"(decides about a pod of the namespace "other" in the logs)"),
            std::string::npos)
      << other.output;
  EXPECT_NE(other.output.find(" pods of default\n"), std::string::npos) << other.output;
  EXPECT_FALSE(flowtap_program("why -n default" + log).output.starts_with("flowtap: "));
}

TEST_F(WhyTest, WhatSteersATerminalIsShownEscaped) {
  std::string log;
  for (  // what colours a copy of a terminal (ESC [ ... m) is left out when a log is read, ESC c is not
      const char* const body :
      {R"("Starting schedule filter process" pod="p" uuid="u" namespace="ns")",
       "\"NodeUnfitPod\" pod=\"ns/p\" node=\"n\x1b"
       "c\" reason=\"1/1 \\x1b]0;title\\x07\"",
       R"("NodeUnfitPod" pod="ns/p" node="n2" reason="two\nlines\u202e")",
       R"("Event occurred" object="ns/p" kind="Pod" reason="FilteringFailed" message="no available node, \x1b[31m")"})
    log.append("I0821 07:20:00.000001       1 a.go:1] ").append(body).append(1, '\n');
  const std::string file = from({write("x", log)});
  const Outcome text = flowtap_program("why ns/p" + file);
  EXPECT_EQ(text.exit, 0);
  const Outcome list = flowtap_program("why" + file);
  for (const std::string& output : {text.output, list.output}) {
    EXPECT_EQ(std::ranges::count_if(output,
                                    [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; }),
              0)
        << output;
    EXPECT_EQ(output.find("\xe2\x80\xae"), std::string::npos) << "the writing direction";
    EXPECT_NE(output.find("\\x1b]0;title\\x07"), std::string::npos) << output;
  }
  EXPECT_NE(text.output.find("n\\x1b"
                             "c"),
            std::string::npos)
      << text.output;
  EXPECT_NE(text.output.find("two\\nlines"), std::string::npos) << text.output;
  const Outcome json = flowtap_program("why ns/p -o json" + file);
  EXPECT_EQ(json.output.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace flowtap
