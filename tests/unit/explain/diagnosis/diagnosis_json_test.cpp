// A diagnosis that went through JSON.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "base/printable.hpp"
#include "base/rfc3339.hpp"
#include "explain/diagnosis/diagnosis.hpp"
#include "golden.hpp"
#include "kit.hpp"

namespace flowtap::diagnosis {
namespace {

TEST(DiagnosisJson, ReadsBackWhatItWrites) {
  for (const test::Case& one : test::cases()) {
    DiagnosisStore store;
    for (const std::string& log : test::logs_of(one)) test::read(store, log);
    const std::size_t slash = one.pod.find('/');
    const auto diagnosis = store.find(one.pod.substr(0, slash), one.pod.substr(slash + 1));
    ASSERT_TRUE(diagnosis);
    const auto back = diagnosis_from_json(to_json(*diagnosis, true));
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_EQ(*back, *diagnosis) << one.logs << ' ' << one.pod << ": " << to_json(*back, true);
    const auto short_one = diagnosis_from_json(to_json(*diagnosis));
    ASSERT_TRUE(short_one);
    EXPECT_EQ(to_json(*short_one), to_json(*diagnosis));
  }
}

TEST(DiagnosisJson, HasTheCardsThePodAndTheNodeOfTheBind) {
  const Diagnosis all{
      .status = Diagnosis::Status::kSucceeded,
      .uid = "u",
      .filter = {Verdict::kPassed, "one \"fits\"\n"},
      .nodes = {{.name = "n1",
                 .verdict = Verdict::kFailed,
                 .score = 0,
                 .containers =
                     {{"a", Verdict::kPassed, "", 1},
                      {"b", Verdict::kFailed, "1/2 X", {}, "", {{0, "cpu", "2", "4"}, {1, "gpu", "", ""}}}},
                 .reason = "r",
                 .cards = {{"A", "X"}, {"B", "Y"}},
                 .cells = {{7, "memory", "0", ""}}},
                {.name = "n2",
                 .verdict = Verdict::kPassed,
                 .score = 1.5,
                 .containers = {},
                 .reason = {},
                 .cards = {}}},
      .reasons = {{"z", 3}},
      .preemption = "p",
      .nominated = "n3",
      .victims = {"ns/a", "ns/b"},
      .plugins = {"P"},
      .bind = {Verdict::kPassed, "bind success"},
      .node = "n2",
      .scheduler = "HAMi",
      .attempt = 12,
      .first = parse_rfc3339("2026-08-21T07:20:00Z"),
      .last = parse_rfc3339("2026-08-21T07:20:01.000001Z"),
      .history = {{parse_rfc3339("2026-08-21T07:19:00Z"), "HAMi", Diagnosis::Status::kFailed, true,
                   "no \"fit\""},
                  {std::nullopt, "kube-scheduler", Diagnosis::Status::kPending, false, ""}},
      .lacks = {"a \"b\"", "c"},
      .lifecycle = {.deleted = true,
                    .preempted_by = "ns/hi",
                    .preempted_on = "n4",
                    .waits = std::string(kWaitsForGroup),
                    .held = {{"P", "r \"q\""}, {"Q", ""}},
                    .line = "l"},
      .notes = {{"Karpenter", "no \"pool\""}}};
  const auto back = diagnosis_from_json(to_json(all, true));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, all);
  for (const char* name : {"uid", "scheduler", "attempt", "times", "history", "cells", "lifecycle"})
    EXPECT_EQ(to_json(all).find(name), std::string::npos)
        << name << " is not in the body that is the contract";
  constexpr const char* kLifecycle =
      R"("lifecycle":{"deleted":true,"preempted":{"by":"ns/hi","node":"n4"},"waits":"group",)"
      R"("held":[{"plugin":"P","reason":"r \"q\""},{"plugin":"Q"}])";
  EXPECT_NE(to_json(all, true).find(std::string(kLifecycle) + R"(,"line":"l"})"), std::string::npos)
      << to_json(all, true);
  EXPECT_NE(to_json(all, false, true).find(std::string(kLifecycle) + "},"), std::string::npos)
      << to_json(all, false, true);
  EXPECT_NE(
      to_json(all, true).find(
          R"("cells":[{"numaCell":0,"resource":"cpu","available":"2","requested":"4"},{"numaCell":1,"resource":"gpu"}])"),
      std::string::npos)
      << to_json(all, true);
  EXPECT_NE(
      to_json(all, true).find(
          R"("uid":"u","scheduler":"HAMi","attempt":12,"times":{"first":"2026-08-21T07:20:00.000000000Z",)"
          R"("last":"2026-08-21T07:20:01.000001000Z"},"history":[{"time":"2026-08-21T07:19:00.000000000Z",)"
          R"("scheduler":"HAMi","status":"failed","phase":"bind","summary":"no \"fit\""},)"
          R"({"scheduler":"kube-scheduler","status":"pending","phase":"filter","summary":""}],)"),
      std::string::npos)
      << to_json(all, true);
}

TEST(DiagnosisJson, HasEachTextAsBoostWritesIt) {
  Diagnosis diagnosis;
  for (int byte = 0; byte < 256; ++byte)
    for (const std::string& end : {std::string(), std::string("ä")}) {
      diagnosis.preemption = static_cast<char>(byte) + end;
      const std::string written =
          boost::json::serialize(boost::json::string_view(utf8(diagnosis.preemption)));
      EXPECT_TRUE(to_json(diagnosis).contains(",\"preemption\":" + written + '}')) << byte;
    }
}

TEST(DiagnosisJson, PassesOverWhatItDoesNotKnow) {
  const auto more = diagnosis_from_json(
      R"({"status":"failed","later":[1,{}],"filter":{"status":"new","summary":7,"nodes":[1,{"name":"n","status":"passed",
      "score":"x","containers":{},"numa":[]}],"reasons":[{"reason":"r","nodes":-1}]},"bind":null})");
  ASSERT_TRUE(more) << more.error().what;
  EXPECT_EQ(more->status, Diagnosis::Status::kFailed);
  EXPECT_EQ(more->filter, PhaseVerdict{});
  ASSERT_EQ(more->nodes.size(), 1U);
  EXPECT_EQ(more->nodes[0].name, "n");
  EXPECT_EQ(more->nodes[0].verdict, Verdict::kPassed);
  EXPECT_EQ(more->reasons, (std::vector<NodesReason>{{"r", 0}}));
}

TEST(DiagnosisJson, WhatIsNoneIsAnError) {
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("[]"), std::string(R"({"status":"x"})"),
        std::string(R"({"status":"failed")"), std::string(100'000, '[')})
    EXPECT_FALSE(diagnosis_from_json(text)) << text.substr(0, 100);
}

}  // namespace
}  // namespace flowtap::diagnosis
