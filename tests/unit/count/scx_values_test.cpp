#include "count/scx_values.hpp"

#include <gtest/gtest.h>

#include "tests/support/metrics/scx_server.hpp"

namespace flowtap {
namespace {

boost::json::value json(std::string_view text) {
  return boost::json::parse({text.data(), text.size()});
}

// "stat[member]=value", in the order in which they came.
std::vector<std::string> all(const Result<ScxValues>& got) {
  if (!got) return {"error: " + got.error().what};
  std::vector<std::string> texts;
  for (const ScxValue& v : got->values) {
    std::string text = v.stat;
    if (!v.member.empty()) text += "[" + v.member + "]";
    texts.push_back(text + "=" + boost::json::serialize(boost::json::value(v.value)));
  }
  return texts;
}

using Texts = std::vector<std::string>;

std::string meta_of(const std::string& fields, const std::string& others = "") {
  return R"({"M":{"name":"M","top":"true","fields":{)" + fields + "}}" + others + "}";
}

Texts values(const std::string& meta, const std::string& answer) {
  const auto schema = ScxSchema::parse(json(meta));
  return schema ? all(schema->values(json(answer))) : Texts{"error: " + schema.error().what};
}

TEST(ScxValues, AnAnswerOfRustyIsReadAlongItsMetadata) {
  const std::string answer =
      R"({"at_us":5,"total":70,"slice_us":20000,"cpu_busy":12.5,"direct_greedy_cpus":[3],
          "nodes":{"0":{"load":1.5,"doms":{"0":{"load":0.5},"3":{"load":1}}},"1":{"load":2,"doms":{}}}})";
  EXPECT_EQ(values(std::string(test::kRustyMeta), answer),
            (Texts{"cpu_busy=1.25E1", "nodes.doms.load[0/0]=5E-1", "nodes.doms.load[0/3]=1E0",
                   "nodes.load[0]=1.5E0", "nodes.load[1]=2E0", "slice_us=2E4", "total=7E1"}));
}

TEST(ScxValues, ListsTablesOfNumbersAndStructuresInPlaceAreRead) {
  EXPECT_EQ(values(meta_of(R"("lats":{"array":"float"},"by_cpu":{"dict":{"key":"string","datum":"i64"}},
                              "one":{"datum":{"struct":"S"}},"many":{"array":{"struct":"S"}})",
                           R"(,"S":{"name":"S","fields":{"n":{"datum":"u64"}}})"),
                   R"({"lats":[0.5,2],"by_cpu":{"a":-1,"b":2},"one":{"n":7},"many":[{"n":8},{"n":9}]})"),
            (Texts{"by_cpu[a]=-1E0", "by_cpu[b]=2E0", "lats[0]=5E-1", "lats[1]=2E0", "many.n[0]=8E0",
                   "many.n[1]=9E0", "one.n=7E0"}));
}

TEST(ScxValues, WhatIsNoNumberIsAbsent) {
  EXPECT_EQ(
      values(
          meta_of(R"("a":{"datum":"u64"},"b":{"datum":"float"},"c":{"datum":"u64"},"mode":{"datum":"string"},
                              "d":{"datum":"i64"},"e":{"datum":"later"},"gone":{"datum":"u64"})"),
          R"({"a":1,"b":null,"c":"7","mode":"performance","d":{"x":1},"e":5,"unknown":6})"),
      (Texts{"a=1E0"}));
}

TEST(ScxValues, OfSeveralKindsOfAnswerItIsTheOneThatFits) {
  const std::string meta =
      R"({"Sample":{"name":"Sample","top":"true","fields":{"mseq":{"datum":"u64"},"pid":{"datum":"i64"}}},
          "Sys":{"name":"Sys","top":"true","fields":{"mseq":{"datum":"u64"},"nr_sched":{"datum":"u64"}}}})";
  EXPECT_EQ(values(meta, R"({"mseq":1,"nr_sched":2})"), (Texts{"mseq=1E0", "nr_sched=2E0"}));
  EXPECT_EQ(values(meta, R"({"mseq":1,"pid":2})"), (Texts{"mseq=1E0", "pid=2E0"}));
  EXPECT_EQ(values(meta, R"({"other":1})"),
            (Texts{"error: the statistics have none of the fields that their metadata names"}));
}

TEST(ScxValues, MetadataThatTellsNothingIsRefused) {
  for (const char* meta :
       {"[]", "7", "{}", R"({"M":7})", R"({"M":{"fields":{}}})", R"({"M":{"top":"true"}})"}) {
    const auto schema = ScxSchema::parse(json(meta));
    EXPECT_FALSE(schema) << meta;
  }
}

TEST(ScxValues, AStructureWithinItselfEnds) {
  std::string answer;
  for (int i = 0; i < 8; ++i) answer += R"({"n":1,"in":)";
  answer += R"({"n":1})" + std::string(8, '}');
  const auto got = values(meta_of(R"("n":{"datum":"u64"},"in":{"datum":{"struct":"M"}})"), answer);
  EXPECT_EQ(got.size(), 4U);
}

TEST(ScxValues, AListOfNothingEndsAsWell) {
  std::string fields = R"("many":{"array":{"struct":"M"}})";
  for (int i = 0; i < 400; ++i) fields += ",\"f" + std::to_string(i) + R"(":{"datum":"u64"})";
  std::string answer = R"({"many":[{}")";
  answer.pop_back();
  for (int i = 0; i < 1000; ++i) answer += ",{}";
  answer += "]}";
  const auto schema = ScxSchema::parse(json(meta_of(fields)));
  ASSERT_TRUE(schema);
  const auto got = schema->values(json(answer));
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->values.empty());
  EXPECT_GT(got->left_out, 800U) << "of 1,001, each to be looked at for 401 fields";
}

TEST(ScxValues, ManyMembersAndWhatIsNoLabelAreCountedAndLeftOut) {
  std::string answer = "{\"by\":{\"bad\\n\":1,\"" + std::string(200, 'x') + "\":1,\"\":1";
  for (int i = 0; i < 5000; ++i) answer += ",\"k" + std::to_string(i) + "\":1";
  answer += "}}";
  const auto schema = ScxSchema::parse(json(meta_of(R"("by":{"dict":{"key":"string","datum":"u64"}})")));
  ASSERT_TRUE(schema);
  const auto got = schema->values(json(answer));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->values.size(), 4096U);
  EXPECT_EQ(got->left_out, 3U + 5000U - 4096U);
}

TEST(ScxValues, TheEnvelopeIsOpened) {
  const auto body = parse_scx_answer(R"({"errno":0,"args":{"resp":{"a":1}}})");
  ASSERT_TRUE(body);
  EXPECT_EQ(boost::json::serialize(*body), R"({"a":1})");
  const auto refused =
      parse_scx_answer(R"({"errno":22,"args":{"resp":"unknown stat target\nCaused by: x"}})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the scheduler refuses its statistics: unknown stat target");
  for (const char* line : {"", "{", "[]", "{}", R"({"errno":0})", R"({"errno":"0","args":{"resp":1}})",
                           R"({"errno":0,"args":{}})", R"({"errno":0,"args":7})"})
    EXPECT_FALSE(parse_scx_answer(line)) << line;
}

}  // namespace
}  // namespace flowtap
