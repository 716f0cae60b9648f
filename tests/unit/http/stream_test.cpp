// Raw bodies over a real Unix socket: they arrive unchanged, and no follower harms another.
#include <deque>
#include <random>

#include "api/json/flows_json.hpp"
#include "http/client/client.hpp"
#include "tests/unit/http/stream_fixture.hpp"

namespace flowtap::api {
namespace {

constexpr std::string_view kGet = "GET /api/v1/flows/f/raw HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kGetFollow = "GET /api/v1/flows/f/raw?follow=true HTTP/1.1\r\nHost: a\r\n\r\n";

std::string random_bytes(std::mt19937& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

TEST_F(StreamTest, IsChunksAndATrailer) {
  flow_->lose(5);
  flow_->append("hello ");
  flow_->lose(2);
  flow_->append("world\n");
  flow_->end();
  start();
  EXPECT_EQ(answer(kGetFollow),
            "HTTP/1.1 200 OK\r\n"
            "Content-Type: application/octet-stream\r\n"
            "Cache-Control: no-store\r\n"
            "X-Flowtap-Missing-Bytes: 7\r\n"
            "Trailer: X-Flowtap-Missing-Bytes\r\n"
            "Transfer-Encoding: chunked\r\n"
            "Connection: close\r\n\r\n"
            "6\r\nhello \r\n"
            "6\r\nworld\n\r\n"
            "0\r\nX-Flowtap-Missing-Bytes: 7\r\n\r\n");
}

TEST_F(StreamTest, OfHttp10IsTheBytesAlone) {
  flow_->append("a\r\n\0b");
  flow_->append(std::string_view("\0", 1));
  start();
  const std::string all = answer("GET /api/v1/flows/f/raw HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(all.starts_with("HTTP/1.0 200 OK\r\n")) << all;
  EXPECT_TRUE(all.ends_with(std::string("\r\n\r\na\r\n\0", 8))) << all;
  EXPECT_EQ(all.find("chunked"), std::string::npos);
}

TEST_F(StreamTest, HeadIsTheHeaderAlone) {
  flow_->lose(9);
  flow_->append("bytes");
  start();
  for (const char* query : {"", "?follow=true"}) {
    const std::string all =
        answer("HEAD /api/v1/flows/f/raw" + std::string(query) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(all.starts_with("HTTP/1.1 200 OK\r\n")) << all;
    EXPECT_NE(all.find("X-Flowtap-Missing-Bytes: 9\r\n"), std::string::npos) << all;
    EXPECT_TRUE(all.ends_with("\r\n\r\n")) << all;
  }
  EXPECT_EQ(flow_->readers(), 0);
}

TEST_F(StreamTest, WithoutFollowItEndsWhereTheFlowStandsAndTheConnectionGoesOn) {
  flow_->append("so far");
  start();
  const std::string all =
      answer(std::string(kGet) + "HEAD /api/v1/flows HTTP/1.1\r\n\r\n" + std::string(kGet));
  EXPECT_EQ(all.find("so far"), all.find("6\r\nso far\r\n0\r\n") + 3) << all;
  EXPECT_NE(all.find("application/json"), std::string::npos);
  EXPECT_NE(all.rfind("so far"), all.find("so far"));
  EXPECT_EQ(flow_->readers(), 0);
}

TEST_F(StreamTest, FollowsFromTheHistoryToTheEndOfTheFlow) {
  flow_->append("history ");
  start();
  Follower follower(path(), kFollow);
  ASSERT_TRUE(follower.has(8));
  flow_->append("live ");
  ASSERT_TRUE(follower.has(13));
  flow_->lose(100);
  flow_->append("behind a gap");
  flow_->lose(11);
  flow_->end();
  const auto& end = follower.end();
  ASSERT_TRUE(end) << end.error().what;
  EXPECT_EQ(follower.bytes(), "history live behind a gap");
  EXPECT_EQ(end->missing_bytes, 111U);
}

TEST_F(StreamTest, FromNowLeavesOutTheHistory) {
  flow_->lose(50);
  flow_->append("history");
  start();
  Follower follower(path(), std::string(kFollow) + "&from=now");
  ASSERT_TRUE(eventually([&] { return flow_->readers() == 1; }));
  flow_->append("news");
  flow_->end();
  EXPECT_EQ(follower.end()->missing_bytes, 0U);
  EXPECT_EQ(follower.bytes(), "news");
}

TEST_F(StreamTest, TenMegabytesAreEqualWhateverThePieces) {
  std::mt19937 random(1);
  std::mt19937 pieces(2);
  flow_->set_largest_piece(
      [&pieces] { return std::size_t{1} + pieces() % (pieces() % 4 == 0 ? 100'000 : 5000); });
  start();
  Follower follower(path(), kFollow);
  std::string written;
  std::uint64_t lost = 0;
  while (written.size() < 10'000'000) {
    const std::string piece = random_bytes(random, 1 + random() % (random() % 8 == 0 ? 300'000 : 20'000));
    written += piece;
    flow_->append(piece);
    if (random() % 4 == 0) {
      const std::uint64_t gap = random() % 1000;
      lost += gap;
      flow_->lose(gap);
    }
  }
  flow_->end();
  const auto& end = follower.end();
  ASSERT_TRUE(end) << end.error().what;
  EXPECT_EQ(follower.bytes().size(), written.size());
  EXPECT_TRUE(follower.bytes() == written);
  EXPECT_EQ(end->missing_bytes, lost);
}

TEST_F(StreamTest, TwoHundredFollowersAllGetAllOfIt) {
  start();
  std::deque<Follower> followers;
  for (int i = 0; i < 200; ++i) followers.emplace_back(path(), kFollow);
  ASSERT_TRUE(eventually([&] { return flow_->readers() == 200; }));
  EXPECT_EQ(fetch(path(), "/healthz")->status, 200U);  // they take nobody's place
  std::string written;
  for (int i = 0; i < 100; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    written += line;
    flow_->append(line);
  }
  flow_->end();
  for (auto& follower : followers) {
    const auto& end = follower.end();
    ASSERT_TRUE(end) << end.error().what;
    EXPECT_EQ(follower.bytes(), written);
  }
  EXPECT_TRUE(eventually([&] { return flow_->readers() == 0; }));
}

TEST_F(StreamTest, TheListOfFlowsCanBeFollowed) {
  FlowStatus flow = full_flow();
  flows_.list = {flow};
  start();
  const std::string first = flows_to_json({flow}) + "\n";
  Follower follower(path(), "/api/v1/flows?group=checkout&follow=true");
  ASSERT_TRUE(follower.has(first.size()));
  EXPECT_EQ(flows_.asked_for().group, "checkout");
  flow.id = "pod/shop/web-2/1/nginx/0";
  flows_.newest_list_reader.load()->come(flow);
  const std::string both = first + flows_to_json({flow}) + "\n";
  ASSERT_TRUE(follower.has(both.size()));
  follower.stop();
  EXPECT_TRUE(follower.end());
  EXPECT_EQ(follower.bytes(), both);
}

// A client that does not read a long list takes as little memory as one that does not read a log.
TEST_F(StreamTest, AListIsMadeAsFarAsItIsTaken) {
  constexpr std::size_t kMany = 4096;
  for (std::size_t i = 0; i < kMany; ++i) flows_.list.push_back(full_flow());
  start();
  RawClient deaf(path());
  deaf.send("GET /api/v1/flows?follow=true HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(eventually([&] {
    return flows_.newest_list_reader.load() != nullptr && flows_.newest_list_reader.load()->taken() > 0;
  }));
  EXPECT_LT(flows_.newest_list_reader.load()->taken(), kMany / 2);
  const std::string whole = flows_to_json(flows_.list) + "\n";
  Follower other(path(), "/api/v1/flows?follow=true");
  ASSERT_TRUE(other.has(whole.size()));
  flows_.newest_list_reader.load()->come(full_flow());
  const std::string both = whole + flows_to_json({full_flow()}) + "\n";
  ASSERT_TRUE(other.has(both.size()));
  other.stop();
  EXPECT_TRUE(other.end());
  EXPECT_TRUE(other.bytes() == both);
}

TEST_F(StreamTest, AListWithoutFlowsHasALineTheMore) {
  start();
  Follower follower(path(), "/api/v1/flows?follow=true");
  ASSERT_TRUE(follower.has(13));
  follower.stop();
  EXPECT_TRUE(follower.end());
  EXPECT_EQ(follower.bytes(), "{\"flows\":[]}\n");
}

TEST_F(StreamTest, OneFollowerTooManyIsToldSo) {
  start(10s, 64, "", 2);
  const Follower first(path(), kFollow);
  std::optional<Follower> second(std::in_place, path(), kFollow);
  ASSERT_TRUE(eventually([&] { return flow_->readers() == 2; }));
  const auto refused = fetch(path(), kFollow);
  ASSERT_TRUE(refused) << refused.error().what;
  EXPECT_EQ(refused->status, 429U);
  EXPECT_EQ(refusal(*refused).what, "the limit on clients that follow is reached");
  EXPECT_NE(refusal(*refused).hint, "");
  EXPECT_EQ(fetch(path(), "/api/v1/flows/f/raw")->status, 200U);
  second.reset();
  ASSERT_TRUE(eventually([&] { return flow_->readers() == 1; }));
  const Follower third(path(), kFollow);
  EXPECT_TRUE(eventually([&] { return flow_->readers() == 2; }));
}

TEST_F(StreamTest, WhoTakesNothingOfAnAnswerIsDropped) {
  flow_->append(std::string(4'000'000, 'x'));  // more than a socket holds
  start(300ms);
  RawClient deaf(path());
  deaf.send(kGet);
  ASSERT_TRUE(eventually([&] { return flow_->opened() == 1; }));
  EXPECT_TRUE(eventually([&] { return flow_->readers() == 0; }));
  EXPECT_EQ(fetch(path(), "/healthz")->status, 200U);
}

// A user who scrolls in a pager may go on reading after minutes.
TEST_F(StreamTest, AFollowerThatTakesNothingHoldsUpNobodyAndGoesOn) {
  const std::string history(4'000'000, 'x');
  flow_->append(history);
  start(200ms);
  RawClient deaf(path());
  deaf.send("GET /api/v1/flows/f/raw?follow=true HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return flow_->readers() == 1; }));
  const Follower other(path(), std::string(kFollow) + "&from=now");
  ASSERT_TRUE(eventually([&] { return flow_->readers() == 2; }));
  flow_->append("for those who listen");
  EXPECT_TRUE(other.has(20));
  {
    // Whoever is no follower, takes nothing either and came later is dropped in time.
    RawClient later(path());
    later.send(kGet);
    ASSERT_TRUE(eventually([&] { return flow_->opened() == 3; }));
    EXPECT_TRUE(eventually([&] { return flow_->readers() == 2; }));
  }
  flow_->end();
  const std::string all = deaf.read_all();
  EXPECT_TRUE(all.ends_with("for those who listen"));
  EXPECT_EQ(all.size() - all.find("\r\n\r\n") - 4, history.size() + 20);
}

// One long read must not keep the others waiting: it is done in turns with theirs.
TEST_F(StreamTest, OthersAreAnsweredWhileALongReadGoesOn) {
  std::atomic<bool> prepared = false;
  std::atomic<bool> done = false;
  std::atomic<unsigned> turns = 0;
  flow_->append("at last");
  flow_->set_prepared([&] { return ++turns, prepared.load(); });
  flow_->set_again([&] { return ++turns, !done; });
  start();
  Follower slow(path(), "/api/v1/flows/f/raw");
  for (int phase = 0; phase < 2; ++phase) {
    ASSERT_TRUE(eventually([&] { return turns > 10; }));
    const auto healthy = fetch(path(), "/healthz");
    EXPECT_TRUE(healthy && healthy->status == 200) << "in phase " << phase;
    prepared = true;
    turns = 0;
  }
  EXPECT_EQ(slow.size(), 0U);
  done = true;
  ASSERT_TRUE(slow.end());
  EXPECT_EQ(slow.bytes(), "at last");
}

TEST_F(StreamTest, AFollowerMayWaitAsLongAsItLikes) {
  start(100ms);
  Follower follower(path(), kFollow);
  ASSERT_TRUE(eventually([&] { return flow_->readers() == 1; }));
  for (int i = 0; i < 2; ++i) {
    RawClient other(path());  // which comes later, asks for nothing whole and is sent away in time
    other.send("GET /healthz HT");
    EXPECT_EQ(other.read_all(), "");
    EXPECT_TRUE(other.closed_by_server());
    flow_->append("x");
  }
  flow_->end();
  EXPECT_TRUE(follower.end());
  EXPECT_EQ(follower.bytes(), "xx");
}

TEST_F(StreamTest, AFollowerThatGoesFreesItsReader) {
  flow_->append("x");
  start();
  {
    RawClient client(path());
    client.send(kGetFollow);
    ASSERT_TRUE(eventually([&] { return flow_->readers() == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return flow_->readers() == 0; }));
  flow_->append("its wake finds nobody");
  EXPECT_EQ(fetch(path(), "/healthz")->status, 200U);
}

TEST_F(StreamTest, AFollowerThatEndsItsSideIsToldWhatIsMissing) {
  flow_->append("a");
  flow_->lose(3);
  flow_->append("b");
  start();
  RawClient client(path());
  client.send(kGetFollow);
  client.half_close();
  const std::string all = client.read_all();
  EXPECT_TRUE(all.ends_with("1\r\na\r\n1\r\nb\r\n0\r\nX-Flowtap-Missing-Bytes: 3\r\n\r\n")) << all;
  EXPECT_EQ(flow_->readers(), 0);
}

TEST_F(StreamTest, AStoppedFollowerHasTheTrailerToo) {
  flow_->lose(4);
  flow_->append("abc");
  start();
  Follower follower(path(), kFollow);
  ASSERT_TRUE(follower.has(3));
  follower.stop();
  const auto& end = follower.end();
  ASSERT_TRUE(end) << end.error().what;
  EXPECT_EQ(end->missing_bytes, 4U);
}

TEST_F(StreamTest, AReadThatFailsCutsTheBody) {
  flow_->append("abc");
  start();
  Follower follower(path(), kFollow);
  ASSERT_TRUE(follower.has(3));
  flow_->break_down();
  const auto& end = follower.end();
  ASSERT_FALSE(end);
  EXPECT_TRUE(end.error().what.starts_with("cut off by " + path())) << end.error().what;
  EXPECT_EQ(flow_->readers(), 0);
}

TEST_F(StreamTest, TheServerEndsWithFollowersOpenAndWakesComeLater) {
  start();
  std::deque<Follower> followers;
  for (int i = 0; i < 20; ++i) followers.emplace_back(path(), kFollow);
  ASSERT_TRUE(eventually([&] { return flow_->readers() == 20; }));
  flow_->append("x");
  for (auto& follower : followers) ASSERT_TRUE(follower.has(1));
  std::thread writer([this] {
    for (int i = 0; i < 1000; ++i) flow_->append("y");
  });
  server_.reset();
  EXPECT_EQ(flow_->readers(), 0);
  writer.join();
  flow_->append("z");
  for (auto& follower : followers) {
    ASSERT_FALSE(follower.end());
    EXPECT_EQ(follower.end_text(), "cut off by " + path() + ": flowtapd ends");
  }
}

// A follower gets everything that there is, and an end of the body that says why.
TEST_F(StreamTest, AFollowersBodyEndsProperlyWithTheServer) {
  flow_->append("so far");
  start();
  RawClient client(path());
  client.send(kGetFollow);
  std::string all;
  while (!all.contains("so far\r\n")) {
    const std::string some = client.read_all(10);
    ASSERT_FALSE(client.closed_by_server());
    all += some;
  }
  std::thread end([this] { server_.reset(); });
  all += client.read_all();
  EXPECT_TRUE(all.ends_with("0\r\nX-Flowtap-Missing-Bytes: 0\r\nX-Flowtap-Unfinished: flowtapd ends\r\n\r\n"))
      << all;
  end.join();
  EXPECT_EQ(flow_->readers(), 0);
}

// An answer that is larger than the socket's buffer is being written when the end comes.
TEST_F(StreamTest, AnAnswerThatIsBeingWrittenIsCompleted) {
  flow_->append(std::string(4'000'000, 'x'));
  start(10s, 64, "", 256, 100s);
  RawClient client(path());
  client.send(kGet);
  RawClient idle(path());
  idle.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string served = idle.read_some();
  EXPECT_TRUE(served.starts_with("HTTP/1.1 200 OK")) << served;
  ASSERT_TRUE(eventually([&] { return flow_->readers() == 1; }));
  std::thread end([this] { server_.reset(); });
  EXPECT_EQ(idle.read_all(), "") << "it has no request, so it ends";
  EXPECT_TRUE(idle.closed_by_server());
  const std::string all = client.read_all();
  EXPECT_EQ(std::ranges::count(all, 'x'), 4'000'000);
  EXPECT_TRUE(all.ends_with("0\r\nX-Flowtap-Missing-Bytes: 0\r\n\r\n"));
  end.join();
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(StreamTest, WhoTakesNothingIsNotWaitedForAtTheEnd) {
  flow_->append(std::string(4'000'000, 'x'));
  start(100s, 64, "", 256, 1ms);
  RawClient deaf(path());
  deaf.send(kGetFollow);
  ASSERT_TRUE(eventually([&] { return flow_->readers() == 1; }));
  server_.reset();
  EXPECT_EQ(flow_->readers(), 0);
}

TEST_F(StreamTest, TheClientEndsWhenItWantsNoMore) {
  flow_->append(std::string(1'000'000, 'x'));
  start();
  std::size_t taken = 0;
  int ends = 0;
  const StreamRequest request{kFollow,
                              [&taken](std::string_view bytes) {
                                taken += bytes.size();
                                return taken < 100'000;
                              },
                              [&ends](const Result<StreamEnd>& end) { ends += end ? 1 : 100; }};
  ASSERT_TRUE(fetch_streams(path(), {&request, 1}, -1));
  EXPECT_EQ(ends, 1);
  EXPECT_GE(taken, 100'000U);
  EXPECT_LT(taken, 1'000'000U);
}

TEST_F(StreamTest, ARefusalComesWithItsBody) {
  start();
  Follower lost(path(), "/api/v1/flows/gone/raw?follow=true");
  const auto& end = lost.end();
  ASSERT_TRUE(end) << end.error().what;
  EXPECT_EQ(end->reply.status, 404U);
  EXPECT_EQ(refusal(end->reply).what, "no flow \"gone\" was seen on this node");
  EXPECT_EQ(lost.bytes(), "");
  server_.reset();
  Follower nobody(path(), kFollow);
  EXPECT_EQ(nobody.end().error().code, ENOENT);
}

}  // namespace
}  // namespace flowtap::api
