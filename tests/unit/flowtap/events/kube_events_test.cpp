// What kubectl prints of pods' events, instead of a scheduler's log.
#include "tools/flowtap/saved/kube_events.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/flowtap/events/kube_events_kit.hpp"

namespace flowtap::cli {
namespace {

// Copied out of a table, a mail, an editor, or grep's output.
TEST(KubeEvents, WhatStandsBeforeEachLineIsAMargin) {
  const std::string text =
      "Name:  web-0\nNamespace:  shop\nVolumes:\n  data:\n    Name:  other\nEvents:\n"
      "  Type  Reason  Age  From  Message\n"
      "  Warning  FailedScheduling  48s  default-scheduler  0/2 nodes are available: 2 Insufficient cpu.\n";
  const std::vector<KubeEvent> right = {{.ns = "shop",
                                         .pod = "web-0",
                                         .type = "Warning",
                                         .reason = "FailedScheduling",
                                         .message = "0/2 nodes are available: 2 Insufficient cpu.",
                                         .from = "default-scheduler",
                                         .age = std::chrono::seconds(48)}};
  for (const char* const before : {"", "\t", "\t\t", "\xc2\xa0\xc2\xa0", "file:12:", "a/b.txt:7:", "b.txt-7-",
                                   "| ", "\xe2\x94\x82 ", "> ", "12:", "    12\t"}) {
    KubeEvents events;
    std::istringstream in(text);
    std::vector<KubeEvent> found;
    for (std::string line; std::getline(in, line);)
      if (auto event = events.read(before + line)) found.push_back(std::move(*event));
    EXPECT_EQ(found, right) << before;
  }
}

// A chat and a terminal put something before the first line, or behind the last one.
TEST(KubeEvents, WhatStandsAroundACopyIsNoPartOfIt) {
  const std::string described =
      "Name:  web-0\nNamespace:  shop\nEvents:\n  Type  Reason  Age  From  Message\n"
      "  Warning  FailedScheduling  48s  default-scheduler  " +
      kNoFit + "\n  Normal  Scheduled  40s  default-scheduler  " + kAssigned;
  const std::string listed =
      "NAMESPACE  LAST SEEN  TYPE  REASON  OBJECT  MESSAGE\n"
      "shop  48s  Warning  FailedScheduling  pod/web-0  " +
      kNoFit + "\nshop  40s  Normal  Scheduled  pod/web-0  " + kAssigned;
  constexpr std::array<std::pair<const char*, const char*>, 15> kAround = {
      {{"```", "```"},
       {"~~~~", "~~~~"},
       {"```console\n", "\n```"},
       {"{code}", "{code}"},
       {"{code:title=a|b}", "{code}"},
       {"{noformat}", "{noformat}"},
       {"<pre class=\"x\">", "</pre>"},
       {"[code]", "[/code]"},
       {"\r", "\r"},
       {"root@cp1:~# kubectl get events\r", "\r\nroot@cp1:~#"},
       {"me@host ~ % ", ""},
       {"root@cp1:~# ", ""},
       {"[root@cp1 ~]# ", ""},
       {"PS C:\\Users\\me> ", ""},
       {"$ ", "```  "}}};
  for (const std::string& text : {described, listed})
    for (const auto& [before, behind] : kAround)
      EXPECT_EQ(events_of(before + text + behind), (Events{failed(), kBound})) << before;
  EXPECT_EQ(
      events_of("> ```Name:  web-0\n> Namespace:  shop\n> Events:\n>   Type  Reason  Age  From  Message\n"
                ">   Normal  Scheduled  40s  default-scheduler  " +
                kAssigned + "```"),
      Events{kBound});
}

// Whoever made the pod may have written it there.
TEST(KubeEvents, AnAnnotationHasNoPrompt) {
  for (const std::string forged : {"x# Name:  victim", "  \rName:  victim", "  ```Name:  victim"})
    EXPECT_EQ(events_of("Name:  web-0\nNamespace:  shop\nAnnotations:  a: b\n" + forged +
                        "\nEvents:\n  Type  Reason  Age  From  Message\n"
                        "  Normal  Scheduled  40s  default-scheduler  " +
                        kAssigned),
              Events{kBound});
}

// A message may have what looks like a prompt, with a heading or a name behind it, and the rows below it are of the same table.
TEST(KubeEvents, AMessageHasNoPrompt) {
  const std::string wide =
      "LAST SEEN  TYPE  REASON  OBJECT  SUBOBJECT  SOURCE  MESSAGE  FIRST SEEN  COUNT  NAME";
  for (const std::string& forged :
       {std::string("Name:  victim"), wide, std::string("Type  Reason  Age  From  Message")})
    for (const std::string before : {"go # ", "go $ ", "$ ", "a@b:~$ ", "\r", "a\r", "$ a\r"}) {
      EXPECT_EQ(
          events_of(
              "NAMESPACE  LAST SEEN  TYPE  REASON  OBJECT  MESSAGE\nevil  9m  Warning  BackOff  pod/x  " +
              before + forged + "\nshop  48s  Warning  FailedScheduling  pod/web-0  " + kNoFit +
              "\nshop  40s  Normal  Scheduled  pod/web-0  " + kAssigned),
          (Events{failed(), kBound}))
          << before << forged;
      EXPECT_EQ(events_of("Name:  web-0\nNamespace:  shop\nEvents:\n  Type  Reason  Age  From  Message\n"
                          "  Warning  Failed  9m  kubelet  Error: " +
                          before + forged + "\n  Normal  Scheduled  40s  default-scheduler  " + kAssigned),
                Events{kBound})
          << before << forged;
    }
  // kubectl describe writes a message's newlines as they are.
  for (const std::string before : {"$ ", "a@b:~$ "})
    EXPECT_EQ(events_of("Name:  web-0\nNamespace:  shop\nEvents:\n  Type  Reason  Age  From  Message\n"
                        "  Warning  Failed  9m  kubelet  Error:\n" +
                        before + "Name:  victim\n  Normal  Scheduled  40s  default-scheduler  " + kAssigned),
              Events{kBound})
        << before;
}

TEST(KubeEvents, SayWhoToldThem) {
  const auto from = [](const std::string& text) {
    KubeEvents events;
    std::istringstream in(text);
    std::string out = "none";
    for (std::string line; std::getline(in, line);)
      if (const auto event = events.read(line)) out = event->from;
    return out;
  };
  EXPECT_EQ(from("Name:  web-0\nNamespace:  shop\nType  Reason  Age  From  Message\n"
                 "Warning  FailedScheduling  48s  topo-aware-scheduler  " +
                 kNoFit),
            "topo-aware-scheduler");
  EXPECT_EQ(
      from("LAST SEEN   TYPE   REASON   OBJECT   SUBOBJECT   SOURCE   MESSAGE   FIRST SEEN   COUNT   NAME\n"
           "48s Warning FailedScheduling pod/web-0 my-scheduler, cp1 " +
           kNoFit + "   48s   1   web-0.17f3"),
      "my-scheduler");
  EXPECT_EQ(from("48s Warning FailedScheduling pod/web-0 " + kNoFit), "");
}

TEST(KubeEvents, SayHowOftenTheyWere) {
  const auto count = [](const std::string& text) {
    KubeEvents events;
    std::uint64_t out = 0;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
      if (const auto event = events.read(line)) out = event->count;
    return out;
  };
  EXPECT_EQ(count("48s  Warning  FailedScheduling  pod/web-0  x\n"), 1U);
  EXPECT_EQ(count("48s (x14 over 13m)  Warning  FailedScheduling  Pod/web-0  x\n"), 14U);
  EXPECT_EQ(count("48s  Warning  FailedScheduling  pod/web-0  s  x  15m  7  web-0.1812\n"), 7U);
}

TEST(KubeEvents, SayHowLongAgoTheyWere) {
  using std::chrono::seconds;
  const auto age = [](const std::string& said) {
    KubeEvents events;
    const auto event = events.read(said + " Warning FailedScheduling pod/web-0 " + kNoFit);
    return event ? event->age : seconds(-1);
  };
  EXPECT_EQ(age("48s"), seconds(48));
  EXPECT_EQ(age("3m20s"), seconds(200));
  EXPECT_EQ(age("2d1h (x150 over 11d)"), std::chrono::hours(49)) << "the last time";
  EXPECT_EQ(age("<unknown>"), seconds::max());
  EXPECT_EQ(age("99999999999999999999s"), seconds(-1));
  EXPECT_EQ(age("-3s"), seconds(-1));
}

TEST(KubeEvents, AnAnnotationIsNoRow) {
  const std::string row = "shop  5s  Warning  FailedScheduling  pod/victim  " + kNoFit + '\n';
  const std::string name = "Name:  web-0\nNamespace:  shop\n";
  EXPECT_EQ(events_of(name + "Annotations:  x:\n" + row), Events{});
  EXPECT_EQ(events_of(name + "Events:\n  Type  Reason  Age  From  Message\n" + row), Events{});
}

TEST(KubeEvents, GetEvents) {
  const std::string rows = "48s         Warning   FailedScheduling   pod/web-0   " + kNoFit +
                           "\n"
                           "3m20s       Normal    Scheduled          pod/web-0   " +
                           kAssigned + "\n";
  const std::string heading = "LAST SEEN   TYPE      REASON             OBJECT      MESSAGE\n";
  for (const std::string& text : {rows, heading + rows}) {
    KubeEvents events;
    EXPECT_EQ(events_of(events, text), (Events{failed(), kBound})) << "the other event's message says it";
    EXPECT_EQ(events.without_namespace(), 0U);
    EXPECT_EQ(events.nameless(), 0U);
    EXPECT_EQ(events.lines(), text.size() == rows.size() ? 2U : 3U);
  }
}

TEST(KubeEvents, GetEventsOfAllNamespaces) {
  const std::string rows = "shop        48s         Warning   FailedScheduling   pod/web-0   " + kNoFit +
                           "\n"
                           "48s         <unknown>   Warning   FailedScheduling   pod/web-0   " +
                           kNoFit +
                           "\n"
                           "shop        2y35d       Normal    Scheduled          pod/web-0   " +
                           kAssigned + "\n";
  const std::string heading = "NAMESPACE   LAST SEEN   TYPE      REASON             OBJECT      MESSAGE\n";
  for (const std::string& text : {rows, heading + rows}) {
    KubeEvents events;
    EXPECT_EQ(events_of(events, text), (Events{failed(), failed("48s"), kBound}));
    EXPECT_EQ(events.without_namespace(), 0U);
  }
}

TEST(KubeEvents, GetEventsWide) {
  const std::string heading =
      "LAST SEEN   TYPE      REASON             OBJECT      SUBOBJECT   SOURCE              MESSAGE   FIRST "
      "SEEN   COUNT   NAME\n";
  const std::string row =
      "shop   48s   Warning   FailedScheduling   pod/web-0         default-scheduler, "
      "default-scheduler-node-1   ";
  const std::string end = "   11m   150   web-0.17c1f2\n";
  EXPECT_EQ(events_of(heading + row + kNoFit + end), Events{failed()});
  EXPECT_EQ(events_of("NAMESPACE   " + heading + row + kNoFit + end), Events{failed()});
  EXPECT_EQ(events_of(row + kNoFit + end), Events{failed()}) << "no heading";
  EXPECT_EQ(
      events_of(heading + "shop 48s Warning FailedScheduling pod/web-0 spec.containers{c} my-scheduler " +
                kNoFit + end),
      Events{failed()});
  EXPECT_EQ(events_of(heading + row + kNoFit + "   <unknown>   1   0b1c2d3e-4f50\n"), Events{failed()})
      << "the event of a pod with a long name has a name of its own";
  EXPECT_EQ(events_of(heading + row + kNoFit), Events{failed()}) << "cut";
}

TEST(KubeEvents, ANarrowTablesMessageIsAllThatFollows) {
  KubeEvent odd = failed();
  odd.message = "a-scheduler said   11m   150   web-0.17c1f2";
  EXPECT_EQ(events_of("NAMESPACE   LAST SEEN   TYPE   REASON   OBJECT   MESSAGE\n"
                      "shop   48s   Warning   FailedScheduling   pod/web-0   " +
                      odd.message),
            Events{odd});
}

TEST(KubeEvents, ATableMayHaveItsColumnsInAnotherOrder) {
  for (const auto& [heading, values] :
       {std::pair{"COUNT   SOURCE", "150   default-scheduler"},
        std::pair{"SOURCE   COUNT", "default-scheduler, cp1   150"},
        std::pair{"SUBOBJECT   COUNT   SOURCE", "spec.containers{a}   150   default-scheduler"},
        std::pair{"SUBOBJECT   COUNT   SOURCE", "150   default-scheduler"}}) {
    KubeEvents events;
    EXPECT_FALSE(events.read(std::string("NAMESPACE   LAST SEEN   TYPE   REASON   OBJECT   ") + heading +
                             "   MESSAGE"));
    const auto event =
        events.read("shop   48s   Warning   FailedScheduling   pod/web-0   " + (values + ("   " + kNoFit)));
    ASSERT_TRUE(event) << heading;
    EXPECT_EQ(event->message, kNoFit) << heading;
    EXPECT_EQ(event->from, "default-scheduler") << heading;
    EXPECT_EQ(event->count, 150U) << heading;
  }
}

TEST(KubeEvents, ATableMayHaveColumnsBehindTheMessage) {
  const std::string head = "NAMESPACE   LAST SEEN   TYPE   REASON   OBJECT   ";
  const std::string row = "shop   48s   Warning   FailedScheduling   pod/web-0   ";
  const std::string before(row.size() - head.size(), ' ');
  const std::string wide(kNoFit.size() - 7, ' ');
  const std::string below = head + before + "MESSAGE" + wide;
  for (const std::string& table :
       {below + "   COUNT\n" + row + kNoFit + "   150",
        below + "   COUNT   NODE\n" + row + kNoFit + "   150     a b",
        below + "   COUNT   NODE\n" + row + kNoFit, below + "   FIRST SEEN\n" + row + kNoFit + "\t2 days ago",
        head + "MESSAGE   COUNT   NODE\n" + row + kNoFit + "   150   <none>",
        head + "MESSAGE COUNT NODE\n" + row + kNoFit + " 150 cp1", row + kNoFit + "   default-scheduler"})
    EXPECT_EQ(events_of(table), Events{failed()}) << table;
  EXPECT_EQ(events_of(head + "MESSAGE   NODE\nshop   5s   Normal   Scheduled   pod/web-0   " + kAssigned +
                      "   cp1"),
            Events{kBound});
}

// A screen, or a tool that cuts lines, leaves no mark.
TEST(KubeEvents, AMessageThatBreaksOffSaysSo) {
  const auto message_of = [](const std::string& reason, const std::string& message) {
    KubeEvents events;
    const auto event = events.read("shop   48s   Warning   " + reason + "   pod/web-0   " + message);
    return event ? event->message : std::string();
  };
  const std::string list =
      "0/6 nodes are available: 1 node(s) had untolerated taint {a: b}, 5 Insufficient cpu";
  const std::string room = ". preemption: 0/6 nodes are available: 6 No preemption victims found";
  const std::string all = "0/6 nodes are available: 6 ";
  for (const std::string& cut :
       {list.substr(0, 40), list.substr(0, 45), list + room, list + " and", list + ", 1",
        all + "Insufficient nvidia.com/gpu", all + "Reservation(s) didn"})
    EXPECT_EQ(message_of("FailedScheduling", cut), cut + "\u2026");
  for (const std::string& whole :
       {list + '.', list, list + room + " for incoming pod", list + room + '.',
        list + ". the plugin tried nothing", std::string("0/2 nodes are unavailable: 2 Insufficient cpu"),
        std::string("skip it"), std::string("0/6x"), list + ".\""})
    EXPECT_EQ(message_of("FailedScheduling", whole), whole);
  EXPECT_EQ(message_of("Scheduled", "Successfully assigned shop/web-0 to node-"),
            "Successfully assigned shop/web-0 to node-\u2026");
  EXPECT_EQ(message_of("Scheduled", kAssigned), kAssigned);
}

TEST(KubeEvents, KubectlEvents) {
  const std::string rows = "11m                   Normal    Scheduled          Pod/web-0   " + kAssigned +
                           "\n"
                           "48s (x150 over 11m)   Warning   FailedScheduling   Pod/web-0   " +
                           kNoFit + "\r\n";
  EXPECT_EQ(events_of("LAST SEEN             TYPE      REASON             OBJECT      MESSAGE\n" + rows),
            (Events{kBound, failed()}));
  EXPECT_EQ(events_of(rows), (Events{kBound, failed()}));
  EXPECT_EQ(events_of("shop   48s (x150 over 11m)   Warning   FailedScheduling   Pod/web-0   " + kNoFit),
            Events{failed()});
}

const std::string kDescription =
    "Name:         web-0\n"
    "Namespace:    shop\n"
    "Node:         <none>\n"
    "Volumes:\n"
    "  v:\n"
    "    Type:        ConfigMap (a volume populated by a ConfigMap)\n"
    "    Name:        cm\n"
    "    Namespace:   other\n";
const std::string kTable =
    "Events:\n"
    "  Type     Reason            Age                  From               Message\n"
    "  ----     ------            ----                 ----               -------\n"
    "  Warning  FailedScheduling  48s (x150 over 11m)  default-scheduler  " +
    kNoFit + "\n";

TEST(KubeEvents, DescribePod) {
  KubeEvents events;
  EXPECT_EQ(
      events_of(events, kDescription + kTable + "  Normal   Scheduled         5s default-scheduler " +
                            kAssigned + "\n  Normal   Pulled            3s  kubelet  Container image\n"),
      (Events{failed(), kBound}));
  EXPECT_EQ(events.lines(), 5U);
  EXPECT_EQ(events.nameless() + events.without_namespace(), 0U);
  EXPECT_EQ(events_of(events, "\n\nName:  db-0\nNamespace:  data\n" + kTable), Events{failed("data", "db-0")})
      << "several pods";
}

// Whoever asks others for help quotes it, indents it, or has numbered it.
TEST(KubeEvents, AllLinesMayStandBehindSomething) {
  const std::string text = kDescription + kTable + "\nName:  db-0\nNamespace:  data\n" + kTable;
  for (const char* const before : {"> ", ">> ", "> > ", "    ", "     7\t", "12:"}) {
    std::string quoted;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) quoted += before + line + '\n';
    EXPECT_EQ(events_of(quoted), (Events{failed(), failed("data", "db-0")})) << before;
  }
  const std::string row =
      "LAST SEEN  TYPE  REASON  OBJECT  MESSAGE\n> 48s  Warning  FailedScheduling  pod/web-0  ";
  EXPECT_EQ(events_of("> " + row + kNoFit + '\n'), Events{failed("default")});
}

TEST(KubeEvents, AnAnnotationBehindSomethingNamesNoPod) {
  const std::string name = "Name:  web-0\nNamespace:  shop\nAnnotations:  x:\n";
  for (const char* const before : {"> ", "    ", "  7\t"}) {
    const std::string spoof = fmt::format("{0}Name:  victim\n{0}Namespace:  bank\n", before);
    EXPECT_EQ(events_of(std::string(name).append(spoof).append(kTable)), Events{failed()}) << before;
  }
}

TEST(KubeEvents, ADescriptionWithoutItsBeginningNamesNoPod) {
  KubeEvents events;
  EXPECT_EQ(events_of(events, kTable + "  Normal  Scheduled  5s  default-scheduler  " + kAssigned),
            Events{kBound})
      << "this one's message does";
  EXPECT_EQ(events.nameless(), 1U);
  EXPECT_EQ(events_of(events, kDescription + kTable + kTable), Events{failed()}) << "a second table";
  EXPECT_EQ(events.nameless(), 2U);
  EXPECT_EQ(events_of(events, "Name:  No Name\nNamespace:  shop\n" + kTable), Events{});
  EXPECT_EQ(events.nameless(), 3U);
  EXPECT_EQ(events_of(events, "Name:  web-0\nNamespace:  ../shop\n" + kTable), Events{failed("default")});
  EXPECT_EQ(events.without_namespace(), 1U);
}

TEST(KubeEvents, WhatNoSchedulerSaysIsNone) {
  KubeEvents events;
  EXPECT_EQ(events_of(events,
                      "3s    Normal    Pulled             pod/web-0          Container image\n"
                      "3s    Warning   FailedScheduling   job/web            x\n"
                      "3s    Warning   FailedScheduling   pod/WEB            x\n"
                      "3s    Warning   FailedScheduling   pod/../web         x\n"
                      "3s    Warning   FailedScheduling   pod/web-0\n"
                      "now   Warning   FailedScheduling   pod/web-0          x\n"
                      "-A    3s   Warning   FailedScheduling   pod/web-0     x\n"
                      "3s    Bad       FailedScheduling   pod/web-0          x\n"
                      "3s (x2 since 1m)   Warning   FailedScheduling   pod/web-0   x\n"
                      "3s    Normal    Scheduled          pod/web-1          " +
                          kAssigned + "\nblog   3s   Normal   Scheduled   pod/web-0   " + kAssigned + '\n'),
            Events{});
  EXPECT_EQ(events.nameless() + events.without_namespace(), 0U);
  EXPECT_EQ(events.lines(), 6U);
  const std::string row = "3s   Warning   FailedScheduling   pod/web-0   ";
  EXPECT_TRUE(events.read(row + std::string(1000, 'x')));
  EXPECT_FALSE(events.read(row + std::string(std::size_t{64} << 10U, 'x'))) << "too long";
}

TEST(KubeEvents, AnyOtherTextHasNoneOfTheirLines) {
  KubeEvents events;
  EXPECT_EQ(
      events_of(events,
                "\n \nI0821 07:20:00.000001       1 a.go:1] \"NodeFitPod\" pod=\"ns/p\"\n"
                "Warning: something\nNAMESPACE   NAME   READY   STATUS\nshop   web-0   0/1   Pending\n"),
      Events{});
  EXPECT_EQ(events.lines(), 0U);
}

// kube-batch's, and the first Volcano's, have the reason of the pod's condition. Others' events of that reason are no verdict.
TEST(KubeEvents, VolcanosWordsAreAVerdictWhateverTheReason) {
  KubeEvents events;
  const auto reason = [&events](const std::string& message) {
    const auto event = events.read("ml  3m  Warning  Unschedulable  pod/j-0  " + message);
    return event ? event->reason : "none";
  };
  EXPECT_EQ(reason("all nodes are unavailable: 3 node(s) resource fit failed."), "FailedScheduling");
  EXPECT_EQ(reason("0/3 nodes are unavailable: 3 Insufficient cpu."), "FailedScheduling");
  EXPECT_EQ(reason("pod group is not ready, 2 Pending, 2 minAvailable."), "FailedScheduling");
  EXPECT_EQ(reason("the quota is used up"), "none");
}

}  // namespace
}  // namespace flowtap::cli
