// Containers of unusual shapes: each one is a flow with its own bytes, and nothing else is a flow.
#include <gtest/gtest.h>

#include <thread>

#include "tests/node/stream/followed_flow.hpp"
#include "tests/support/containers/containers.hpp"

namespace flowtap::test {
namespace {

const std::string kLines = "log_writer both 0 900";

std::string lines(bool to_stderr) {
  std::string all;
  for (unsigned i = 0; i < 900; ++i)
    if ((i % 3 == 0) == to_stderr) all += writer_lines(i, 1);
  return all;
}

// Expects the lines of a container that waits for `go`, and that they are followed from the first to the last.
void expect_own_lines(const ScratchRoot& root, const Daemon& daemon, Process& container,
                      const std::string& go, const std::string& part) {
  FollowedFlow followed(daemon, part);
  let_go(root, go);
  EXPECT_EQ(container.wait(), 0);
  followed.expect(lines(false), lines(true));
}

TEST(Shapes, InTheHostsAndInAnotherContainersPidNamespace) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const auto run = [&](const std::string& name, bool host_pid, pid_t shared) {
    const auto container = containerd.start({.id = container_id(name),
                                             .command = shell_after(name, kLines),
                                             .annotations = cri_annotations("shop", name, kPod, "main"),
                                             .host_pid = host_pid,
                                             .pid_namespace_of = shared});
    expect_own_lines(root, daemon, *container, name, "pod/shop/" + name + "/");
  };
  run("hostpid", true, 0);
  // This is as in a pod with shareProcessNamespace: process 1 is another container's.
  const auto first = containerd.start({.id = container_id("first"),
                                       .command = shell_after("go", "echo first"),
                                       .annotations = cri_annotations("shop", "first", kPod, "main")});
  wait_until_waits(root, "go");
  const pid_t shared = containerd.pid(container_id("first"));
  run("sharing", false, shared);
  run("sharingtoo", false, shared);
  FollowedFlow followed(daemon, "pod/shop/first/");
  let_go(root, "go");
  EXPECT_EQ(first->wait(), 0) << first->last_words();
  followed.expect("first\n");
}

// kubelet runs it from a file of the node. Its uid is the hash of its manifest, in the cgroup's name as well.
TEST(Shapes, AStaticPod) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string hash = "5e8a4c9b1f0d2e3a4b5c6d7e8f901234";
  auto annotations = cri_annotations("kube-system", "kube-scheduler-node1", hash, "kube-scheduler");
  annotations.insert({{"kubernetes.io/config.source", "file"}, {"kubernetes.io/config.hash", hash}});
  const auto container = containerd.start({.id = container_id("static"),
                                           .command = shell_after("go", kLines),
                                           .annotations = annotations,
                                           .cgroup_parent = "/kubepods/burstable/pod" + hash});
  expect_own_lines(root, daemon, *container, "go",
                   "pod/kube-system/kube-scheduler-node1/" + hash + "/kube-scheduler/0");
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
  // ctr may have nothing to show of a program that ends at once.
  EXPECT_TRUE(
      eventually([&] { return containerd.exec(id, {"/bin/busybox", "echo", "probe"}) == "probe\n"; }));
  expect_own_lines(root, daemon, *container, "go", "pod/shop/probed-0/");
  EXPECT_EQ(flows_of(daemon, "?pod=probed-0").size(), 1U);
}

// This holds even while the programs come to a container that was there before: a probe must not be taken for its first process.
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
  expect_own_lines(root, daemon, *container, "go", "pod/shop/older-0/");
  EXPECT_EQ(flows_of(daemon, "?pod=older-0").size(), 1U);
}

// What goes through this pipe comes out of the container's own pipe in the end. It must not be taken at both places.
TEST(Shapes, APipeOfTheContainersOwnBehindAReExec) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string inner = kLines + "; exec >/dev/null 2>&1; until [ -e /drained ]; do sleep 0.1; done";
  const auto container =
      containerd.start({.id = container_id("reexec"),
                        .command = shell_after("go",
                                               "mkfifo /tmp/inner; { cat /tmp/inner; : 3>/drained; } & "
                                               "exec >/tmp/inner; exec sh -c '" +
                                                   inner + "'"),
                        .annotations = cri_annotations("shop", "reexec-0", kPod, "main")});
  expect_own_lines(root, daemon, *container, "go", "pod/shop/reexec-0/");
}

// A runtime in a container gives its container pipes of its own, and copies what it reads from them to its own outputs.
void expect_both(const std::string& inner) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  podman.busybox().add_runtime(inner, shell_after("go", "exec " + kLines));
  const std::string id = podman.start({.name = "outer",
                                       .command = shell("runc --root=/tmp/runc run --bundle=/inner " + inner),
                                       .flags = {"--privileged"}});
  const std::string outer = "container/outer-" + id.substr(0, 12);
  FollowedFlow outside(daemon, outer);
  FollowedFlow inside(daemon, outer + "/" + inner);
  EXPECT_EQ(outside.id(), outer);
  EXPECT_EQ(inside.id(), outer + "/" + inner);
  let_go(root, "inner/root/go");
  EXPECT_EQ(podman.wait("outer"), 0) << podman.log(id);
  inside.expect(lines(false), lines(true));
  outside.expect(lines(false), lines(true));
}

TEST(Shapes, AContainerInAContainer) {
  expect_both(container_id("inner"));
}

// Build steps, and what somebody runs by hand, have such names.
TEST(Shapes, AContainerOfAnyNameInAContainer) {
  expect_both("step7");
}

TEST(Shapes, BothOutputsMadeOneByTheProgram) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const auto container = containerd.start({.id = container_id("merged"),
                                           .command = shell_after("go", "exec 2>&1; exec " + kLines),
                                           .annotations = cri_annotations("shop", "merged-0", kPod, "main")});
  FollowedFlow followed(daemon, "pod/shop/merged-0/");
  let_go(root, "go");
  EXPECT_EQ(container->wait(), 0) << container->last_words();
  followed.expect(writer_lines(0, 900));
}

}  // namespace
}  // namespace flowtap::test
