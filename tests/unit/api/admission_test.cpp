// The API over TCP, with Kubernetes deciding who may read which logs.
#include "api/admission.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <future>

#include "tests/support/net/http_client.hpp"
#include "tests/unit/api/scripted_flows.hpp"
#include "tests/unit/http/server_fixture.hpp"
#include "tests/unit/kube/kube_stand_in.hpp"

namespace flowtap::api {
namespace {

constexpr const char* kOfAnna = "/api/v1/namespaces/shop/pods/web-1/log";
constexpr const char* kOfAll = "/api/v1/flows";

class AdmissionTest : public ServerTest {
 protected:
  AdmissionTest() {
    flows_.list = {full_flow()};
    flows_.add(full_flow().id)->append("2026-01-01T00:00:00.000000001Z begin\n");
    node_.captured = &flows_;
    std::ofstream(dir_ / "account") << "flowtapd's own";
    std::ofstream(dir_ / "tokens") << "a token of the file\n";
    ::chmod((dir_ / "tokens").c_str(), 0600);
    kube_.emplace(dir_ / ".", "flowtapd's own");
    kube_->set({.users = {{"anna's", "anna"}, {"bob's", "bob"}},
                .may = {{"anna", "shop"}, {"bob", ""}, {"bob", "shop"}},
                .body = ""});
  }
  void start_with(const std::string& tokens) {
    const http::TcpOptions tcp{.host = "127.0.0.1", .refusal = 1ms};
    const kube::KubeOptions kube{
        .server = kube_->url(), .ca_file = kube_->ca(), .token_file = dir_ / "account"};
    auto server =
        ApiServer::start({.socket_path = path(), .socket_group = "", .tcp = tcp}, node_, {tokens, kube});
    ASSERT_TRUE(server) << server.error().what;
    server_.emplace(std::move(*server));
    ASSERT_TRUE(*server_->tcp()) << server_->tcp()->error().what;
  }
  [[nodiscard]] test::HttpAnswer get(const std::string& target, const std::string& token) const {
    const std::string& url = **server_->tcp();
    return test::get_tcp(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))), target,
                         "Authorization: Bearer " + token);
  }

  ScriptedFlows flows_;
  std::optional<kube::KubeStandIn> kube_;
};

TEST_F(AdmissionTest, EachReadsWhatKubernetesLetsThemRead) {
  start_with("");
  EXPECT_EQ(get(kOfAnna, "anna's").status, 200);
  EXPECT_EQ(get("/api/v1/flows?namespace=shop", "anna's").status, 200);
  EXPECT_EQ(get(kOfAnna, "bob's").status, 200);
  EXPECT_EQ(get(kOfAll, "bob's").status, 200);
  const auto all = get(kOfAll, "anna's");
  EXPECT_EQ(all.status, 403);
  EXPECT_NE(all.body.find("may not get pods/log in all namespaces"), std::string::npos) << all.body;
  const auto other = get("/api/v1/namespaces/jobs/pods/web-1/log", "anna's");
  EXPECT_EQ(other.status, 403);
  EXPECT_NE(other.body.find("in the namespace jobs"), std::string::npos) << other.body;
  const auto nobody = get(kOfAnna, "eve's");
  EXPECT_EQ(nobody.status, 401);
  EXPECT_EQ(nobody.body, get("/nope", "eve's").body) << "whatever is asked for";
}

TEST_F(AdmissionTest, WhoIsRefusedLearnsNotWhatThereIs) {
  start_with("");
  const std::string gone = get("/api/v1/namespaces/jobs/pods/gone/log", "anna's").body;
  EXPECT_EQ(get("/api/v1/namespaces/jobs/pods/web-1/log", "anna's").body, gone);
}

// Many may read pods/log in all namespaces; that does not include the output of the host's own processes.
TEST_F(AdmissionTest, WhatIsOfTheHostIsForItsAdministrators) {
  start_with("");
  flows_.add(1, Outputs::kBoth)->end();
  const auto tap = get("/api/v1/processes/1/raw", "bob's");
  EXPECT_EQ(tap.status, 403);
  EXPECT_NE(tap.body.find("nodes/proxy"), std::string::npos) << tap.body;
  EXPECT_EQ(get("/api/v1/flows/unit%2Fkubelet.service/log", "bob's").status, 403);
  kube_->set({.users = {{"root's", "root"}}, .may = {{"root", "nodes/proxy"}}, .body = ""});
  EXPECT_EQ(get("/api/v1/processes/1/raw", "root's").status, 200);
}

TEST_F(AdmissionTest, WhatTellsOfNothingIsForWhoeverIsKnown) {
  start_with("");
  EXPECT_EQ(get("/healthz", "anna's").status, 200);
  EXPECT_EQ(get("/openapi.json", "anna's").status, 200);
  EXPECT_EQ(get("/healthz", "eve's").status, 401);
  EXPECT_EQ(get("/api/v1/status", "anna's").status, 403);
}

TEST_F(AdmissionTest, ATokenOfTheFileNeedsNobodysWord) {
  start_with(dir_ / "tokens");
  EXPECT_EQ(get(kOfAll, "a token of the file").status, 200);
  EXPECT_TRUE(kube_->asked().empty());
  EXPECT_EQ(get(kOfAnna, "anna's").status, 200);
}

TEST_F(AdmissionTest, WhereKubernetesCannotBeAskedNobodyGetsIn) {
  start_with(dir_ / "tokens");
  kube_.reset();
  const auto answer = get(kOfAnna, "anna's");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body.find("127.0.0.1"), std::string::npos)
      << "and how it is asked is nobody's: " << answer.body;
  EXPECT_EQ(get(kOfAll, "a token of the file").status, 200) << "and the file is still there";
}

TEST_F(AdmissionTest, ManyAskWhileOneIsAsked) {
  start_with("");
  std::vector<std::future<int>> all;
  for (int i = 0; i < 12; ++i)
    all.push_back(std::async(std::launch::async, [&, i] {
      return get(kOfAnna, i % 3 == 0 ? "anna's" : i % 3 == 1 ? "bob's" : "eve's").status;
    }));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].get(), i % 3 == 2 ? 401 : 200);
}

TEST_F(AdmissionTest, WithoutAnythingThatKnowsTokensNothingIsServed) {
  auto server = ApiServer::start(
      {.socket_path = path(), .socket_group = "", .tcp = http::TcpOptions{.host = "127.0.0.1"}}, node_);
  ASSERT_TRUE(server);
  ASSERT_FALSE(*server->tcp());
  EXPECT_NE(server->tcp()->error().hint.find("api.kubernetes_server"), std::string::npos);
}

}  // namespace
}  // namespace flowtap::api
