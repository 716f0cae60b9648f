// How many attempts are kept, and whose.
#include "diagnosis/diagnosis_store.hpp"

#include <gtest/gtest.h>

#include <string>

#include "kit.hpp"

namespace flowtap::diagnosis {
namespace {

Fact fact_of(FactKind kind, std::string_view node = {}, std::string_view reason = {}) {
  Fact fact;
  fact.kind = kind;
  fact.at(Field::kNode) = node;
  fact.at(Field::kReason) = reason;
  return fact;
}

TEST(DiagnosisStore, KeepsThePodsThatWereSpokenOfOrAskedForLast) {
  DiagnosisStore store(2);
  const CardPlaces places;
  const auto add = [&](std::string_view name) {
    store.add({.ns = "ns", .name = name}, fact_of(FactKind::kNodeFits, "n"), places);
  };
  add("a"), add("b");
  EXPECT_TRUE(store.find("ns", "a"));
  add("c");
  EXPECT_FALSE(store.find("ns", "b"));
  EXPECT_TRUE(store.find("ns", "a"));
  EXPECT_TRUE(store.find("ns", "c"));
  EXPECT_FALSE(store.find("other", "a"));
  std::string order;
  for (const std::string& pod : store.pods()) order += pod + ' ';
  EXPECT_EQ(order, "ns/c ns/a ");
}

TEST(DiagnosisStore, ItsBytesHaveABound) {
  DiagnosisStore store;
  const CardPlaces places;
  const std::string reason(1000, 'r');
  for (int pod = 0; pod < 20; ++pod)
    for (int node = 0; node < 2000; ++node)
      store.add({.ns = "ns", .name = "p" + std::to_string(pod)},
                fact_of(FactKind::kNodeFails, "node" + std::to_string(node), reason), places);
  EXPECT_LE(store.bytes(), DiagnosisStore::kMostBytes);
  EXPECT_GT(store.bytes(), DiagnosisStore::kMostBytes / 2);
  EXPECT_LT(store.size(), 20U);
  ASSERT_TRUE(store.find("ns", "p19"));
  EXPECT_EQ(store.find("ns", "p19")->nodes.size(), 2000U);
}

TEST(DiagnosisStore, ItsBoundsAreAskedFor) {
  DiagnosisStore store(3, std::size_t{1} << 30U);
  const CardPlaces places;
  const std::string reason(1000, 'r');
  for (int pod = 0; pod < 4; ++pod)
    for (int node = 0; node < 5000; ++node)
      store.add({.ns = "ns", .name = "p" + std::to_string(pod)},
                fact_of(FactKind::kNodeFails, "node" + std::to_string(node), reason), places);
  EXPECT_EQ(store.size(), 3U);
  EXPECT_GT(store.bytes(), 3U * 5000 * 1000);
}

TEST(DiagnosisStore, OneAttemptHasABound) {
  DiagnosisStore store;
  const CardPlaces places;
  for (std::size_t node = 0; node < Attempt::kMostNodes + 100; ++node)
    store.add({.ns = "ns", .name = "p"}, fact_of(FactKind::kNodeFails, "node" + std::to_string(node), "r"),
              places);
  EXPECT_EQ(store.find("ns", "p")->nodes.size(), Attempt::kMostNodes);
  // The same nodes again and again are not more.
  const std::size_t bytes = store.bytes();
  for (int i = 0; i < 1000; ++i)
    store.add({.ns = "ns", .name = "p"}, fact_of(FactKind::kNodeFails, "node1", "r"), places);
  EXPECT_EQ(store.bytes(), bytes);
  for (int i = 0; i < 100'000; ++i)
    store.add({.ns = "ns", .name = "p"}, fact_of(FactKind::kNodeReason, {}, "r"), places);
  EXPECT_LE(store.bytes(), 2 * bytes);
}

TEST(DiagnosisStore, OfNoSizeKeepsNothing) {
  DiagnosisStore store(0);
  store.add({.ns = "ns", .name = "p"}, fact_of(FactKind::kNodeFits, "n"), CardPlaces());
  EXPECT_FALSE(store.find("ns", "p"));
}

}  // namespace
}  // namespace flowtap::diagnosis
