// Records whose newlines were lost, and what only looks like a second record.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/flowtap/saved/kube_events.hpp"
#include "tools/flowtap/saved/unwrap/saved_lines.hpp"

namespace flowtap::cli {
namespace {

std::vector<std::string> records_in(const std::string& bytes) {
  std::vector<std::string> out;
  SavedLines lines([&out](const SavedLine& line) {
    if (line.kind == SavedLine::Kind::kRecord) out.emplace_back(line.text);
  });
  lines.add(bytes, 0);
  lines.finish();
  return out;
}

const std::string kOne =
    R"(I1126 10:00:00.100001       1 schedule_one.go:97] "Attempting to schedule pod" pod="a/b" n=1)";
const std::string kTwo =
    R"(E1126 10:00:00.103412       1 a.go:9] "No \"fit\"" err="I1126 10:00:00.1       1 b.go:1] \"x\"")";

TEST(JoinedRecords, AreSeveralInOneLine) {
  EXPECT_EQ(records_in(kOne + ' ' + kTwo + "  " + kOne + '\n'), (std::vector{kOne, kTwo, kOne}));
  EXPECT_EQ(records_in(kTwo + ' ' + kTwo), (std::vector{kTwo, kTwo}));
}

TEST(JoinedRecords, WhatStandsBetweenQuotesIsNone) {
  for (const std::string& line :
       {kTwo, kOne + " I1126 is a word", kOne + R"( x="cut I1126 10:00:00.1 1 b.go:1] )",
        kOne + " I1126 10:00:00.100001       1 no source"})
    EXPECT_EQ(records_in(line + '\n'), std::vector{line});
}

TEST(KubeEvents, AMessageMayNameItsPodsNamespace) {
  KubeEvents events;
  const auto event =
      events.read("3m  Warning  FailedScheduling  pod/gone-0  skip schedule deleting pod: shop/gone-0");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->ns, "shop");
  EXPECT_EQ(events.without_namespace(), 0U);
  EXPECT_FALSE(
      events.read("3m  Warning  FailedScheduling  pod/gone-0  skip schedule deleting pod: shop/other"));
}

}  // namespace
}  // namespace flowtap::cli
