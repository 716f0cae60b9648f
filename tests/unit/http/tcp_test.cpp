// The API over TCP: clients without a token, or without TLS, learn nothing.
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "tests/support/eventually.hpp"
#include "tests/support/files/reads_watch.hpp"
#include "tests/support/net/tls_pair.hpp"
#include "tests/unit/api/scripted_flows.hpp"
#include "tests/unit/http/tcp_fixture.hpp"

namespace flowtap::api {
namespace {

TEST_F(TcpTest, ServesWhoHasAToken) {
  start_tcp();
  EXPECT_TRUE(server_->tcp()->value().starts_with("http://127.0.0.1:"));
  EXPECT_EQ(status_of("Bearer " + kToken), "200");
  EXPECT_EQ(status_of("bearer  " + kToken + " "), "200") << "RFC 9110";
  for (const std::string& wrong :
       {std::string(), std::string("Bearer"), std::string("Bearer "), "Bearer " + kToken + "x",
        "Bearer " + kToken.substr(1), "Basic " + kToken, kToken, std::string("Bearer # of the tests"),
        "Bearer " + std::string(4000, 'a')})
    EXPECT_EQ(status_of(wrong), "401") << wrong;
}

// The answer is the same for every request.
TEST_F(TcpTest, WhoIsRefusedLearnsNothing) {
  start_tcp();
  std::set<std::string> answers;
  for (const char* target :
       {"/healthz", "/nope", "/api/v1/flows/x/log", "/api/v1/namespaces/a/pods/b/log", "/%zz"})
    for (const char* method : {"GET", "POST", "BREW"})
      answers.insert(ask(request(target, "Bearer wrong", method)));
  const std::string large(20'000, 'x');
  for (const std::string& unreadable :
       {std::string("\x16\x03\x01 hello"), std::string("GET /\x01 HTTP/1.1\r\n\r\n"),
        "GET /healthz HTTP/1.1\r\nX: " + large + "\r\n\r\n",
        std::string("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: 500000000\r\n\r\n"),
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n8000\r\n" + large,
        std::string("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nno number\r\n")})
    answers.insert(ask(unreadable));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(answers.begin()->starts_with("HTTP/1.1 401 Unauthorized\r\n"));
  EXPECT_NE(answers.begin()->find("WWW-Authenticate: Bearer"), std::string::npos);
  EXPECT_NE(answers.begin()->find("api.token_file"), std::string::npos) << "and what to do";
}

TEST_F(TcpTest, WhoHasATokenIsToldWhatIsWrong) {
  start_tcp();
  const std::string token = "Authorization: Bearer " + kToken + "\r\n";
  const auto status = [&](const std::string& bytes) { return ask(bytes).substr(9, 3); };
  EXPECT_EQ(status("POST / HTTP/1.1\r\n" + token + "Content-Length: 500000000\r\n\r\n"), "413");
  EXPECT_EQ(status("POST / HTTP/1.1\r\n" + token + "Transfer-Encoding: chunked\r\n\r\nno number\r\n"), "400");
  const std::string first = "GET /healthz HTTP/1.1\r\n" + token + "\r\n";
  EXPECT_TRUE(ask(first + "GET\r\n\r\n").contains("HTTP/1.1 400 Bad Request"));
  EXPECT_TRUE(ask(first + "GET / HTTP/1.1\r\nX: " + std::string(9'000, 'x') + "\r\n\r\n")
                  .contains("HTTP/1.1 431 Request Header"));
}

// Without a token, an address gets a quarter of the places, but at least 4, as here.
TEST_F(TcpTest, WhoHasNoTokenHoldsAPartOfThePlaces) {
  start_tcp({.max_connections = 12});
  const std::string good = "GET /healthz HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + kToken + "\r\n\r\n";
  std::deque<Client> silent;
  for (int i = 0; i < 4; ++i) silent.emplace_back(endpoint()).send("GET /healthz HT");
  Client refused(endpoint());
  refused.send(good);
  const std::string answer = refused.read_all();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 429 Too Many Requests\r\n")) << answer;
  EXPECT_TRUE(answer.contains(R"("hint":"send the request when you connect)")) << answer;
  Client other(endpoint(), "127.0.0.2");
  other.send(good);
  EXPECT_TRUE(other.read_head().starts_with("HTTP/1.1 200")) << "another address has places of its own";
  // A connection that has shown a token holds none of these places, and goes on.
  for (Client& one : silent) {
    one.send("TP/1.1\r\nAuthorization: Bearer " + kToken + "\r\n\r\n");
    EXPECT_TRUE(one.read_head().starts_with("HTTP/1.1 200"));
  }
  Client again(endpoint());
  again.send(good);
  EXPECT_TRUE(again.read_head().starts_with("HTTP/1.1 200"));
}

// An address gets half of the places, even with a token, and also half of the followers' places.
TEST_F(TcpTest, OneAddressLeavesPlacesForTheOthers) {
  ScriptedFlows flows;
  const auto flow = flows.add("f");
  node_.captured = &flows;
  start_tcp({.max_connections = 12}, 2);
  const std::string token = "Authorization: Bearer " + kToken + "\r\n";
  const std::string good = "GET /healthz HTTP/1.1\r\nHost: a\r\n" + token + "\r\n";
  const std::string follow = "GET /api/v1/flows/f/raw?follow=true HTTP/1.1\r\nHost: a\r\n" + token + "\r\n";
  std::deque<Client> open;
  for (int i = 0; i < 6; ++i) {
    open.emplace_back(endpoint()).send(good);
    ASSERT_TRUE(open.back().read_head().starts_with("HTTP/1.1 200")) << i;
  }
  Client refused(endpoint());
  refused.send(good);
  const std::string answer = refused.read_all();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 429 Too Many Requests\r\n")) << answer;
  EXPECT_TRUE(answer.contains("this address has as many connections open as it may")) << answer;
  Client other(endpoint(), "127.0.0.2");
  other.send(good);
  EXPECT_TRUE(other.read_head().starts_with("HTTP/1.1 200")) << "another address has places of its own";
  open.front().send(follow);
  EXPECT_TRUE(open.front().read_head().contains("HTTP/1.1 200"));
  Client instead(endpoint());
  instead.send(good);
  EXPECT_TRUE(instead.read_head().starts_with("HTTP/1.1 200")) << "who follows has another place";
  open.back().send(follow);
  const std::string second = open.back().read_head();
  EXPECT_TRUE(second.contains("HTTP/1.1 429")) << second << "of which the others have half, too";
  other.send(follow);
  EXPECT_TRUE(other.read_head().contains("HTTP/1.1 200"));
  server_.reset();  // before the flow
}

TEST_F(TcpTest, EachAnswerIsCountedByItsStatus) {
  start_tcp();
  EXPECT_EQ(status_of("Bearer " + kToken), "200");
  EXPECT_EQ(status_of("Bearer " + kToken), "200");
  EXPECT_EQ(status_of("Bearer none-of-the-tokens"), "401");
  EXPECT_TRUE(
      ask("GET /nowhere HTTP/1.1\r\nAuthorization: Bearer " + kToken + "\r\nConnection: close\r\n\r\n")
          .starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(answer("GET /healthz HTTP/1.0\r\n\r\n").contains("200 OK"));
  const auto told = [](const AnswerCounts& counts) {
    std::map<unsigned, std::uint64_t> all;
    counts.each([&all](unsigned status, std::uint64_t count) { all[status] = count; });
    return all;
  };
  EXPECT_EQ(told(counts_->tcp), (std::map<unsigned, std::uint64_t>{{200, 2}, {401, 1}, {404, 1}}));
  EXPECT_EQ(told(counts_->unix_socket), (std::map<unsigned, std::uint64_t>{{200, 1}}));
}

TEST_F(TcpTest, WhoShowsNoTokenHasLittleTime) {
  start_tcp({.greeting = 100ms});
  const std::string good = "GET /healthz HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + kToken + "\r\n\r\n";
  std::optional<Client> known;
  EXPECT_TRUE(test::eventually([&] {  // on a busy machine the first ones may be too slow themselves
    known.emplace(endpoint());
    known->send(good);
    return known->read_head().starts_with("HTTP/1.1 200");
  }));
  Client silent(endpoint());
  Client slow(endpoint());
  slow.send("GET /healthz HT");
  EXPECT_EQ(silent.read_all(), "");
  EXPECT_EQ(slow.read_all(), "");
  known->send(good);
  EXPECT_TRUE(known->read_head().contains("HTTP/1.1 200")) << "who has shown one has the time of others";
}

// One request a second, and two at once: however long this takes, some of a hundred are too many.
TEST_F(TcpTest, WhoAsksTooOftenIsToldToWait) {
  start_tcp({.rate = 1});
  const std::string good = "GET /healthz HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + kToken + "\r\n\r\n";
  std::string many;
  for (int i = 0; i < 99; ++i) many += good;
  const std::string all = ask(many + request("/healthz", "Bearer " + kToken));
  EXPECT_TRUE(all.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(all.contains("HTTP/1.1 429 Too Many Requests\r\n"));
  EXPECT_TRUE(all.contains("\r\nRetry-After: 1\r\n"));
  EXPECT_TRUE(all.contains(R"({"error":"this address asks more often than it may","hint":"wait for)"));
  std::size_t answers = 0;
  for (std::size_t at = all.find("HTTP/1.1 "); at != std::string::npos; at = all.find("HTTP/1.1 ", at + 1))
    ++answers;
  EXPECT_EQ(answers, 100U) << "the connection goes on";
  Client other(endpoint(), "127.0.0.2");
  other.send(good);
  EXPECT_TRUE(other.read_head().starts_with("HTTP/1.1 200")) << "another address has a rate of its own";
  EXPECT_TRUE(answer("GET /healthz HTTP/1.0\r\n\r\n").contains("200 OK")) << "and so has the Unix socket";
}

TEST_F(TcpTest, WhoGuessesTokensIsToldToWaitSoonWhateverTheConnection) {
  start_tcp({.rate = 10});
  std::map<std::string, int> statuses;
  for (int i = 0; i < 30; ++i) ++statuses[status_of("Bearer a-token-that-is-a-guess-" + std::to_string(i))];
  EXPECT_GE(statuses["401"], 1);
  EXPECT_GE(statuses["429"], 1);
  EXPECT_EQ(statuses["401"] + statuses["429"], 30);
}

TEST_F(TcpTest, ARefusalTakesItsTime) {
  refusal_ = 300ms;
  start_tcp();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(status_of("Bearer wrong"), "401");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, refusal_);
}

TEST_F(TcpTest, EachRequestOfAConnectionHasItsToken) {
  start_tcp();
  const std::string first =
      "GET /healthz HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + kToken + "\r\n\r\n";
  const std::string all = ask(first + request("/api/v1/status", ""));
  EXPECT_NE(all.find("200 OK"), std::string::npos);
  EXPECT_NE(all.find("401 Unauthorized"), std::string::npos);
  EXPECT_EQ(all.find("uptime"), std::string::npos);
}

TEST_F(TcpTest, TokensAreReplacedWithoutARestart) {
  start_tcp();
  EXPECT_EQ(status_of("Bearer " + kToken), "200");
  const auto becomes = [&](const std::string& token, const std::string& status) {
    return test::eventually([&] { return status_of("Bearer " + token) == status; });
  };
  write_tokens("another-token-of-some-length\n");
  EXPECT_TRUE(becomes("another-token-of-some-length", "200"));
  EXPECT_EQ(status_of("Bearer " + kToken), "401");
  write_tokens("short\n");
  const test::ReadsWatch read(tokens());
  EXPECT_TRUE(test::eventually([&] {
    EXPECT_EQ(status_of("Bearer another-token-of-some-length"), "200") << "what is no list changes nothing";
    return read.was_read() || HasFailure();
  }));
  std::filesystem::remove(tokens());
  EXPECT_TRUE(becomes("another-token-of-some-length", "401")) << "what is gone lets nobody in";
}

TEST_F(TcpTest, IsNotServedWhereItWouldNotBeSafe) {
  const auto refusal = [&](TcpOptions options, const std::string& token_file = {}) {
    start_tcp(std::move(options), 256, token_file);
    EXPECT_FALSE(*server_->tcp());
    EXPECT_TRUE(answer("GET /healthz HTTP/1.0\r\n\r\n").contains("200 OK")) << "the Unix socket goes on";
    return *server_->tcp() ? std::string() : why_not();
  };
  EXPECT_EQ(refusal({.host = "0.0.0.0"}), "the API is served beyond this machine only over TLS");
  EXPECT_EQ(refusal({.host = "::"}), "the API is served beyond this machine only over TLS");
  EXPECT_EQ(refusal({.host = "localhost"}), "\"localhost\" is not a numeric address");
  EXPECT_TRUE(refusal({.host = "127.0.0.1"}, dir_ / "none").starts_with("cannot read the API's tokens"));
  const auto refused_file = [&](const std::string& text, mode_t mode) {
    write_tokens(text, mode);
    return refusal({.host = "127.0.0.1"}, tokens());
  };
  EXPECT_NE(refused_file(kToken, 0644).find("can be read by everybody"), std::string::npos);
  EXPECT_NE(refused_file("short\n", 0600).find("are too short"), std::string::npos);
  EXPECT_NE(refused_file("# nothing\n\n", 0600).find("there are no tokens in"), std::string::npos);
  test::write_tls_pair(dir_ / "cert", dir_ / "key", "a");
  test::write_tls_pair(dir_ / "cert2", dir_ / "key2", "b");
  EXPECT_NE(refusal({.host = "127.0.0.1", .tls_certificate = dir_ / "cert", .tls_key = dir_ / "key2"})
                .find("cannot use the key"),
            std::string::npos);
  EXPECT_NE(refusal({.host = "127.0.0.1", .tls_certificate = tokens(), .tls_key = dir_ / "key"})
                .find("cannot use the certificate"),
            std::string::npos);
}

TEST_F(TcpTest, OverTls) {
  test::write_tls_pair(dir_ / "cert", dir_ / "key", "flowtap");
  start_tcp({.host = "0.0.0.0", .tls_certificate = dir_ / "cert", .tls_key = dir_ / "key"});
  ASSERT_TRUE(*server_->tcp()) << why_not();
  EXPECT_TRUE(server_->tcp()->value().starts_with("https://0.0.0.0:"));
  const std::string with_token = request("/healthz", "Bearer " + kToken);
  EXPECT_TRUE(ask_tls(with_token, dir_ / "cert").starts_with("HTTP/1.1 200 OK"));
  EXPECT_TRUE(ask_tls(request("/healthz", ""), dir_ / "cert").starts_with("HTTP/1.1 401"));
  EXPECT_FALSE(ask(with_token).contains("200 OK")) << "not without TLS";
  // The next connection gets the next certificate.
  test::write_tls_pair(dir_ / "next", dir_ / "next.key", "flowtap");
  std::filesystem::rename(dir_ / "next.key", dir_ / "key");
  std::filesystem::copy_file(dir_ / "next", dir_ / "cert", std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(
      test::eventually([&] { return ask_tls(with_token, dir_ / "next").starts_with("HTTP/1.1 200 OK"); }));
}

}  // namespace
}  // namespace flowtap::api
