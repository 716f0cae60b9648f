// stats/REFERENCE.md agrees with the table.
#include "stats/reference.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "stats/table.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::stats {
namespace {

TEST(Reference, PageInTheTreeIsCurrent) {
  const auto page = read_file(paths::in_sources("stats/REFERENCE.md"));
  ASSERT_TRUE(page) << page.error().what;
  EXPECT_EQ(*page, reference_page()) << "run: ninja -C build/dev stats_reference";
}

TEST(Reference, NamesEveryFamilyAndEveryFixedLabelValue) {
  const std::string page = reference_page();
  for (const Family& f : families())
    EXPECT_NE(page.find("## `" + std::string(f.name) + "`"), std::string::npos);
  for (const Stat& s : all_stats())
    if (s.label) {
      EXPECT_NE(page.find("| `" + std::string(*s.label) + "` |"), std::string::npos) << *s.label;
    }
}

}  // namespace
}  // namespace flowtap::stats
