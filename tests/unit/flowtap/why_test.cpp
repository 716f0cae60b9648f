// flowtap why --from: the program itself, on files.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/files/temp_dir.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/unit/explain/diagnosis/golden.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap {
namespace {

using diagnosis::test::Case;
using diagnosis::test::cases;
using diagnosis::test::golden;
using diagnosis::test::paths_of;

const std::string kGolden = paths::golden() + "/";

std::string from(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths) out += " --from " + path;
  return out;
}

/// Writes every line like a runtime: in parts if it is longer than `most`.
std::string as_cri(const std::string& log, const std::string& output = "stderr", std::size_t most = 16'384) {
  const std::string head = "2026-08-21T07:12:30.004211000Z " + output;
  std::string out;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    for (; line.size() > most; line.erase(0, most))
      out.append(head).append(" P ").append(line, 0, most).append(1, '\n');
    out.append(head).append(" F ").append(line).append(1, '\n');
  }
  return out;
}

std::string as_json_file(const std::string& log) {
  std::string out;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    out += boost::json::serialize(boost::json::object{
               {"log", line + "\n"}, {"stream", "stderr"}, {"time", "2026-08-21T07:12:30.004211Z"}}) +
           '\n';
  return out;
}

class WhyTest : public testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(dir_ / name, std::ios::binary) << bytes;
    return dir_ / name;
  }
  std::string write_gz(const std::string& name, std::string_view bytes, const char* mode = "wb") const {
    const gzFile file = ::gzopen((dir_ / name).c_str(), mode);
    ::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    ::gzclose(file);
    return dir_ / name;
  }
  /// The answer is the same for every form of the logs.
  void expect(const Case& one, const std::vector<std::string>& paths, const char* form) const {
    const Outcome run = flowtap_program("why " + one.pod + " -o json" + from(paths));
    EXPECT_EQ(run.exit, 0) << run.output;
    boost::json::error_code error;
    boost::json::value answer = boost::json::parse(run.output, error);
    // The golden files are of what schedulers decided; what became of the pods later is not in them.
    if (answer.is_object()) answer.get_object().erase("lifecycle");
    EXPECT_EQ(answer, boost::json::parse(golden("diagnosis/" + one.expected)))
        << form << ' ' << one.logs << ' ' << one.pod << ": " << run.output;
    EXPECT_EQ(std::ranges::count(run.output, '\n'), 1);
  }

  test::TempDir dir_;
};

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
  EXPECT_TRUE(run.output.starts_with("ns/p is pending: held back by SchedulingGates\n")) << run.output;
  EXPECT_EQ(run.output.find("turned down"), std::string::npos) << run.output;
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

TEST_F(WhyTest, StandardInputIsAFileToo) {
  const std::string log = kGolden + "scheduler/hami-2.10-success-v4.log";
  for (const std::string& pack : {std::string("cat "), std::string("gzip -c ")}) {
    const Outcome run = shell(pack + log + " | " + paths::flowtap() + " why default/gpu-pod --from - 2>&1");
    EXPECT_EQ(run.exit, 0);
    EXPECT_TRUE(run.output.starts_with("default/gpu-pod is bound to node3\n")) << run.output;
  }
}

TEST_F(WhyTest, APodThatNobodySpeaksOfExitsWith3) {
  const std::string log = from({kGolden + "scheduler/hami-2024-v4.log"});
  for (const char* const wanted : {"default/nobody", "other/hami-ok-a", "default/hami-ok"}) {
    const Outcome run = flowtap_program(std::string("why ") + wanted + log);
    EXPECT_EQ(run.exit, 3) << wanted;
    EXPECT_TRUE(run.output.starts_with(std::string("flowtap: no scheduler mentions \"") + wanted +
                                       "\" in the logs that --from names, but they mention "))
        << run.output;
    EXPECT_EQ(run.output.find("default/hami-ok-a") != std::string::npos,
              wanted != std::string("default/nobody"))
        << run.output;
  }
}

TEST_F(WhyTest, WhatCannotBeReadExitsWith1) {
  const std::string log = kGolden + "scheduler/hami-2.10-success-v4.log";
  const std::string cut = write("cut.gz", "\x1f\x8b\x08");
  const std::string zstd = write("x.zst", "\x28\xb5\x2f\xfd 1234567");
  for (const std::string& path : {dir_ / "missing", dir_ / "", cut, zstd}) {
    const Outcome run = flowtap_program("why default/gpu-pod" + from({log, path}));
    EXPECT_EQ(run.exit, 1) << path;
    EXPECT_TRUE(run.output.starts_with("flowtap: ")) << run.output;
    EXPECT_NE(run.output.find("  hint: "), std::string::npos) << run.output;
    EXPECT_EQ(std::ranges::count(run.output, '\n'), 2) << run.output;
  }
}

