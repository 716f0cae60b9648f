// How many attempts are kept, and which ones.
#include "explain/diagnosis/diagnosis_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/printable.hpp"
#include "kit.hpp"

namespace flowtap::diagnosis {
namespace {

Fact fact_of(FactKind kind, std::string_view node = {}, std::string_view reason = {}) {
  Fact fact;
  fact.scheduler = test::scheduler("kube-scheduler");
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
  for (int pod = 0; pod < 40; ++pod)
    for (int node = 0; node < 2000; ++node)
      store.add({.ns = "ns", .name = "p" + std::to_string(pod)},
                fact_of(FactKind::kNodeFails, "node" + std::to_string(node),
                        reason + std::to_string(pod) + '-' + std::to_string(node)),
                places);
  EXPECT_LE(store.bytes(), DiagnosisStore::kMostBytes);
  EXPECT_GT(store.bytes(), DiagnosisStore::kMostBytes / 2);
  EXPECT_LT(store.size(), 40U);
  ASSERT_TRUE(store.find("ns", "p39"));
  EXPECT_EQ(store.find("ns", "p39")->nodes.size(), 2000U);
}

// The lines that verdicts rest on count for the bound, too, however long a record is.
TEST(DiagnosisStore, LinesAreKeptUpToALengthAndCounted) {
  const auto bytes_of = [](std::size_t length) {
    DiagnosisStore store;
    const std::string tail(length, 'x');
    std::string log;
    for (int node = 0; node < 100; ++node)
      log += test::log_of(
          {"\"NodeFitPod\" pod=\"ns/p\" node=\"n" + std::to_string(node) + "\" score=1 x=\"" + tail + '"'});
    test::read(store, log);
    const auto found = store.find("ns", "p");
    EXPECT_EQ(found->nodes.size(), 100U);
    for (const NodeVerdict& node : found->nodes) {
      EXPECT_GE(node.line.size(), std::min(length, kLongestLine));
      EXPECT_LE(node.line.size(), kLongestLine);
    }
    return store.bytes();
  };
  const std::size_t few = bytes_of(100);
  EXPECT_GE(bytes_of(400), few + 100 * 300);
  EXPECT_EQ(bytes_of(10'000), bytes_of(100'000));
  EXPECT_LE(bytes_of(100'000), few + 100 * kLongestLine);
}

TEST(DiagnosisStore, ALineEndsInNoHalfCharacter) {
  std::string tail;
  for (int i = 0; i < 400; ++i) tail += "é";
  for (const std::string shift : {"", "-"}) {
    DiagnosisStore store;
    test::read(store, test::log_of({R"("NodeFitPod" pod="ns/p" node="n" score=1 x=")" + shift + tail + '"'}));
    const std::string kept = store.find("ns", "p")->nodes.at(0).line;
    EXPECT_GE(kept.size(), kLongestLine - 1);
    EXPECT_EQ(utf8(kept), kept);
  }
}

TEST(DiagnosisStore, ItsBoundsAreAskedFor) {
  DiagnosisStore store(3, std::size_t{1} << 30U);
  const CardPlaces places;
  const std::string reason(1000, 'r');
  for (int pod = 0; pod < 4; ++pod)
    for (int node = 0; node < 5000; ++node)
      store.add({.ns = "ns", .name = "p" + std::to_string(pod)},
                fact_of(FactKind::kNodeFails, "node" + std::to_string(node),
                        reason + std::to_string(pod) + '-' + std::to_string(node)),
                places);
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
  // Naming the same nodes again and again does not add any.
  const std::size_t bytes = store.bytes();
  for (int i = 0; i < 1000; ++i)
    store.add({.ns = "ns", .name = "p"}, fact_of(FactKind::kNodeFails, "node1", "r"), places);
  EXPECT_EQ(store.bytes(), bytes);
  for (int i = 0; i < 100'000; ++i)
    store.add({.ns = "ns", .name = "p"}, fact_of(FactKind::kNodeReason, {}, "r"), places);
  EXPECT_LE(store.bytes(), 2 * bytes);
}

// A thousand pods are turned down by the same cards.
TEST(DiagnosisStore, CardsOfManyPodsAreKeptOnce) {
  constexpr std::size_t kCards = 800;
  DiagnosisStore store;
  const CardPlaces places;
  const auto fill = [&](int pod) {
    Fact fact = fact_of(FactKind::kCardFails, "node", "CardInsufficientMemory");
    for (std::size_t i = 0; i < kCards; ++i) {
      const std::string card = "GPU-a1050000-b005-4c1e-9f00-" + std::to_string(100'000'000'000 + i);
      fact.at(Field::kCard) = card;
      store.add({.ns = "ns", .name = "p" + std::to_string(pod)}, fact, places);
    }
  };
  fill(0);
  const std::size_t first = store.bytes();
  EXPECT_GT(first, kCards * 40);
  for (int pod = 1; pod < 10; ++pod) fill(pod);
  EXPECT_LE(store.bytes(), first + 9 * (kCards * 16 + 10'000));
  // The cards are kept no longer than they are told of.
  for (int pod = 0; pod < 10; ++pod)
    store.add({.ns = "ns", .name = "p" + std::to_string(pod)}, fact_of(FactKind::kAttempt), places);
  EXPECT_LE(store.bytes(), 10 * 10'000U);
}

// There is only one pod, and everything said of it is long: nothing else can make room.
TEST(DiagnosisStore, OnePodHasABoundWhateverIsSaidOfIt) {
  const std::string tail(std::size_t{64} << 10U, 'x');
  for (const FactKind kind : {FactKind::kNodeFails, FactKind::kAlignFails, FactKind::kCardFails,
                              FactKind::kCellFails, FactKind::kNodeReason}) {
    DiagnosisStore store;
    const CardPlaces places;
    for (std::size_t i = 0; i < Attempt::kMostNodes; ++i) {
      const std::string number = std::to_string(i);
      const std::string reason = number + tail;
      const std::string name = number + std::string(kLongestName - number.size(), 'n');
      Fact fact = fact_of(kind, name, reason);
      fact.line = std::string_view(tail).substr(0, kLongestLine);
      for (const Field field : {Field::kContainer, Field::kCard}) fact.at(field) = name;
      fact.at(Field::kResource) = reason;
      fact.at(Field::kCell) = "1";
      store.add({.ns = "ns", .name = "p"}, fact, places);
    }
    Fact end = fact_of(FactKind::kFilterFailed);
    end.at(Field::kSummary) = tail;
    store.add({.ns = "ns", .name = "p"}, end, places);
    EXPECT_LE(store.bytes(), DiagnosisStore::kMostBytes / 2);
    const auto found = store.find("ns", "p");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->filter.summary.size(), tail.size()) << "how it went has room";
    ASSERT_FALSE(found->lacks.empty());
    EXPECT_TRUE(found->lacks.back().starts_with("the rest of what was said of the attempt"))
        << found->lacks.back();
  }
}

TEST(DiagnosisStore, OfNoSizeKeepsNothing) {
  DiagnosisStore store(0);
  store.add({.ns = "ns", .name = "p"}, fact_of(FactKind::kNodeFits, "n"), CardPlaces());
  EXPECT_FALSE(store.find("ns", "p"));
}

}  // namespace
}  // namespace flowtap::diagnosis
