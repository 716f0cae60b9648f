// The API over TCP of the daemon as a whole.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/daemon.hpp"
#include "tests/support/http_client.hpp"

namespace flowtap::test {
namespace {

const std::string kToken = "a-token-that-nobody-guesses";

TEST(ApiOverTcp, IsServedToWhoHasAToken) {
  const ScratchRoot root;
  root.write("token", kToken + "\n");
  ASSERT_EQ(::chmod(root.file("token").c_str(), 0600), 0);
  const std::uint16_t port = free_port();
  const std::string address = "127.0.0.1:" + std::to_string(port);
  Daemon daemon(root, {.flags = {"--api-address", address},
                       .config = "api: {token_file: " + root.file("token") + "}\n"});
  daemon.wait_ready();
  EXPECT_EQ(daemon.component("api_tcp")->detail, "http://" + address);
  EXPECT_EQ(get_tcp(port, "/api/v1/status").status, 401);
  const auto answer = get_tcp(port, "/api/v1/status", "Authorization: Bearer " + kToken);
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.body.find("\"components\""), std::string::npos);
  daemon.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return daemon.err().contains("configuration reloaded"); }));
  EXPECT_EQ(daemon.component("api_tcp")->detail, "http://" + address);
  EXPECT_EQ(get_tcp(port, "/healthz", "Authorization: Bearer " + kToken).status, 200);
}

TEST(ApiOverTcp, IsMissingWhereItWouldNotBeSafe) {
  const ScratchRoot root;
  Daemon daemon(root, {.flags = {"--api-address", "127.0.0.1:0"}});
  daemon.wait_ready();
  const auto component = daemon.component("api_tcp");
  ASSERT_TRUE(component);
  EXPECT_FALSE(component->up);
  EXPECT_EQ(component->detail, "the API is served over TCP only to who has a token");
  EXPECT_EQ(component->hint,
            "name a file of tokens in api.token_file, or Kubernetes in api.kubernetes_server");
  EXPECT_EQ(get_unix(daemon.socket(), "/healthz").status, 200) << "that goes on";
}

}  // namespace
}  // namespace flowtap::test
