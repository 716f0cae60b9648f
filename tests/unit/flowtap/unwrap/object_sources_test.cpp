// What the members around a record call its log.
#include "tools/flowtap/saved/unwrap/objects/object_sources.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace flowtap::cli {
namespace {

std::string source_at(const std::string& line, std::string_view word) {
  return ObjectSources(line).at(line.find(word)).text();
}

TEST(ObjectSources, NearerMembersCountMore) {
  const std::string line =
      R"({"pod":"outer","list":[{"pod":"p1","container":"c","log":"one"},{"log":"two"},{"log":"three","pod":{"name":"p3"}}]})";
  EXPECT_EQ(source_at(line, "one"), "p1/c");
  EXPECT_EQ(source_at(line, "two"), "outer");
  EXPECT_EQ(source_at(line, "three"), "p3");
  EXPECT_EQ(source_at(R"({'pod': 'it\'s', 'log': 'x'})", "x'"), "it\\'s") << "Python's";
  EXPECT_EQ(source_at(R"({"log":"x","pod":"p)", "x\""), "") << "cut";
}

TEST(ObjectSources, WhatIsNoNameOfALogIsNone) {
  for (const char* const line :
       {R"({"log":"x","source":"schedule_one.go:97"})", R"({"log":"x","pod":"a sentence of words"})",
        R"({"log":"x","pod":7,"labels":{"app.kubernetes.io/name":"ks"}})",
        R"({"log":"x","podIP":"10.0.0.1"})", R"({"log":"x","time":"2026-11-26T10:00:00Z","stream":"stderr"})",
        "", "}]x", R"({"log":"x)"})
    EXPECT_EQ(source_at(line, "x"), "") << line;
  EXPECT_EQ(
      source_at(R"({"log":{"caller":"a.go:1","msg":"x","note":"{\"kubernetes\":{\"pod_name\":\"evil\"}}"}})",
                "x"),
      "")
      << "a tenant may have written it";
  const std::string deep(1000, '[');
  EXPECT_EQ(source_at(deep + R"({"pod":"p","log":"x"})", "x"), "");
}

TEST(SourceName, IsThePodAndItsContainerOrAllThatIsKnown) {
  const auto name = [](std::initializer_list<std::pair<const char*, const char*>> members) {
    SourceName out;
    for (const auto& [key, value] : members) out.add({}, key, value);
    return out.text();
  };
  EXPECT_EQ(name({{"container_name", "ks"}, {"pod_name", "p"}, {"host", "cp1"}, {"namespace_name", "n"}}),
            "n/p/ks");
  EXPECT_EQ(name({{"@logStream", "s"}, {"host", "cp1"}, {"file", "/x/0.log"}}), "cp1/s");
  EXPECT_EQ(name({{"_HOSTNAME", "cp1"}, {"filename", "/x/0.log"}}), "cp1//x/0.log");
  EXPECT_EQ(name({{"pod", "weak"}, {"kubernetes.pod_name", "p"}, {"pod", "other"}}), "p");
  EXPECT_EQ(name({}), "");
}

// An answer of Loki's that is too long for one line: only its beginning has the labels.
TEST(ObjectSources, TheNextPartOfALineGoesOnInItsObjects) {
  const ObjectSources first(R"({"data":[{"stream":{"pod":"p"},"values":[["1","one"])");
  ASSERT_TRUE(first.is_open());
  const std::string rest = R"(,["2","two"]]},{"stream":{"pod":"q"},"values":[["3","three"]]}]})";
  const ObjectSources next(rest, &first);
  EXPECT_EQ(next.at(rest.find("two")).text(), "p");
  EXPECT_EQ(next.at(rest.find("three")).text(), "q");
  EXPECT_FALSE(next.is_open());
  EXPECT_FALSE(ObjectSources(R"({"pod":"p","log":"cut within a str)").is_open());
}

}  // namespace
}  // namespace flowtap::cli
