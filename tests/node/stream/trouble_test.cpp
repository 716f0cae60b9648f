// Containers in trouble: every byte that was written is served, whatever became of its writer or its reader.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <functional>

#include "tests/node/stream/followed_flow.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/daemon/memory_limit.hpp"
#include "tests/support/may_miss.hpp"

namespace flowtap::test {
namespace {

constexpr unsigned kEndless = 1'000'000'000;
constexpr std::uint64_t kLittleMemory = 24U << 20U;

// Prints until the kernel kills it for its memory.
std::vector<std::string> hog() {
  return shell_after("go", "exec log_writer hog 0 " + std::to_string(kEndless));
}

// As many lines as it takes for this many bytes.
std::string lines_of(std::size_t bytes) {
  std::string lines;
  constexpr unsigned kAtOnce = 1000;
  for (unsigned first = 0; lines.size() < bytes; first += kAtOnce) lines += writer_lines(first, kAtOnce);
  return lines;
}

// Only the pipe knows what was written: the lines from the first one on, and no fewer than the runtime has kept (a shim gives up
// what it has not copied two seconds after the end).
void expect_hogs_stream(FollowedFlow& followed, const std::string& kept) {
  const std::string& text = followed.out();
  if (!followed.may_lack() || text.starts_with(kept)) {
    EXPECT_TRUE(text.starts_with(kept)) << "the runtime can have no more";
    EXPECT_TRUE(are_writer_lines(text));
  } else {
    expect_most("the hog's", std::min(text.size(), kept.size()), kept.size(), kOneRead);
    // If that is most of it, no more can have been written.
    EXPECT_TRUE(is_part_of(text, lines_of(std::max(text.size() / 9 * 10, text.size() + kOneRead))));
  }
  followed.expect(text);
}

TEST(ContainersInTrouble, KilledForItsMemoryWhilePrintingUnderPodman) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string id = podman.start({.name = "hog", .command = hog()});
  const MemoryLimit limit(podman.pid("hog"), kLittleMemory);
  FollowedFlow followed(daemon, "container/hog-");
  let_go(root, "go");
  EXPECT_EQ(podman.wait("hog"), 128 + SIGKILL);
  EXPECT_EQ(limit.kills(), 1U);
  expect_hogs_stream(followed, logged_bytes(podman.log(id), "stdout"));
}

TEST(ContainersInTrouble, KilledForItsMemoryWhilePrintingInAPod) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string id = container_id("hog");
  const auto container = containerd.start(
      {.id = id, .command = hog(), .annotations = cri_annotations("shop", "hog-0", kPod, "main")});
  wait_until_waits(root, "go");
  const MemoryLimit limit(containerd.pid(id), kLittleMemory);
  FollowedFlow followed(daemon, "pod/shop/hog-0/");
  let_go(root, "go");
  EXPECT_EQ(container->wait(), 128 + SIGKILL) << container->last_words();
  EXPECT_EQ(limit.kills(), 1U);
  expect_hogs_stream(followed, containerd.out(id));
}

// Stops a process, and lets it go on in any case.
class Stopped {
 public:
  explicit Stopped(pid_t pid) : pid_(pid) { EXPECT_EQ(::kill(pid, SIGSTOP), 0); }
  ~Stopped() { ::kill(pid_, SIGCONT); }
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;

 private:
  pid_t pid_;
};

// Stops the reader again and again while `writer` writes, each time until the pipe is full and the writer waits.
void stop_reader_again_and_again(const ScratchRoot& root, pid_t writer) {
  const pid_t reader = reader_of(writer);
  {
    const Stopped stopped(reader);
    let_go(root, "go");
    ASSERT_TRUE(blocks_in_write(writer)) << "surely: it has more to write than the pipe takes";
  }
  for (int i = 0; i < 5; ++i) {
    ::usleep(20'000);  // it reads on, until it is stopped at some other place
    const Stopped stopped(reader);
    if (!blocks_in_write(writer)) break;
  }
}

constexpr unsigned kLines = 200'000;

std::vector<std::string> writes_much() {
  return shell_after("go", "exec log_writer write 0 " + std::to_string(kLines) + " until-read");
}

TEST(ContainersInTrouble, ConmonStopsReadingAndGoesOn) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  podman.start({.name = "stopped", .command = writes_much()});
  wait_until_waits(root, "go");
  FollowedFlow followed(daemon, "container/stopped-");
  stop_reader_again_and_again(root, podman.pid("stopped"));
  EXPECT_EQ(podman.wait("stopped"), 0);
  followed.expect(writer_lines(0, kLines));
}

TEST(ContainersInTrouble, TheShimStopsReadingAndGoesOn) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string id = container_id("stopped");
  const auto container =
      containerd.start({.id = id,
                        .command = writes_much(),
                        .annotations = cri_annotations("shop", "stopped-0", kPod, "main")});
  wait_until_waits(root, "go");
  FollowedFlow followed(daemon, "pod/shop/stopped-0/");
  stop_reader_again_and_again(root, containerd.pid(id));
  EXPECT_EQ(container->wait(), 0) << container->last_words();
  followed.expect(writer_lines(0, kLines));
  EXPECT_TRUE(writer_lines(0, kLines).starts_with(containerd.out(id))) << "the runtime can have no more";
}

}  // namespace
}  // namespace flowtap::test
