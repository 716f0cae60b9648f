// Very many followers: each reader gets each line once, whoever does not read holds up nobody, and all of it is bounded.
#include <gtest/gtest.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>

#include "base/fd.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/flows/flow_follower.hpp"
#include "tests/support/net/http_client.hpp"

namespace flowtap::test {
namespace {

/// KiB of anonymous memory.
std::uint64_t anonymous_memory(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    std::uint64_t kib = 0;
    if (line.starts_with("RssAnon:"))
      std::from_chars(line.data() + line.find_first_of("123456789"), line.data() + line.size(), kib);
    if (kib > 0) return kib;
  }
  return 0;
}

// As many as $FTAP_FOLLOWERS says, so that one can see what more of them cost.
const unsigned kFollowers = [] {
  const char* many = std::getenv("FTAP_FOLLOWERS");
  return many != nullptr ? static_cast<unsigned>(std::stoul(many)) : 1000U;
}();
constexpr unsigned kDeaf = 100;  // how many of these follow the first container without reading
constexpr unsigned kSlow = 10;   // how many of the deaf read on in the end
constexpr unsigned kOfOthers = 300;

class Followers : public testing::Test {
 protected:
  std::unique_ptr<Process> start(const std::string& name, unsigned lines, const std::string& then = "") {
    return containerd_.start(
        {.id = container_id(name),
         .command =
             shell(until_read("log_writer write 0 1; until [ -e /go ] || [ ! -e /bin ]; do sleep 0.1; done; "
                              "log_writer write 1 " +
                              std::to_string(lines - 1) + then)),
         .annotations = cri_annotations("crowd", name, kPod, "main")});
  }
  std::string flow_of(const std::string& name) {
    std::string id;
    EXPECT_TRUE(eventually([&] {
      for (const FlowSeen& flow : flows_of(daemon_, "?pod=" + name))
        if (flow.bytes > 0) id = flow.id;
      return !id.empty() && get_unix(daemon_.socket(), "/api/v1/flows/" + escaped(id) + "/log").status == 200;
    })) << name;
    return id;
  }

