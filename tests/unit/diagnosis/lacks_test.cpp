// What an answer does not have, by what the logs hold.
#include "diagnosis/lacks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kit.hpp"

namespace flowtap::diagnosis {
namespace {

using Sentences = std::vector<std::string>;

Sentences lacks_of(std::initializer_list<std::string_view> bodies) {
  DiagnosisStore store;
  test::read(store, test::log_of(bodies));
  const auto found = store.find("ns", "p");
  return found ? found->lacks : Sentences{"none found"};
}

constexpr std::string_view kBegin = R"("Starting schedule filter process" pod="p" uuid="u" namespace="ns")";

TEST(Lacks, CardsAreNamedFromMinusV5On) {
  const Sentences cards = {"the cards that would not do: HAMi names them from -v=5 on"};
  constexpr std::string_view kMemory =
      R"("NodeUnfitPod" pod="ns/p" node="n" reason="1/1 CardInsufficientMemory")";
  EXPECT_EQ(lacks_of({kBegin, kMemory}), cards);
  EXPECT_EQ(lacks_of({kBegin, R"("CardInsufficientMemory" pod="ns/p" device="A")", kMemory}), Sentences());
  EXPECT_EQ(lacks_of({kBegin, R"("NodeFitPod" pod="ns/p" node="n" score=1)"}), Sentences());
  // Of these no line says more of a card.
  EXPECT_EQ(lacks_of({kBegin, R"("NodeUnfitPod" pod="ns/p" node="n" reason="NodeInsufficientDevice")"}),
            Sentences());
  EXPECT_EQ(
      lacks_of(
          {kBegin, R"("NodeUnfitPod" pod="ns/p" node="n" reason="2/4 AllocatedCardsInsufficientRequest")"}),
      Sentences());
  EXPECT_EQ(lacks_of({kBegin, R"("calcScore:node not fit pod" pod="ns/p" node="n")"}),
            (Sentences{"reasons of nodes that have none here: HAMi gives them, card by card, from -v=5 on"}));
}

TEST(Lacks, NodesThatAreOnlyCountedAreOfWhomNamesThem) {
  const auto no_fit = [](const std::string& reasons) {
    const std::string body =
        R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/9 nodes are available: )" + reasons +
        "\"";
    return lacks_of({body});
  };
  EXPECT_EQ(
      no_fit("2 Insufficient cpu, 3 node(s) had untolerated taint(s), 4 cannot align container."),
      (Sentences{
          "nodes without room on one NUMA cell (4): the NUMA-aware scheduler names them from -v=2 on, up to "
          "2024 from -v=5 on",
          "nodes with taints (3): kube-scheduler names them from -v=4 on",
          "nodes that kube-scheduler only counts (2): it names none at any level"}));
  EXPECT_EQ(no_fit("9 NodeUnfitPod."),
            (Sentences{"nodes that HAMi turns down (9): its extender's own log names them, from -v=4 on"}));
  EXPECT_EQ(lacks_of({R"("Successfully bound pod to node" pod="ns/p" node="n")"}), Sentences());
}

TEST(Lacks, ANodeThatIsNamedIsNotLacking) {
  EXPECT_EQ(
      lacks_of(
          {R"("node had untolerated taints" pod="ns/p" node="n" untoleratedTaint={"key":"k"})",
           R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/1 nodes are available: 1 node(s) had untolerated taint(s).")"}),
      Sentences());
}

}  // namespace
}  // namespace flowtap::diagnosis
