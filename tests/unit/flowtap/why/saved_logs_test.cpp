// flowtap why --from: the same answer, whatever form logs have and however they are divided.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/flowtap/why/why_kit.hpp"

namespace flowtap {
namespace {

using diagnosis::test::Case;
using diagnosis::test::cases;
using diagnosis::test::golden;
using diagnosis::test::paths_of;

TEST_F(WhyTest, SavedLogsGiveTheAnswerWhateverFormTheyHave) {
  int n = 0;
  for (const Case& one : cases()) {
    std::vector<std::string> plain;
    std::vector<std::string> zipped;
    std::vector<std::string> kept;
    std::vector<std::string> dockers;
    for (const std::string& path : paths_of(one)) {
      const std::string name = std::to_string(++n);
      plain.push_back(kGolden + path);
      zipped.push_back(write_gz(name + ".gz", golden(path)));
      kept.push_back(write(name + ".log", as_cri(golden(path))));
      dockers.push_back(write_gz(name + "-json.log", as_json_file(golden(path))));
    }
    expect(one, plain, "plain");
    expect(one, zipped, "gzip");
    expect(one, kept, "CRI");
    expect(one, dockers, "json-file, gzip");
  }
}

// Like a log that was rotated: a record may be about a pod that only the piece before names.
TEST_F(WhyTest, PiecesOfALogAreOneLogInWhateverOrderTheyAreNamed) {
  constexpr std::size_t kPieces = 3;
  int n = 0;
  for (const Case& one : cases()) {
    const auto logs = paths_of(one);
    if (logs.size() > 1) continue;
    const std::string log = golden(logs.front());
    std::vector<std::string> pieces;
    for (std::size_t i = 0, at = 0; i < kPieces; ++i) {
      // Cut at the end of a line, and the last time in the middle of one.
      const std::size_t cut = log.size() * (i + 1) / kPieces;
      const std::size_t end = i + 1 == kPieces ? log.size()
                              : i == 0         ? std::min(log.find('\n', cut), log.size() - 1) + 1
                                               : std::max(cut, at);
      const std::string piece = log.substr(at, end - at);
      pieces.push_back(i == 1 ? write_gz(std::to_string(++n), piece) : write(std::to_string(++n), piece));
      at = end;
    }
    std::ranges::sort(pieces);
    do {
      expect(one, pieces, "pieces");
    } while (std::ranges::next_permutation(pieces).found);
  }
}

// The piece before it ends in the middle of its line.
TEST_F(WhyTest, APieceThatBeginsWithARecordKeepsIt) {
  const auto attempt = [](int second, const std::string& pod) {
    return "I0821 07:12:0" + std::to_string(second) +
           ".900100       1 a.go:1] \"Unable to schedule pod; no fit; waiting\" pod=\"ns/" + pod +
           "\" err=\"0/1 nodes are available: 1 x.\"\n";
  };
  const std::string first = attempt(1, "a") + attempt(2, "b");
  const std::vector<std::string> pieces{write("1", first.substr(0, first.size() - 30)),
                                        write("2", attempt(4, "c"))};
  for (const char* const pod : {"ns/a", "ns/c"}) {
    const Outcome run = flowtap_program(std::string("why ") + pod + from(pieces));
    EXPECT_NE(run.output.find("the only node does not fit"), std::string::npos) << pod << ": " << run.output;
  }
}

// Where the file ends without a newline, a name may, too. Another file may have all of it.
TEST_F(WhyTest, ANameAtTheEndOfAFileWithoutANewlineMayBeCut) {
  const std::string failed =
      "I0821 07:12:01.900100       1 a.go:1] \"Unable to schedule pod; no fit; waiting\" pod=\"shop/web\" "
      "err=\"0/1 nodes are available: 1 x.\"\n";
  const std::string deletes = "I0821 07:12:02.900100       1 a.go:1] Skip schedule deleting pod: shop/web";
  const std::string part = write("part", failed + deletes);
  const std::string other = write("other", failed + deletes + "-1\n");
  const std::string whole = write("whole", failed + deletes + '\n');
  const std::string pending = "shop/web is pending: the only node does not fit";
  for (const auto& files : {std::vector{part}, std::vector{part, other}, std::vector{other, part}}) {
    const Outcome run = flowtap_program("why shop/web" + from(files));
    EXPECT_TRUE(run.output.starts_with(pending)) << files.size() << ": " << run.output;
  }
  for (const auto& files : {std::vector{whole}, std::vector{part, whole}, std::vector{whole, part}}) {
    const Outcome run = flowtap_program("why shop/web" + from(files));
    EXPECT_TRUE(run.output.starts_with("shop/web was deleted before it was bound")) << run.output;
  }
}

TEST_F(WhyTest, APieceMayBeginAmidAValueOfSeveralLines) {
  const std::string first =
      "I0821 07:12:01.900100       1 a.go:1] \"Unable to schedule pod; no fit; waiting\" err=<\n";
  const std::string second =
      "\t0/1 nodes are available: 1 x.\n > pod=\"ns/p\"\n"
      "I0821 07:12:04.900100       1 a.go:1] \"y\"\n";
  const Outcome run = flowtap_program("why ns/p" + from({write("1", first), write("2", second)}));
  EXPECT_NE(run.output.find("the only node does not fit; 1 is turned down: \"x\"\n"), std::string::npos)
      << run.output;
}

TEST_F(WhyTest, EventsThatDoNotNameTheirPodAreCounted) {
  const std::string table =
      "Events:\n  Type  Reason  Age  From  Message\n  ----  ------  ----  ----  -------\n";
  const std::string row =
      "  Warning  FailedScheduling  48s  default-scheduler  0/2 nodes are available: 2 Insufficient cpu.\n";
  const std::string text = "Name:  p\nNamespace:  ns\n" + table + row + table + row;
  const Outcome run = flowtap_program("why ns/p" + from({write("both", text)}));
  EXPECT_TRUE(run.output.starts_with("flowtap: 1 of the events do not name their pod, and are left out\n"))
      << run.output;
  EXPECT_NE(run.output.find("ns/p is pending: none of 2 nodes fits"), std::string::npos) << run.output;
}

TEST_F(WhyTest, EventsTellOfAPodThatWasEndedOrDeleted) {
  const std::string events = write(
      "events",
      "30m  Normal  Scheduled  pod/low  Successfully assigned default/low to n1\n"
      "10m  Normal  Preempted  pod/low  Preempted by pod 3f1c2a50-7e0e-4c59-9f0e-0d6a3a1c9b11 on node n1\n"
      "9m  Normal  Preempted  pod/old  Preempted by shop/hi on node n2\n"
      "8m  Warning  FailedScheduling  pod/gone  0/2 nodes are available: 2 Insufficient cpu.\n"
      "1m  Warning  FailedScheduling  pod/gone  skip schedule deleting pod: default/gone\n");
  for (const auto& [pod, words] :
       {std::pair{"default/low",
                  "was bound to n1, and was ended on n1 to make room for pod "
                  "3f1c2a50-7e0e-4c59-9f0e-0d6a3a1c9b11\n"},
        std::pair{"default/old", "was ended on n2 to make room for shop/hi\n"},
        std::pair{"default/gone",
                  "was deleted before it was bound; until then, none of 2 nodes fits; 2 lack CPU\n"}}) {
    const Outcome run = flowtap_program(std::string("why ") + pod + from({events}));
    EXPECT_NE(run.output.find(std::string(pod) + ' ' + words), std::string::npos) << run.output;
  }
}

TEST_F(WhyTest, TheReasonOfMostNodesComesFirst) {
  const std::string log =
      "I0821 07:12:29.900100       1 a.go:1] \"Unable to schedule pod; no fit; waiting\" pod=\"ns/p\" "
      "err=\"0/7 nodes are available: 2 node(s) had untolerated taint {a: b}, 2 node(s) had untolerated "
      "taint "
      "{c: d}, 3 Insufficient cpu.\"\n";
  const Outcome run = flowtap_program("why ns/p" + from({write("log", log)}));
  EXPECT_TRUE(
      run.output.starts_with("ns/p is pending: none of 7 nodes fits; 4 have a taint that the pod does not "
                             "tolerate, 3 lack CPU\n"))
      << run.output;
}

// kubectl does not sort its events by time, and a log says more than they do.
TEST_F(WhyTest, EventsAreInTheOrderOfTheirAgeAndBehindALog) {
  const std::string no_fit = "FailedScheduling  pod/p  0/2 nodes are available: 2 Insufficient cpu.\n";
  const std::string events =
      write("events",
            "5m  Normal  Scheduled  pod/p  Successfully assigned default/p to n1\n10m  Warning  " + no_fit);
  const Outcome bound = flowtap_program("why default/p" + from({events}));
  EXPECT_NE(bound.output.find("default/p is bound to n1\n"), std::string::npos) << bound.output;
  const std::string log =
      write("log",
            "I0821 07:12:00.900100       1 a.go:1] \"Successfully bound pod to node\" "
            "pod=\"default/p\" node=\"n2\"\nI0821 07:12:01.000000       1 a.go:1] \"x\"\n");
  const Outcome both =
      flowtap_program("why default/p" + from({log, write("late", "1s  Warning  " + no_fit)}));
  EXPECT_NE(both.output.find("default/p is bound to n2\n"), std::string::npos) << both.output;
}

// "batch-scheduler" says it, in each of kubectl's forms.
std::vector<std::string> forms_of(const std::string& reason, const std::string& message) {
  return {
      "Name: p\nNamespace: ns\nEvents:\n  Type  Reason  Age  From  Message\n  Warning  " + reason +
          "  5m  batch-scheduler  " + message + '\n',
      "NAMESPACE LAST SEEN TYPE REASON OBJECT SUBOBJECT SOURCE MESSAGE FIRST SEEN COUNT NAME\nns 5m "
      "Warning " +
          reason + " pod/p  batch-scheduler, n1  " + message + "  5m  1  p.17\n",
      R"({"involvedObject":{"kind":"Pod","name":"p","namespace":"ns"},"type":"Warning","reason":")" + reason +
          R"(","message":")" + message + R"(","source":{"component":"batch-scheduler"}})" + '\n',
      R"({"regarding":{"kind":"Pod","name":"p","namespace":"ns"},"type":"Warning","reason":")" + reason +
          R"(","note":")" + message + R"(","reportingController":"batch-scheduler"})" + '\n',
      "apiVersion: v1\ninvolvedObject:\n  kind: Pod\n  name: p\n  namespace: ns\nkind: Event\nmessage: '" +
          message + "'\nreason: " + reason + "\nreportingComponent: batch-scheduler\ntype: Warning\n"};
}

