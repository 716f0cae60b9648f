// Servers behind a proxy.
#include <gtest/gtest.h>

#include "tests/support/files/temp_dir.hpp"
#include "tests/support/net/tls_pair.hpp"
#include "tests/unit/http/outbound/asking.hpp"
#include "tests/unit/http/outbound/scripted_server.hpp"

namespace flowtap::http {
namespace {

const std::string kOpen = "HTTP/1.1 200 Connection established\r\n\r\n";

/// Connects to `port` of this machine, whatever name it is given.
ScriptedServer::Script tunnel_to(int port, std::string& asked, std::string answer = kOpen) {
  return [port, &asked, answer = std::move(answer)](Peer& peer) {
    asked = peer.read_request();
    const Fd there(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(there.get(), reinterpret_cast<const sockaddr*>(&at), sizeof(at)) != 0) return;
    if (peer.send(answer)) peer.join(there.get());
  };
}

class OutboundProxy : public testing::Test {
 protected:
  OutboundProxy() {
    test::write_tls_pair(dir_ / "crt", dir_ / "key", "store.test");
    tls_ = {dir_ / "crt", dir_ / "key"};
  }
  /// The name is for the proxy alone: nobody else could resolve it.
  [[nodiscard]] ClientOptions options(const ScriptedServer& proxy, const std::string& user = {}) const {
    ClientOptions options = options_for("https://store.test:9200/x");
    options.tls.ca = dir_ / "crt";
    options.proxy.for_https = options.proxy.for_http =
        "http://" + user + "127.0.0.1:" + std::to_string(proxy.port());
    return options;
  }
  static std::string named(const ScriptedServer& proxy) {
    return "the proxy http://127.0.0.1:" + std::to_string(proxy.port()) + ": ";
  }

  test::TempDir dir_;
  ServerTls tls_;
};

TEST_F(OutboundProxy, SeesOnlyWhereTheWayGoes) {
  std::string asked;
  std::string seen;
  ScriptedServer server(
      [&](Peer& peer) {
        for (std::string one; !(one = peer.read_request()).empty();) {
          seen = one;
          peer.send(kFine);
        }
      },
      &tls_);
  ScriptedServer proxy(tunnel_to(server.port(), asked));
  Asking asking(options(proxy, "me:s%40cret@"));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(asking.why_not({.target = "/push", .headers = {{"Authorization", "Bearer t"}}}), "");
  EXPECT_EQ(proxy.connections(), 1) << "one way is kept";
  EXPECT_EQ(asked,
            "CONNECT store.test:9200 HTTP/1.1\r\nHost: store.test:9200\r\n"
            "Proxy-Authorization: Basic bWU6c0BjcmV0\r\n\r\n");
  EXPECT_EQ(seen, "GET /x/push HTTP/1.1\r\nHost: store.test:9200\r\nAuthorization: Bearer t\r\n\r\n");
}

TEST_F(OutboundProxy, IsNotTrustedInPlaceOfTheServer) {
  std::string asked;
  test::write_tls_pair(dir_ / "other.crt", dir_ / "other.key", "store.test");
  const ServerTls other{dir_ / "other.crt", dir_ / "other.key"};
  ScriptedServer man_in_the_middle(always(kFine), &other);
  ScriptedServer proxy(tunnel_to(man_in_the_middle.port(), asked));
  EXPECT_TRUE(Asking(options(proxy)).why_not().starts_with("its certificate is from an authority that"));
}

TEST_F(OutboundProxy, ThatRefusesIsNamed) {
  for (const auto& [answer, says] : std::vector<std::pair<std::string, std::string>>{
           {"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 4\r\n\r\nauth",
            "it wants a user and a password (407) (name both in the proxy's URL, as "
            "http://USER:PASSWORD@HOST:PORT)"},
           {"HTTP/1.1 403 Forbidden\r\n\r\n",
            "it answers 403 when asked for a way to store.test:9200 (does the proxy allow this server? "
            "NO_PROXY "
            "lists those that are asked without it)"},
           {"SSH-2.0\r\n\r\n", "its answer is no HTTP: bad version"},
           {kOpen + "and more", "it says more than it was asked"},
           {"", "it ended the connection without an answer"}}) {
    ScriptedServer proxy([&](Peer& peer) {
      (void)peer.read_request();
      peer.send(answer);
    });
    EXPECT_EQ(Asking(options(proxy)).why_not(), named(proxy) + says);
  }
}

TEST_F(OutboundProxy, ThatIsNotThereIsNamed) {
  int port = 0;
  {
    const ScriptedServer gone(always(kFine));
    port = gone.port();
  }
  ClientOptions asked = options_for("https://store.test");
  asked.proxy.for_https = "127.0.0.1:" + std::to_string(port);
  const std::string at = "127.0.0.1:" + std::to_string(port);
  EXPECT_EQ(Asking(std::move(asked)).why_not(),
            "the proxy http://" + at + ": cannot connect to " + at + ": Connection refused");
}

TEST_F(OutboundProxy, ForwardsWhatIsNotEncrypted) {
  std::string seen;
  ScriptedServer proxy([&](Peer& peer) {
    seen = peer.read_request();
    peer.send(kFine);
  });
  ClientOptions asked = options(proxy, "me:pw@");
  asked.url = "http://store.test:9200/x";
  EXPECT_EQ(Asking(std::move(asked)).why_not({.target = "/push"}), "");
  EXPECT_EQ(
      seen,
      "GET http://store.test:9200/x/push HTTP/1.1\r\nHost: store.test:9200\r\nProxy-Authorization: Basic "
      "bWU6cHc=\r\n\r\n");
}

}  // namespace
}  // namespace flowtap::http
