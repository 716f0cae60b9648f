// Entries as rows of CSV, as web pages of logs export them.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tests/unit/flowtap/forms/saved_forms.hpp"

namespace flowtap::test {
namespace {

constexpr const char* kPod = "kube-scheduler-cp1";

std::string csv_field(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2U : 1U, c);
  return out + '"';
}

// Most programs write a field without quotes if nothing in it needs them. Some know only the comma, whatever they put between fields.
std::string bare_field(const std::string& text, char between = ',') {
  const bool needs_quotes = text.find_first_of(std::string("\"\n\r") + between) != std::string::npos;
  return needs_quotes ? csv_field(text) : text;
}

LogWriter csv(const std::string& header, const std::function<std::string(const LogEntry&)>& row) {
  return [header, row](const std::vector<LogEntry>& entries) {
    return header + '\n' + each_entry(row)(entries);
  };
}

// "11/26/2026, 10:00:00.100 AM": its portal shows times so.
std::string azure_time(const LogEntry& entry) {
  const std::string time = stamp(entry.time, 3);
  return fmt::format("{}/{}/{}, {} AM", time.substr(5, 2), time.substr(8, 2), time.substr(0, 4),
                     time.substr(11));
}

// As csv_forms(), with few quotes.
std::vector<SavedForm> bare_csv_forms() {
  const auto rows = [](const std::string& header, char between, char quoted) {
    return csv(header, [between, quoted](const LogEntry& e) {
      return since_1970(e.time, 1'000'000) + between + bare_field(e.text, quoted);
    });
  };
  const auto grafana_row = [](const LogEntry& e) {
    return fmt::format("{},{},{},{},{}_9f02", csv_field(R"({"container":"kube-scheduler"})"),
                       stamp(e.time, 3, ' '), bare_field(e.text), since_1970(e.time), since_1970(e.time));
  };
  const auto azure_row = [](const LogEntry& e) {
    return fmt::format("{},{},{}\r", bare_field(azure_time(e)), bare_field(e.text), kPod);
  };
  const auto datadog_row = [](const LogEntry& e) {
    return fmt::format("{}Z,cp1,kube-scheduler,{}", stamp(e.time, 3), bare_field(e.text));
  };
  const auto first_row = [](const LogEntry& e) { return bare_field(e.text) + ',' + stamp(e.time, 3) + 'Z'; };
  return {
      {"Grafana CSV, few quotes", csv("labels,Time,Line,tsNs,id", grafana_row)},
      {"CloudWatch CSV, few quotes", rows("timestamp,message", ',', ',')},
      {"Azure CSV, few quotes", csv("\xef\xbb\xbfTimeGenerated [UTC],LogMessage,PodName\r", azure_row)},
      {"Datadog CSV, few quotes", csv("Date,Host,Service,Message", datadog_row)},
      {"CSV, the message first, few quotes", csv("message,time", first_row)},
      {"semicolons, few quotes", rows("timestamp;message", ';', ';')},
      {"tabs, few quotes", rows("timestamp\tmessage", '\t', '\t')},
      {"tabs, quotes for commas", rows("timestamp\tmessage", '\t', ',')},
  };
}

}  // namespace

std::vector<SavedForm> csv_forms() {
  const auto grafana_row = [](const LogEntry& e) {
    return fmt::format("{},{},{},{},{}_9f02", csv_field(R"({"container":"kube-scheduler"})"),
                       stamp(e.time, 3, ' '), csv_field(e.text), since_1970(e.time), since_1970(e.time));
  };
  const auto insights_row = [](const LogEntry& e) { return stamp(e.time, 3, ' ') + ',' + csv_field(e.text); };
  const auto azure_row = [](const LogEntry& e) {
    return fmt::format("{},{},{}\r", csv_field(azure_time(e)), csv_field(e.text), kPod);
  };
  std::vector<SavedForm> forms = {
      {"Grafana CSV", csv("labels,Time,Line,tsNs,id", grafana_row)},
      {"CloudWatch Insights CSV", csv("@timestamp,@message", insights_row)},
      {"CSV, whole records", csv("@timestamp,@message", insights_row), true},
      {"Google Cloud CSV",
       csv("timestamp,textPayload",
           [](const LogEntry& e) { return stamp(e.time, 9) + "Z," + csv_field(e.text); })},
      {"Azure CSV", csv("\xef\xbb\xbf\"TimeGenerated [UTC]\",LogMessage,PodName\r", azure_row)},
      {"Azure CSV, whole records", csv("\"TimeGenerated [UTC]\",LogMessage,PodName\r", azure_row), true},
      {"Kibana CSV", csv(R"("@timestamp","kubernetes.pod.name",message)",
                         [](const LogEntry& e) {
                           return fmt::format("\"{}, {} @ {}\",\"{}\",{}", month_and_day(e.time),
                                              stamp(e.time, 0).substr(0, 4), stamp(e.time, 3).substr(11),
                                              kPod, csv_field(e.text));
                         })},
      {"Splunk CSV", csv(R"("_time","_raw",host)",
                         [](const LogEntry& e) {
                           return fmt::format("\"{}+0000\",{},cp1", stamp(e.time, 3), csv_field(e.text));
                         })},
      {"Datadog CSV", csv("Date,Host,Service,Message",
                          [](const LogEntry& e) {
                            return fmt::format("\"{}\",\"cp1\",\"{}\",{}", stamp(e.time, 3) + 'Z',
                                               "kube-scheduler", csv_field(e.text));
                          })},
  };
  std::ranges::move(bare_csv_forms(), std::back_inserter(forms));
  return forms;
}

}  // namespace flowtap::test
