// What people read where Kubernetes cannot be asked, and how soon it is not asked any longer.
#include "kube/kube_server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "base/with_hint.hpp"
#include "kube/kube_access.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files/temp_dir.hpp"
#include "tests/support/net/sockets.hpp"
#include "tests/unit/kube/kube_stand_in.hpp"

namespace flowtap::kube {
namespace {

using namespace std::chrono_literals;

class KubeServerTest : public testing::Test {
 protected:
  void SetUp() override {
    write_token("account");
    stand_in_.emplace(dir_ / ".", "account");
    stand_in_->set({.users = {{"anna's", "anna"}}, .may = {}, .body = ""});
  }
  void write_token(const std::string& token) const { std::ofstream(dir_ / "token") << token << "\n"; }
  [[nodiscard]] KubeOptions options() const {
    return {.server = stand_in_->url(), .ca_file = stand_in_->ca(), .token_file = dir_ / "token"};
  }
  [[nodiscard]] static std::string why_not(const KubeOptions& options) {
    auto server = KubeServer::open(options);
    if (!server) return with_hint(server.error());
    const auto answer = server->post(kTokenReviewPath, token_review("anna's"));
    return answer ? "" : with_hint(answer.error());
  }

  test::TempDir dir_;
  std::optional<KubeStandIn> stand_in_;
};

TEST_F(KubeServerTest, EachReasonHasItsSentence) {
  EXPECT_EQ(why_not(options()), "");
  const std::string name = "Kubernetes' API server at " + stand_in_->url();
  test::write_tls_pair(dir_ / "other.crt", dir_ / "other.key", "127.0.0.1");
  auto stranger = options();
  stranger.ca_file = dir_ / "other.crt";
  EXPECT_EQ(why_not(stranger), "cannot ask " + name +
                                   ": its certificate is from an authority that flowtapd does not know (name "
                                   "the file of the authority that signed it in api.kubernetes_ca)");
  stranger.ca_file = dir_ / "none.crt";
  EXPECT_TRUE(why_not(stranger).starts_with("cannot ask " + name + ": cannot open "));
  auto nobody = options();
  nobody.server = "https://127.0.0.1:1";
  EXPECT_EQ(
      why_not(nobody),
      "cannot ask Kubernetes' API server at https://127.0.0.1:1: cannot connect to 127.0.0.1:1: Connection "
      "refused (see whether this node reaches it (curl -k https://127.0.0.1:1/readyz), or name another "
      "address in api.kubernetes_server)");
  stand_in_->set({.users = {}, .may = {}, .status = 403, .body = "{}"});
  EXPECT_EQ(why_not(options()),
            name +
                " answers 403 (flowtapd's service account has to be bound to the cluster role "
                "system:auth-delegator)");
}

TEST_F(KubeServerTest, ARenewedTokenIsUsed) {
  write_token("an old one");
  auto server = KubeServer::open(options());
  ASSERT_TRUE(server);
  EXPECT_FALSE(server->post(kTokenReviewPath, token_review("anna's")));
  write_token("account");
  const auto answer = server->post(kTokenReviewPath, token_review("anna's"));
  EXPECT_TRUE(answer) << answer.error().what;
}

// The one that ends flowtapd waits for the question that is being asked.
TEST_F(KubeServerTest, ThatItEndsEndsTheQuestionAtOnce) {
  const Fd silent = stats::test::bind_inet(SOCK_STREAM, 0);
  ASSERT_EQ(::listen(silent.get(), 8), 0);
  auto patient = options();
  patient.server = "https://127.0.0.1:" + std::to_string(stats::test::port_of(silent));
  patient.time = 10min;
  auto access = KubeAccess::start(patient);
  ASSERT_TRUE(access);
  (*access)->ask("anna's", {.ns = "shop"}, [] {});
  pollfd asked{silent.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&asked, 1, 60'000), 1);
  const auto begin = std::chrono::steady_clock::now();
  access->reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

}  // namespace
}  // namespace flowtap::kube
