// Running processes that somebody follows. What they write from then on is what comes out.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <future>
#include <memory>

#include "base/fd.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/node/stream/sources/told_writer.hpp"
#include "tests/support/held_thread.hpp"
#include "tests/support/net/http_client.hpp"

namespace flowtap::test {
namespace {

std::future<HttpAnswer> ask_for_tap(const Daemon& daemon, pid_t pid, const std::string& stream, bool wait) {
  auto connection = std::make_shared<Fd>(
      ask_unix(daemon.socket(), "/api/v1/processes/" + std::to_string(pid) + "/raw?stream=" + stream));
  pollfd readable{.fd = connection->get(), .events = POLLIN, .revents = 0};
  if (wait) {
    EXPECT_EQ(::poll(&readable, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())), 1);
  }
  return std::async(std::launch::async, [connection] { return read_answer(*connection); });
}

// When this returns, it follows: its answer has begun.
std::future<HttpAnswer> tap(const Daemon& daemon, pid_t pid, const std::string& stream) {
  return ask_for_tap(daemon, pid, stream, true);
}

std::uint64_t taps(const Daemon& daemon) {
  return daemon.status().at("stream").at("taps").to_number<std::uint64_t>();
}

TEST(Taps, APipeAndAFile) {
  const ScratchRoot root;
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const Fd read(pipe[0]);
  Fd write(pipe[1]);
  const Fd file(::open(root.file("err").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
  Writer writer(root, "one", write.get(), file.get());
  write.reset();
  auto out = tap(daemon, writer.pid(), "stdout");
  auto err = tap(daemon, writer.pid(), "stderr");
  ASSERT_TRUE(eventually([&] { return taps(daemon) == 2; }));
  writer.go();
  // Somebody must read the pipe, since it is tapped where it is read.
  std::string seen;
  std::array<char, 4096> chunk{};
  for (ssize_t n = 0; (n = ::read(read.get(), chunk.data(), chunk.size())) > 0;)
    seen.append(chunk.data(), static_cast<std::size_t>(n));
  EXPECT_EQ(writer.wait(), 0);
  const HttpAnswer from_pipe = out.get();
  const HttpAnswer from_file = err.get();
  EXPECT_EQ(from_pipe.status, 200) << from_pipe.body;
  EXPECT_EQ(difference(from_pipe.body, Writer::outputs().out), "");
  EXPECT_EQ(seen, Writer::outputs().out) << "its reader has the same";
  EXPECT_EQ(difference(from_file.body, Writer::outputs().err), "");
  EXPECT_EQ(root.read("err"), Writer::outputs().err);
  EXPECT_TRUE(eventually([&] { return taps(daemon) == 0; }));
}

TEST(Taps, TwoProcessesInOnePlaceAndTwoFollowersOfOne) {
  const ScratchRoot root;
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const Fd file(::open(root.file("both").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
  Writer one(root, "one", file.get(), file.get());
  Writer other(root, "other", file.get(), file.get());
  auto first = tap(daemon, one.pid(), "stdout");
  auto second = tap(daemon, other.pid(), "stdout");
  auto third = tap(daemon, one.pid(), "stdout");
  EXPECT_TRUE(eventually([&] { return taps(daemon) == 1; })) << "one place";
  one.go();
  EXPECT_EQ(one.wait(), 0);
  other.go();
  EXPECT_EQ(other.wait(), 0);
  const std::string all = root.read("both");
  for (auto* answer : {&first, &third}) {
    const HttpAnswer got = answer->get();
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_TRUE(all.starts_with(got.body)) << "what was written while the first process lived";
    EXPECT_GE(got.body.size(), all.size() / 2) << "all of its own";
  }
  EXPECT_EQ(difference(second.get().body, all), "") << "one place: whoever writes to it";
}

TEST(Taps, WhoWaitsForItsNamesHoldsUpNobody) {
  const ScratchRoot root;
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const Fd file(::open(root.file("out").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
  Writer writer(root, "one", file.get(), file.get());
  std::future<HttpAnswer> out;
  {
    // This thread would give the stream its name.
    const HeldThread held(daemon.pid(), "ftap-drain", SYS_epoll_wait);
    out = ask_for_tap(daemon, writer.pid(), "stdout", false);
    EXPECT_TRUE(eventually([&] { return taps(daemon) == 1; }));
    EXPECT_EQ(out.wait_for(std::chrono::seconds(3)), std::future_status::timeout) << "it was given up";
  }
  writer.go();
  EXPECT_EQ(writer.wait(), 0);
  const HttpAnswer answer = out.get();
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(difference(answer.body, root.read("out")), "");
  EXPECT_FALSE(answer.body.empty());
}

// Nobody has asked for what it writes after that.
TEST(Taps, EndWithAServiceThatIsKilled) {
  const ScratchRoot root;
  auto daemon = std::make_unique<Daemon>(root, kCapturing);
  daemon->wait_ready();
  const Fd file(::open(root.file("out").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
  Writer writer(root, "one", file.get(), file.get());
  auto out = tap(*daemon, writer.pid(), "stdout");
  const auto open = [&daemon] {
    return static_cast<bool>(std::ranges::count_if(flows_of(*daemon, "?kind=proc"), &FlowSeen::open));
  };
  ASSERT_TRUE(eventually(open));
  daemon->signal(SIGKILL);
  EXPECT_EQ(daemon->wait(), 128 + SIGKILL);
  (void)out.get();
  daemon = std::make_unique<Daemon>(root, kCapturing);
  daemon->wait_ready();
  EXPECT_TRUE(eventually([&] { return !open(); }));
  writer.go();
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_EQ(flows_of(*daemon, "?kind=proc").front().bytes, 0U);
}

TEST(Taps, WhatCannotBeTappedSaysWhy) {
  const ScratchRoot root;
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const Fd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const Writer writer(root, "none", null.get(), null.get());
  const HttpAnswer nowhere = tap(daemon, writer.pid(), "stdout").get();
  EXPECT_EQ(nowhere.status, 409) << nowhere.body;
  EXPECT_NE(nowhere.body.find("nothing that can be captured"), std::string::npos) << nowhere.body;
  const HttpAnswer nobody = tap(daemon, 4'000'000, "stdout").get();
  EXPECT_EQ(nobody.status, 404) << nobody.body;
  const HttpAnswer of_kernel = tap(daemon, 2, "stdout").get();
  EXPECT_EQ(of_kernel.status, 404) << of_kernel.body;
  EXPECT_NE(of_kernel.body.find("process 2 (kthreadd) is a thread of the kernel"), std::string::npos)
      << of_kernel.body;
}

}  // namespace
}  // namespace flowtap::test
