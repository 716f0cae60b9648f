// Which of a pod's containers fails on a node: HAMi does not say it, but it follows from what HAMi has given before.
#include <gtest/gtest.h>

#include <string>

#include "hami_kit.hpp"

namespace flowtap::diagnosis {
namespace {

using test::answer_of;
using test::body;
using namespace test::hami;

// The node of an allocation is known by its cards, and the container by the number of allocations.
TEST(HamiContainers, TheContainerThatFailedIsTheFirstThatGotNothing) {
  const auto names = {
      "Start to count dcu devices for container a", "Start to count mlu devices for container a",
      "Start to count dcu devices for container b", "Start to count dcu devices for container c"};
  std::string log = test::log_of({kNode1, kBegin});
  for (const char* name : names) log += test::log_of({name});
  const std::string fails =
      test::log_of({R"("NodeUnfitPod" pod="ns/p" node="n1" reason="2/2 CardInsufficientMemory")"});
  const std::string fits = test::log_of({kOneFits});
  const auto of = [&](const std::string& text) {
    DiagnosisStore store;
    test::read(store, text);
    return test::answer(store, "ns/p");
  };
  const auto failed = [](std::string_view containers) {
    return body(
        "failed", "failed", "",
        R"({"name":"n1","status":"failed","score":0,"containers":[)" + std::string(containers) + "]}");
  };
  EXPECT_EQ(of(log + test::log_of({kTwo}) + fails),
            failed(R"({"name":"a","status":"failed","reason":"2/2 CardInsufficientMemory"})"));
  EXPECT_EQ(of(log + test::log_of({kTwo}) + fits + fails),
            failed(R"({"name":"a","status":"passed"},{"name":"b","status":"passed"},)"
                   R"({"name":"c","status":"failed","reason":"2/2 CardInsufficientMemory"})"));
  // Nobody knows the node of these cards, so nothing is guessed. If only one container asks for devices, nothing has to be
  // guessed.
  const std::string unknown = test::log_of({kBegin, names.begin()[0], names.begin()[2], names.begin()[3]});
  EXPECT_EQ(
      of(unknown + test::log_of({kTwo}) + fits + fails),
      body(
          "failed", "failed", "",
          R"({"name":"n1","status":"failed","score":0,"containers":[],"reason":"2/2 CardInsufficientMemory"})"));
  EXPECT_EQ(
      of(unknown +
         test::log_of(
             {R"("Resource requirements collected" pod="ns/p" requests=[{},{"NVIDIA":{"Nums":1}},{}])"}) +
         fits + fails),
      failed(
          R"({"name":"a","status":"passed"},{"name":"b","status":"failed","reason":"2/2 CardInsufficientMemory"})"));
}

// The log has lost its beginning, where HAMi says which cards a node has.
TEST(HamiContainers, TheNodeOfAnAllocationIsThatOfItsLine) {
  constexpr std::string_view kBoth =
      R"("Resource requirements collected" pod="ns/p" requests=[{"NVIDIA":{"Nums":1}},{"NVIDIA":{"Nums":1}}])";
  constexpr std::string_view kFails =
      R"("NodeUnfitPod" pod="ns/p" node="n1" reason="1/2 CardInsufficientCore")";
  const auto containers = [&](std::string_view given) {
    const std::string answer =
        answer_of({kBegin, "Start to count dcu devices for container a",
                   "Start to count dcu devices for container b", kBoth, given, kFails});
    return boost::json::serialize(boost::json::parse(answer).at_pointer("/filter/nodes/0/containers"));
  };
  EXPECT_EQ(
      containers(
          R"("device allocate success" pod="ns/p" node="n1" allocate device={"NVIDIA":[{"UUID":"A"}]})"),
      R"([{"name":"a","status":"passed"},{"name":"b","status":"failed","reason":"1/2 CardInsufficientCore"}])")
      << "2.6";
  EXPECT_EQ(containers(R"("device allocate success" pod="ns/p" allocate device={"NVIDIA":[{"UUID":"A"}]})"),
            "[]");
}

// At -v=5 HAMi says what it has chosen, at -v=4 it says nothing.
TEST(HamiContainers, TheTopologyAwarePolicyAllocatesToo) {
  constexpr std::string_view kBoth =
      R"("Resource requirements collected" pod="ns/p" requests=[{"NVIDIA":{"Nums":2}},{"NVIDIA":{"Nums":1}}])";
  constexpr std::string_view kTries =
      R"("Allocating device for container request" pod="ns/p" card request={})";
  constexpr std::string_view kFails =
      R"("NodeUnfitPod" pod="ns/p" node="n1" reason="1/2 CardInsufficientCore")";
  const std::string log = test::log_of({kNode1, kBegin, "Start to count dcu devices for container a",
                                        "Start to count dcu devices for container b", kBoth});
  const auto failed = [](std::string_view containers) {
    return body("failed", "failed", "",
                R"({"name":"n1","status":"failed","score":0,"containers":[)" + std::string(containers) + "}");
  };
  const std::string first = failed(R"({"name":"a","status":"failed","reason":"1/2 CardInsufficientCore"}])");
  const std::string second = failed(
      R"({"name":"a","status":"passed"},{"name":"b","status":"failed","reason":"1/2 CardInsufficientCore"}])");
  const auto answer = [&](std::initializer_list<std::string_view> bodies) {
    DiagnosisStore store;
    test::read(store, log + test::log_of(bodies));
    return test::answer(store, "ns/p");
  };
  for (const char* given :
       {R"(best device combination={"NVIDIA":[{"Idx":0,"UUID":"A"},{"Idx":1,"UUID":"B"}]})",
        R"(worst device=[{"Idx":0,"UUID":"A"}])"}) {
    const std::string line = R"("device allocate success" pod="ns/p" )" + std::string(given);
    EXPECT_EQ(answer({kTries, line, kTries, kFails}), second) << given;
  }
  EXPECT_EQ(answer({kTries, kFails}), first);
  EXPECT_EQ(answer({kTries, kTries, kFails}), failed(R"(],"reason":"1/2 CardInsufficientCore")"))
      << "one of them has passed, and at -v=4 nobody says so";
  EXPECT_EQ(answer({R"("NodeUnfitPod" pod="ns/p" node="n0" reason="NodeInsufficientDevice")", kTries, kTries,
                    kFails})
                .find(R"({"name":"a")"),
            std::string::npos);
}

TEST(HamiContainers, WhereCardsAreIsLearntFromPodsThatGotThem) {
  EXPECT_EQ(
      answer_of({R"("Pod added" pod="ns/q" nodeID="n1" devices={"NVIDIA":[[{"Idx":1,"UUID":"B"}]]})", kBegin,
                 R"("Processing container resources" pod="ns/p" containerIndex=0 containerName="a")",
                 R"("Processing container resources" pod="ns/p" containerIndex=1 containerName="b")",
                 R"("Processing container resources" pod="ns/p" containerIndex=2 containerName="c")", kTwo,
                 kOneFits, R"("NodeUnfitPod" pod="ns/p" node="n1" reason="NodeInsufficientDevice")"}),
      body(
          "failed", "failed", "",
          R"({"name":"n1","status":"failed","score":0,"containers":[{"name":"a","status":"passed"},)"
          R"({"name":"b","status":"passed"},{"name":"c","status":"failed","reason":"NodeInsufficientDevice"}]})"));
}

TEST(HamiContainers, AnInitContainerFailsByItsIndex) {
  EXPECT_EQ(
      answer_of(
          {kBegin, R"("Processing init container resources" pod="ns/p" containerIndex=0 containerName="i")",
           R"("Processing init container resources" pod="ns/p" containerIndex=1 containerName="j")",
           R"("Processing container resources" pod="ns/p" containerIndex=0 containerName="a")",
           R"("Resource requirements collected" pod="ns/p" requests=[{"NVIDIA":{"Nums":1}},{"NVIDIA":{"Nums":1}},{}])",
           R"("Init container does not fit" pod="ns/p" node="n1" containerIndex=1 reason="1/1 CardNotHealth")",
           R"("No available nodes meet the required scores" pod="p")"}),
      body(
          "failed", "failed", "No available nodes meet the required scores",
          R"({"name":"n1","status":"failed","score":0,"containers":[{"name":"i","status":"passed"},{"name":"j","status":"failed","reason":"1/1 CardNotHealth"}]})"));
}

}  // namespace
}  // namespace flowtap::diagnosis
