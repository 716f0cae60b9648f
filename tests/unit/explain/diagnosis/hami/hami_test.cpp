// HAMi's versions, verbosities and troubles, as far as 2.10's logs as files (diagnosis_golden_test.cpp) do not have them.
#include <gtest/gtest.h>

#include <string>

#include "hami_kit.hpp"

namespace flowtap::diagnosis {
namespace {

using test::answer_of;
using test::body;
using namespace test::hami;

/// "n1: A B, n2: C", and what is lacking.
std::string cards_of(const std::string& log) {
  DiagnosisStore store;
  test::read(store, log);
  const auto found = store.find("ns", "p").value_or(Diagnosis{});
  std::string out;
  for (const NodeVerdict& node : found.nodes) {
    out += (out.empty() ? "" : ", ") + node.name + ':';
    for (const CardVerdict& card : node.cards) out += ' ' + card.name;
  }
  for (const std::string& lacks : found.lacks) out += " / " + lacks;
  return out;
}

// From 2.5 on, at -v=5, HAMi says it each time that it looks. If the beginning of a log is gone, nothing else says it.
TEST(Hami, WhereCardsAreIsLearntFromUpdatesToo) {
  std::string updated(kNode1);
  updated.replace(updated.find("added"), 5, "updated");
  EXPECT_EQ(cards_of(test::log_of({updated, kBegin, "Start to count dcu devices for container c",
                                   R"("CardNotHealth" pod="ns/p" device="B")",
                                   R"("NodeUnfitPod" pod="ns/p" node="n2" reason="1/1 CardNotHealth")",
                                   R"("NodeUnfitPod" pod="ns/p" node="n1" reason="1/2 CardNotHealth")"})),
            "n1: B, n2: / the nodes of the cards that do not fit (1 have none here): HAMi says which "
            "cards a node has "
            "when it first sees it");
}

TEST(Hami, VersionsSayTheReasonEachInItsWay) {
  const auto reason_of = [](std::string_view line) {
    const auto answer = answer_of({kBegin, "Start to count dcu devices for container a", line});
    return boost::json::parse(answer).at_pointer("/filter/nodes/0/containers/0/reason").as_string();
  };
  EXPECT_EQ(reason_of(R"("NodeUnfitPod" pod="ns/p" node="n1" reason="node:n1 resaon:2/2 NumaNotFit")"),
            "2/2 NumaNotFit")
      << "2.7.0";
  EXPECT_EQ(reason_of(R"("NodeUnfitPod" pod="ns/p" node="n1" reason="3/4 NumaNotFit, 1/4 CardNotHealth")"),
            "1/4 CardNotHealth, 3/4 NumaNotFit")
      << "2.8";
  EXPECT_EQ(reason_of(R"("NodeUnfitPod" pod="ns/p" node="n1" reason="Device type not found")"),
            "Device type not found");
}

// Up to 2.5 verdicts have no reasons. They are counted from the lines of the cards, as HAMi has counted them since.
TEST(Hami, OldVersionsReasonsAreCounted) {
  constexpr std::string_view kOldBegin = R"("begin schedule filter" pod="p" uuid="u" namespaces="ns")";
  constexpr std::string_view kCards =
      "node n1 device NVIDIA come node info=&{n1 [{A 0 10 40960 100 NVIDIA-T4 0 true} {B 1 10 40960 100 "
      "NVIDIA-T4 0 true}]} total=[]";
  constexpr std::string_view kNoMemory =
      R"("card Insufficient remaining memory" pod="ns/p" device index=0 device="A" device total memory=4 device used memory=3 request memory=2)";
  constexpr std::string_view kFails = R"("calcScore:node not fit pod" pod="ns/p" node="n1")";
  const auto failed = [](std::string_view reason) {
    return body("failed", "failed", "",
                R"({"name":"n1","status":"failed","score":0,"containers":[],"reason":")" +
                    std::string(reason) + "\"}");
  };
  EXPECT_EQ(
      answer_of({kCards, kOldBegin, R"("collect requestreqs" counts=[{"NVIDIA":{"Nums":1}}])", kNoMemory,
                 R"("card Insufficient remaining cores" pod="ns/p" device index=1 device="B")", kFails}),
      failed("1/2 CardInsufficientCore, 1/2 CardInsufficientMemory"));
  constexpr std::string_view kTooMany =
      R"("request devices nums cannot exceed the total number of devices on the node." pod="ns/p" request devices nums=3 node device nums=2)";
  EXPECT_EQ(answer_of({kCards, kOldBegin, kTooMany, kFails}), failed("NodeInsufficientDevice"));
  EXPECT_EQ(answer_of({kOldBegin, "All node scores do not meet for pod p"}),
            body("failed", "failed", "All node scores do not meet for pod p", ""));
}

// 2.5 scores several nodes at a time.
TEST(Hami, AReasonThatMayBeOfSeveralNodesIsNobodys) {
  constexpr std::string_view kOldBegin = R"("begin schedule filter" pod="p" uuid="u" namespaces="ns")";
  constexpr std::string_view kCards =
      "node n2 device NVIDIA come node info=&{n2 [{A 0 10 40960 100 NVIDIA-T4 0 true}]} total=[]";
  constexpr std::string_view kTooMany =
      R"("request devices nums cannot exceed the total number of devices on the node." pod="ns/p" request devices nums=3 node device nums=2)";
  constexpr std::string_view kNoMemory = R"("card Insufficient remaining memory" pod="ns/p" device="A")";
  const auto fails = [](std::string_view node) {
    return R"("calcScore:node not fit pod" pod="ns/p" node=")" + std::string(node) + '"';
  };
  const auto reasons_of = [](const std::string& answer) {
    std::string out;
    const auto parsed = boost::json::parse(answer);
    for (const auto& node : parsed.at_pointer("/filter/nodes").as_array())
      out += std::string(node.as_object().contains("reason") ? node.at("reason").as_string() : "-") + ' ';
    return out;
  };
  EXPECT_EQ(reasons_of(answer_of({kCards, kOldBegin, kTooMany, kNoMemory, fails("n2"), fails("n1")})),
            "NodeInsufficientDevice 1/1 CardInsufficientMemory ");
  // Below -v=5 no card is spoken of, so one of the two has a reason that is not in the log.
  EXPECT_EQ(reasons_of(answer_of({kCards, kOldBegin, kTooMany, fails("n2"), fails("n1")})), "- - ");
  EXPECT_EQ(reasons_of(answer_of({kCards, kOldBegin, kTooMany, fails("n2"), kTooMany, fails("n1")})),
            "NodeInsufficientDevice NodeInsufficientDevice ");
}

