// Logs that the node rotates while somebody follows. The bytes are taken before the runtime writes them down, so a follower gets
// each line once and at once, and what rotation has removed is still there.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/containers/pod_log.hpp"

namespace flowtap::test {
namespace {

constexpr unsigned kParts = 8;
constexpr unsigned kPart = 10'000;
constexpr std::size_t kFiles = 4;  // this many are kept: fewer than there are parts

// The container stays until all of it has been read: a shim gives up what it has not read two seconds after its container's end.
std::vector<std::string> writes_parts() {
  return shell(
      "await() { until [ -e /go$1 ] || [ ! -e /bin ]; do sleep 0.1; done; }; "
      "for i in 0 1 2 3 4 5 6 7; do await $i; log_writer write ${i}0000 10000; done; await 8");
}

// Rotates amid each part but the last. The next one begins when the follower has the last line of this one, so it cannot be late.
void rotate_amid_parts(const ScratchRoot& root, KubeletRotation& rotation, const LogFollower& follower) {
  for (unsigned part = 0; part < kParts; ++part) {
    let_go(root, "go" + std::to_string(part));
    ASSERT_TRUE(follower.gets(writer_lines(0, part * kPart).size() + 1)) << part;
    if (part + 1 < kParts) rotation.rotate();
    ASSERT_TRUE(follower.gets(writer_lines(0, (part + 1) * kPart).size())) << part;
  }
  let_go(root, "go" + std::to_string(kParts));
}

// Expects as many files as there may be, the middle ones compressed. Together they have a part of what was written, without its
// beginning. Its end may be missing, too: a shim gives up what it has not copied two seconds after the container's end.
void expect_rotated(const KubeletRotation& rotation, const std::string& written) {
  const auto files = rotation.files();
  EXPECT_EQ(files.size(), kFiles);
  std::string kept;
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(files[i].ends_with(".gz"), i + 2 < files.size()) << files[i];
    kept += logged_bytes(uncompressed(files[i]), "stdout");
  }
  // Each line is there once. The first may be the end of a line, and other lines may have the same end.
  const std::size_t at = written.find(kept.substr(0, kept.find('\n', kept.find('\n') + 1)));
  ASSERT_NE(at, std::string::npos) << kept.substr(0, kept.find('\n'));
  EXPECT_EQ(difference(written.substr(at, kept.size()), kept), "");
  EXPECT_GT(at, 0U) << "its beginning is gone";
  EXPECT_GT(kept.size(), written.size() / kParts);
}

TEST(Rotation, ByKubeletOfAPodsLogWhileSomebodyFollows) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string id = container_id("rotated");
  const std::string directory = root.file(pod_log_directory("shop", "rotated-0", kPod)) + "/main";
  CriLog log(directory + "/0.log", root.file(id + ".out"), root.file(id + ".err"));
  const auto annotations = cri_annotations("shop", "rotated-0", kPod, "main");
  const auto container = containerd.start({.id = id, .command = writes_parts(), .annotations = annotations});
  LogFollower follower(daemon, root, "shop/rotated-0");
  KubeletRotation rotation(directory + "/0.log", kFiles, [&log] { log.reopen(); });
  rotate_amid_parts(root, rotation, follower);
  EXPECT_EQ(container->wait(), 0) << container->last_words();
  log.wait();

  const std::string wanted = writer_lines(0, kParts * kPart);
  expect_rotated(rotation, wanted);
  const auto flow = ended_flow(daemon, "pod/shop/rotated-0/");
  ASSERT_TRUE(flow);
  EXPECT_EQ(flow->missing, 0U);
  expect_stream(daemon, *flow, "stdout", wanted);
  EXPECT_EQ(follower.wait(), 0) << follower.complaint();
  EXPECT_EQ(difference(follower.text(), wanted), "");

  // The next start is still known as what it is, although there are rotated files.
  EXPECT_EQ(containerd.run({.id = container_id("again"),
                            .command = shell("echo again"),
                            .annotations = annotations,
                            .restart = 1}),
            0);
  const auto next = ended_flow(daemon, std::string("pod/shop/rotated-0/") + kPod + "/main/1");
  ASSERT_TRUE(next);
  expect_stream(daemon, *next, "stdout", "again\n");
}

// CRI-O has conmon do this, and so may anybody else.
TEST(Rotation, OfConmonsFileWhileSomebodyFollows) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string id = podman.start({.name = "rotated", .command = writes_parts()});
  const std::string name = "container/rotated-" + id.substr(0, 12);
  LogFollower follower(daemon, root, name);
  KubeletRotation rotation(podman.log_file(id), kFiles, [&] { podman.reopen_log(id); });
  rotate_amid_parts(root, rotation, follower);
  EXPECT_EQ(podman.wait("rotated"), 0);

  const std::string wanted = writer_lines(0, kParts * kPart);
  expect_rotated(rotation, wanted);
  const auto flow = ended_flow(daemon, name);
  ASSERT_TRUE(flow);
  EXPECT_EQ(flow->missing, 0U);
  expect_stream(daemon, *flow, "stdout", wanted);
  EXPECT_EQ(follower.wait(), 0) << follower.complaint();
  EXPECT_EQ(difference(follower.text(), wanted), "");
}

}  // namespace
}  // namespace flowtap::test