TEST_F(WhyTest, EventsSayTheSameInEachForm) {
  const std::string no_fit = "0/2 nodes are available: 2 Insufficient cpu.";
  const std::string log = write(
      "log",
      "I0821 07:12:00.900100       1 a.go:1] \"Successfully bound pod to node\" pod=\"ns/p\" node=\"n2\"\n");
  for (const auto& [reason, message] : {std::pair<std::string, std::string>{"FailedScheduling", no_fit},
                                        {"FailedScheduling", "(combined from similar events): " + no_fit},
                                        {"FailedScheduling", "skip schedule deleting pod: other/p"},
                                        {"Scheduled", "Successfully assigned ns/p to n1"},
                                        {"Pulled", no_fit}}) {
    const auto forms = forms_of(reason, message);
    const Outcome right = flowtap_program("why ns/p" + from({write("0", forms.front())}));
    EXPECT_EQ(right.exit == 0, reason != "Pulled" && !message.contains("other")) << right.output;
    EXPECT_EQ(right.output.contains("none of 2 nodes fits; 2 lack CPU"),
              right.exit == 0 && message.contains(no_fit))
        << right.output;
    for (std::size_t i = 1; i < forms.size(); ++i) {
      const std::string file = write(std::to_string(i), forms.at(i));
      const Outcome run = flowtap_program("why ns/p" + from({file}));
      EXPECT_EQ(run.exit, right.exit) << forms.at(i);
      if (right.exit == 0) {
        EXPECT_EQ(run.output, right.output) << forms.at(i);
      }
      const Outcome all = flowtap_program("why ns/p -o json --evidence" + from({file}));
      EXPECT_EQ(all.output.contains(R"("scheduler":"batch-scheduler")"), right.exit == 0) << all.output;
      const Outcome both = flowtap_program("why ns/p" + from({log, file}));
      EXPECT_NE(both.output.find("ns/p is bound to n2\n"), std::string::npos)
          << "a log says more: " << both.output;
    }
  }
}

// Parts of their lines stand between each other.
TEST_F(WhyTest, TheOutputsOfARuntimesFileAreLogsOfTheirOwn) {
  std::istringstream out(as_cri(golden("scheduler/hami-2.10-filter-failed-v4.log"), "stdout", 50));
  std::istringstream err(as_cri(golden("diagnosis/hami-2.10-kube-scheduler-v4.log"), "stderr", 50));
  std::string both;
  bool any = true;
  while (any) {
    any = false;
    for (auto* const lines : {&out, &err})
      if (std::string line; std::getline(*lines, line)) {
        any = true;
        both += line + '\n';
      }
  }
  expect({"both", "default/gpu-pod-default", "hami-2.10-two-failed.json"}, {write("x", both)}, "CRI");
}

}  // namespace
}  // namespace flowtap
