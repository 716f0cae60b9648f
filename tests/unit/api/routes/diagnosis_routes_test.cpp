// Routes of the explain path.
#include "api/routes/diagnosis_routes.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "http/client/client.hpp"
#include "tests/unit/api/scripted_flows.hpp"
#include "tests/unit/api/scripted_node.hpp"

namespace flowtap::api {
namespace {

/// Two pods; the answers repeat the question.
class ScriptedDiagnoses : public DiagnosesView {
 public:
  std::size_t read = 1;
  std::uint64_t evicted = 0;

  [[nodiscard]] std::optional<std::string> schedulerlog(const std::string& ns, const std::string& pod,
                                                        bool evidence) override {
    if (ns != "shop" || pod != "web-0") return std::nullopt;
    return std::string(R"({"status":"failed","evidence":)") + (evidence ? "true}" : "false}");
  }
  [[nodiscard]] std::vector<DiagnosedPod> pods(const std::string& ns) const override {
    std::vector<DiagnosedPod> all{{"shop", "gone"}, {"shop", "web-0"}};
    if (ns.empty()) all.push_back({"a\"b\xff", "c"});
    return all;
  }
  [[nodiscard]] std::optional<DiagnosisEntry> entry(const DiagnosedPod& pod, bool answer) const override {
    if (pod.name == "gone") return std::nullopt;
    if (pod.name == "c") return DiagnosisEntry{"pending", answer ? long_ : ""};
    return DiagnosisEntry{"failed", answer ? R"({"status":"failed"})" : ""};
  }
  std::string long_ = "{}";
  [[nodiscard]] std::size_t logs() const override { return read; }
  [[nodiscard]] std::uint64_t made_room() const override { return evicted; }
};

class DiagnosisRoutes : public testing::Test {
 protected:
  DiagnosisRoutes() { node_.explained = &view_; }
  [[nodiscard]] Answer get(const std::string& target) const { return route({"GET", target}, node_); }
  /// The body of an answer that is made while it is sent, and how many pieces it has.
  [[nodiscard]] std::pair<std::string, int> body_of(const std::string& target) const {
    static constexpr std::size_t kLimit = 4096;
    const Answer answer = get(target);
    std::pair<std::string, int> body;
    if (!answer.stream) return {answer.body, 1};
    EXPECT_FALSE(answer.stream->follow);
    EXPECT_EQ(answer.stream->type, kJson);
    while (true) {
      const auto piece = answer.stream->reader->read(kLimit);
      EXPECT_TRUE(piece);
      EXPECT_LE(piece->bytes.size(), kLimit);
      EXPECT_NE(piece->end, piece->again) << "it waits for nothing";
      body.first += piece->bytes;
      ++body.second;
      if (piece->end) return body;
    }
  }

  ScriptedDiagnoses view_;
  ScriptedNode node_;
};

constexpr const char* kPod = "/api/v1/namespaces/shop/pods/web-0/schedulerlog";

TEST_F(DiagnosisRoutes, AnswersForAPod) {
  EXPECT_EQ(get(kPod).status, 200U);
  EXPECT_EQ(get(kPod).body, R"({"status":"failed","evidence":false})");
  EXPECT_EQ(get(std::string(kPod) + "?evidence=true").body, R"({"status":"failed","evidence":true})");
  EXPECT_EQ(get("/api/v1/namespaces/sh%6Fp/pods/web-0/schedulerlog").status, 200U);
}

TEST_F(DiagnosisRoutes, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(get(std::string(kPod) + "?evidense=true").status, 400U);
  EXPECT_EQ(get("/api/v1/schedulerlogs?namespace").status, 400U);
  EXPECT_EQ(route({"POST", kPod}, node_).status, 405U);
  const auto unknown = get("/api/v1/namespaces/shop/pods/web%2F..%2F0/schedulerlog");
  EXPECT_EQ(unknown.status, 404U);
  EXPECT_NE(unknown.body.find("was not seen on this node"), std::string::npos);
  EXPECT_NE(unknown.body.find("flowtap why"), std::string::npos);
}

TEST_F(DiagnosisRoutes, SaysWhereNoSchedulerIs) {
  view_.read = 0;
  EXPECT_NE(get("/api/v1/namespaces/shop/pods/x/schedulerlog").body.find("stream.schedulers"),
            std::string::npos);
  node_.explained = nullptr;
  const auto off = get(kPod);
  EXPECT_EQ(off.status, 503U);
  EXPECT_NE(off.body.find("the explain path is off"), std::string::npos);
  EXPECT_EQ(get("/api/v1/schedulerlogs").status, 503U);
}

TEST_F(DiagnosisRoutes, SaysThatAPodMayHaveMadeRoomAndWhatThereIsOfIt) {
  ScriptedFlows flows;
  node_.captured = &flows;
  const auto refused = [this] {
    return http::refusal({404, get("/api/v1/namespaces/shop/pods/x/schedulerlog").body});
  };
  EXPECT_EQ(refused().what, R"(the pod "shop/x" was not seen on this node by a scheduler)");
  view_.evicted = 7;
  EXPECT_EQ(
      refused().what,
      R"(the pod "shop/x" was not seen on this node by a scheduler, or it has made room for others, as 7 pods have)");
  EXPECT_TRUE(refused().hint.contains("flowtap logs sched/shop/x has what schedulers wrote of it"))
      << refused().hint;
  flows.list.resize(1);
  flows.list[0].kind = "pod";
  EXPECT_TRUE(refused().what.starts_with(
      R"(the pod "shop/x" is on this node, and no scheduler's log that is read here mentions it, or)"))
      << refused().what;
  flows.list[0].kind = "sched";
  EXPECT_EQ(
      refused().what,
      R"(nothing that explains the pod "shop/x" is known any more: it may have made room for others, as 7 pods have)");
  view_.evicted = 0;
  EXPECT_EQ(refused().what, R"(nothing that explains the pod "shop/x" is known)");
  EXPECT_EQ(refused().hint, "flowtap logs sched/shop/x has what schedulers wrote of it");
}

TEST_F(DiagnosisRoutes, ListsThePods) {
  const auto items = boost::json::parse(body_of("/api/v1/schedulerlogs").first).at("items");
  ASSERT_EQ(items.as_array().size(), 2U);
  EXPECT_EQ(boost::json::serialize(items.at(0)), R"({"namespace":"shop","name":"web-0","status":"failed"})");
  EXPECT_EQ(items.at(1).at("namespace"), "a\"b\\xff") << "JSON is UTF-8";
  const auto full = boost::json::parse(body_of("/api/v1/schedulerlogs?namespace=shop&diagnosis=true").first);
  ASSERT_EQ(full.at("items").as_array().size(), 1U);
  EXPECT_EQ(full.at("items").at(0).at("diagnosis").at("status"), "failed");
}

TEST_F(DiagnosisRoutes, AListOfAnyLengthComesInPieces) {
  constexpr std::size_t kLong = 100'000;
  view_.long_ = "[\"" + std::string(kLong, 'x') + "\"]";
  const auto [body, pieces] = body_of("/api/v1/schedulerlogs?diagnosis=true");
  EXPECT_GT(pieces, 16);
  const auto items = boost::json::parse(body).at("items");
  ASSERT_EQ(items.as_array().size(), 2U) << "who is gone meanwhile is left out";
  EXPECT_EQ(items.at(1).at("diagnosis").at(0).as_string().size(), kLong);
}

}  // namespace
}  // namespace flowtap::api
