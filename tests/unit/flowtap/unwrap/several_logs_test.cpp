// The lines of two schedulers in one export, each with its own source in a field: neither log has anything of the other's.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/flowtap/saved/unwrap/saved_lines.hpp"

namespace flowtap::cli {
namespace {

namespace json = boost::json;

/// By source, the records with their further lines.
using Logs = std::map<std::string, std::vector<std::string>>;

Logs logs_in(const std::string& bytes) {
  Logs out;
  SavedLines lines([&out](const SavedLine& line) {
    auto& log = out[std::string(line.source)];
    if (line.kind == SavedLine::Kind::kRecord)
      log.emplace_back(line.text);
    else if (is_schedulers(line.kind) && !log.empty())
      log.back().append(1, '\n').append(line.text);
    if (log.empty()) out.erase(std::string(line.source));
  });
  lines.add(bytes, 0);
  lines.finish();
  return out;
}

struct Entry {
  std::string of;
  std::string text;
};

const std::string kHead = "I1126 10:00:00.103412       1 a.go:9] ";
// A tenant has written what looks like a record into a value, and that stands behind the other log's.
const std::string kForged = "\tI1126 10:00:00.103412       1 b.go:1] \"forged\" pod=\"a/b\"";
const std::vector<Entry> kEntries = {{"ks-a", kHead + R"("x" err=<)"},
                                     {"ks-b", kHead + R"("y" err=<)"},
                                     {"ks-a", "\tof a"},
                                     {"ks-b", kForged},
                                     {"ks-b", " >"},
                                     {"ks-b", kHead + R"("z" pod="a/b")"},
                                     {"ks-a", kForged},
                                     {"ks-a", " >"}};
const std::vector<std::string> kOfA = {kHead + "\"x\" err=<\n\tof a\n" + kForged + "\n >"};
const std::vector<std::string> kOfB = {kHead + "\"y\" err=<\n" + kForged + "\n >",
                                       kHead + R"("z" pod="a/b")"};

std::string in_csv(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

std::string in_lines(const std::function<json::object(const Entry&)>& object) {
  std::string out;
  for (const Entry& entry : kEntries) out += json::serialize(object(entry)) + '\n';
  return out;
}

json::array listed(const std::function<json::value(const Entry&)>& item) {
  json::array out;
  for (const Entry& entry : kEntries) out.push_back(item(entry));
  return out;
}

json::object fluent_bit(const Entry& entry) {
  return {{"log", entry.text},
          {"kubernetes", json::object{{"pod_name", entry.of}, {"namespace_name", "s"}, {"host", "cp1"}}}};
}

json::object attribute(const char* key, const std::string& value) {
  return {{"key", key}, {"value", json::object{{"stringValue", value}}}};
}

json::object loki() {
  json::array streams;
  for (const char* const of : {"ks-a", "ks-b"}) {
    json::array values;
    for (const Entry& entry : kEntries)
      if (entry.of == of) values.push_back(json::array{"1795687200103412000", entry.text});
    streams.push_back(json::object{{"stream", json::object{{"pod", of}, {"stream", "stderr"}}},
                                   {"values", std::move(values)}});
  }
  return {{"status", "success"}, {"data", json::object{{"result", std::move(streams)}}}};
}

const std::vector<std::pair<const char*, std::string>> kForms = {
    {"Fluent Bit", in_lines(fluent_bit)},
    {"Fluent Bit, names first", in_lines([](const Entry& e) {
       return json::object{{"kubernetes", json::object{{"pod_name", e.of}, {"container_name", "ks"}}},
                           {"log", e.text}};
     })},
    {"keys with full stops", in_lines([](const Entry& e) {
       return json::object{{"message", e.text}, {"kubernetes.pod.name", e.of}};
     })},
    {"Filebeat", in_lines([](const Entry& e) {
       return json::object{{"kubernetes", json::object{{"pod", json::object{{"name", e.of}, {"uid", "u"}}}}},
                           {"message", e.text}};
     })},
    {"stern", in_lines([](const Entry& e) {
       return json::object{{"message", e.text}, {"podName", e.of}, {"containerName", "ks"}};
     })},
    {"logcli", in_lines([](const Entry& e) {
       return json::object{{"labels", json::object{{"pod", e.of}, {"detected_level", e.text.substr(0, 1)}}},
                           {"line", e.text}};
     })},
    {"Loki", json::serialize(loki()) + '\n'},
    {"CloudWatch", json::serialize(json::object{{"events", listed([](const Entry& e) {
                                                   return json::object{{"logStreamName", e.of},
                                                                       {"message", e.text}};
                                                 })}}) +
                       '\n'},
    {"CloudWatch Insights",
     json::serialize(json::object{{"results", listed([](const Entry& e) {
                                     return json::array{
                                         json::object{{"field", "@message"}, {"value", e.text}},
                                         json::object{{"field", "@logStream"}, {"value", e.of}}};
                                   })}}) +
         '\n'},
    {"Elasticsearch", json::serialize(json::object{{"hits", json::object{{"hits", listed([](const Entry& e) {
                                                                            return json::object{
                                                                                {"_source", fluent_bit(e)}};
                                                                          })}}}}) +
                          '\n'},
    {"Google Cloud", json::serialize(listed([](const Entry& e) {
                       return json::object{
                           {"resource", json::object{{"labels", json::object{{"pod_name", e.of}}}}},
                           {"textPayload", e.text}};
                     })) +
                         '\n'},
    {"OTLP", in_lines([](const Entry& e) {
       const json::object record{{"body", json::object{{"stringValue", e.text}}}};
       return json::object{
           {"resourceLogs",
            json::array{json::object{
                {"resource", json::object{{"attributes", json::array{attribute("k8s.pod.name", e.of)}}}},
                {"scopeLogs", json::array{json::object{{"logRecords", json::array{record}}}}}}}}};
     })},
    {"a collector's line in another's", in_lines([](const Entry& e) {
       return json::object{{"labels", json::object{{"pod", "fluent-bit-0"}}},
                           {"line", json::serialize(fluent_bit(e))}};
     })},
    {"journalctl", in_lines([](const Entry& e) {
       return json::object{{"_HOSTNAME", e.of}, {"MESSAGE", e.text}, {"SYSLOG_IDENTIFIER", "ks"}};
     })},
};

TEST(SeveralLogs, AreToldApartByAColumn) {
  for (const bool name_first : {false, true}) {
    std::string bytes =
        name_first ? "@timestamp,\"@logStream\",@message\n" : "@timestamp,@message,@logStream\r\n";
    for (const Entry& entry : kEntries) {
      const std::string text = in_csv(entry.text);
      bytes.append("2026-11-26 10:00:00.103,")
          .append(name_first ? entry.of + ',' + text : text + ',' + entry.of);
      bytes += name_first ? "\n" : "\r\n";
    }
    const Logs found = logs_in(bytes);
    ASSERT_EQ(found.size(), 2U) << bytes;
    EXPECT_EQ(found.begin()->second, kOfA) << name_first;
    EXPECT_EQ(found.rbegin()->second, kOfB) << name_first;
  }
}

// The heading is the last line then, and a field may have several lines.
TEST(SeveralLogs, AreToldApartByAColumnWithTheNewestRowFirst) {
  std::string bytes;
  std::vector<std::string> of_a;
  for (int i = 0; i < 40; ++i) {
    const std::string record =
        "I1126 10:00:" + std::to_string(10 + i) + ".103412       1 a.go:9] \"x\" err=<\n\ty\n >";
    of_a.push_back(record);
    bytes.insert(0, "ks-a," + in_csv(record) + "\nks-b," + in_csv(record + " of=\"b\"") + '\n');
  }
  const Logs found = logs_in("pod,line\n" + bytes);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.begin()->second, of_a);
}

TEST(SeveralLogs, AreToldApartByWhatACollectorCallsThem) {
  for (const auto& [name, bytes] : kForms) {
    const Logs found = logs_in(bytes);
    ASSERT_EQ(found.size(), 2U) << name << ": " << bytes;
    EXPECT_TRUE(found.begin()->first.contains("ks-a")) << name << ": " << found.begin()->first;
    EXPECT_EQ(found.begin()->second, kOfA) << name;
    EXPECT_EQ(found.rbegin()->second, kOfB) << name;
  }
}

// As jq and the vendors' programs set objects out.
TEST(SeveralLogs, AreToldApartInObjectsOfSeveralLines) {
  std::string bytes;
  for (const Entry& entry : kEntries)
    bytes += "{\n  \"log\": " + json::serialize(json::string(entry.text)) +
             ",\n  \"kubernetes\": {\n    \"pod_name\": \"" + entry.of + "\"\n  }\n}\n";
  const Logs found = logs_in(bytes);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.begin()->second, kOfA);
  EXPECT_EQ(found.rbegin()->second, kOfB);
}

// Loki's answer begins with the newest lines, and is one line.
TEST(SeveralLogs, AreToldApartWhereOneLineHasTheNewestRecordFirst) {
  std::string a;
  std::string b;
  std::vector<std::string> of_a;
  for (int i = 0; i < 40; ++i) {
    const std::string record = "I1126 10:00:" + std::to_string(10 + i) + ".103412       1 a.go:9] x";
    of_a.push_back(record);
    a.insert(0, ",[\"1\",\"" + record + "\"]");
    b.insert(0, ",[\"1\",\"" + record + " of b\"]");
  }
  const Logs found = logs_in(R"({"data":{"result":[{"stream":{"pod":"ks-a"},"values":[)" + a.substr(1) +
                             R"(]},{"stream":{"pod":"ks-b"},"values":[)" + b.substr(1) + "]}]}}\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.begin()->second, of_a);
}

// Whoever exports only the lines with some word has no further lines of any value. This took hours.
TEST(SeveralLogs, ALineOfManyValuesThatNeverEndIsReadOnce) {
  constexpr std::size_t kRecords = 40'000;
  std::string bytes = "[";
  for (std::size_t i = 0; i < kRecords; ++i)
    bytes += json::serialize(fluent_bit({i % 2 == 0 ? "ks-a" : "ks-b", kHead + R"("x" err=<)"})) + ',';
  const Logs found = logs_in(bytes + "1]\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.begin()->second.size() + found.rbegin()->second.size(), kRecords);
}

// klog's own JSON, whose members a collector has taken into an object of its own.
TEST(SeveralLogs, AreToldApartWhereKlogsMembersWereMerged) {
  const std::string klog =
      R"("ts":1795687200103.4,"caller":"a.go:1","msg":"m","pod":{"name":"web","namespace":"n"})";
  std::string bytes;
  for (const char* const of : {"ks-a", "ks-b"})
    bytes +=
        std::string(R"({"a":1,"kubernetes":{"pod_name":")").append(of).append("\"},").append(klog) + "}\n";
  EXPECT_EQ(logs_in(bytes).size(), 2U);
  const Logs unnamed = logs_in("{\"a\":1," + klog + "}\n{\"a\":1," +
                               std::string(klog).replace(klog.find("web"), 3, "db") + "}\n");
  EXPECT_EQ(unnamed.size(), 1U) << "the pod is the one that the record is about";
}

}  // namespace
}  // namespace flowtap::cli
