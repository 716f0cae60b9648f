// Entries as members of JSON: a line of JSON to each, or one document.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <map>

#include "tests/unit/flowtap/forms/saved_forms.hpp"

namespace flowtap::test {
namespace {

namespace json = boost::json;

using Entries = std::vector<LogEntry>;
using EntryObject = std::function<json::object(const LogEntry&)>;

constexpr std::size_t kMillisecond = 1'000'000;
constexpr const char* kName = "kube-scheduler";
constexpr const char* kPodName = "kube-scheduler-cp1";

std::string nano(const LogEntry& entry) {
  return stamp(entry.time, 9) + 'Z';
}
std::string milli(const LogEntry& entry) {
  return stamp(entry.time, 3) + 'Z';
}

json::object kubernetes() {
  return {{"pod_name", kPodName},
          {"namespace_name", "kube-system"},
          {"labels", json::object{{"component", kName}, {"tier", "control-plane"}}},
          {"container_name", kName},
          {"host", "cp1"}};
}

LogWriter json_lines(const EntryObject& object) {
  return each_entry([object](const LogEntry& entry) { return json::serialize(object(entry)); });
}

json::array listed(const Entries& entries, const std::function<json::value(const LogEntry&)>& item) {
  json::array out;
  for (const LogEntry& entry : entries) out.push_back(item(entry));
  return out;
}

void put_pretty(std::string& out, const json::value& value, const std::string& margin) {
  const std::string inner = margin + "  ";
  const char* between = "\n";
  if (value.is_object() && !value.get_object().empty()) {
    out += '{';
    for (const auto& [key, member] : value.get_object()) {
      out.append(between).append(inner).append(json::serialize(key)).append(": ");
      put_pretty(out, member, inner);
      between = ",\n";
    }
    out.append(1, '\n').append(margin).append(1, '}');
  } else if (value.is_array() && !value.get_array().empty()) {
    out += '[';
    for (const json::value& item : value.get_array()) {
      out.append(between).append(inner);
      put_pretty(out, item, inner);
      between = ",\n";
    }
    out.append(1, '\n').append(margin).append(1, ']');
  } else {
    out += json::serialize(value);
  }
}

using Document = std::function<json::value(const Entries&)>;

LogWriter compact(const Document& document) {
  return [document](const Entries& entries) { return json::serialize(document(entries)) + '\n'; };
}

LogWriter pretty(const Document& document) {
  return [document](const Entries& entries) {
    std::string out;
    put_pretty(out, document(entries), "");
    return out + '\n';
  };
}

// Objects, one to an entry.

json::object docker(const LogEntry& entry) {
  return {{"log", entry.text + '\n'}, {"stream", "stderr"}, {"time", nano(entry)}};
}
json::object fluent_bit(const LogEntry& entry) {
  return {{"log", entry.text}, {"stream", "stderr"}, {"time", nano(entry)}, {"kubernetes", kubernetes()}};
}
json::object beat(const LogEntry& entry) {
  return {{"@timestamp", milli(entry)},
          {"@metadata", json::object{{"beat", "filebeat"}, {"version", "8.15.0"}}},
          {"log",
           json::object{{"offset", entry.number * 100}, {"file", json::object{{"path", "/var/log/x.log"}}}}},
          {"message", entry.text},
          {"stream", "stderr"},
          {"kubernetes", json::object{{"pod", json::object{{"name", kPodName}}}}}};
}
json::object elastic_hit(const LogEntry& entry) {
  return {{"_index", "filebeat-2026.11.26"},
          {"_id", fmt::format("k{}", entry.number)},
          {"_score", nullptr},
          {"_source", beat(entry)},
          {"sort", json::array{since_1970(entry.time, kMillisecond)}}};
}
json::object splunk(const LogEntry& entry) {
  return {{"preview", false},
          {"offset", entry.number - 1},
          {"result", json::object{{"_time", stamp(entry.time, 3) + "+00:00"},
                                  {"host", "cp1"},
                                  {"_raw", entry.text},
                                  {"sourcetype", "kube:container"}}}};
}

// klog's own JSON, or what stands in its place.

// `more` are the collector's members.
json::object merged(const LogEntry& entry, const json::object& more, bool with_time) {
  json::object out = more;
  const json::value record = json::parse(entry.text);
  for (const auto& [key, value] : record.as_object())
    if (with_time || key != "ts") out[key] = value;
  return out;
}

// Text stays as it is.
LogWriter of_objects(const std::function<std::string(const LogEntry&)>& write) {
  return each_entry(
      [write](const LogEntry& entry) { return entry.text.starts_with('{') ? write(entry) : entry.text; });
}

std::string set_out(const json::value& value) {
  std::string out;
  put_pretty(out, value, "");
  return out;
}

std::string sorted(const LogEntry& entry) {
  std::map<std::string, json::value> members;
  const json::value record = json::parse(entry.text);
  for (const auto& [key, value] : record.as_object()) members[key] = value;
  json::object out;
  for (const auto& [key, value] : members) out[key] = value;
  return set_out(out);
}

std::string jq_of_all(const Entries& entries) {
  if (!entries.front().text.starts_with('{')) return behind("")(entries);
  return set_out(listed(entries, [](const LogEntry& e) { return json::parse(e.text); })) + '\n';
}

json::value hits_of_merged(const Entries& entries) {
  return json::object{{"hits", json::object{{"hits", listed(entries, [](const LogEntry& e) {
                                               return json::object{
                                                   {"_index", "x"},
                                                   {"_source", merged(e, {{"@timestamp", milli(e)}}, false)}};
                                             })}}}};
}

std::string in_bytes(const LogEntry& entry) {
  json::array bytes;
  for (const char c : "\x1b[0m" + entry.text) bytes.emplace_back(static_cast<unsigned char>(c));
  return json::serialize(json::object{{"__REALTIME_TIMESTAMP", since_1970(entry.time, 1000)},
                                      {"_PID", "1234"},
                                      {"MESSAGE", bytes},
                                      {"_HOSTNAME", "cp1"}});
}

// Documents.

json::value elastic(const Entries& entries) {
  return json::object{
      {"took", 5},
      {"timed_out", false},
      {"hits", json::object{{"total", json::object{{"value", entries.size()}, {"relation", "eq"}}},
                            {"hits", listed(entries, elastic_hit)}}}};
}
json::value loki(const Entries& entries) {
  const auto value = [](const LogEntry& e) { return json::array{since_1970(e.time), e.text}; };
  const json::object stream{{"container", kName}, {"pod", kPodName}};
  return json::object{
      {"status", "success"},
      {"data", json::object{{"resultType", "streams"},
                            {"result", json::array{json::object{{"stream", stream},
                                                                {"values", listed(entries, value)}}}},
                            {"stats", json::object{{"summary", json::object{{"execTime", 0.01}}}}}}}};
}
json::value grafana(const Entries& entries) {
  return listed(entries, [](const LogEntry& e) {
    return json::object{{"line", e.text},
                        {"timestamp", since_1970(e.time)},
                        {"date", milli(e)},
                        {"fields", json::object{{"container", kName}}}};
  });
}
json::value cloud_watch(const Entries& entries) {
  const auto event = [](const LogEntry& e) {
    return json::object{{"logStreamName", "kube-scheduler-5f3a9c"},
                        {"timestamp", std::stoull(since_1970(e.time, kMillisecond))},
                        {"message", e.text},
                        {"ingestionTime", std::stoull(since_1970(e.time, kMillisecond)) + 900},
                        {"eventId", fmt::format("3871{:020}", e.number)}};
  };
  return json::object{{"events", listed(entries, event)}, {"searchedLogStreams", json::array{}}};
}
json::value google(const Entries& entries) {
  return listed(entries, [](const LogEntry& e) {
    return json::object{{"insertId", fmt::format("1x{}", e.number)},
                        {"labels", json::object{{"k8s-pod/component", kName}}},
                        {"receiveTimestamp", stamp(e.time + std::chrono::seconds(1), 9) + 'Z'},
                        {"resource", json::object{{"labels", json::object{{"pod_name", kPodName}}},
                                                  {"type", "k8s_container"}}},
                        {"severity", "ERROR"},
                        {"textPayload", e.text},
                        {"timestamp", nano(e)}};
  });
}
json::value azure(const Entries& entries) {
  const json::array columns{json::object{{"name", "TimeGenerated"}, {"type", "datetime"}},
                            json::object{{"name", "PodName"}, {"type", "string"}},
                            json::object{{"name", "LogMessage"}, {"type", "string"}}};
  const auto row = [](const LogEntry& e) { return json::array{milli(e), kPodName, e.text}; };
  return json::object{
      {"tables", json::array{json::object{
                     {"name", "PrimaryResult"}, {"columns", columns}, {"rows", listed(entries, row)}}}}};
}
json::value azure_objects(const Entries& entries) {
  return listed(entries, [](const LogEntry& e) {
    return json::object{{"LogMessage", e.text}, {"TableName", "PrimaryResult"}, {"TimeGenerated", milli(e)}};
  });
}

}  // namespace

std::vector<SavedForm> json_forms() {
  const EntryObject log_last = [](const LogEntry& e) {
    return json::object{{"@timestamp", milli(e)}, {"stream", "stderr"}, {"log", e.text}};
  };
  const EntryObject nested_before = [](const LogEntry& e) {
    return json::object{{"date", milli(e)}, {"kubernetes", kubernetes()}, {"log", e.text}};
  };
  return {
      {"journalctl json", json_lines([](const LogEntry& e) {
         return json::object{{"_HOSTNAME", "cp1"},
                             {"__REALTIME_TIMESTAMP", since_1970(e.time, 1000)},
                             {"PRIORITY", "6"},
                             {"MESSAGE", e.text},
                             {"SYSLOG_IDENTIFIER", kName}};
       })},
      {"journalctl json, bytes", each_entry(in_bytes)},
      {"jq", of_objects([](const LogEntry& e) { return set_out(json::parse(e.text)); })},
      {"jq --sort-keys", of_objects(sorted)},
      {"jq --slurp", jq_of_all},
      {"merged", of_objects([](const LogEntry& e) {
         return json::serialize(merged(e, {{"kubernetes", kubernetes()}}, true));
       })},
      {"merged, with the collector's time", of_objects([](const LogEntry& e) {
         return json::serialize(merged(e, {{"@timestamp", milli(e)}, {"kubernetes", kubernetes()}}, false));
       })},
      {"merged, without a time", of_objects([](const LogEntry& e) {
         return json::serialize(merged(e, {{"stream", "stderr"}}, false));
       })},
      {"merged, Elasticsearch, pretty",
       [](const Entries& entries) {
         return entries.front().text.starts_with('{') ? pretty(hits_of_merged)(entries) : behind("")(entries);
       }},
      {"stern json", json_lines([](const LogEntry& e) {
         return json::object{{"message", e.text},
                             {"nodeName", "cp1"},
                             {"namespace", "kube-system"},
                             {"podName", kPodName},
                             {"containerName", kName}};
       })},
      {"stern json, as Go writes it", each_entry([](const LogEntry& e) {
         std::string text;
         for (const char c : json::serialize(json::string_view(e.text)))
           text += c == '<'   ? R"(\u003c)"
                   : c == '>' ? R"(\u003e)"
                   : c == '&' ? R"(\u0026)"
                              : std::string(1, c);
         return R"({"message":)" + text + R"(,"podName":"p","containerName":"c"})";
       })},
      {"CRI in JSON", json_lines([](const LogEntry& e) {
         return json::object{{"message", stamp(e.time, 9) + "Z stderr F " + e.text}, {"stream", "stderr"}};
       })},
      {"docker json-file", json_lines(docker)},
      {"Fluent Bit, log first", json_lines(fluent_bit)},
      {"Fluent Bit, log last", json_lines(log_last)},
      {"Fluent Bit, an object before the log", json_lines(nested_before)},
      {"Fluent Bit, whole records", json_lines(fluent_bit), true},
      {"Fluent Bit in a docker json-file", json_lines([](const LogEntry& e) {
         return docker({e.time, json::serialize(fluent_bit(e)), e.number, false});
       })},
      {"Fluentd", each_entry([](const LogEntry& e) {
         return fmt::format("{}+00:00\tkube.var.log.containers.kube-scheduler\t{}", stamp(e.time, 0),
                            json::serialize(json::object{{"stream", "stderr"}, {"log", e.text}}));
       })},
      {"Vector", json_lines([](const LogEntry& e) {
         return json::object{
             {"file", "/var/log/pods/kube-system_kube-scheduler-cp1_9f02/kube-scheduler/0.log"},
             {"kubernetes", kubernetes()},
             {"message", e.text},
             {"source_type", "kubernetes_logs"},
             {"timestamp", nano(e)}};
       })},
      {"Filebeat", json_lines(beat)},
      {"Elasticsearch, compact", compact(elastic)},
      {"Elasticsearch, pretty", pretty(elastic)},
      {"Elasticsearch, lines", json_lines(elastic_hit)},
      {"Loki API, compact", compact(loki)},
      {"Loki API, pretty", pretty(loki)},
      {"Loki API, whole records", compact(loki), true},
      {"logcli jsonl", json_lines([](const LogEntry& e) {
         return json::object{
             {"labels", json::object{{"container", kName}}}, {"line", e.text}, {"timestamp", nano(e)}};
       })},
      {"Grafana JSON", compact(grafana)},
      {"CloudWatch, compact", compact(cloud_watch)},
      {"CloudWatch, pretty", pretty(cloud_watch)},
      {"Google Cloud JSON", pretty(google)},
      {"Azure JSON", compact(azure)},
      {"Azure objects", pretty(azure_objects)},
      {"Splunk JSON", json_lines(splunk)},
  };
}

}  // namespace flowtap::test
