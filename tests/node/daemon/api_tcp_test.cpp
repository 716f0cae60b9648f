// The API over TCP, in a whole daemon.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/daemon/daemon.hpp"
#include "tests/support/net/http_client.hpp"
#include "tests/support/net/tls_pair.hpp"

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

// Whoever runs the node is told why nobody of the cluster gets in, and how often that was.
TEST(ApiOverTcp, SaysWhenKubernetesCannotBeAsked) {
  const ScratchRoot root;
  root.write("token", kToken + "\n");
  root.write("account", "of-flowtapd\n");
  root.write("ca.crt", "");
  ASSERT_EQ(::chmod(root.file("token").c_str(), 0600), 0);
  const std::uint16_t port = free_port();
  const std::string nobody = "https://127.0.0.1:1";  // a port that no test takes
  Daemon daemon(root, {.flags = {"--api-address", "127.0.0.1:" + std::to_string(port), "--cycle", "100ms"},
                       .config = "api:\n  token_file: " + root.file("token") + "\n  kubernetes_server: " +
                                 nobody + "\n  kubernetes_ca: " + root.file("ca.crt") +
                                 "\n  kubernetes_token: " + root.file("account") + "\n"});
  daemon.wait_ready();
  EXPECT_TRUE(daemon.component("api_tcp")->up) << "it was not asked yet";
  EXPECT_EQ(get_tcp(port, "/api/v1/flows", "Authorization: Bearer somebody-of-the-cluster").status, 503);
  EXPECT_TRUE(eventually([&] { return !daemon.component("api_tcp")->up; }));
  const std::string why = daemon.component("api_tcp")->detail;
  EXPECT_TRUE(why.starts_with("cannot ask Kubernetes' API server at " + nobody)) << why;
  EXPECT_TRUE(daemon.err().contains("api_tcp: " + why)) << daemon.err();
  EXPECT_EQ(get_tcp(port, "/healthz", "Authorization: Bearer " + kToken).status, 200)
      << "who is in the file gets in";
}

// Nobody gets in, or the next start cannot serve: whoever runs the node is told while it lasts.
TEST(ApiOverTcp, SaysThatItsFilesAreGoneOrBad) {
  const ScratchRoot root;
  const auto write_tokens = [&](const std::string& text) {
    root.write("token", text);
    ASSERT_EQ(::chmod(root.file("token").c_str(), 0600), 0);
  };
  write_tokens(kToken + "\n");
  write_tls_pair(root.file("cert"), root.file("key"), "localhost");
  Daemon daemon(root,
                {.flags = {"--api-address", "127.0.0.1:" + std::to_string(free_port()), "--cycle", "100ms"},
                 .config = "api:\n  token_file: " + root.file("token") + "\n  tls_certificate: " +
                           root.file("cert") + "\n  tls_key: " + root.file("key") + "\n"});
  daemon.wait_ready();
  const auto comes_to = [&](bool up, const std::string& says) {
    EXPECT_TRUE(eventually([&] {
      const auto now = daemon.component("api_tcp");
      return now && now->up == up && (up ? now->detail : now->detail + now->hint).contains(says);
    })) << says
        << ": " << daemon.component("api_tcp")->detail << "\n"
        << daemon.err();
  };
  comes_to(true, "https://");
  std::filesystem::remove(root.file("token"));
  comes_to(false, "nobody is let in: cannot read the API's tokens");
  write_tokens("short\n");
  comes_to(false, "are too short");
  write_tokens(kToken + "\n");
  comes_to(true, "https://");
  std::filesystem::rename(root.file("cert"), root.file("cert.away"));
  comes_to(false, "is gone");
  root.write("cert", "nonsense");
  comes_to(false, "cannot use the certificate");
  std::filesystem::rename(root.file("cert.away"), root.file("cert"));
  comes_to(true, "https://");
}

TEST(ApiOverTcp, IsMissingWhereItWouldNotBeSafe) {
  const ScratchRoot root;
  Daemon daemon(root, {.flags = {"--api-address", "127.0.0.1:0"}});
  daemon.wait_ready();
  const auto component = daemon.component("api_tcp");
  ASSERT_TRUE(component);
  EXPECT_FALSE(component->up);
  EXPECT_EQ(component->detail, "the API is served over TCP only to clients that have a token");
  EXPECT_EQ(component->hint,
            "name a file of tokens in api.token_file, or Kubernetes in api.kubernetes_server");
  EXPECT_EQ(get_unix(daemon.socket(), "/healthz").status, 200) << "that goes on";
}

}  // namespace
}  // namespace flowtap::test
