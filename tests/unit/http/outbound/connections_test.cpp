// Which connections are made and kept, to which addresses, and what ends them.
#include <gtest/gtest.h>

#include <future>

#include "tests/support/eventually.hpp"
#include "tests/unit/http/outbound/asking.hpp"
#include "tests/unit/http/outbound/scripted_server.hpp"

namespace flowtap::http {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

Resolve to(std::vector<std::string> addresses) {
  return [addresses = std::move(addresses)](const std::string&) -> Result<std::vector<std::string>> {
    return addresses;
  };
}

TEST(OutboundConnections, OneIsKeptForTheNextRequest) {
  ScriptedServer server(always(kFine));
  Asking asking(options_for(server.url()));
  for (int i = 0; i < 20; ++i) ASSERT_EQ(asking.why_not(), "");
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(asking.client().connections(), 1U);
}

TEST(OutboundConnections, NoMoreAreKeptThanWanted) {
  ScriptedServer server(always(kFine));
  ClientOptions options = options_for(server.url());
  options.limits.kept = 2;
  Asking asking(std::move(options));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 5; ++i)
      asking.client().ask({.target = "/"}, [](const Result<ClientResponse>& answer) { EXPECT_TRUE(answer); });
    asking.loop().run();
  }
  EXPECT_EQ(server.connections(), 8) << "five, of which two are used again";
}

TEST(OutboundConnections, AServerMayWantANewOneForEach) {
  ScriptedServer server([](Peer& peer) {
    (void)peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfine");
    peer.fall_silent();
  });
  Asking asking(options_for(server.url()));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(asking.why_not(), "");
  EXPECT_EQ(server.connections(), 3);
}

// It says more than the answer: whoever is asked next would be answered with that.
TEST(OutboundConnections, OneOnWhichTooMuchCameIsNotUsedAgain) {
  ScriptedServer server([](Peer& peer) {
    (void)peer.read_request();
    peer.send(kFine + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong");
    (void)peer.read_request();
  });
  Asking asking(options_for(server.url()));
  for (int i = 0; i < 3; ++i) {
    const auto answer = asking.ask();
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_EQ(answer->body, "fine");
  }
  EXPECT_EQ(server.connections(), 3);
}

TEST(OutboundConnections, OneThatLivesLongIsReplaced) {
  ScriptedServer server(always(kFine));
  ClientOptions options = options_for(server.url());
  options.limits.lives = 0ms;
  Asking asking(std::move(options));
  for (int i = 0; i < 3; ++i) ASSERT_EQ(asking.why_not(), "");
  EXPECT_EQ(server.connections(), 3) << "a name may get other addresses";
}

TEST(OutboundConnections, AllAreGivenUpWhenOneFails) {
  std::atomic<bool> is_back{false};  // on the same port, and what was connected before is gone
  ScriptedServer server([&](Peer& peer) {
    const bool is_old = !is_back;
    while (!peer.read_request().empty() && is_old != is_back) peer.send(kFine);
    peer.fall_silent();
  });
  ClientOptions options = options_for(server.url());
  options.limits.kept = 4;
  options.limits.silence = 300ms;
  Asking asking(std::move(options));
  for (int i = 0; i < 4; ++i)
    asking.client().ask({.target = "/"}, [](const Result<ClientResponse>& answer) { EXPECT_TRUE(answer); });
  asking.loop().run();
  is_back = true;
  EXPECT_NE(asking.why_not(), "");
  EXPECT_EQ(asking.why_not(), "");
}

TEST(OutboundConnections, OneThatEndedMeanwhileIsReplaced) {
  ScriptedServer server([](Peer& peer) {
    (void)peer.read_request();
    peer.send(kFine);
  });
  Asking asking(options_for(server.url()));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(asking.why_not(), "");
    ASSERT_TRUE(test::eventually([&] { return server.ended() == i + 1; }));
  }
  EXPECT_EQ(server.connections(), 3);
}

