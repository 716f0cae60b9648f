// Whom a client trusts, who trusts it, and what it says where they do not.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/files/temp_dir.hpp"
#include "tests/support/net/tls_pair.hpp"
#include "tests/unit/http/outbound/asking.hpp"
#include "tests/unit/http/outbound/scripted_server.hpp"

namespace flowtap::http {
namespace {

using namespace std::chrono_literals;
using test::TlsPair;

class OutboundTls : public testing::Test {
 protected:
  void SetUp() override {
    authority_.write(file("ca.crt"), file("ca.key"));
    other_.write(file("other.crt"), file("other.key"));
    issue("server", {});
  }
  [[nodiscard]] std::string file(const std::string& name) const { return dir_ / name; }
  void issue(const std::string& name, const TlsPair::Kind& kind, const TlsPair* by = nullptr) const {
    TlsPair(kind, by != nullptr ? by : &authority_).write(file(name + ".crt"), file(name + ".key"));
  }
  [[nodiscard]] ServerTls with(const std::string& name, const std::string& client_ca = {}) const {
    return {file(name + ".crt"), file(name + ".key"), client_ca.empty() ? "" : file(client_ca)};
  }
  [[nodiscard]] ClientOptions options(const ScriptedServer& server) const {
    ClientOptions options = options_for(server.url());
    options.tls.ca = file("ca.crt");
    options.names = {.ca = "x.ca", .certificate = "x.certificate"};
    return options;
  }
  [[nodiscard]] std::string why_not(const ServerTls& tls, const TlsFiles& files = {}) const {
    ScriptedServer server(always(kFine), &tls);
    ClientOptions asked = options(server);
    asked.tls.certificate = files.certificate;
    asked.tls.key = files.key;
    if (!files.ca.empty()) asked.tls.ca = files.ca;
    return Asking(std::move(asked)).why_not();
  }
  /// Replaced by a rename, as kubelet does it.
  void replace(const std::string& old, const std::string& by) const {
    std::filesystem::copy_file(file(by), file("next"), std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(file("next"), file(old));
  }

  test::TempDir dir_;
  TlsPair authority_{{.name = "authority", .is_authority = true}};
  TlsPair other_{{.name = "other authority", .is_authority = true}};
};

TEST_F(OutboundTls, AServerThatIsTrustedIsAsked) {
  const ServerTls tls = with("server");
  ScriptedServer server(always(kFine), &tls);
  Asking asking(options(server));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(asking.why_not(), "");
  EXPECT_EQ(server.connections(), 1) << "with TLS, too, one is kept";
}

TEST_F(OutboundTls, EachWayInWhichAServerIsNotTrustedHasItsSentence) {
  EXPECT_EQ(
      why_not(with("server"), {.ca = file("other.crt")}),
      "its certificate is from an authority that flowtapd does not know (name the file of the authority that "
      "signed it in x.ca)");
  issue("self", {}, nullptr);
  TlsPair({}).write(file("self.crt"), file("self.key"));
  EXPECT_EQ(
      why_not(with("self")),
      "its certificate is from an authority that flowtapd does not know (name the file of the authority that "
      "signed it in x.ca)");
  issue("expired", {.from = -48h, .to = -24h});
  std::string why = why_not(with("expired"));
  EXPECT_TRUE(why.starts_with("its certificate expired on 2")) << why;
  EXPECT_TRUE(why.ends_with(" UTC (renew it, or set this node's clock if that is wrong)")) << why;
  issue("future", {.from = 24h, .to = 48h});
  why = why_not(with("future"));
  EXPECT_TRUE(why.starts_with("its certificate is valid only from 2")) << why;
  issue("named", {.name = "store.example.org"});
  EXPECT_EQ(why_not(with("named")),
            "its certificate is for store.example.org and not for 127.0.0.1 (ask for it by a name that its "
            "certificate has)");
  issue("address", {.name = "10.0.0.1"});
  EXPECT_EQ(
      why_not(with("address")),
      "its certificate is for 10.0.0.1 and not for 127.0.0.1 (ask for it by a name that its certificate "
      "has)");
}

TEST_F(OutboundTls, AnExpiredAuthorityIsNamedAsSuch) {
  const TlsPair old({.name = "old authority", .from = -48h, .to = -24h, .is_authority = true});
  old.write(file("old.crt"), file("old.key"));
  issue("of-old", {}, &old);
  const std::string why = why_not(with("of-old"), {.ca = file("old.crt")});
  EXPECT_TRUE(why.starts_with("the certificate of its authority expired on 2")) << why;
}

TEST_F(OutboundTls, ANameIsCheckedAsWellAsAnAddress) {
  issue("named", {.name = "store.example.org"});
  const ServerTls tls = with("named");
  ScriptedServer server(always(kFine), &tls);
  for (const auto& [name, is_trusted] :
       std::vector<std::pair<std::string, bool>>{{"store.example.org", true}, {"example.org", false}}) {
    ClientOptions asked = options(server);
    asked.url = server.url(name);
    asked.resolve = [](const std::string&) -> Result<std::vector<std::string>> {
      return std::vector<std::string>{"127.0.0.1"};
    };
    EXPECT_EQ(Asking(std::move(asked)).why_not().empty(), is_trusted) << name;
  }
}

TEST_F(OutboundTls, AServerMayWantToKnowWhoAsks) {
  issue("client", {.name = "client"});
  issue("expired", {.name = "client", .from = -48h, .to = -24h});
  TlsPair({.name = "client"}, &other_).write(file("stranger.crt"), file("stranger.key"));
  for (const int newest : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    ServerTls tls = with("server", "ca.crt");
    tls.newest = newest;
    EXPECT_EQ(why_not(tls, {.certificate = file("client.crt"), .key = file("client.key")}), "");
    EXPECT_EQ(why_not(tls, {.certificate = file("stranger.crt"), .key = file("stranger.key")}),
              "it refuses the client certificate in \"" + file("stranger.crt") +
                  "\": it is from an authority that the server does not know (name one that it accepts in "
                  "x.certificate)");
    EXPECT_EQ(why_not(tls, {.certificate = file("expired.crt"), .key = file("expired.key")}),
              "it refuses the client certificate in \"" + file("expired.crt") +
                  "\": it has expired (name one that it accepts in x.certificate)");
    const std::string why = why_not(tls);
    if (newest == TLS1_3_VERSION)
      EXPECT_EQ(why,
                "it wants a client certificate, and flowtapd has none for it (name one in x.certificate)");
    else
      EXPECT_TRUE(why.ends_with("with TLS 1.2 this may also mean that it wants a client certificate)"))
          << why;
  }
}

TEST_F(OutboundTls, ServersThatSpeakNoTlsOrAnOldOneAreToldApart) {
  ScriptedServer plain([](Peer& peer) {
    peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    peer.fall_silent();
  });
  ClientOptions asked = options(plain);
  asked.url = "https://127.0.0.1:" + std::to_string(plain.port());
  EXPECT_EQ(Asking(std::move(asked)).why_not(),
            "it does not speak TLS (does its URL begin with http:// or have another port?)");
  ScriptedServer shut([](Peer&) {});
  asked = options(shut);
  asked.url = "https://127.0.0.1:" + std::to_string(shut.port());
  const std::string why = Asking(std::move(asked)).why_not();
  EXPECT_TRUE(why.starts_with("it ended the connection in the TLS handshake")) << why;
  ServerTls old = with("server");
  old.newest = TLS1_1_VERSION;
  EXPECT_EQ(why_not(old), "it speaks only TLS older than 1.2 (let it speak TLS 1.2 or 1.3)");
}

// Without its end a body of no known length may be a part of one: somebody between the two can cut it.
// OpenSSL takes more from the socket than it hands on.
TEST_F(OutboundTls, AConnectionOnWhichTooMuchCameIsNotUsedAgain) {
  const ServerTls tls = with("server");
  ScriptedServer server(
      [](Peer& peer) {
        (void)peer.read_request();
        peer.send(kFine);
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong");
        (void)peer.read_request();
      },
      &tls);
  Asking asking(options(server));
  for (int i = 0; i < 20; ++i) {
    const auto answer = asking.ask();
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_EQ(answer->body, "fine");
    std::this_thread::sleep_for(5ms);  // the second one comes
  }
  EXPECT_EQ(server.connections(), 20);
}

TEST_F(OutboundTls, ABodyThatIsCutIsNoWholeOne) {
  const ServerTls tls = with("server");
  ScriptedServer server(
      [](Peer& peer) {
        (void)peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\n\r\nhalf");
      },
      &tls);
  EXPECT_EQ(Asking(options(server)).why_not(), "it ended the connection in the middle of its answer");
}

TEST_F(OutboundTls, ARenewedAuthorityIsReadAndKeptConnectionsEnd) {
  const ServerTls tls = with("server");
  ScriptedServer server(always(kFine), &tls);
  Asking asking(options(server));
  EXPECT_EQ(asking.why_not(), "");
  TlsPair({}, &other_).write(file("next-server.crt"), file("next-server.key"));
  server.use(with("next-server"));
  EXPECT_EQ(asking.why_not(), "") << "on the connection that it has";
  EXPECT_EQ(server.connections(), 1);
  replace("ca.crt", "other.crt");
  EXPECT_EQ(asking.why_not(), "") << "on another one";
  EXPECT_EQ(server.connections(), 2);
  server.use(tls);
  std::ofstream(file("ca.crt"), std::ios::app) << "\n";  // written in place
  EXPECT_NE(asking.why_not().find("an authority that flowtapd does not know"), std::string::npos);
}

TEST_F(OutboundTls, ARenewedClientCertificateIsUsed) {
  TlsPair({.name = "client"}, &other_).write(file("client.crt"), file("client.key"));
  issue("renewed", {.name = "client"});
  const ServerTls tls = with("server", "ca.crt");
  ScriptedServer server(always(kFine), &tls);
  ClientOptions asked = options(server);
  asked.tls.certificate = file("client.crt");
  asked.tls.key = file("client.key");
  Asking asking(std::move(asked));
  EXPECT_NE(asking.why_not().find("it refuses the client certificate"), std::string::npos);
  replace("client.crt", "renewed.crt");
  EXPECT_NE(asking.why_not().find("does not belong to the client certificate"), std::string::npos)
      << "only one of the two is there yet";
  replace("client.key", "renewed.key");
  EXPECT_EQ(asking.why_not(), "");
}

TEST_F(OutboundTls, FilesThatCannotBeUsedAreNamed) {
  const ServerTls tls = with("server");
  ScriptedServer server(always(kFine), &tls);
  ClientOptions asked = options(server);
  asked.tls.ca = file("mine.crt");
  Asking asking(std::move(asked));
  EXPECT_EQ(asking.why_not(),
            "cannot open " + file("mine.crt") + ": No such file or directory (x.ca has to name a PEM file)");
  for (const char* bad : {"", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}) {
    std::ofstream(file("mine.crt")) << bad;
    EXPECT_EQ(asking.why_not(), "the file of authorities \"" + file("mine.crt") +
                                    "\" has no certificate that can be used (x.ca has to name a PEM file)")
        << bad;
  }
  replace("mine.crt", "ca.crt");
  EXPECT_EQ(asking.why_not(), "");
  std::filesystem::remove(file("mine.crt"));
  EXPECT_NE(asking.why_not(), "") << "whoever takes it away means it";
}

}  // namespace
}  // namespace flowtap::http