TEST(Hami, APodWithoutDevicesPasses) {
  EXPECT_EQ(answer_of({kBegin, R"("No device requests found" pod="ns/p")",
                       R"("Pod does not request any resources" pod="p")"}),
            body("pending", "passed", "No device requests found", ""));
  // Both are 2.5 to 2.9, the first at -v=1 and the second at -v=0.
  constexpr std::string_view kNone =
      R"("Event occurred" object="ns/p" kind="Pod" type="Warning" reason="FilteringFailed" message="does not request any resource")";
  const std::string passes = body("pending", "passed", "Pod does not request any resources", "");
  EXPECT_EQ(answer_of({kBegin, R"("Pod does not request any resources" pod="p")", kNone}), passes);
  EXPECT_EQ(answer_of({kBegin, kNone}), passes);
}

TEST(Hami, ANewAttemptBeginsAnew) {
  EXPECT_EQ(
      answer_of({kBegin, R"("NodeFitPod" pod="ns/p" node="n1" score=2)",
                 R"("Scheduling pod to node" podNamespace="ns" podName="p" nodeID="n1" devices={})",
                 R"("Attempting to bind pod to node" pod="p" namespace="ns" node="n1")",
                 R"("Failed to bind pod" err="timeout" pod="p" namespace="ns" node="n1")", kBegin,
                 R"("NodeUnfitPod" pod="ns/p" node="n2" reason="NodeInsufficientDevice")"}),
      body("failed", "failed", "",
           R"({"name":"n2","status":"failed","score":0,"containers":[],"reason":"NodeInsufficientDevice"})"));
}

