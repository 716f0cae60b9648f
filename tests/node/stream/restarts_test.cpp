// Containers that are started again: each start has its own bytes, under the name that its runtime gives it.
#include <gtest/gtest.h>

#include "tests/node/stream/followed_flow.hpp"
#include "tests/support/containers/containers.hpp"

namespace flowtap::test {
namespace {

// Writes the lines of its start. They begin at 1000 * how often it was started before.
const std::string kWriteOwnLines =
    "n=$(cat /starts 2>/dev/null || echo 0); echo $((n + 1)) >/starts; log_writer both ${n}000 500";

std::string lines_of(unsigned start, bool to_stderr) {
  std::string all;
  for (unsigned i = start * 1000; i < start * 1000 + 500; ++i)
    if ((i % 3 == 0) == to_stderr) all += writer_lines(i, 1);
  return all;
}

// podman keeps the container's id, and so does the flow. It has the bytes of one start after the other, each from pipes of its
// own.
TEST(Restarts, PodmanStartsOneContainerAgain) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  constexpr unsigned kStarts = 4;
  const std::string id = podman.start(
      {.name = "again",
       .command =
           shell("n=$(cat /starts 2>/dev/null || echo 0); until [ -e /go$n ] || [ ! -e /bin ]; do sleep "
                 "0.1; done; " +
                 kWriteOwnLines + "; exec sleep 60")});
  const std::string name = "container/again-" + id.substr(0, 12);
  std::string out;
  std::string err;
  for (unsigned start = 0; start < kStarts; ++start) {
    if (start > 0) podman.podman({"restart", "--time=0", "again"});
    ASSERT_TRUE(eventually([&] {
      const auto flow = flow_called(daemon, name);
      return flow && flow->open;
    }));
    // A follower that comes now gets what the starts before have written, and then what this one writes.
    FollowedFlow followed(daemon, name);
    let_go(root, "go" + std::to_string(start));
    out += lines_of(start, false);
    err += lines_of(start, true);
    ASSERT_TRUE(eventually([&] {
      const auto flow = flow_called(daemon, name);
      return flow && flow->bytes == out.size() + err.size();
    })) << "of start "
        << start;
    if (start + 1 < kStarts) continue;
    podman.kill("again");
    EXPECT_EQ(followed.expect(out, err).id, name);
  }
}

// kubelet makes a container with a new id for each start, and the CRI writes a new N.log.
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
    EXPECT_EQ(container->wait(), 1) << container->last_words();
    const FlowSeen flow = followed.expect(lines_of(start, false), lines_of(start, true));
    EXPECT_EQ(flow.id, id);
    EXPECT_EQ(flow.restart, start);
  }
  EXPECT_EQ(flows_of(daemon, "?pod=crash-0").size(), kStarts);
}

}  // namespace
}  // namespace flowtap::test