// The end and the next request cross: only whoever asks knows whether the request may arrive twice.
TEST(OutboundConnections, WhatMayArriveTwiceIsSentAgainWhereAKeptOneEnds) {
  std::atomic<int> requests{0};
  ScriptedServer server([&](Peer& peer) {
    for (int i = 0; i < 2 && !peer.read_request().empty(); ++i) {
      ++requests;
      if (i == 0) peer.send(kFine);
    }
  });
  Asking asking(options_for(server.url()));
  const ClientRequest once{.method = "POST", .target = "/", .body = "x"};
  ClientRequest twice = once;
  twice.repeatable = true;
  EXPECT_EQ(asking.why_not(once), "");
  EXPECT_EQ(asking.why_not(twice), "");
  EXPECT_EQ(requests, 3);
  EXPECT_EQ(asking.why_not(once), "it ended the connection without an answer");
  EXPECT_EQ(requests, 4);
}

TEST(OutboundConnections, ANewOneThatEndsIsNoReasonToSendAgain) {
  ScriptedServer server([](Peer& peer) { (void)peer.read_request(); });
  Asking asking(options_for(server.url()));
  EXPECT_EQ(asking.why_not({.target = "/", .repeatable = true}), "it ended the connection without an answer");
  EXPECT_EQ(server.connections(), 1);
}

TEST(OutboundConnections, NobodyListens) {
  int port = 0;
  {
    const ScriptedServer gone(always(kFine));
    port = gone.port();
  }
  Asking asking(options_for("http://127.0.0.1:" + std::to_string(port)));
  EXPECT_EQ(asking.why_not(), "cannot connect to 127.0.0.1:" + std::to_string(port) + ": Connection refused");
}

TEST(OutboundConnections, ADeadFirstAddressIsPassedOver) {
  ScriptedServer server(always(kFine));
  ClientOptions options = options_for(server.url("two.test"));
  options.resolve = to({"127.0.0.9", "127.0.0.1"});
  Asking asking(std::move(options));
  EXPECT_EQ(asking.why_not(), "");
  EXPECT_EQ(server.connections(), 1);
}

/// Listens, but takes no connection: the kernel drops what a full queue has no place for.
class Swallowing {
 public:
  Swallowing(const char* address, int port) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, address, &at.sin_addr);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&at), sizeof(at)), 0);
    EXPECT_EQ(::listen(listener_.get(), 0), 0);
    for (int i = 0; i < 4; ++i) {
      waiting_.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      (void)::connect(waiting_.back().get(), reinterpret_cast<const sockaddr*>(&at), sizeof(at));
    }
  }

 private:
  Fd listener_;
  std::vector<Fd> waiting_;
};

TEST(OutboundConnections, AFirstAddressThatSwallowsEverythingLeavesTimeForTheSecond) {
  ScriptedServer server(always(kFine));
  const Swallowing dead("127.0.0.9", server.port());
  ClientOptions options = options_for(server.url("two.test"));
  options.resolve = to({"127.0.0.9", "127.0.0.1"});
  options.limits.connect = 1s;
  Asking asking(std::move(options));
  EXPECT_EQ(asking.why_not(), "");

  ClientOptions only = options_for(server.url("one.test"));
  only.resolve = to({"127.0.0.9"});
  only.limits.connect = 300ms;
  Asking waiting(std::move(only));
  EXPECT_EQ(waiting.why_not(),
            "no connection to 127.0.0.9:" + std::to_string(server.port()) + " within 300ms");
}

TEST(OutboundConnections, AllAddressesAreDead) {
  ClientOptions options = options_for("http://two.test:1");
  options.resolve = to({"127.0.0.8", "127.0.0.9"});
  Asking asking(std::move(options));
  EXPECT_EQ(asking.why_not(),
            "cannot connect to 127.0.0.8:1: Connection refused; cannot connect to 127.0.0.9:1: Connection "
            "refused");
}

TEST(OutboundConnections, ANameIsResolvedForEachConnection) {
  ScriptedServer before([](Peer& peer) {
    (void)peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\nbefore");
  });
  ScriptedServer after(always("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nafter"), nullptr, "127.0.0.2",
                       before.port());
  std::atomic<int> asked{0};
  ClientOptions options = options_for(before.url("moving.test"));
  options.resolve = [&](const std::string& host) -> Result<std::vector<std::string>> {
    EXPECT_EQ(host, "moving.test");
    return std::vector<std::string>{++asked == 1 ? "127.0.0.1" : "127.0.0.2"};
  };
  Asking asking(std::move(options));
  EXPECT_EQ(asking.ask()->body, "before");
  EXPECT_EQ(asking.ask()->body, "after");
  EXPECT_EQ(asking.ask()->body, "after");
  EXPECT_EQ(asked, 2);
}