// At -v=5 each card says why it does not do. Nothing is kept of an earlier container's cards.
TEST(Hami, EvidenceIsTheCards) {
  const auto card = [](std::string_view why, std::string_view id) {
    return '"' + std::string(why) + "\" pod=\"ns/p\" device=\"" + std::string(id) + '"';
  };
  const std::string answer = answer_of(
      {kNode1, kBegin, kTwo, card("CardNotHealth", "A"), kOneFits, card("CardCordoned", "A"),
       card("CardInsufficientCore", "B"),
       R"("NodeUnfitPod" pod="ns/p" node="n1" reason="1/2 CardCordoned, 1/2 CardInsufficientCore")"},
      "ns/p", true);
  EXPECT_NE(
      answer.find(
          R"("cards":[{"name":"A","reason":"CardCordoned"},{"name":"B","reason":"CardInsufficientCore"}])"),
      std::string::npos)
      << answer;
}

// Nobody has said where the cards are, but a node's verdict counts them.
TEST(Hami, CardsAreOfTheNodeWhoseVerdictCountsAllOfThem) {
  const auto card = [](std::string_view why, std::string_view id) {
    return test::log_of({'"' + std::string(why) + "\" pod=\"ns/p\" device=\"" + std::string(id) + '"'});
  };
  const auto fails = [](std::string_view node, std::string_view reason) {
    return test::log_of({"\"NodeUnfitPod\" pod=\"ns/p\" node=\"" + std::string(node) + "\" reason=\"" +
                         std::string(reason) + '"'});
  };
  const std::string begin = test::log_of({kBegin, "Start to count dcu devices for container c"});
  const std::string kind = fails("n1", "2/2 CardTypeMismatch");
  const std::string memory = fails("n2", "1/2 CardInsufficientMemory, 1/2 CardNotHealth");
  EXPECT_EQ(cards_of(begin + card("CardTypeMismatch", "A") + card("CardInsufficientMemory", "C") +
                     card("CardTypeMismatch", "B") + card("CardNotHealth", "D") + kind + memory),
            "n1: A B, n2: C D");
  const std::string other = fails("n2", "2/2 CardTypeMismatch");
  EXPECT_EQ(cards_of(begin + card("CardTypeMismatch", "A") + card("CardTypeMismatch", "B") + kind +
                     card("CardTypeMismatch", "C") + card("CardTypeMismatch", "D") + other),
            "n1: A B, n2: C D")
      << "one after the other";
  const std::string lacks =
      " / the nodes of the cards that do not fit (2 have none here): HAMi says which cards a node has "
      "when it first "
      "sees it";
  EXPECT_EQ(cards_of(begin + card("CardTypeMismatch", "A") + card("CardTypeMismatch", "C") +
                     card("CardTypeMismatch", "B") + card("CardTypeMismatch", "D") + kind + other),
            "n1:, n2:" + lacks)
      << "beside each other";
  // For this reason HAMi counts more cards than it names.
  EXPECT_EQ(cards_of(begin + card("NumaNotFit", "A") + card("NumaNotFit", "B") +
                     fails("n1", "2/2 NumaNotFit") + fails("n2", "2/2 NumaNotFit")),
            "n1:, n2:" + lacks);
}

// A line without a pod is about the pod whose filter runs. Between two filters it is about none.
TEST(Hami, WithoutAPodThereIsNobodyToSayItOf) {
  EXPECT_EQ(answer_of({"Start to count dcu devices for container a",
                       R"("No available nodes meet the required scores" pod="p")"}),
            "none");
  EXPECT_EQ(answer_of({kBegin, R"("No available nodes meet the required scores" pod="q")"}),
            body("pending", "", "", ""));
  EXPECT_EQ(answer_of({kBegin, R"("No available nodes meet the required scores" pod="p")",
                       R"("NodeFitPod" node="n1" score=1)"}),
            body("failed", "failed", "No available nodes meet the required scores", ""));
}

TEST(Hami, HostileTextIsText) {
  const std::string answer =
      answer_of({kBegin, R"("NodeUnfitPod" pod="ns/p" node="n\"1\x1b" reason="\xff\u2028</script>\n")"});
  boost::json::error_code error;
  const auto parsed = boost::json::parse(answer, error);
  ASSERT_FALSE(error) << answer;
  EXPECT_EQ(parsed.at_pointer("/filter/nodes/0/reason").as_string(), "\\xff\u2028</script>\n");
  for (const char* score : {"nan", "inf", "\"x\"", "1e999", "-"})
    EXPECT_NE(answer_of({kBegin, "\"NodeFitPod\" pod=\"ns/p\" node=\"n1\" score=" + std::string(score)})
                  .find(R"("score":0,)"),
              std::string::npos)
        << score;
}

}  // namespace
}  // namespace flowtap::diagnosis
