// Running processes that somebody follows: what they write from then on is what comes out.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <future>
#include <memory>

#include "base/fd.hpp"
#include "tests/support/flows.hpp"
#include "tests/support/held_thread.hpp"
#include "tests/support/http_client.hpp"

namespace flowtap::test {
namespace {

// A shell that writes when it is told to, its two outputs where the test wants them.
class Writer {
 public:
  Writer(const ScratchRoot& root, const std::string& name, int out, int err)
      : go_(root.file(name + ".go")),
        process_({.argv = {"/bin/sh", "-c",
                           ": >" + go_ + ".ready; while [ ! -e " + go_ + " ]; do sleep 0.05; done; " +
                               std::string(FLOWTAP_LOG_WRITER) + " both 0 3000"},
                  .out = "/dev/null",
                  .err = "/dev/null",
                  .before_exec = [out, err] {
                    if (::dup2(out, STDOUT_FILENO) < 0 || ::dup2(err, STDERR_FILENO) < 0) ::_exit(1);
                  }}) {
    // Before that its outputs are still ours.
    EXPECT_TRUE(eventually([this] { return ::access((go_ + ".ready").c_str(), F_OK) == 0; }));
  }
  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  void go() { const Fd file(::open(go_.c_str(), O_CREAT | O_CLOEXEC, 0600)); }
  [[nodiscard]] std::optional<int> wait() { return process_.wait(); }

 private:
  std::string go_;
  Process process_;
};

std::string lines(bool to_stderr) {
  std::string all;
  for (unsigned i = 0; i < 3000; ++i)
    if ((i % 3 == 0) == to_stderr) all += writer_lines(i, 1);
  return all;
}

std::future<HttpAnswer> tap(const Daemon& daemon, pid_t pid, const std::string& stream) {
  return std::async(std::launch::async, [&daemon, pid, stream] {
    return get_unix(daemon.socket(), "/api/v1/processes/" + std::to_string(pid) + "/raw?stream=" + stream);
  });
}

std::uint64_t taps(const Daemon& daemon) {
  return daemon.status().at("stream").at("taps").to_number<std::uint64_t>();
}

TEST(Taps, APipeAndAFile) {
  const ScratchRoot root;
  Daemon daemon(root, {.stream = true});
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
  // Somebody must read the pipe: that is where it is tapped.
  std::string seen;
  std::array<char, 4096> chunk{};
  for (ssize_t n = 0; (n = ::read(read.get(), chunk.data(), chunk.size())) > 0;)
    seen.append(chunk.data(), static_cast<std::size_t>(n));
  EXPECT_EQ(writer.wait(), 0);
  const HttpAnswer from_pipe = out.get();
  const HttpAnswer from_file = err.get();
  EXPECT_EQ(from_pipe.status, 200) << from_pipe.body;
  EXPECT_EQ(difference(from_pipe.body, lines(false)), "");
  EXPECT_EQ(seen, lines(false)) << "its reader has the same";
  EXPECT_EQ(difference(from_file.body, lines(true)), "");
  EXPECT_EQ(root.read("err"), lines(true));
  EXPECT_TRUE(eventually([&] { return taps(daemon) == 0; }));
}

TEST(Taps, TwoProcessesInOnePlaceAndTwoFollowersOfOne) {
  const ScratchRoot root;
  Daemon daemon(root, {.stream = true});
  daemon.wait_ready();
  const Fd file(::open(root.file("both").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
  Writer one(root, "one", file.get(), file.get());
  Writer other(root, "other", file.get(), file.get());
  auto first = tap(daemon, one.pid(), "stdout");
  ASSERT_TRUE(eventually([&] { return taps(daemon) == 1; }));
  auto second = tap(daemon, other.pid(), "stdout");
  auto third = tap(daemon, one.pid(), "stdout");
  ASSERT_TRUE(
      eventually([&] { return daemon.status().at("stream").at("open_streams").to_number<int>() >= 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // so that all three are there, most likely
  one.go();
  EXPECT_EQ(one.wait(), 0);
  other.go();
  EXPECT_EQ(other.wait(), 0);
  const std::string all = root.read("both");
  for (auto* answer : {&first, &third}) {
    const HttpAnswer got = answer->get();
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_TRUE(all.starts_with(got.body)) << "what was written while the first process lived";
    EXPECT_GE(got.body.size(), all.size() / 2);
  }
  EXPECT_EQ(difference(second.get().body, all), "") << "one place: whoever writes to it";
}

TEST(Taps, WhoWaitsForItsNamesHoldsUpNobody) {
  const ScratchRoot root;
  Daemon daemon(root, {.stream = true});
  daemon.wait_ready();
  const Fd file(::open(root.file("out").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
  Writer writer(root, "one", file.get(), file.get());
  std::future<HttpAnswer> out;
  {
    // It would give the stream its name.
    const HeldThread held(daemon.pid(), "ftap-drain", SYS_epoll_wait);
    out = tap(daemon, writer.pid(), "stdout");
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

// What it writes after that nobody has asked for.
TEST(Taps, EndWithAServiceThatIsKilled) {
  const ScratchRoot root;
  auto daemon = std::make_unique<Daemon>(root, DaemonOptions{.stream = true});
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
  daemon = std::make_unique<Daemon>(root, DaemonOptions{.stream = true});
  daemon->wait_ready();
  EXPECT_TRUE(eventually([&] { return !open(); }));
  writer.go();
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_EQ(flows_of(*daemon, "?kind=proc").front().bytes, 0U);
}

TEST(Taps, WhatCannotBeTappedSaysWhy) {
  const ScratchRoot root;
  Daemon daemon(root, {.stream = true});
  daemon.wait_ready();
  const Fd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const Writer writer(root, "none", null.get(), null.get());
  const HttpAnswer nowhere = tap(daemon, writer.pid(), "stdout").get();
  EXPECT_EQ(nowhere.status, 409) << nowhere.body;
  EXPECT_NE(nowhere.body.find("nothing that can be captured"), std::string::npos) << nowhere.body;
  const HttpAnswer nobody = tap(daemon, 4'000'000, "stdout").get();
  EXPECT_EQ(nobody.status, 404) << nobody.body;
}

}  // namespace
}  // namespace flowtap::test
