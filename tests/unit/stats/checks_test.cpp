// The rules of stats/checks.hpp refuse bad rows. (Compiling stats/checks.cpp checks that the real table follows them.)
#include "stats/checks.hpp"

#include <gtest/gtest.h>

#include <array>

namespace flowtap::stats {
namespace {

constexpr FamilyId kF = FamilyId::kDISPATCHED_TASKS;
constexpr FamilyId kG = FamilyId::kBPF_ERRORS;

constexpr Family family_of(std::string_view name, std::string_view labels = "type",
                           std::string_view help = "A help.", FamilyId id = kF) {
  return {id, name, labels, help};
}

constexpr Stat stat_of(std::optional<std::string_view> label = "x", Kind kind = Kind::kCounter,
                       Unit unit = Unit::kNone, FamilyId family = kF) {
  return {StatId::kNEW, family, label, false, kind, unit, "A help.", CountedBy::kTracing, 0};
}

TEST(StatChecks, NamesAreWhatPrometheusAccepts) {
  for (const auto* good : {"dispatched_tasks_total", "a", "a1_b"})
    EXPECT_TRUE(check::good_name(good)) << good;
  for (const auto* bad : {"", "_a", "a_", "a__b", "1a", "A", "a:b", "a-b", "a b", "é"})
    EXPECT_FALSE(check::good_name(bad)) << bad;
  for (const auto* reserved : {"le", "quantile"})
    EXPECT_FALSE(check::names(std::array{family_of("a", reserved)})) << reserved;
  EXPECT_FALSE(check::names(std::array{family_of("a", "type,Bad")}));
  EXPECT_TRUE(check::names(std::array{family_of("a", "scheduler,type")}));
}

TEST(StatChecks, CountersEndInTotalAndNothingElseDoes) {
  const std::array counter{stat_of()};
  const std::array gauge{stat_of("x", Kind::kGauge)};
  EXPECT_TRUE(check::endings_and_units(std::array{family_of("a_total")}, counter));
  EXPECT_FALSE(check::endings_and_units(std::array{family_of("a")}, counter));
  EXPECT_FALSE(check::endings_and_units(std::array{family_of("a_total")}, gauge));
}

TEST(StatChecks, TheUnitEndsTheName) {
  const std::array seconds{stat_of("x", Kind::kCounter, Unit::kSeconds)};
  EXPECT_TRUE(check::endings_and_units(std::array{family_of("a_seconds_total")}, seconds));
  EXPECT_FALSE(check::endings_and_units(std::array{family_of("a_total")}, seconds));
  for (const auto* other : {"a_seconds_total", "a_bytes_total"})
    EXPECT_FALSE(check::endings_and_units(std::array{family_of(other)}, std::array{stat_of()})) << other;
}

TEST(StatChecks, HelpIsOneSentenceWithAFullStop) {
  EXPECT_TRUE(check::good_help("Tasks."));
  for (const auto* bad : {"", ".", "Tasks", "Two\nlines.", " Tasks.", "A \\ backslash."})
    EXPECT_FALSE(check::good_help(bad)) << bad;
  Stat silent = stat_of();
  silent.help = "";
  EXPECT_FALSE(check::helps(std::array{family_of("a")}, std::array{stat_of(), silent}));
  EXPECT_FALSE(check::helps(std::array{family_of("a", "type", "")}, std::array{stat_of()}));
  EXPECT_TRUE(check::helps(std::array{family_of("a")}, std::array{stat_of()}));
}

TEST(StatChecks, NothingTwice) {
  EXPECT_FALSE(check::no_duplicate(std::array{family_of("a"), family_of("a", "t", "A help.", kG)},
                                   std::array{stat_of()}));
  EXPECT_FALSE(check::no_duplicate(std::array{family_of("a")}, std::array{stat_of("x"), stat_of("x")}));
  EXPECT_TRUE(check::no_duplicate(std::array{family_of("a")}, std::array{stat_of("x"), stat_of("y")}));
}

TEST(StatChecks, NoFamilyWithoutAStat) {
  EXPECT_FALSE(check::no_empty_family(std::array{family_of("a", "t", "A help.", kG)}, std::array{stat_of()}));
  EXPECT_TRUE(check::no_empty_family(std::array{family_of("a")}, std::array{stat_of()}));
}

TEST(StatChecks, AFamilyHasOneKindAndUnit) {
  EXPECT_FALSE(check::families_agree(std::array{stat_of("x"), stat_of("y", Kind::kGauge)}));
  EXPECT_FALSE(check::families_agree(std::array{stat_of("x"), stat_of("y", Kind::kCounter, Unit::kBytes)}));
  EXPECT_TRUE(check::families_agree(std::array{stat_of("x"), stat_of("y")}));
}

TEST(StatChecks, LabelValuesFitTheFamilysLabels) {
  EXPECT_TRUE(check::labels_fit(std::array{family_of("a", "scheduler,type")}, std::array{stat_of("x")}));
  EXPECT_FALSE(check::labels_fit(std::array{family_of("a", "scheduler")}, std::array{stat_of("x")}));
  EXPECT_FALSE(
      check::labels_fit(std::array{family_of("a", "scheduler,type")}, std::array{stat_of(std::nullopt)}));
  EXPECT_TRUE(check::labels_fit(std::array{family_of("a", "scheduler")}, std::array{stat_of(std::nullopt)}));
  EXPECT_FALSE(check::labels_fit(std::array{family_of("a")}, std::array{stat_of("")}));
  Stat open = stat_of(std::nullopt);
  open.open_label = true;
  EXPECT_TRUE(check::labels_fit(std::array{family_of("a")}, std::array{open}));
  EXPECT_FALSE(check::labels_fit(std::array{family_of("a", "scheduler")}, std::array{open}));
}

}  // namespace
}  // namespace flowtap::stats
