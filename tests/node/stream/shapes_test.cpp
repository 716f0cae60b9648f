// Containers of unusual shapes: each is one flow with its own bytes, and nothing else is.
#include <gtest/gtest.h>

#include <thread>

#include "tests/node/stream/captured.hpp"
#include "tests/support/containers.hpp"

namespace flowtap::test {
namespace {

const std::string kLines = "log_writer both 0 900";

std::string lines(bool to_stderr) {
  std::string all;
  for (unsigned i = 0; i < 900; ++i)
    if ((i % 3 == 0) == to_stderr) all += writer_lines(i, 1);
  return all;
}

void expect_own_lines(const Daemon& daemon, const std::string& part) {
  SCOPED_TRACE(part);
  const auto flow = ended_flow(daemon, part);
  ASSERT_TRUE(flow);
  EXPECT_EQ(flow->missing, 0U);
  expect_stream(daemon, *flow, "stdout", lines(false));
  expect_stream(daemon, *flow, "stderr", lines(true));
}

TEST(Shapes, InTheHostsAndInAnotherContainersPidNamespace) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const auto run = [&](const std::string& name, bool host_pid, pid_t shared) {
    EXPECT_EQ(containerd.run({.id = container_id(name),
                              .command = shell(kLines),
                              .annotations = cri_annotations("shop", name, kPod, "main"),
                              .host_pid = host_pid,
                              .pid_namespace_of = shared}),
              0);
    expect_own_lines(daemon, "pod/shop/" + name + "/");
  };
  run("hostpid", true, 0);
  // As in a pod with shareProcessNamespace: process 1 is another container's.
  const auto first = containerd.start({.id = container_id("first"),
                                       .command = shell_after("go", "echo first"),
                                       .annotations = cri_annotations("shop", "first", kPod, "main")});
  wait_until_waits(root, "go");
  const pid_t shared = containerd.pid(container_id("first"));
  run("sharing", false, shared);
  run("sharingtoo", false, shared);
  let_go(root, "go");
  EXPECT_EQ(first->wait(), 0);
  const auto flow = ended_flow(daemon, "pod/shop/first/");
  ASSERT_TRUE(flow);
  expect_stream(daemon, *flow, "stdout", "first\n");
}

// kubelet runs it from a file of the node: its uid is the hash of its manifest, in the cgroup's name as well.
TEST(Shapes, AStaticPod) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string hash = "5e8a4c9b1f0d2e3a4b5c6d7e8f901234";
  auto annotations = cri_annotations("kube-system", "kube-scheduler-node1", hash, "kube-scheduler");
  annotations.insert({{"kubernetes.io/config.source", "file"}, {"kubernetes.io/config.hash", hash}});
  EXPECT_EQ(containerd.run({.id = container_id("static"),
                            .command = shell(kLines),
                            .annotations = annotations,
                            .cgroup_parent = "/kubepods/burstable/pod" + hash}),
            0);
  expect_own_lines(daemon, "pod/kube-system/kube-scheduler-node1/" + hash + "/kube-scheduler/0");
  EXPECT_EQ(flows_of(daemon, "?namespace=kube-system").front().text.at("uid"), hash);
}

TEST(Shapes, WhatAProbePrintsIsNotTheContainers) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string id = container_id("probed");
  const auto container = containerd.start({.id = id,
                                           .command = shell_after("go", kLines),
                                           .annotations = cri_annotations("shop", "probed-0", kPod, "main")});
  ASSERT_TRUE(eventually([&] { return !flows_of(daemon, "?pod=probed-0").empty(); }));
  // Of a program that ends at once ctr may have nothing to show.
  EXPECT_TRUE(
      eventually([&] { return containerd.exec(id, {"/bin/busybox", "echo", "probe"}) == "probe\n"; }));
  let_go(root, "go");
  EXPECT_EQ(container->wait(), 0);
  expect_own_lines(daemon, "pod/shop/probed-0/");
  EXPECT_EQ(flows_of(daemon, "?pod=probed-0").size(), 1U);
}

// Also while the programs come to a container that was there before: a probe must not be taken for its first process.
TEST(Shapes, ProbesAllTheTimeWhileTheServiceStarts) {
  const ScratchRoot root;
  Containerd containerd(root);
  const std::string id = container_id("older");
  const auto container = containerd.start({.id = id,
                                           .command = shell_after("go", kLines),
                                           .annotations = cri_annotations("shop", "older-0", kPod, "main")});
  wait_until_waits(root, "go");
  std::jthread probes([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) containerd.exec(id, {"/bin/busybox", "echo", "probe"});
  });
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  probes.request_stop();
  probes.join();
  let_go(root, "go");
  EXPECT_EQ(container->wait(), 0);
  expect_own_lines(daemon, "pod/shop/older-0/");
  EXPECT_EQ(flows_of(daemon, "?pod=older-0").size(), 1U);
}

// What goes through it comes out of the container's own pipe in the end: it must not be taken at both places.
TEST(Shapes, APipeOfTheContainersOwnBehindAReExec) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string inner = kLines + "; exec >/dev/null 2>&1; until [ -e /drained ]; do sleep 0.1; done";
  EXPECT_EQ(containerd.run({.id = container_id("reexec"),
                            .command = shell("mkfifo /tmp/inner; { cat /tmp/inner; : >/drained; } & "
                                             "exec >/tmp/inner; exec sh -c '" +
                                             inner + "'"),
                            .annotations = cri_annotations("shop", "reexec-0", kPod, "main")}),
            0);
  expect_own_lines(daemon, "pod/shop/reexec-0/");
}

// A runtime in a container gives its container pipes of its own, and copies what it reads from them to its own outputs.
TEST(Shapes, AContainerInAContainer) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string inner = container_id("inner");
  podman.busybox().add_runtime(inner, shell("sleep 1; exec " + kLines));
  const std::string id = podman.start({.name = "outer",
                                       .command = shell("runc --root=/tmp/runc run --bundle=/inner " + inner),
                                       .flags = {"--privileged"}});
  EXPECT_EQ(podman.wait("outer"), 0) << podman.log(id);
  const std::string outer = "container/outer-" + id.substr(0, 12);
  expect_own_lines(daemon, outer + "/" + inner);
  EXPECT_TRUE(flow_called(daemon, outer + "/" + inner));
  ASSERT_TRUE(eventually([&] {
    const auto flow = flow_called(daemon, outer);
    return flow && !flow->open;
  }));
  expect_stream(daemon, *flow_called(daemon, outer), "stdout", lines(false));
  expect_stream(daemon, *flow_called(daemon, outer), "stderr", lines(true));
}

TEST(Shapes, BothOutputsMadeOneByTheProgram) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  EXPECT_EQ(containerd.run({.id = container_id("merged"),
                            .command = shell("exec 2>&1; exec " + kLines),
                            .annotations = cri_annotations("shop", "merged-0", kPod, "main")}),
            0);
  const auto flow = ended_flow(daemon, "pod/shop/merged-0/");
  ASSERT_TRUE(flow);
  EXPECT_EQ(flow->missing, 0U);
  expect_stream(daemon, *flow, "stdout", writer_lines(0, 900));
  expect_stream(daemon, *flow, "stderr", "");
}

}  // namespace
}  // namespace flowtap::test
