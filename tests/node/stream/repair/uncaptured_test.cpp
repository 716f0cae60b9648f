// Containers whose outputs are not captured are listed all the same, and the list says why.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/containers/runc.hpp"
#include "tests/support/net/http_client.hpp"

namespace flowtap::test {
namespace {

using Words = std::map<std::string, std::string>;

// Returns when it is listed. Such a flow never opens.
FlowSeen listed(const Daemon& daemon, const std::string& part) {
  const auto flow = ended_flow(daemon, part);
  if (!flow) throw std::runtime_error("not listed: " + part);
  EXPECT_EQ(flow->bytes, 0U);
  EXPECT_EQ(flow->missing, 0U);
  EXPECT_EQ(raw_bytes(daemon, flow->id), "");
  return *flow;
}

TEST(Uncaptured, NothingIsKeptByWhomItIsPrintedTo) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  EXPECT_EQ(containerd.run({.id = container_id("mute"),
                            .command = shell("echo nobody hears"),
                            .annotations = cri_annotations("shop", "mute-0", kPod, "main"),
                            .no_output = true}),
            0);
  const FlowSeen flow = listed(daemon, "pod/shop/mute-0/");
  EXPECT_EQ(flow.id, std::string("pod/shop/mute-0/") + kPod + "/main/0");
  EXPECT_EQ(flow.capture, (Words{{"both", "none"}}));
  EXPECT_EQ(flow.text.at("container"), "main");
  // The flow is known, though there is nothing of it. The end of what is followed would be the container's end.
  const std::string path = "/api/v1/namespaces/shop/pods/mute-0/log";
  const auto expect_refused = [&](const std::string& query, const std::string& hint) {
    const HttpAnswer answer = get_unix(daemon.socket(), path + query);
    EXPECT_EQ(answer.status, 409) << answer.body;
    EXPECT_NE(answer.body.find("writes is not captured (both: none)"), std::string::npos) << answer.body;
    EXPECT_NE(answer.body.find(hint), std::string::npos) << answer.body;
  };
  root.write(std::string("var/log/pods/shop_mute-0_") + kPod + "/main/0.log",
             "2026-01-01T00:00:00.000000001Z stdout F its runtime heard\n");
  EXPECT_EQ(get_unix(daemon.socket(), path).body, "its runtime heard\n");
  expect_refused("?follow=true", "it cannot be followed");
  std::filesystem::remove_all(root.file("var/log/pods"));
  expect_refused("", "its runtime has not kept anything");
  expect_refused("?follow=true", "it cannot be followed");
}

// podman makes such outputs if it passes its own on (--log-driver=passthrough). They are captured if somebody asks for them.
TEST(Uncaptured, AFileAndASocketAndWhatRanBeforeIsListedOnce) {
  const ScratchRoot root;
  auto daemon = std::make_unique<Daemon>(root, kCapturing);
  daemon->wait_ready();
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
  const Fd near(pair[0]);
  const Fd far(pair[1]);
  const std::string id = container_id("passed-on");
  const Runc container(root, id, shell("echo kept; echo sent >&2; exec sleep 60"), [&root, &far] {
    const int file = ::open(root.file("kept").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (::dup2(file, STDOUT_FILENO) < 0 || ::dup2(far.get(), STDERR_FILENO) < 0) ::_exit(126);
  });
  const Words words{{"stdout", "uncaptured_file"}, {"stderr", "uncaptured_socket"}};
  EXPECT_EQ(listed(*daemon, id).capture, words);
  EXPECT_EQ(root.read("kept"), "kept\n");

  daemon->signal(SIGTERM);
  EXPECT_EQ(daemon->wait(), 0);
  daemon = std::make_unique<Daemon>(root, kCapturing);
  daemon->wait_ready();
  EXPECT_EQ(listed(*daemon, id).capture, words);
  // What is found at the start is named before what comes later.
  const Runc later(root, container_id("later"), shell("exit 0"), [] {});
  EXPECT_EQ(listed(*daemon, container_id("later")).capture, (Words{{"both", "none"}}));
  const FlowSeen again = listed(*daemon, id);
  EXPECT_EQ(again.streams, 2U) << "the one before has listed them";
}

// What it has opened for itself since its start is not the runtime's log. Its other output is, from the start on.
TEST(Uncaptured, AnOutputThatWasReopenedBeforeTheServiceStarted) {
  const ScratchRoot root;
  Containerd containerd(root);
  struct Case {
    std::string name, reopen, word;
  };
  const std::vector<Case> cases = {
      {"to-file", "exec >/to-file.kept", "uncaptured_file"},
      {"to-fifo", "mkfifo /inner; cat /inner >/to-fifo.kept & exec >/inner", "uncaptured"}};
  std::vector<std::unique_ptr<Process>> running;
  for (const Case& c : cases) {
    running.push_back(containerd.start(
        {.id = container_id(c.name),
         .command = shell(c.reopen + "; : 3>/" + c.name +
                          ".waits; until [ -e /go ] || [ ! -e /bin ]; do "
                          "sleep 0.1; done; echo kept; log_writer stderr 0 1000; exec >&-; wait"),
         .annotations = cri_annotations("shop", c.name, kPod, "main")}));
    wait_until_waits(root, c.name);
  }
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  for (const Case& c : cases)
    ASSERT_TRUE(eventually([&] { return !flows_of(daemon, "?pod=" + c.name).empty(); })) << c.name;
  let_go(root, "go");
  for (const auto& container : running) EXPECT_EQ(container->wait(), 0) << container->last_words();
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto flow = ended_flow(daemon, "pod/shop/" + c.name + "/");
    ASSERT_TRUE(flow);
    EXPECT_EQ(flow->capture, (Words{{"stdout", c.word}, {"stderr", "pipe"}}));
    EXPECT_EQ(flow->missing, 0U);
    expect_stream(daemon, *flow, "stdout", "");
    expect_stream(daemon, *flow, "stderr", writer_lines(0, 1000));
    EXPECT_EQ(root.read("busybox/" + c.name + ".kept"), "kept\n");
  }
}

// Its bytes come once, in the outer one's flow.
TEST(Uncaptured, WhatWasInheritedIsTheOuterContainers) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string inner = container_id("heir");
  podman.busybox().add_runtime(inner, shell("log_writer write 100 100"));
  const std::string id = podman.start(
      {.name = "outer",
       .command = shell("log_writer write 0 100; runc --root=/tmp/runc run --detach --bundle=/inner " +
                        inner + "; until runc --root=/tmp/runc delete " + inner +
                        " 2>/dev/null; do sleep 0.1; done; "
                        "log_writer write 200 100"),
       .flags = {"--privileged"}});
  EXPECT_EQ(podman.wait("outer"), 0) << podman.log(id);
  const std::string outer = "container/outer-" + id.substr(0, 12);
  EXPECT_EQ(listed(daemon, outer + "/" + inner).capture,
            (Words{{"stdout", "inherited"}, {"stderr", "inherited"}}));
  ASSERT_TRUE(eventually([&] {
    const auto flow = flow_called(daemon, outer);
    return flow && !flow->open;
  }));
  expect_stream(daemon, *flow_called(daemon, outer), "stdout", writer_lines(0, 300));
}

}  // namespace
}  // namespace flowtap::test
