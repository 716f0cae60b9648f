// Records in klog's form that no scheduler has written, beside those of one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/support/golden.hpp"
#include "tools/flowtap/saved/strangers.hpp"

namespace flowtap::cli {
namespace {

void add(Strangers& strangers, const std::string& line) {
  if (const auto record = flow::parse_klog_record(line))
    strangers.add(*record);
  else
    strangers.add_line(line);
}

std::uint64_t others_in(const std::string& file, int times = 10) {
  Strangers strangers;
  for (int i = 0; i < times; ++i)
    add(strangers, fmt::format("I1126 10:01:{:02}.000001       1 {}:621] \"Something\" a=1", i, file));
  return strangers.others_records();
}

TEST(OtherRecords, OfAProgramThatNobodyKnowsAreItsOwn) {
  for (const char* file : {"proxier.go", "main.go", "nfd-worker.go", "replica_set.go", "cloud_provider.go"})
    EXPECT_EQ(others_in(file), 10U) << file;
}

// At a high level a scheduler says much that no table knows.
TEST(OtherRecords, OfASchedulersFilesAreNone) {
  for (const char* file :
       {"schedule_one.go", "framework.go", "scheduling_queue.go", "binder.go", "score.go", "reflector.go",
        "round_trippers.go", "scheduler/scheduler.go", "overreserve.go", "device.go"})
    EXPECT_EQ(others_in(file), 0U) << file;
  for (const char* log : {"scheduler/kube-scheduler-v10.log", "scheduler/numa-logid-era-v6.log",
                          "scheduler/hami-2.10-success-v5.log", "scheduler/hami-2024-v4.log",
                          "scheduler/numa-pod-era-v4.log"}) {
    Strangers strangers;
    std::uint64_t records = 0;
    std::istringstream lines(test::golden(log));
    for (std::string line; std::getline(lines, line);)
      if (const auto record = flow::parse_klog_record(line)) {
        strangers.add(*record);
        ++records;
      }
    EXPECT_GT(records, 0U) << log;
    EXPECT_LT(5 * strangers.others_records(), records + 5) << log;
  }
}

TEST(OtherRecords, AQuotationIsNamed) {
  Strangers strangers;
  add(strangers,
      "we have seen this: I1126 10:00:00.103412       1 schedule_one.go:1046] \"Unable to schedule pod\"");
  EXPECT_EQ(strangers.guess().value().what, "lines in which another program quotes a scheduler's log");
  EXPECT_EQ(strangers.guess().value().hint.find("-v="), std::string::npos);
}

}  // namespace
}  // namespace flowtap::cli
