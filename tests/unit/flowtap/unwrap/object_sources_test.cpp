// What the members around a record call its log.
#include "tools/flowtap/saved/unwrap/objects/object_sources.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <ranges>
#include <string>
#include <string_view>

namespace flowtap::cli {
namespace {

// With a slash between two parts, and without those that are not known.
std::string shown(std::string_view name) {
  std::string out;
  for (const auto part : std::views::split(name, '\n'))
    if (!part.empty()) out.append(out.empty() ? "" : "/").append(std::string_view(part));
  return out;
}

std::string source_at(const std::string& line, std::string_view word) {
  return shown(ObjectSources(line).at(line.find(word)));
}

// The two ways to look at an object say the same of it.
std::string name_of(const std::string& object) {
  const std::string name = source_at(object, "x");
  boost::json::error_code error;
  const boost::json::value read = boost::json::parse(object, error);
  EXPECT_EQ(name, error || !read.is_object() ? name : shown(collector_name(read.get_object()))) << object;
  return name;
}

TEST(CollectorName, IsWhatACollectorWritesInAPlaceOfItsOwn) {
  EXPECT_EQ(
      name_of(
          R"({"log":"x","kubernetes":{"container_name":"ks","pod_name":"p","host":"cp1","namespace_name":"n"}})"),
      "n/p/ks");
  EXPECT_EQ(name_of(R"({"log":"x","kubernetes":{"pod":{"name":"p"},"namespace":"n"}})"), "n/p");
  EXPECT_EQ(name_of(R"({"log":"x","kubernetes.pod.name":"p"})"), "p");
  EXPECT_EQ(
      name_of(R"({"_id":"1","_source":{"log":"y","kubernetes":{"pod_name":"p"}},"fields":{"log":["x"]}})"),
      "p")
      << "Elasticsearch has a line twice";
  EXPECT_EQ(name_of(R"({"message":"x","namespace":"n","podName":"p","containerName":"c"})"), "n/p/c");
  EXPECT_EQ(name_of(R"({"LogMessage":"x","PodNamespace":"n","PodName":"p","ContainerName":"c"})"), "n/p/c");
  EXPECT_EQ(name_of(R"({"line":"x","labels":{"pod":"p","container":"c"}})"), "p/c");
  EXPECT_EQ(name_of(R"({"line":"x","labels":{"pod":"p"}})"), "p") << "logcli leaves out what all lines have";
  EXPECT_EQ(name_of(R"({"values":[["1","x"]],"stream":{"pod":"p","container":"c"}})"), "p/c");
  EXPECT_EQ(name_of(R"({"message":"x","logStreamName":"kube/a[1]"})"), "kube/a[1]");
  EXPECT_EQ(name_of(R"({"MESSAGE":"x","_HOSTNAME":"h","_SYSTEMD_UNIT":"ks@1.service"})"), "h/ks@1.service");
  EXPECT_EQ(name_of(R"({"textPayload":"x","resource":{"labels":{"pod_name":"p"}}})"), "p");
  EXPECT_EQ(
      source_at(
          R"([{"field":"@message","value":"x"},{"field":"@logStream","value":"s"}],[{"field":"y","value":"y"}])",
          "x"),
      "s");
}

// A tool may have taken it out of the line itself, and then it is the pod that the scheduler writes about.
TEST(CollectorName, IsNothingThatALineMayHaveSaidItself) {
  for (const char* const line :
       {R"({"log":"x","pod":"p"})", R"({"log":"x","pod":{"name":"p","namespace":"n"}})",
        R"({"log":"x","pod_name":"p","container":"c"})", R"({"line":"x","labels":{"pod":"shop/web-0"}})",
        R"({"log":"x","labels":{"pod":"p","container":"c"}})", R"({"message":"x","podName":"p"})",
        R"({"result":{"_raw":"x","pod":"p","host":"h","source":"/var/log/x"}})",
        R"({"log":"x","kubernetes":{"labels":{"pod_name":"p"}}})", R"({"log":"x","kubernetes":"p"})",
        R"({"log":"x","kubernetes":{"pod_name":"a sentence"}})",
        R"({"log":"x","kubernetes":{"pod_name":"a/b"}})", R"({"log":"x","kubernetes":{"pod_name":""}})",
        R"({"log":"x","kubernetes":{"pod_name":7}})",
        R"({"log":"x","note":"{\"kubernetes\":{\"pod_name\":\"p\"}}"})",
        R"({"log":"x","a":{"kubernetes":{"pod_name":"p"}}})", R"({"log":"x","list":[{"logStream":"s"}]})"})
    EXPECT_EQ(name_of(line), "") << line;
}

TEST(ObjectSources, TheOutermostNameCounts) {
  const std::string line =
      R"({"list":[{"logStream":"a","log":"one","inner":{"logStream":"b","log":"two"}},{"log":"three"}],"logs":[{"logStream":"c","log":"four"}]})";
  EXPECT_EQ(source_at(line, "one"), "a");
  EXPECT_EQ(source_at(line, "two"), "a");
  EXPECT_EQ(source_at(line, "three"), "");
  EXPECT_EQ(source_at(line, "four"), "c");
  EXPECT_EQ(source_at(R"({"logStream":"a","x":{"logStream":"b"},"log":"one","y":{"logStream":"c"}})", "one"),
            "a");
}

TEST(ObjectSources, ALineThatBreaksOffIsReadAsFarAsItGoes) {
  EXPECT_EQ(source_at(R"({"logStream":"s","log":"x)", "x"), "s");
  EXPECT_EQ(source_at(R"({"log":"x","logStream":"s)", "x"), "");
  EXPECT_EQ(source_at(R"(}]{"log":"x","logStream":"s"}})", "x"), "s");
  EXPECT_EQ(source_at(std::string(1000, '[') + R"({"logStream":"s","log":"x"})", "x"), "") << "too deep";
  const std::string deep = R"([{"logStream":"a","y":)" + std::string(50, '[') + std::string(50, ']') +
                           R"(,"log":"one"},{"log":"two","logStream":"b"}])";
  EXPECT_EQ(source_at(deep, "one"), "a") << "behind what is too deep";
  EXPECT_EQ(source_at(deep, "two"), "b");
  EXPECT_TRUE(ObjectSources("").empty());
}

// An answer of Loki's that is too long for one line: only its beginning has the labels.
TEST(ObjectSources, TheNextPartOfALineGoesOnInItsObjects) {
  const ObjectSources first(R"({"data":[{"stream":{"pod":"p","container":"c"},"values":[["1","one"])");
  ASSERT_TRUE(first.is_open());
  const std::string rest =
      R"(,["2","two"]]},{"stream":{"pod":"q","container":"c"},"values":[["3","three"]]}]})";
  const ObjectSources next(rest, &first);
  EXPECT_EQ(shown(next.at(rest.find("two"))), "p/c");
  EXPECT_EQ(shown(next.at(rest.find("three"))), "q/c");
  EXPECT_FALSE(next.is_open());
  EXPECT_FALSE(ObjectSources(R"({"pod":"p","log":"cut within a str)").is_open());
}

}  // namespace
}  // namespace flowtap::cli