// The part before the break is used, except for a line that may be only half a line.
TEST_F(WhyTest, ABrokenGzipIsReadAsFarAsItGoes) {
  std::string log = golden("scheduler/hami-2.10-success-v4.log");
  for (int i = 0; i < 100'000; ++i)
    log += "I0821 07:20:00.000001       1 a.go:1] " + std::to_string(i * 7919) + '\n';
  const std::string path = write_gz("cut.gz", log);
  ASSERT_EQ(::truncate(path.c_str(), 300'000), 0);
  const Outcome run = flowtap_program("why default/gpu-pod" + from({path}));
  EXPECT_EQ(run.exit, 0);
  EXPECT_TRUE(run.output.starts_with("flowtap: " + path + " is cut: ")) << run.output;
  EXPECT_NE(run.output.find("\ndefault/gpu-pod is bound to node3\n"), std::string::npos) << run.output;
}

TEST_F(WhyTest, HalfALineSaysNothing) {
  const std::string head = "I0821 07:20:00.000001       1 a.go:1] ";
  const std::string path = write_gz("x.gz",
                                    head + R"("NodeUnfitPod" pod="ns/p" node="n1" reason="1/1 X")" + '\n' +
                                        head + R"("NodeFitPod" pod="ns/p" node="n2" score=12.75)" + '\n',
                                    "wb0");
  const Outcome whole = flowtap_program("why ns/p" + from({path}));
  EXPECT_NE(whole.output.find("12.75"), std::string::npos) << whole.output;
  constexpr std::uintmax_t kTrailer = 8;
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - kTrailer - 2);
  const Outcome run = flowtap_program("why ns/p" + from({path}));
  EXPECT_EQ(run.exit, 0);
  EXPECT_NE(run.output.find("  n1 "), std::string::npos) << run.output;
  EXPECT_EQ(run.output.find("  n2 "), std::string::npos) << run.output;
}

TEST_F(WhyTest, WhatIsLeftOutIsSaid) {
  const std::string log = as_cri(golden("scheduler/hami-2.10-success-v4.log"));
  const Outcome run = flowtap_program("why default/gpu-pod" + from({write("x", log + "a\nb\n")}));
  EXPECT_EQ(run.exit, 0);
  EXPECT_TRUE(run.output.starts_with("flowtap: 2 of the lines of ")) << run.output;
}

TEST_F(WhyTest, OneLineMayBeTheWholeFile) {
  const std::string head = "I0821 07:20:00.000001       1 a.go:1] \"x\" y=\"";
  const std::string log = golden("scheduler/hami-2.10-success-v4.log");
  const std::string line = head + std::string(10'000'000, 'x') + "\n";
  for (const std::string& bytes : {log + line, line + log, as_cri(line + log), line}) {
    const Outcome run = flowtap_program("why default/gpu-pod" + from({write("x", bytes)}));
    EXPECT_EQ(run.exit, bytes.size() == line.size() ? 1 : 0);
    EXPECT_NE(run.output.find("1 of the records of "), std::string::npos) << run.output.substr(0, 1000);
  }
}

TEST_F(WhyTest, MemoryDoesNotGrowWithTheFile) {
  static constexpr std::size_t kPieces = 768;
  const std::string path = dir_ / "x.gz";
  const std::string piece(std::size_t{1} << 20U, 'x');
  const gzFile file = ::gzopen(path.c_str(), "wb1");
  ::gzputs(file, "I0821 07:20:00.000001       1 a.go:1] ");
  for (std::size_t i = 0; i < kPieces; ++i)
    ::gzwrite(file, piece.data(), static_cast<unsigned>(piece.size()));
  ::gzclose(file);
  EXPECT_EQ(flowtap_program("why a/b" + from({path})).exit, 1);
  rusage usage{};
  ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &usage), 0);
  EXPECT_LT(static_cast<std::size_t>(usage.ru_maxrss) << 10U, kPieces / 2 * piece.size());
}

TEST_F(WhyTest, WhatSteersATerminalIsShownEscaped) {
  std::string log;
  for (
      const char* const body :
      {R"("Starting schedule filter process" pod="p" uuid="u" namespace="ns")",
       "\"NodeUnfitPod\" pod=\"ns/p\" node=\"n\x1b[2J\" reason=\"1/1 \\x1b]0;title\\x07\"",
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
  EXPECT_NE(text.output.find("n\\x1b[2J"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("two\\nlines"), std::string::npos) << text.output;
  const Outcome json = flowtap_program("why ns/p -o json" + file);
  EXPECT_EQ(json.output.find('\x1b'), std::string::npos);
}

TEST_F(WhyTest, UsageErrorsExitWith2) {
  for (const char* const arguments :
       {"why a/", "why /b", "why a/b/c", "why a/b c/d", "why --from", "why a/b --form x", "why --watch",
        "why --evidence", "why --evidence -o json", "why a/b --watch --from x", "why --from - --from -",
        "why -o otel", "why a --from x"}) {
    const Outcome run = flowtap_program(arguments);
    EXPECT_EQ(run.exit, 2) << arguments;
    EXPECT_TRUE(run.output.starts_with("flowtap: ")) << run.output;
    EXPECT_NE(run.output.find("  hint: "), std::string::npos) << run.output;
    EXPECT_EQ(std::ranges::count(run.output, '\n'), 2) << run.output;
  }
}

}  // namespace
}  // namespace flowtap
