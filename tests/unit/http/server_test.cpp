// The server over a real Unix socket: good clients, bad ones, slow ones, many.
#include "api/server.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "http/client/client.hpp"
#include "tests/unit/http/server_fixture.hpp"

namespace flowtap::api {
namespace {

std::string head_of(const std::string& answer) {
  return answer.substr(0, answer.find("\r\n"));
}

TEST_F(ServerTest, Serves) {
  start();
  const auto reply = fetch(path(), "/healthz");
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->status, 200U);
  EXPECT_EQ(reply->body, R"({"status":"ok"})");
  EXPECT_EQ(fetch(path(), "/nope")->status, 404U);
}

TEST_F(ServerTest, KeepsTheConnectionForFurtherRequests) {
  start();
  const std::string all = answer(
      "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /nope HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_NE(all.find("200 OK"), std::string::npos);
  EXPECT_NE(all.find("404 Not Found"), std::string::npos);
  EXPECT_NE(all.find(R"({"status":"ready"})"), std::string::npos);
}

TEST_F(ServerTest, HeadHasTheLengthAndNoBody) {
  start();
  const std::string all = answer("HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(head_of(all), "HTTP/1.1 200 OK");
  EXPECT_NE(all.find("Content-Length: 15\r\n"), std::string::npos);
  EXPECT_TRUE(all.ends_with("\r\n\r\n")) << all;
}

TEST_F(ServerTest, WrongMethodHasAllow) {
  start();
  const std::string all = answer("BREW /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(head_of(all), "HTTP/1.1 405 Method Not Allowed");
  EXPECT_NE(all.find("Allow: GET, HEAD\r\n"), std::string::npos);
}

TEST_F(ServerTest, WhatIsNotHttpIs400) {
  start();
  for (const std::string_view bytes :
       {"\x16\x03\x01 hello", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\r\n\r\n\r\n",
        "GET /\x01 HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET /healthz HT"}) {
    EXPECT_EQ(head_of(answer(bytes)), "HTTP/1.1 400 Bad Request") << bytes;
  }
  EXPECT_EQ(fetch(path(), "/healthz")->status, 200U);
}

TEST_F(ServerTest, TooLargeAHeaderIs431) {
  start();
  const std::string all = answer("GET /healthz HTTP/1.1\r\nX: " + std::string(500'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(head_of(all), "HTTP/1.1 431 Request Header Fields Too Large");
  EXPECT_NE(all.find(R"({"error":")"), std::string::npos);
}

TEST_F(ServerTest, TheHeaderHasALimitOfItsOwn) {
  start();
  const auto with_header = [this](std::size_t bytes) {
    return head_of(answer("GET /healthz HTTP/1.1\r\nX: " + std::string(bytes, 'x') + "\r\n\r\n"));
  };
  EXPECT_EQ(with_header(7'000), "HTTP/1.1 200 OK");
  EXPECT_EQ(with_header(9'000), "HTTP/1.1 431 Request Header Fields Too Large");
}

TEST_F(ServerTest, TooLargeABodyIs413) {
  start();
  EXPECT_EQ(
      head_of(answer("POST /healthz HTTP/1.1\r\nContent-Length: 500000\r\n\r\n" + std::string(500'000, 'x'))),
      "HTTP/1.1 413 Payload Too Large");
  EXPECT_EQ(head_of(answer("POST /healthz HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n8000\r\n" +
                           std::string(0x8000, 'x') + "\r\n0\r\n\r\n")),
            "HTTP/1.1 413 Payload Too Large");
}

// A server that waited for one of these clients would answer in an hour.
TEST_F(ServerTest, ASlowClientHoldsUpNobody) {
  start(1h);
  RawClient slow(path());
  slow.send("GET /healthz HT");
  RawClient deaf(path());  // it asks for more than the socket holds, and reads nothing
  for (int i = 0; i < 200; ++i) deaf.send("GET /api/v1/stats HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(fetch(path(), "/healthz")->status, 200U);
}

TEST_F(ServerTest, ASlowClientIsLetGo) {
  start(300ms);
  RawClient slow(path());
  slow.send("GET /healthz HT");
  EXPECT_EQ(slow.read_all(), "");
  EXPECT_TRUE(slow.closed_by_server());
}

TEST_F(ServerTest, ARequestByteByByteHasTheSameTimeAsOneAtOnce) {
  start(300ms);
  RawClient client(path());
  // The pauses are those of a slow sender, far shorter than the time that the server gives.
  while (client.send("x")) std::this_thread::sleep_for(20ms);
  EXPECT_EQ(client.read_all(), "") << "it was let go before its header was too large";
}

TEST_F(ServerTest, OneConnectionTooManyIsToldSo) {
  start(10s, 3);
  std::deque<RawClient> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.emplace_back(path());
    waiting.back().send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    waiting.back().read_all(200);  // it is served, so it has a seat
  }
  const auto refused = fetch(path(), "/healthz");
  ASSERT_TRUE(refused) << refused.error().what;
  EXPECT_EQ(refused->status, 503U);
  EXPECT_EQ(refusal(*refused).what, "too many connections are open");
  waiting.pop_front();
  unsigned status = 503;
  for (int i = 0; i < 100 && status == 503; ++i) status = fetch(path(), "/healthz")->status;
  EXPECT_EQ(status, 200U);
}

TEST_F(ServerTest, ManyClientsAtOnceAreAllServed) {
  start();
  std::atomic<int> served = 0;
  std::vector<std::thread> clients;
  clients.reserve(8);
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([this, &served] {
      for (int n = 0; n < 50; ++n) {
        const auto reply = fetch(path(), "/api/v1/status");
        if (reply && reply->status == 200) ++served;
      }
    });
  for (auto& client : clients) client.join();
  EXPECT_EQ(served, 400);
}

TEST_F(ServerTest, EndsAtOnceWithConnectionsOpen) {
  start(1h);
  RawClient idle(path());
  idle.send("GET /heal");
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(ServerTest, NobodyThereIsAnErrorWithItsErrno) {
  EXPECT_EQ(fetch(path(), "/healthz").error().code, ENOENT);
  {
    const Fd dead(::socket(AF_UNIX, SOCK_STREAM, 0));
  }
  EXPECT_FALSE(fetch("/" + std::string(200, 'x'), "/healthz"));
}

}  // namespace
}  // namespace flowtap::api