  ScratchRoot root_;
  Containerd containerd_{root_};
  Daemon daemon_{root_,
                 {.config = "api: {max_followers: " + std::to_string(kFollowers) + "}",
                  .stream = true,
                  .room = "flows_bytes: 134217728, journal_bytes: 67108864, flow_bytes: 4194304"}};
};

TEST_F(Followers, AThousandOfWhomAHundredDoNotRead) {
  daemon_.wait_ready();
  constexpr unsigned kLines = 10'000;
  constexpr unsigned kMore = 200'000;  // far more than flow_bytes
  const std::string more = "; until [ -e /more ] || [ ! -e /bin ]; do sleep 0.1; done; log_writer write " +
                           std::to_string(kLines) + " " + std::to_string(kMore);
  std::vector<std::unique_ptr<Process>> containers;
  containers.push_back(start("crowd-0", kLines, more));
  for (const char* name : {"crowd-1", "crowd-2", "crowd-3"}) containers.push_back(start(name, kLines));
  std::vector<std::string> flows;
  for (const char* name : {"crowd-0", "crowd-1", "crowd-2", "crowd-3"}) flows.push_back(flow_of(name));
  const std::uint64_t before = anonymous_memory(daemon_.pid());
  std::deque<FlowFollower> readers;
  std::deque<FlowFollower> deaf;
  for (unsigned i = 0; i < kDeaf; ++i) deaf.emplace_back(daemon_, flows[0]);
  for (unsigned i = 0; i < kFollowers - kDeaf; ++i)
    readers.emplace_back(daemon_, flows[i < kOfOthers ? 1 + i % 3 : 0]);

  const std::string wanted = writer_lines(0, kLines);
  const Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  for (FlowFollower& reader : readers) {
    epoll_event event{.events = EPOLLIN, .data = {.ptr = &reader}};
    ASSERT_EQ(::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, reader.fd(), &event), 0);
  }
  std::size_t whole = 0;
  const auto take_until = [&](std::size_t bytes) {
    std::array<epoll_event, 64> events{};
    const auto is_over = [&] { return whole == readers.size() || testing::Test::HasFailure(); };
    const auto end = std::chrono::steady_clock::now() + 3 * kPatience;
    while (!is_over() && std::chrono::steady_clock::now() < end) {
      const int n = ::epoll_wait(epoll.get(), events.data(), static_cast<int>(events.size()), 100);
      for (int i = 0; i < n; ++i) {
        auto& reader = *static_cast<FlowFollower*>(events.at(static_cast<std::size_t>(i)).data.ptr);
        const bool had = reader.seen() >= bytes;
        EXPECT_TRUE(reader.take(wanted)) << "behind " << reader.seen() << " bytes";
        if (!had && reader.seen() >= bytes) ++whole;
      }
    }
    return is_over();
  };
  // All of them follow: each has the first line.
  ASSERT_TRUE(take_until(writer_lines(0, 1).size())) << whole;
  const auto refused = get_unix(daemon_.socket(), "/api/v1/flows/" + escaped(flows[0]) + "/log?follow=true");
  EXPECT_EQ(refused.status, 429) << refused.body;
  EXPECT_NE(refused.body.find("the limit on clients that follow is reached"), std::string::npos)
      << refused.body;
  whole = 0;
  let_go(root_, "go");
  ASSERT_TRUE(take_until(wanted.size())) << whole << " have all of it";
  for (const FlowFollower& reader : readers) EXPECT_EQ(reader.seen(), wanted.size());
  const std::uint64_t with = anonymous_memory(daemon_.pid());
#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // they have memory of their own for each byte
  // Each may have 64 KiB. The lines themselves are in the store for a while, which has a bound of its own.
  EXPECT_LT(with, before + std::uint64_t{kFollowers} * 64 + (16U << 10U)) << "KiB, before " << before;
#endif
  RecordProperty("rss_anon_before_kib", std::to_string(before));
  RecordProperty("rss_anon_with_kib", std::to_string(with));
  std::printf("RssAnon: %lu KiB before, %lu KiB with %u followers\n", before, with, kFollowers);

  // The readers leave. Those that do not read have missed more than is kept; they are told so, and go on.
  readers.clear();
  let_go(root_, "more");
  for (auto& container : containers) EXPECT_EQ(container->wait(), 0) << container->last_words();
  const auto ended = ended_flow(daemon_, "pod/crowd/crowd-0/");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->missing, 0U) << "nobody who follows slows capture";
  const std::string last = writer_lines(kLines + kMore - 1, 1);
  for (unsigned i = 0; i < kSlow; ++i) {
    const std::string got = deaf[i].read_until([&](std::string_view text) { return text.ends_with(last); });
    // All that stands between the marks, together with what the marks tell, is in order. A slow reader misses more than once.
    const std::string mark = "[flowtap: ";
    std::size_t marks = 0;
    unsigned line = 0;
    for (std::size_t at = 0; at < got.size();) {
      const std::size_t next = std::min(got.find(mark, at), got.size());
      const std::string lines = got.substr(at, next - at);
      const auto count = static_cast<unsigned>(std::ranges::count(lines, '\n'));
      ASSERT_EQ(difference(lines, writer_lines(line, count)), "") << marks;
      line += count;
      at = next;
      if (at == got.size()) break;
      ++marks;
      unsigned missed = 0;
      std::from_chars(got.data() + at + mark.size(), got.data() + got.size(), missed);
      line += missed;
      at = std::min(got.find('\n', at), got.size() - 1) + 1;
    }
    EXPECT_GT(marks, 0U) << got.size();
    EXPECT_EQ(line, kLines + kMore) << "as many as he has been told";
  }
  for (const FlowSeen& flow : flows_of(daemon_, "?namespace=crowd")) EXPECT_EQ(flow.missing, 0U) << flow.id;
}

}  // namespace
}  // namespace flowtap::test
