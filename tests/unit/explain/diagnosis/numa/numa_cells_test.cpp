// NUMA cells that do not fit: which try they belong to, and that they have a bound.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/explain/diagnosis/kit.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr std::string_view kFails =
    R"("early verdict: cannot find affinity" pod="ns/p" podUID="u" node="n" container="c")";
constexpr std::string_view kAligned =
    R"("container aligned" pod="ns/p" podUID="u" node="n" container="c" numaCell=1)";

std::string cell(std::string_view says, std::string_view cell, std::string_view resource,
                 std::string_view more = {}) {
  return '"' + std::string(says) + R"(" pod="ns/p" podUID="u" node="n" container="c" resource=")" +
         std::string(resource) + "\" numaCell=" + std::string(cell) + ' ' + std::string(more);
}

std::string discarded(std::string_view number, std::string_view resource, std::string_view has) {
  return cell("discarded", number, resource, R"(quantity="9" numaQuantity=")" + std::string(has) + '"');
}

/// "0 cpu 4/9, 1 gpu 0/", or "-" if the node fits.
std::string cells_of(const std::vector<std::string>& bodies) {
  DiagnosisStore store;
  for (const std::string& body : bodies) test::read(store, test::log_of({body}));
  const auto found = store.find("ns", "p");
  if (!found || found->nodes.size() != 1) return "no node";
  std::string out;
  for (const ContainerVerdict& container : found->nodes.front().containers)
    for (const CellVerdict& one : container.cells)
      out += (out.empty() ? "" : ", ") + std::to_string(one.cell) + ' ' + one.resource + ' ' + one.available +
             '/' + one.requested;
  return found->nodes.front().verdict == Verdict::kPassed && out.empty() ? "-" : out;
}

TEST(NumaCells, AreThoseThatWouldNotDo) {
  EXPECT_EQ(cells_of({discarded("1", "cpu", "4"), cell("feasible", "0", "cpu"), cell("missing", "0", "gpu"),
                      cell("feasible", "1", "gpu"), std::string(kFails)}),
            "0 gpu 0/, 1 cpu 4/9");
  EXPECT_EQ(cells_of({std::string(kFails)}), "");
  // Before the verdict nobody knows whether the node fails.
  EXPECT_EQ(cells_of({discarded("1", "cpu", "4")}), "no node");
}

TEST(NumaCells, OfOneThatHasItsPlaceAreNone) {
  EXPECT_EQ(cells_of({discarded("0", "cpu", "4"), cell("feasible", "1", "cpu"), std::string(kAligned)}), "-");
  EXPECT_EQ(cells_of({discarded("0", "cpu", "4"), std::string(kFails), discarded("0", "cpu", "4"),
                      cell("feasible", "1", "cpu"), std::string(kAligned)}),
            "-");
}

TEST(NumaCells, AreOfTheLastTry) {
  EXPECT_EQ(cells_of({discarded("0", "cpu", "4"), discarded("1", "cpu", "3"), std::string(kFails),
                      cell("feasible", "1", "cpu"), discarded("0", "cpu", "5"), discarded("1", "gpu", "1"),
                      std::string(kFails)}),
            "0 cpu 5/9, 1 gpu 1/9");
  EXPECT_EQ(cells_of({discarded("0", "disk", "4"), std::string(kFails), discarded("1", "cpu", "3"),
                      std::string(kFails)}),
            "1 cpu 3/9");
  // Lines after the verdict, for example which resource it was, change nothing.
  EXPECT_EQ(
      cells_of({discarded("0", "cpu", "4"), cell("feasible", "1", "cpu"), std::string(kFails),
                R"("cannot align container" pod="ns/p" podUID="u" node="n" container="c" reason="cpu")"}),
      "0 cpu 4/9");
}

// Only up to 2024 this follows from what is said of other cells. Today each cell is named, so a missing line says nothing.
TEST(NumaCells, OfWhichNothingIsSaidFollowFromNoneToday) {
  EXPECT_EQ(cells_of({cell("feasible", "0", "cpu"), cell("feasible", "1", "gpu"), std::string(kFails)}), "");
  EXPECT_EQ(
      cells_of({discarded("0", "cpu", "4"), cell("feasible", "1", "gpu"),
                R"("cannot align container" pod="ns/p" podUID="u" node="n" container="c" reason="cpu")"}),
      "0 cpu 4/9");
}

TEST(NumaCells, HaveNumbersThatThereAre) {
  EXPECT_EQ(cells_of({discarded("64", "cpu", "4"), discarded("-1", "cpu", "4"), discarded("x", "cpu", "4"),
                      discarded("18446744073709551616", "cpu", "4"), discarded("63", "cpu", "4"),
                      discarded("0", "", "4"), discarded("1", std::string(kLongestName + 1, 'r'), "4"),
                      discarded("2", "cpu", std::string(kLongestName + 1, '9')), std::string(kFails)}),
            "2 cpu /9, 63 cpu 4/9");
}

TEST(NumaCells, HaveABound) {
  DiagnosisStore store;
  std::string log;
  for (std::size_t i = 0; i < 4 * Attempt::kMostCellResources; ++i)
    log += test::log_of({discarded(std::to_string(i % 8), "resource-" + std::to_string(i), "4")});
  test::read(store, log + test::log_of({kFails}));
  const auto found = store.find("ns", "p");
  ASSERT_TRUE(found && found->nodes.size() == 1 && found->nodes.front().containers.size() == 1);
  EXPECT_EQ(found->nodes.front().containers.front().cells.size(), Attempt::kMostCellResources);
  // All of it is given back with the attempt.
  const std::size_t full = store.bytes();
  test::read(store, test::log_of({R"("Attempting to schedule pod" pod="ns/p")"}));
  EXPECT_LT(store.bytes(), full / 4);
}

TEST(NumaCells, OfATryThatIsOverTakeNoRoom) {
  DiagnosisStore store;
  const std::string resource(kLongestName, 'r');
  std::string log;
  for (std::size_t i = 0; i < Attempt::kMostBytes / resource.size() + 1000; ++i)
    log += test::log_of({discarded("0", resource, "4"), kFails});
  test::read(store, log);
  const auto found = store.find("ns", "p");
  ASSERT_TRUE(found && found->nodes.size() == 1 && found->nodes.front().containers.size() == 1);
  EXPECT_EQ(found->nodes.front().containers.front().cells,
            (std::vector<CellVerdict>{{0, resource, "4", "9"}}));
  EXPECT_TRUE(found->lacks.empty()) << found->lacks.front();
  EXPECT_LT(store.bytes(), std::size_t{64} << 10U);
}

// The verdict on this container is still to come.
TEST(NumaCells, AreNoVerdict) {
  DiagnosisStore store;
  test::read(
      store,
      test::log_of({R"("feasible" pod="ns/p" podUID="u" node="n" container="b" resource="cpu" numaCell=0)",
                    discarded("0", "cpu", "4"), kFails}));
  const auto found = store.find("ns", "p");
  ASSERT_TRUE(found && found->nodes.size() == 1);
  ASSERT_EQ(found->nodes.front().containers.size(), 1U);
  EXPECT_EQ(found->nodes.front().containers.front().name, "c");
}

}  // namespace
}  // namespace flowtap::diagnosis
