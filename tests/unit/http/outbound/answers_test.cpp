// What a server is sent, and what comes of its answers, good ones and bad ones.
#include <gtest/gtest.h>

#include "tests/unit/http/outbound/asking.hpp"
#include "tests/unit/http/outbound/scripted_server.hpp"

namespace flowtap::http {
namespace {

using namespace std::chrono_literals;

const std::string kEndless = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST(OutboundAnswers, ARequestArrivesAsItIsMeant) {
  std::string seen;
  ScriptedServer server([&](Peer& peer) {
    seen = peer.read_request();
    peer.send("HTTP/1.1 429 Slow Down\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno");
  });
  Asking asking(options_for(server.url() + "/base/"));
  const auto answer = asking.ask({.method = "POST",
                                  .target = "/push?x=1",
                                  .headers = {{"Content-Encoding", "gzip"}, {"X-Scope-OrgID", "a"}},
                                  .body = std::string("a\0b", 3)});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(seen, "POST /base/push?x=1 HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                      "\r\nContent-Encoding: gzip\r\nX-Scope-OrgID: a\r\nContent-Length: 3\r\n\r\n" +
                      std::string("a\0b", 3));
  EXPECT_EQ(answer->status, 429U);
  EXPECT_EQ(answer->body, "no");
  EXPECT_EQ(answer->header("retry-after"), "7");
  EXPECT_EQ(answer->header("x-other"), std::nullopt);
}

TEST(OutboundAnswers, NothingOfARequestBecomesAnotherHeader) {
  ScriptedServer server(always(kFine));
  Asking asking(options_for(server.url()));
  for (const ClientRequest& bad :
       std::vector<ClientRequest>{{.target = "/ HTTP/1.1\r\nA: b"},
                                  {.target = ""},
                                  {.method = "GET /", .target = "/"},
                                  {.target = "/", .headers = {{"Authorization", "Bearer a\r\nX: y"}}},
                                  {.target = "/", .headers = {{"Authorization", "Bearer a\nX: y"}}},
                                  {.target = "/", .headers = {{"X: y\r\nZ", "a"}}}})
    EXPECT_NE(asking.why_not(bad).find("has an invalid character"), std::string::npos) << bad.target;
  EXPECT_EQ(server.connections(), 0);
}

// Many in flight at a time, each with its own answer, and asked from within an answer.
TEST(OutboundAnswers, ManyRequestsShareALoop) {
  ScriptedServer server([](Peer& peer) {
    for (std::string asked; !(asked = peer.read_request()).empty();) {
      const std::string path = asked.substr(4, asked.find(" HTTP") - 4);
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(path.size()) + "\r\n\r\n" + path);
    }
  });
  Asking asking(options_for(server.url()));
  int right = 0;
  const auto ask = [&](const std::string& path, auto&& next) {
    asking.client().ask({.target = path}, [&right, path, next](Result<ClientResponse> answer) {
      right += answer && answer->body == path ? 1 : 0;
      next();
    });
  };
  for (int i = 0; i < 10; ++i) {
    const std::string path = "/" + std::to_string(i);
    ask(path, [&ask, path] { ask(path + "/again", [] {}); });
  }
  asking.loop().run();
  EXPECT_EQ(right, 20);
}

struct Answer {
  const char* about;
  std::string bytes;
  unsigned status;
  std::string body;
  std::string method = "GET";
};

TEST(OutboundAnswers, EachFormOfABodyIsRead) {
  for (const Answer& one : std::vector<Answer>{
           {"length", kFine, 200, "fine"},
           {"chunks", kEndless + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n", 200, "abcde"},
           {"until the end", "HTTP/1.1 200 OK\r\n\r\nall", 200, "all"},
           {"old", "HTTP/1.0 500 No\r\n\r\nall", 500, "all"},
           {"none", "HTTP/1.1 204 No Content\r\n\r\n", 204, ""},
           {"head", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", 200, "", "HEAD"},
           {"interim", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + kFine, 200,
            "fine"},
           {"nonsense that is HTTP", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n\x01\xff{", 200,
            "\x01\xff{"},
           {"redirection", "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", 302, ""}}) {
    ScriptedServer server([&](Peer& peer) {
      (void)peer.read_request();
      peer.send(one.bytes);
    });
    Asking asking(options_for(server.url()));
    const auto answer = asking.ask({.method = one.method, .target = "/"});
    ASSERT_TRUE(answer) << one.about << ": " << answer.error().what;
    EXPECT_EQ(answer->status, one.status) << one.about;
    EXPECT_EQ(answer->body, one.body) << one.about;
  }
}

void drip(const Peer& peer, const std::string& bytes) {
  for (const char c : bytes) {
    if (!peer.send({&c, 1})) return;
    std::this_thread::sleep_for(20ms);
  }
}

struct Fault {
  const char* about;
  ScriptedServer::Script script;
  std::string says;
};

TEST(OutboundAnswers, EachFaultHasItsSentence) {
  const auto says = [](std::string bytes) {
    return [bytes = std::move(bytes)](Peer& peer) {
      (void)peer.read_request();
      peer.send(bytes);
    };
  };
  const auto for_ever = [](std::string first, std::string again) {
    return [first = std::move(first), again = std::move(again)](Peer& peer) {
      (void)peer.read_request();
      if (!peer.send(first)) return;
      while (peer.send(again)) continue;
    };
  };
  for (const Fault& one : std::vector<Fault>{
           {"end", says(""), "it ended the connection without an answer"},
           {"reset",
            [](Peer& peer) {
              (void)peer.read_request();
              peer.reset();
            },
            "it ended the connection without an answer"},
           {"half a head", says("HTTP/1.1 200 O"), "it ended the connection in the middle of its answer"},
           {"half a body", says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
            "it ended the connection in the middle of its answer"},
           {"half of the chunks", says(kEndless + "4\r\nhalf\r\n"),
            "it ended the connection in the middle of its answer"},
           {"no HTTP", says("SSH-2.0-OpenSSH_9.2\r\n"), "its answer is no HTTP: bad version"},
           {"no status", says("HTTP/1.1 2x0 OK\r\n\r\n"), "its answer is no HTTP: bad status"},
           {"two lengths", says("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nfine"),
            "its answer is no HTTP: multiple Content-Length"},
           {"no chunk", says(kEndless + "xyz\r\n"), "its answer is no HTTP: bad chunk"},
           {"endless headers", for_ever("HTTP/1.1 200 OK\r\n", "X-Again: and again\r\n"),
            "its answer has more than 2,048 bytes of headers"},
           {"endless header", for_ever("HTTP/1.1 200 OK\r\nX: ", "aaaaaaaaaaaaaaa"),
            "its answer has more than 2,048 bytes of headers"},
           {"endless trailer", for_ever(kEndless + "0\r\n", "X-Again: and again\r\n"),
            "its answer has more than 2,048 bytes of headers"},
           {"endless chunk", for_ever(kEndless + "1;x=", "aaaaaaaaaaaaaaa"),
            "its answer has more than 2,048 bytes of headers"},
           {"endless interim", for_ever("", "HTTP/1.1 100 Continue\r\n\r\n"),
            "its answer never begins: it sends only interim ones"},
           {"another protocol", says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
            "its answer never begins: it sends only interim ones"},
           {"announced too large", says("HTTP/1.1 200 OK\r\nContent-Length: 10001\r\n\r\n"),
            "its answer is larger than 10,000 bytes"},
           {"too large in chunks", for_ever(kEndless, "5\r\nabcde\r\n"),
            "its answer is larger than 10,000 bytes"},
           {"too large until the end", for_ever("HTTP/1.1 200 OK\r\n\r\n", "abcdefghij"),
            "its answer is larger than 10,000 bytes"}}) {
    ScriptedServer server(one.script);
    ClientOptions options = options_for(server.url());
    options.limits.headers = 2048;
    options.limits.body = 10'000;
    Asking asking(std::move(options));
    EXPECT_EQ(asking.why_not(), one.says) << one.about;
  }
}

TEST(OutboundAnswers, ASlowServerIsNotWaitedFor) {
  for (const Fault& one :
       std::vector<Fault>{{"silent", [](Peer& peer) { peer.fall_silent(); }, "no answer within 300ms"},
                          {"a byte now and then in the head", [](Peer& peer) { drip(peer, kFine); },
                           "its answer was not complete within 300ms"},
                          {"a byte now and then in the body",
                           [](Peer& peer) {
                             peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n");
                             drip(peer, std::string(4000, 'x'));
                           },
                           "its answer was not complete within 300ms"}}) {
    ScriptedServer server(one.script);
    ClientOptions options = options_for(server.url());
    options.limits.whole = 300ms;
    Asking asking(std::move(options));
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(asking.why_not(), one.says) << one.about;
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(took, 300ms);
    EXPECT_LT(took, 10s);
  }
}

TEST(OutboundAnswers, SilenceEndsWhatMayTakeLong) {
  ScriptedServer server([](Peer& peer) {
    (void)peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
    peer.fall_silent();
  });
  ClientOptions options = options_for(server.url());
  options.limits.silence = 200ms;
  Asking asking(std::move(options));
  EXPECT_EQ(asking.why_not(), "it neither sent nor took anything for 200ms");
}

// More than the sockets hold, to a server that does not read.
TEST(OutboundAnswers, AServerThatTakesNothingIsSilent) {
  ScriptedServer server([](Peer& peer) {
    peer.send("");
    std::this_thread::sleep_for(2s);  // a fixed time: nothing may be read meanwhile
  });
  ClientOptions options = options_for(server.url());
  options.limits.silence = 200ms;
  Asking asking(std::move(options));
  EXPECT_EQ(
      asking.why_not({.method = "POST", .target = "/", .body = std::string(std::size_t{32} << 20U, 'x')}),
      "it neither sent nor took anything for 200ms");
}

// A store that finds a batch too large says so and closes before it has read it, which cuts what is being sent.
TEST(OutboundAnswers, AnEarlyAnswerIsHeard) {
  for (const std::size_t size : {100'000U, 32U << 20U}) {
    ScriptedServer server(
        [](Peer& peer) { peer.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig"); });
    Asking asking(options_for(server.url()));
    const auto answer = asking.ask({.method = "POST", .target = "/", .body = std::string(size, 'x')});
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_EQ(answer->status, 413U);
    EXPECT_EQ(answer->body, "big");
  }
}

TEST(OutboundAnswers, ABodyCanBeTakenAsItComes) {
  std::atomic<int> taken{0};
  ScriptedServer server([&](Peer& peer) {
    (void)peer.read_request();
    peer.send(kEndless);
    // Each piece is sent when the one before has been taken.
    for (int i = 0; i < 5; ++i) {
      peer.send("5\r\nevent\r\n");
      while (taken <= i) std::this_thread::sleep_for(1ms);
    }
    peer.send("0\r\n\r\n");
    (void)peer.read_request();
  });
  ClientOptions options = options_for(server.url());
  options.limits.body = 10;  // which is not for this
  Asking asking(std::move(options));
  std::string all;
  const auto answer = asking.ask({.target = "/watch", .take = [&](std::string_view piece) {
                                    all += piece;
                                    taken = static_cast<int>(all.size() / 5);
                                    return true;
                                  }});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(all, "eventeventeventeventevent");
  EXPECT_EQ(answer->body, "");
}

TEST(OutboundAnswers, ATakenBodyMaySayHowLargeItIs) {
  ScriptedServer server(always("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n01234567890123456789"));
  ClientOptions options = options_for(server.url());
  options.limits.body = 10;
  Asking asking(std::move(options));
  std::string all;
  const auto answer = asking.ask({.target = "/", .take = [&](std::string_view piece) {
                                    all += piece;
                                    return true;
                                  }});
  EXPECT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(all, "01234567890123456789");
  EXPECT_EQ(asking.why_not(), "its answer is larger than 10 bytes");
}

// A read that never has to wait leaves the timer no turn.
TEST(OutboundAnswers, AFloodHasItsTimeAndNoMore) {
  ScriptedServer server([](Peer& peer) {
    (void)peer.read_request();
    peer.send(kEndless);
    const std::string flood = "1;" + std::string(4000, 'x') + "\r\nx\r\n";
    while (peer.send(flood)) continue;
  });
  ClientOptions options = options_for(server.url());
  options.limits.whole = 200ms;
  EXPECT_EQ(Asking(std::move(options)).why_not(), "its answer was not complete within 200ms");
}

TEST(OutboundAnswers, WhoTakesABodyCanEndIt) {
  ScriptedServer server([](Peer& peer) {
    (void)peer.read_request();
    if (!peer.send(kEndless)) return;
    while (peer.send("5\r\nevent\r\n")) continue;
  });
  Asking asking(options_for(server.url()));
  std::size_t taken = 0;
  const auto answer = asking.ask({.target = "/watch", .take = [&](std::string_view piece) {
                                    taken += piece.size();
                                    return taken < 100'000;
                                  }});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_GE(taken, 100'000U);
}

TEST(OutboundAnswers, ARefusalIsNoPartOfATakenBody) {
  ScriptedServer server(always("HTTP/1.1 410 Gone\r\nContent-Length: 3\r\n\r\nold"));
  Asking asking(options_for(server.url()));
  const auto answer = asking.ask({.target = "/watch", .take = [](std::string_view) {
                                    ADD_FAILURE() << "it was taken";
                                    return true;
                                  }});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->status, 410U);
  EXPECT_EQ(answer->body, "old");
}

}  // namespace
}  // namespace flowtap::http
