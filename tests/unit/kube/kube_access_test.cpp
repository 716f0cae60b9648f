// Whom Kubernetes lets read logs, asked of a server that speaks its JSON over TLS.
#include "kube/kube_access.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <future>

#include "tests/support/eventually.hpp"
#include "tests/support/files/temp_dir.hpp"
#include "tests/unit/kube/kube_stand_in.hpp"

namespace flowtap::kube {
namespace {

using namespace std::chrono_literals;

const std::string kAccount = "flowtapd's own token";

class KubeAccessTest : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(dir_ / "token") << kAccount << "\n";
    server_.emplace(dir_ / ".", kAccount);
    server_->set({.users = {{"anna's", "anna"}, {"bob's", "bob"}},
                  .may = {{"anna", "shop"}, {"bob", ""}},
                  .body = ""});
  }
  void start(KubeAccess::Limits limits = {}) {
    auto access = KubeAccess::start(options(), limits);
    ASSERT_TRUE(access) << access.error().what;
    access_ = std::move(*access);
  }
  [[nodiscard]] KubeOptions options() const {
    return {.server = server_->url(), .ca_file = server_->ca(), .token_file = dir_ / "token"};
  }
  Access ask(const std::string& token, const std::string& ns) {
    std::promise<void> answered;
    const Right right{.ns = ns};
    access_->ask(token, right, [&] { answered.set_value(); });
    answered.get_future().wait();
    return access_->known(token, right).value_or(Access::kUnknown);
  }

  test::TempDir dir_;
  std::optional<KubeStandIn> server_;
  std::unique_ptr<KubeAccess> access_;
};

TEST_F(KubeAccessTest, WhoMayReadWhichNamespace) {
  start();
  EXPECT_EQ(access_->known("anna's", {.ns = "shop"}), std::nullopt);
  EXPECT_EQ(ask("anna's", "shop"), Access::kYes);
  EXPECT_EQ(ask("anna's", "kube-system"), Access::kNo);
  EXPECT_EQ(ask("anna's", ""), Access::kNo);
  EXPECT_EQ(ask("bob's", ""), Access::kYes);
  EXPECT_EQ(ask("somebody's", "shop"), Access::kNobody);
  EXPECT_EQ(ask("", "shop"), Access::kNobody);
  EXPECT_TRUE(access_->health());
}

// Groups and what else a subject has decide in webhooks and RBAC: they go back as they came.
TEST_F(KubeAccessTest, TheSubjectIsAskedForWhole) {
  start();
  ASSERT_EQ(ask("anna's", "shop"), Access::kYes);
  const auto asked = server_->asked();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked.front().first, kTokenReviewPath);
  EXPECT_EQ(asked.back().first, kAccessReviewPath);
  EXPECT_EQ(asked.back().second.at("spec"), boost::json::parse(R"({
    "user": "anna", "uid": "uid-anna", "groups": ["system:authenticated"],
    "extra": {"example.org/scope": ["a", "b"]},
    "resourceAttributes": {"verb": "get", "version": "v1", "resource": "pods", "subresource": "log",
                           "namespace": "shop"}})"));
}

TEST_F(KubeAccessTest, AnswersAreKeptAndExpire) {
  start();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask("anna's", "shop"), Access::kYes);
  EXPECT_EQ(server_->asked().size(), 2U);
  EXPECT_EQ(ask("anna's", "jobs"), Access::kNo);
  EXPECT_EQ(server_->asked().size(), 3U) << "whose the token is was known";
  start({.kept = 200ms});
  auto begin = KubeAccess::Clock::now();
  const auto asked = [&] {
    begin = KubeAccess::Clock::now();
    return ask("anna's", "shop");  // unknown if it has expired before we look
  };
  EXPECT_TRUE(test::eventually([&] { return asked() == Access::kYes; }));
  server_->set({.users = {}, .may = {}, .body = ""});  // the token has expired
  EXPECT_TRUE(test::eventually([&] { return !access_->known("anna's", {.ns = "shop"}); }));
  EXPECT_GE(KubeAccess::Clock::now() - begin, 200ms);
  start();
  EXPECT_EQ(ask("anna's", "shop"), Access::kNobody);
}

TEST_F(KubeAccessTest, NobodyMayWhereItCannotBeAsked) {
  start();
  server_.reset();
  EXPECT_EQ(ask("bob's", "shop"), Access::kUnknown);
  ASSERT_FALSE(access_->health());
  EXPECT_NE(access_->health().error().what.find("cannot ask Kubernetes' API server at https://127.0.0.1:"),
            std::string::npos);
}

TEST_F(KubeAccessTest, ThatItCouldNotBeAskedIsNotTheStateOfHoursWhenNobodyAsks) {
  start({.kept_trouble = 300ms});
  server_.reset();
  EXPECT_EQ(ask("bob's", "shop"), Access::kUnknown);
  EXPECT_TRUE(test::eventually([&] { return access_->health().has_value(); })) << "by itself";
}

TEST_F(KubeAccessTest, AServerThatIsNotThereIsNotAskedByEach) {
  start({.kept_unknown = 1h});
  server_.reset();
  EXPECT_EQ(ask("bob's", "shop"), Access::kUnknown);
  ASSERT_FALSE(access_->health());
  const std::string said = access_->health().error().what;
  EXPECT_EQ(ask("anna's", "shop"), Access::kUnknown);
  ASSERT_FALSE(access_->health());
  EXPECT_EQ(access_->health().error().what, said);
}

TEST_F(KubeAccessTest, WhatIsNoAnswerIsNone) {
  for (const auto& [status, body] : std::vector<std::pair<unsigned, std::string>>{
           {201, "{}"},
           {201, "[]"},
           {201, "no JSON"},
           {201, R"({"kind":"TokenReview"})"},
           {201, R"({"kind":"TokenReview","status":{"authenticated":true}})"},
           {201, R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":""}}})"},
           {201, R"({"kind":"SubjectAccessReview","status":{"authenticated":true,"allowed":true}})"},
           {201, std::string(KubeServer::kMostAnswer + 1, ' ')},
           {302, R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":"anna"}}})"},
           {401, ""},
           {403, ""},
           {500, ""}}) {
    server_->set({.users = {}, .may = {}, .status = status, .body = body.empty() ? "{}" : body});
    start();
    EXPECT_EQ(ask("bob's", "shop"), Access::kUnknown) << status << " " << body.substr(0, 100);
    EXPECT_FALSE(access_->health());
  }
}

TEST_F(KubeAccessTest, OnlyWhoseCertificateIsVouchedForHearsTheTokens) {
  test::write_tls_pair(dir_ / "other.crt", dir_ / "other.key", "127.0.0.1");
  auto other = options();
  other.ca_file = dir_ / "other.crt";
  auto access = KubeAccess::start(other);
  ASSERT_TRUE(access);
  access_ = std::move(*access);
  EXPECT_EQ(ask("bob's", "shop"), Access::kUnknown);
  EXPECT_TRUE(server_->asked().empty());
  EXPECT_FALSE(KubeAccess::start({.server = "http://127.0.0.1:1"})) << "and no other way than TLS";
}

TEST_F(KubeAccessTest, TooManyQuestionsAreAnsweredAtOnce) {
  start({.waiting = 0});
  EXPECT_EQ(ask("bob's", "shop"), Access::kUnknown);
  EXPECT_TRUE(server_->asked().empty());
}

}  // namespace
}  // namespace flowtap::kube
