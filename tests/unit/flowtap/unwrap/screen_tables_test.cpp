// What kubectl prints of a pod's events is read as it was where a terminal has broken it, and no other text changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/golden.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/unit/flowtap/events/kube_events_kit.hpp"
#include "tests/unit/flowtap/text_lines.hpp"
#include "tools/flowtap/saved/unwrap/wrapped/screen_tables.hpp"

namespace flowtap::cli {
namespace {

Lines joined(const Lines& lines) {
  Lines out;
  ScreenTables tables;
  const auto take = [&out](std::string_view line, bool /*full*/, std::uint64_t /*time*/) {
    out.emplace_back(line);
  };
  for (const std::string& line : lines) tables.add(line, true, 0, take);
  tables.finish(take);
  return out;
}

Lines broken_at(const Lines& lines, std::size_t width, bool keeps_blanks) {
  Lines out;
  for (const std::string& line : lines)
    for (std::size_t at = 0; at == 0 || at < line.size(); at += width) {
      out.push_back(line.substr(at, width));
      if (!keeps_blanks) out.back().resize(out.back().find_last_not_of(' ') + 1);
    }
  return out;
}

// The events in a text, each as a line.
Lines told_in(const Lines& lines) {
  Lines out;
  for (const KubeEvent& event : events_of(fmt::format("{}\n", fmt::join(lines, "\n"))))
    out.push_back(fmt::format("{}/{} {}: {}", event.ns, event.pod, event.reason, event.message));
  return out;
}

const std::string kBound = "Successfully assigned shop/web-7f9c-abcde to node1";
const std::string kNoCpu =
    "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption "
    "victims "
    "found for incoming pod.";

Lines description() {
  return {
      "Name:             web-7f9c-abcde",
      "Namespace:        shop",
      "Annotations:      checksum/config: 01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b",
      "Node:             node1/10.0.0.1",
      "QoS Class:                   Burstable",
      "Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
      "                             node.kubernetes.io/unreachable:NoExecute op=Exists for 300s",
      "Events:",
      "  Type     Reason            Age   From               Message",
      "  ----     ------            ----  ----               -------",
      "  Warning  FailedScheduling  9m    default-scheduler  " + kNoCpu,
      "  Normal   Scheduled         5m    default-scheduler  " + kBound,
      "  Normal   Pulled            5m    kubelet            Container image \"nginx\" already present"};
}

Lines table() {
  return {"NAMESPACE   LAST SEEN   TYPE      REASON             OBJECT                    MESSAGE",
          "shop        10m         Warning   FailedScheduling   pod/web-7f9c-abcde        " + kNoCpu,
          "shop        9m          Warning   FailedScheduling   pod/web-7f9c-fghij        " + kNoCpu,
          "shop        5m          Normal    Scheduled          pod/web-7f9c-abcde        " + kBound};
}

TEST(ScreenTables, AreAsTheyWereWhateverTheTerminalsWidth) {
  for (const Lines& text : {description(), table()})
    for (std::size_t width = 60; width < 220; ++width)
      for (const bool keeps_blanks : {true, false}) {
        Lines parts = broken_at(text, width, keeps_blanks);
        // If all that were so long have lost a blank, nothing tells it.
        if (std::ranges::max(parts, {}, &std::string::size).size() < width) continue;
        parts.emplace_back("root@cp1:~#");
        EXPECT_EQ(told_in(joined(parts)), told_in(text)) << width << (keeps_blanks ? "" : ", without blanks");
      }
}

// Another program's line below a row is none of it, although the row is the longest line.
TEST(ScreenTables, ThatWereNotBrokenAreAsTheyWere) {
  const Lines rows = table();
  for (const char* const below :
       {"root@cp1:~#", "$ exit", "Thu Nov 26 10:00:00 UTC 2026", "What can I do?", "```", "Please help.", ""})
    for (const std::string& row : {rows[1], rows.back()})
      for (const Lines& text :
           {Lines{rows[0], row, below}, Lines{row, below}, Lines{rows[0], row, below, rows[0], row, below},
            Lines{rows[1], row, below}}) {
        if (std::string_view(below).ends_with('.') && text.size() > 5)
          continue;  // as if it were of the sentence
        EXPECT_EQ(joined(text), text) << below;
      }
}

// Whatever stands before its lines, a log below kubectl's output is longer than that.
TEST(ScreenTables, HaveNoLinesOfALogBelowThem) {
  const std::string record =
      "I1126 10:00:30.103412       1 schedule_one.go:337] \"Successfully bound pod to node\" "
      "pod=\"shop/web-{}\" "
      "node=\"n1\" evaluatedNodes=3 feasibleNodes=1";
  const Lines unfinished = {
      table()[0],
      "shop        9m          Warning   FailedScheduling   pod/web-7f9c-fghij        running "
      "PreBind plugin \"VolumeBinding\": timed out"};
  for (const Lines& above :
       {Lines{table()[0], table()[1]}, unfinished, Lines{"Name:         web-9", "Namespace:    shop"}})
    for (const std::string before :
         {"", "[pod/kube-scheduler-cp1/kube-scheduler] ", "kube-scheduler-1  | ",
          "2026-11-26T10:00:00.103412000Z ", "Nov 26 10:00:00 cp1 kube-scheduler[17]: "}) {
      Lines text = above;
      for (char pod = '0'; pod < '5'; ++pod) {
        text.push_back(before + record);
        text.back().replace(text.back().find("{}"), 2, 1, pod);
      }
      EXPECT_EQ(joined(text), text) << before;
      // Nor those of other programs, which have no records.
      for (std::size_t i = above.size(); i < text.size(); ++i)
        text[i].replace(0, before.size() + 1, before + "handled a request, I");
      EXPECT_EQ(joined(text), text) << before;
    }
}

// What is no sentence of the scheduler's about nodes has no end that would tell.
TEST(ScreenTables, ThatHaveOtherTablesAmongThemAreAsTheyWere) {
  const std::string row =
      "shop   9m   Warning   FailedScheduling   pod/web-a   running PreBind plugin \"VolumeBinding\": "
      "binding volumes: "
      "timed out waiting for the condition";
  for (const std::string below : {"web-a   0/1   Pending   0     9m",
                                  "shop   web-a   0/1   Pending   0     9m", "What comes here is below it."})
    for (const Lines& text :
         {Lines{row, below, row, below}, Lines{row, below}, Lines{table()[0], row, below, row, below}})
      EXPECT_EQ(joined(text), text) << below;
  Lines broken = broken_at(table(), 100, true);
  const std::size_t own = broken.size();
  const std::string full = "web-b   0/1   Pending   0     9m";
  broken.push_back(full);
  const Lines whole = joined(broken);
  EXPECT_LT(whole.size(), own);
  EXPECT_EQ(whole.back(), full);
}

TEST(ScreenTables, AreNotSeenInOtherTexts) {
  int texts = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(paths::golden())) {
    const bool is_text = file.path().extension() == ".log" || file.path().extension() == ".txt";
    if (!is_text || file.path().string().contains("why/screen/")) continue;
    ++texts;
    const Lines lines =
        lines_of(test::golden(std::filesystem::relative(file.path(), paths::golden()).string()));
    EXPECT_EQ(joined(lines), lines) << file.path();
  }
  EXPECT_GT(texts, 60);
}

}  // namespace
}  // namespace flowtap::cli
