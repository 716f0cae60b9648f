// Containers that are started again: each start's own bytes, under the name that its runtime gives it.
#include <gtest/gtest.h>

#include "tests/node/stream/followed_flow.hpp"
#include "tests/support/containers.hpp"

namespace flowtap::test {
namespace {

// Writes the lines of its start: from 1000 * how often it was started before.
const std::string kWriteOwnLines =
    "n=$(cat /starts 2>/dev/null || echo 0); echo $((n + 1)) >/starts; log_writer both ${n}000 500";

std::string lines_of(unsigned start, bool to_stderr) {
  std::string all;
  for (unsigned i = start * 1000; i < start * 1000 + 500; ++i)
    if ((i % 3 == 0) == to_stderr) all += writer_lines(i, 1);
  return all;
}

// podman keeps the container's id, and so does the flow: one after the other the starts' bytes, each by pipes of its own.
TEST(Restarts, PodmanStartsOneContainerAgain) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  constexpr unsigned kStarts = 4;
  const std::string id =
      podman.start({.name = "again", .command = shell_after("go", kWriteOwnLines + "; exec sleep 60")});
  std::string out = lines_of(0, false);
  std::string err = lines_of(0, true);
  const std::string name = "container/again-" + id.substr(0, 12);
  FollowedFlow followed(daemon, name);  // across all starts
  let_go(root, "go");
  const auto all_there = [&] {
    const auto flow = flow_called(daemon, name);
    return flow && flow->bytes == out.size() + err.size();
  };
  for (unsigned start = 1; start < kStarts; ++start) {
    ASSERT_TRUE(eventually(all_there)) << "of start " << start - 1;
    podman.podman({"restart", "--time=0", "again"});
    out += lines_of(start, false);
    err += lines_of(start, true);
  }
  ASSERT_TRUE(eventually(all_there));
  podman.kill("again");
  EXPECT_EQ(followed.expect(out, err).id, name);
}

// kubelet makes a container with a new id for each start, and the CRI a new N.log.
TEST(Restarts, ThePodsContainerIsMadeAnew) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  constexpr unsigned kStarts = 3;
  for (unsigned start = 0; start < kStarts; ++start) {
    const std::string go = "go" + std::to_string(start);
    const auto container = containerd.start({.id = container_id("crash-" + std::to_string(start)),
                                             .command = shell_after(go, kWriteOwnLines + "; exit 1"),
                                             .annotations = cri_annotations("shop", "crash-0", kPod, "main"),
                                             .restart = start});
    const std::string id = std::string("pod/shop/crash-0/") + kPod + "/main/" + std::to_string(start);
    FollowedFlow followed(daemon, id);
    let_go(root, go);
    EXPECT_EQ(container->wait(), 1);
    const FlowSeen flow = followed.expect(lines_of(start, false), lines_of(start, true));
    EXPECT_EQ(flow.id, id);
    EXPECT_EQ(flow.restart, start);
  }
  EXPECT_EQ(flows_of(daemon, "?pod=crash-0").size(), kStarts);
}

}  // namespace
}  // namespace flowtap::test
