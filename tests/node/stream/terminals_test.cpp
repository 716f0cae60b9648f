// Containers with a terminal. It is tapped where it is written, so the bytes are the program's own. The runtime reads them behind
// the line discipline, which makes "\r\n" of each "\n".
#include <gtest/gtest.h>

#include "tests/node/stream/followed_flow.hpp"
#include "tests/support/containers/containers.hpp"

namespace flowtap::test {
namespace {

const std::string kScript = "echo one; echo two >&2; log_writer write 0 2000; printf end";

std::string written() {
  return "one\ntwo\n" + writer_lines(0, 2000) + "end";
}

std::string as_terminal(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return out;
}

TEST(Terminals, UnderPodman) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string id =
      podman.start({.name = "tty", .command = shell_after("go", kScript), .flags = {"--tty"}});
  FollowedFlow followed(daemon, "container/tty-");
  let_go(root, "go");
  EXPECT_EQ(podman.wait("tty"), 0);
  followed.expect(written());
  EXPECT_EQ(difference(logged_bytes(podman.log(id), "stdout"), as_terminal(written())), "")
      << "what the runtime has";
}

TEST(Terminals, InAPod) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string id = container_id("tty");
  const auto container = containerd.start({.id = id,
                                           .command = shell_after("go", kScript),
                                           .annotations = cri_annotations("shop", "tty-0", kPod, "main"),
                                           .terminal = true});
  FollowedFlow followed(daemon, "pod/shop/tty-0/");
  let_go(root, "go");
  EXPECT_EQ(container->wait(), 0) << containerd.out(id) << containerd.err(id);
  followed.expect(written());
  // The client leaves with the container, so its output lacks what the terminal still has then.
  const std::string delivered = containerd.out(id);
  EXPECT_FALSE(delivered.empty());
  EXPECT_EQ(difference(delivered, as_terminal(written()).substr(0, delivered.size())), "")
      << "what the runtime delivered";
}

}  // namespace
}  // namespace flowtap::test
