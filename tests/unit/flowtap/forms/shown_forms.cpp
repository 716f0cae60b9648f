// What pages and editors show of each line, copied from there.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tests/unit/flowtap/forms/saved_forms.hpp"

namespace flowtap::test {
namespace {

std::string with_tabs_as(std::string text, std::string_view shown) {
  for (std::size_t at = text.find('\t'); at != std::string::npos; at = text.find('\t', at + 1))
    text.replace(at, 1, shown);
  return text;
}

// "Nov 26, 2026 @ 10:00:00.100".
std::string in_kibana(const LogEntry& entry) {
  return fmt::format("{}, 2026 @ {}", month_and_day(entry.time), stamp(entry.time, 3).substr(11));
}

}  // namespace

std::vector<SavedForm> shown_forms() {
  return {
      {"cat -A", each_entry([](const LogEntry& e) { return with_tabs_as(e.text, "^I") + '$'; })},
      {"cat -A, CRLF", each_entry([](const LogEntry& e) { return with_tabs_as(e.text, "^I") + "^M$"; })},
      {"cat -A -n", each_entry([](const LogEntry& e) {
         return fmt::format("{:>6}\t{}$", e.number, with_tabs_as(e.text, "^I"));
       })},
      {"cat -n through cat -A", each_entry([](const LogEntry& e) {
         return fmt::format("{:>6}^I{}$", e.number, with_tabs_as(e.text, "^I"));
       })},
      {"an editor's list of signs",
       each_entry([](const LogEntry& e) { return with_tabs_as(e.text, ">-------") + "\xc2\xac"; })},
      {"Kibana's document", each_entry([](const LogEntry& e) {
         return fmt::format("@timestamp:{} message:{} stream:stderr kubernetes.pod.name:kube-scheduler-cp1",
                            in_kibana(e), e.text);
       }),
       true},
      {"a row of fields between bars", each_entry([](const LogEntry& e) {
         return fmt::format(
             "Integration Name: kube-scheduler | Timestamp: {} +0000 UTC | Tags: a:b,c:d | Message: {}",
             stamp(e.time, 6, ' '), e.text);
       })},
  };
}

}  // namespace flowtap::test
