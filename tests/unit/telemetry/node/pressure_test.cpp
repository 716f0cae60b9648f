#include "telemetry/node/pressure.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"
#include "tests/unit/telemetry/node/collected.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;
using test::FileTree;

TEST(Pressure, TotalsOfWhatTheKernelKeeps) {
  FileTree tree;
  tree.file("pressure/cpu",
            "some avg10=73.42 avg60=68.62 avg300=82.60 total=9568974842\n"
            "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  tree.file("pressure/io",
            "some avg10=0.31 avg60=0.17 avg300=0.09 total=91932011\n"
            "full avg10=0.00 avg60=0.00 avg300=0.00 total=30944296\n");
  tree.file("pressure/memory",
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=2285\n"
            "full avg10=0.00 avg60=0.00 avg300=0.00 total=1159\n");
  tree.file("pressure/irq", "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");
  PressureCollector collector(tree.root());
  const Collected read = collected_by(collector);
  EXPECT_EQ(read.unread, 0U);
  const std::map<std::string, double> expected{{"pressure_cpu_waiting_seconds_total", 9568.974842},
                                               {"pressure_io_waiting_seconds_total", 91.932011},
                                               {"pressure_io_stalled_seconds_total", 30.944296},
                                               {"pressure_memory_waiting_seconds_total", 0.002285},
                                               {"pressure_memory_stalled_seconds_total", 0.001159},
                                               {"pressure_irq_stalled_seconds_total", 0.000007}};
  EXPECT_EQ(by_name(read), expected);
}

TEST(Pressure, AKernelWithoutItHasNothingToCount) {
  FileTree tree;
  PressureCollector collector(tree.root());
  EXPECT_EQ(collected_by(collector).unread, 0U);
  tree.file("pressure/cpu/not_a_file", "");
  EXPECT_EQ(collected_by(collector).unread, 1U);
}

TEST(Pressure, LinesThatAreNoneAreAbsentAndCountedAndTheOthersGoOn) {
  Collected out;
  parse_pressure("some avg10=0.00 total=-1\nmore total=1\n\nfull total=5 total=6\nfull total=7\n",
                 StatId::kNODE_PRESSURE_IO_WAITING, StatId::kNODE_PRESSURE_IO_STALLED, out);
  EXPECT_EQ(out.unread, 1U);
  EXPECT_EQ(by_name(out), (std::map<std::string, double>{{"pressure_io_stalled_seconds_total", 0.000005}}));
  parse_pressure("some avg10=0.00 avg60=0.00\nfull total=1", StatId::kNODE_PRESSURE_CPU_WAITING, std::nullopt,
                 out);
  EXPECT_EQ(out.unread, 2U);
  EXPECT_EQ(out.series.size(), 1U);
}

}  // namespace
}  // namespace flowtap::telemetry
