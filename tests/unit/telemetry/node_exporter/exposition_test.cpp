#include "telemetry/node_exporter/textfile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/telemetry/node_exporter/pages.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

using stats::compat::Page;
using stats::compat::PageKind;
using testing::ElementsAre;
using testing::Pair;

TEST(Exposition, FamiliesWithTheirKindsAndHelp) {
  Page page;
  ASSERT_TRUE(
      parse_exposition("# HELP a_total What it counts.\n# TYPE a_total counter\na_total{x=\"1\"} 2\r\n"
                       "# TYPE b gauge\nb -1.5e3\nc{ y = \"q\\\"\\\\\\n\" , } +Inf\n# any comment\n\n",
                       "f.prom", page));
  EXPECT_EQ(page.families().at("a_total").kind, PageKind::kCounter);
  EXPECT_EQ(page.families().at("a_total").help, "What it counts.");
  EXPECT_EQ(page.families().at("b").kind, PageKind::kGauge);
  EXPECT_EQ(page.families().at("c").kind, PageKind::kUntyped);
  EXPECT_EQ(page.families().at("c").help, "Read from f.prom.");
  EXPECT_THAT(series_of(page), ElementsAre(Pair(R"(a_total{x="1"})", 2), Pair("b", -1500),
                                           Pair(R"(c{y="q"\\n"})", std::numeric_limits<double>::infinity())));
}

// One program writes a file at a time, so half of it may be half of something.
TEST(Exposition, AFileWithALineThatIsNotWellFormedIsRefused) {
  for (const char* bad :
       {"a", "a{", "a{x} 1", "a{x=1} 1", "a{x=\"1} 1", "a{x=\"1\"", "a{x=\"1\" y=\"2\"} 1",
        "a{x=\"1\",x=\"2\"} 1", "a{__name__=\"b\"} 1", "a 1 1700000000000", "a one", "1a 1", "a-b 1",
        "a{x=\"\\q\"} 1", "a 1\na 2", "a 1e999", "# TYPE 1a gauge", "{x=\"1\"} 1", "a\0b 1"}) {
    Page page;
    EXPECT_FALSE(parse_exposition(bad, "f.prom", page)) << bad;
  }
}

}  // namespace
}  // namespace flowtap::telemetry::node_exporter