TEST(OutboundConnections, ANameThatNobodyKnows) {
  Asking asking(options_for("http://nobody.invalid"));
  const std::string why = asking.why_not();
  EXPECT_TRUE(why.starts_with("cannot find an address for \"nobody.invalid\": ")) << why;
  ClientOptions none = options_for("http://none.test");
  none.resolve = to({});
  EXPECT_EQ(Asking(std::move(none)).why_not(), "its name has no address");
}

/// DNS that does not answer, until it is told to.
struct HungDns {
  std::promise<void> go_on;
  std::shared_future<void> told = go_on.get_future().share();
  std::shared_ptr<std::atomic<int>> asked = std::make_shared<std::atomic<int>>(0);

  [[nodiscard]] Resolve resolve() const {
    return [told = told, asked = asked](const std::string&) -> Result<std::vector<std::string>> {
      ++*asked;
      told.wait();
      return std::vector<std::string>{"127.0.0.1"};
    };
  }
};

// getaddrinfo(3) cannot be interrupted, so the thread in it outlives the wait, but there is never more than one.
TEST(OutboundConnections, DnsThatHangsIsNotWaitedFor) {
  HungDns dns;
  ScriptedServer server(always(kFine));
  ClientOptions options = options_for(server.url("hung.test"));
  options.resolve = dns.resolve();
  options.limits.connect = 200ms;
  Asking asking(std::move(options));
  const auto begin = Clock::now();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(asking.why_not(), "no address for \"hung.test\" within 200ms");
  EXPECT_LT(Clock::now() - begin, 10s);
  EXPECT_EQ(*dns.asked, 1);
  dns.go_on.set_value();
  for (int i = 0; i < 50 && !asking.why_not().empty(); ++i) continue;
  EXPECT_EQ(server.connections(), 1);
}

class OutboundStop : public testing::Test {
 protected:
  /// How long a request that would last a minute goes on after stop().
  static void expect_at_once(ClientOptions options, const std::function<bool()>& is_under_way) {
    Asking asking(std::move(options));
    Clock::time_point stopped;
    std::thread stopper([&] {
      while (!is_under_way()) std::this_thread::sleep_for(1ms);
      std::this_thread::sleep_for(20ms);  // whatever it does next, it does now
      stopped = Clock::now();
      asking.loop().stop();
    });
    const std::string why = asking.why_not();
    const auto end = Clock::now();
    stopper.join();
    EXPECT_EQ(why, "flowtapd does not wait for it any longer");
    EXPECT_LT(end - stopped, 5s);
    EXPECT_EQ(asking.why_not(), "flowtapd does not wait for it any longer") << "and so each later one";
  }
};

TEST_F(OutboundStop, WhileAServerIsSilent) {
  ScriptedServer server([](Peer& peer) { peer.fall_silent(); });
  expect_at_once(options_for(server.url()), [&] { return server.connections() > 0; });
}

TEST_F(OutboundStop, WhileAServerGoesOnAndOn) {
  ScriptedServer server([](Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (peer.send("1\r\nx\r\n")) std::this_thread::sleep_for(1ms);
  });
  expect_at_once(options_for(server.url()), [&] { return server.connections() > 0; });
}

TEST_F(OutboundStop, WhileNoHandshakeComes) {
  ScriptedServer server([](Peer& peer) { peer.fall_silent(); });
  expect_at_once(options_for("https://127.0.0.1:" + std::to_string(server.port())),
                 [&] { return server.connections() > 0; });
}

TEST_F(OutboundStop, WhileAnAddressSwallowsEverything) {
  const ScriptedServer other(always(kFine));
  const Swallowing dead("127.0.0.9", other.port());
  expect_at_once(options_for("http://127.0.0.9:" + std::to_string(other.port())), [] { return true; });
}

TEST_F(OutboundStop, WhileDnsHangs) {
  HungDns dns;
  ClientOptions options = options_for("http://hung.test");
  options.resolve = dns.resolve();
  expect_at_once(std::move(options), [&] { return *dns.asked > 0; });
  dns.go_on.set_value();
}

TEST(OutboundConnections, ALoopMayEndBeforeItsRequests) {
  ScriptedServer server([](Peer& peer) { peer.fall_silent(); });
  Asking asking(options_for(server.url()));
  asking.client().ask({.target = "/"}, [](const Result<ClientResponse>&) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace flowtap::http
