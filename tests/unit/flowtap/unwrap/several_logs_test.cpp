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
  // As a file is read.
  constexpr std::size_t kBlock = std::size_t{64} << 10U;
  for (std::size_t at = 0; at < bytes.size(); at += kBlock)
    lines.add(std::string_view(bytes).substr(at, kBlock), 0);
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
    streams.push_back(
        json::object{{"stream", json::object{{"pod", of}, {"container", "ks"}, {"stream", "stderr"}}},
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
       return json::object{
           {"labels", json::object{{"pod", e.of}, {"container", "ks"}, {"detected_level", "info"}}},
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
    {"journalctl", in_lines([](const Entry& e) {
       return json::object{{"_SYSTEMD_UNIT", e.of}, {"MESSAGE", e.text}, {"_HOSTNAME", "cp1"}};
     })},
};

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
  const Logs found =
      logs_in(R"({"data":{"result":[{"stream":{"pod":"ks-a","container":"c"},"values":[)" + a.substr(1) +
              R"(]},{"stream":{"pod":"ks-b","container":"c"},"values":[)" + b.substr(1) + "]}]}}\n");
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

// A cut message beside a full one is the same record, but not where another log has it.
TEST(SeveralLogs, ARecordThatBeginsAsAnotherLogsIsItsOwn) {
  const std::string of_a = kHead + R"("Unable to schedule pod" pod="a/b")";
  const std::string of_b = of_a + R"( err="none")";
  const auto entry = [](const char* of, const std::string& text) {
    return json::serialize(json::object{{"logStreamName", of}, {"message", text}});
  };
  const Logs found = logs_in(R"({"events":[)" + entry("ks-a", of_a) + ',' + entry("ks-b", of_b) + "]}\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.begin()->second, std::vector{of_a});
  EXPECT_EQ(found.rbegin()->second, std::vector{of_b});
}

// A collector leaves the name out of some lines, or a part of it. One log stays one, and no line of a value becomes a record.
TEST(SeveralLogs, ALogWhoseNameIsMissingInSomeLinesIsOne) {
  const auto lines = [](const std::vector<std::pair<json::object, std::string>>& entries) {
    std::string out;
    for (const auto& [around, text] : entries) {
      json::object object{{"log", text}};
      if (!around.empty()) object.emplace("kubernetes", around);
      out += json::serialize(object) + '\n';
    }
    return out;
  };
  const json::object whole{{"pod_name", "p"}, {"namespace_name", "n"}, {"container_name", "c"}};
  const json::object part{{"pod_name", "p"}, {"container_name", "c"}};
  const std::string value = kHead + "\"x\" err=<\n" + kForged + "\n >";
  for (const json::object& other : {json::object(), part}) {
    const Logs found = logs_in(
        lines({{other, kHead + "first"}, {whole, kHead + R"("x" err=<)"}, {other, kForged}, {other, " >"}}));
    ASSERT_EQ(found.size(), 1U) << json::serialize(other);
    EXPECT_EQ(found.begin()->second, (std::vector{kHead + "first", value}));
  }
  const json::object second{{"pod_name", "q"}, {"namespace_name", "n"}, {"container_name", "c"}};
  const Logs two = logs_in(lines({{second, kHead + "other"},
                                  {part, kHead + R"("x" err=<)"},
                                  {{}, kForged},
                                  {whole, " >"},
                                  {second, kForged}}));
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two.begin()->second, std::vector{value}) << "of the only value that has not ended";
  EXPECT_EQ(two.rbegin()->second, std::vector{kHead + "other"}) << "it belongs to no value, and is no record";
}

// So do Go's programs write it. The value's end is one of its lines, and what stands behind is none.
TEST(SeveralLogs, AnEscapedEndOfAValueIsItsEnd) {
  const Logs found = logs_in(R"({"message":"I1126 10:00:00.103412       1 a.go:9] \"x\" err=\u003c"})"
                             "\n"
                             R"({"message":"\tof a"})"
                             "\n"
                             R"({"message":" \u003e pod=\"a/b\""})"
                             "\n"
                             R"({"message":"\tof nobody"})"
                             "\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.begin()->second, std::vector{kHead + "\"x\" err=<\n\tof a\n > pod=\"a/b\""});
}

// A collector writes the members of an object in any order.
TEST(SeveralLogs, AValueGoesOnWhereverItsMemberStands) {
  std::string bytes;
  for (std::size_t i = 0; i < kEntries.size(); ++i) {
    const json::string text(kEntries[i].text);
    bytes += i % 2 == 0 ? json::serialize(json::object{{"logStream", kEntries[i].of}, {"log", text}})
                        : json::serialize(json::object{{"log", text}, {"logStream", kEntries[i].of}});
    bytes += '\n';
  }
  const Logs found = logs_in(bytes);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.begin()->second, kOfA);
  EXPECT_EQ(found.rbegin()->second, kOfB);
}

// An answer of Loki's over the longest line: its parts are read one by one, and the labels stand in the first one only.
TEST(SeveralLogs, TheLaterPartsOfALongLineAreOfTheirLog) {
  const auto value = [](const char* text) {
    return R"(["1",)" + json::serialize(json::string(kHead + text)) + ']';
  };
  std::string bytes = R"({"data":{"result":[{"stream":{"pod":"ks-a","container":"c"},"values":[)";
  while (bytes.size() < 2 * kLongestWhole) bytes += R"(["1","of another program, and as long as it likes"],)";
  bytes += value("a") + R"(]},{"stream":{"pod":"ks-b","container":"c"},"values":[)" + value("b") + "]}]}}\n";
  const Logs found = logs_in(bytes);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found.begin()->first.contains("ks-a"));
  EXPECT_EQ(found.begin()->second, std::vector{kHead + "a"});
}

// Whoever writes a file with a name for each line takes no more memory with it.
TEST(SeveralLogs, ThatAreTooManyAreOne) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i)
    bytes += json::serialize(fluent_bit({"ks-" + std::to_string(i), kHead + "x"})) + '\n';
  EXPECT_EQ(logs_in(bytes).size(), 257U);
}

// A tool has taken the pod out of each line, and all lines are of one log.
TEST(SeveralLogs, AFieldThatWasTakenOutOfTheLineDividesNone) {
  const Logs found = logs_in(in_lines([](const Entry& e) {
    return json::object{{"result", json::object{{"_raw", kHead + "x"}, {"pod", e.of}, {"host", "cp1"}}}};
  }));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.begin()->second.size(), kEntries.size());
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
