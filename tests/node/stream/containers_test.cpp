// Bytes that real containers write == bytes that flowtapd serves, keeps and hands to whoever follows, stream by stream, and
// each flow has its name.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <random>

#include "tests/node/stream/followed_flow.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/may_miss.hpp"

namespace flowtap::test {
namespace {

std::string random_bytes(std::size_t n) {
  std::mt19937_64 random(7);
  std::string bytes(n, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

struct Job {
  const char* name;
  std::vector<std::string> command;
  std::string out;
  std::string err = {};
  int status = 0;
};

/// The jobs are the same for podman and containerd. `data` is a file of random bytes in the root of the container.
std::vector<Job> jobs(const std::string& data) {
  constexpr unsigned kMany = 100'000;
  const std::string zeros(4U << 20U, '\0');
  return {
      {"echo", shell("echo one; echo two >&2; echo three"), "one\nthree\n", "two\n"},
      {"merged", shell("exec 2>&1; echo one; echo two >&2"), "one\ntwo\n"},
      {"cat", {"cat", "/data"}, data},  // busybox copies by sendfile
      {"dd", {"dd", "if=/dev/zero", "bs=1M", "count=4", "status=none"}, zeros},
      {"many", {"log_writer", "write", "0", std::to_string(kMany)}, writer_lines(0, kMany)},
      {"writev", {"log_writer", "writev", "0", "2000"}, writer_lines(0, 2000)},
      {"zeroread", {"log_writer", "zero-read", "0", "2000"}, writer_lines(0, 2000)},
      {"longline", shell("head -c 40000 /dev/zero | tr '\\0' x; echo"), std::string(40'000, 'x') + "\n"},
      {"noend", shell("printf 'no newline'"), "no newline"},
      {"silent", {"sleep", "0"}, ""},
      {"failed", shell("echo last words; exit 3"), "last words\n", "", 3},
      {"killed", shell("sh -c 'log_writer write 0 1000; kill -9 $$'; exit $?"), writer_lines(0, 1000),
       "Killed\n", 137},
  };
}

// Without carriage returns where a log is shown as containerd keeps it: that drops them before a newline, which has a test of its
// own (Logs.ReturnsBeforeNewlinesAreAsTheRuntimeShowsThem).
std::string data_file(const ScratchRoot& root, bool returns) {
  std::string data = random_bytes(300'000);
  if (!returns) std::ranges::replace(data, '\r', '.');
  std::ofstream(root.file("busybox/data"), std::ios::binary) << data;
  return data;
}

TEST(Containers, PodmansStreamsAreServedByteForByte) {
  const ScratchRoot root;
  Podman podman(root);
  const std::string data = data_file(root, true);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  for (const Job& job : jobs(data)) {
    SCOPED_TRACE(job.name);
    // Such names are people's: they have no digit that an id could hold.
    const std::string id = podman.start({.name = job.name, .command = after(job.name, job.command)});
    FollowedFlow followed(daemon, id.substr(0, 12));
    let_go(root, job.name);
    EXPECT_EQ(podman.wait(job.name), job.status);
    EXPECT_EQ(followed.expect(job.out, job.err).id,
              std::string("container/") + job.name + "-" + id.substr(0, 12));
  }
}

TEST(Containers, PodsStreamsAreServedByteForByteUnderThePodsName) {
  const ScratchRoot root;
  Containerd containerd(root);
  const std::string data = data_file(root, false);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  std::vector<Job> all = jobs(data);
  all.push_back({"uring", {"log_writer", "uring", "0", "2000"}, writer_lines(0, 2000)});
  for (const Job& job : all) {
    SCOPED_TRACE(job.name);
    const std::string id = container_id(job.name);
    const bool is_much = job.out.size() > kFifo;
    const auto container =
        containerd.start({.id = id,
                          .command = (is_much ? after_until_read : after)(job.name, job.command),
                          .annotations = cri_annotations("shop", "web-0", kPod, job.name)});
    FollowedFlow followed(daemon, std::string("pod/shop/web-0/") + kPod + "/" + job.name + "/");
    let_go(root, job.name);
    EXPECT_EQ(container->wait(), job.status) << container->last_words();
    const FlowSeen flow = followed.expect(job.out, job.err);
    EXPECT_EQ(flow.text.at("namespace"), "shop");
    EXPECT_EQ(flow.text.at("pod"), "web-0");
    EXPECT_EQ(flow.text.at("container"), job.name);
    // ctr reads no further once it knows of the container's end.
    EXPECT_TRUE(job.out.starts_with(containerd.out(id))) << "the runtime can have no more";
  }
}

TEST(Containers, HundredsOfShortLivesOneAfterTheOther) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  constexpr unsigned kLives = 200;
  for (unsigned i = 0; i < kLives; ++i)
    containerd.run({.id = container_id("life-" + std::to_string(i)),
                    .command = {"log_writer", "write", std::to_string(i), "1"},
                    .annotations = cri_annotations("shop", "job-" + std::to_string(i), kPod, "main")});
  for (unsigned i = 0; i < kLives; ++i) {
    const auto flow = ended_flow(daemon, "pod/shop/job-" + std::to_string(i) + "/");
    ASSERT_TRUE(flow) << i;
    EXPECT_EQ(flow->missing, 0U);
    expect_stream(daemon, *flow, "stdout", writer_lines(i, 1));
  }
}

TEST(Containers, ManyAtOnce) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  constexpr unsigned kTogether = 20;
  constexpr unsigned kLines = 5'000;
  std::vector<std::unique_ptr<Process>> running;
  for (unsigned i = 0; i < kTogether; ++i)
    running.push_back(containerd.start(
        {.id = container_id("many-" + std::to_string(i)),
         .command =
             after("go", {"log_writer", "both", std::to_string(i), std::to_string(kLines), "until-read"}),
         .annotations = cri_annotations("shop", "batch-" + std::to_string(i), kPod, "main")}));
  // containerd needs a minute for this many if the machine is emulated.
  ASSERT_TRUE(
      eventually([&] { return flows_of(daemon, "?namespace=shop").size() == kTogether; }, 4 * kPatience));
  std::deque<FollowedFlow> followed;
  for (unsigned i = 0; i < kTogether; ++i)
    followed.emplace_back(daemon, "pod/shop/batch-" + std::to_string(i) + "/");
  let_go(root, "go");
  for (const auto& process : running) EXPECT_EQ(process->wait(4 * kPatience), 0) << process->last_words();
  Crowd crowd;
  for (unsigned i = 0; i < kTogether; ++i) {
    const auto [out, err] = writer_outputs(i, kLines);
    followed[i].expect(out, err, &crowd);
  }
  if (crowd.got != crowd.written) expect_most("all of them", crowd.got, crowd.written);
}

TEST(Containers, WhatRanBeforeTheServiceIsFollowedFromItsStart) {
  const ScratchRoot root;
  Containerd containerd(root);
  const auto container = containerd.start({.id = container_id("early"),
                                           .command = shell_after("go", "log_writer write 0 1000"),
                                           .annotations = cri_annotations("shop", "early-0", kPod, "main")});
  wait_until_waits(root, "go");
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  FollowedFlow followed(daemon, "pod/shop/early-0/");
  let_go(root, "go");
  EXPECT_EQ(container->wait(), 0) << container->last_words();
  followed.expect(writer_lines(0, 1000));
}

// flowtapd gets kill -9 in the middle of 100,000 lines, several times: the programs go on, and the next flowtapd finds all.
// 30,000 lines are let go before each kill, and the last 10,000 behind the last one, so that all kills are in the middle.
TEST(Containers, AServiceThatIsKilledMissesAndDoublesNothing) {
  const ScratchRoot root;
  Containerd containerd(root);
  constexpr unsigned kLines = 100'000;
  const std::string wanted = writer_lines(0, kLines);
  auto daemon = std::make_unique<Daemon>(root, kCapturing);
  daemon->wait_ready();
  const auto container = containerd.start(
      {.id = container_id("survivor"),
       .command = shell(until_read("for i in 0 1 2 3 4 5 6 7 8 9; do "
                                   "until [ -e /go$((i / 3)) ] || [ ! -e /bin ]; do sleep 0.1; done; "
                                   "log_writer write ${i}0000 10000; sleep 0.2; done")),
       .annotations = cri_annotations("shop", "survivor-0", kPod, "main")});
  const auto go_on = [&root](unsigned part) { let_go(root, "go" + std::to_string(part)); };
  for (unsigned i = 0; i < 3; ++i) {
    go_on(i);
    const std::uint64_t before = writer_lines(0, i * 30'000).size();
    std::uint64_t bytes = 0;
    ASSERT_TRUE(eventually([&] {
      const auto flows = flows_of(*daemon, "?pod=survivor-0");
      if (!flows.empty()) bytes = flows.front().bytes;
      return bytes > before;
    })) << i;
    ASSERT_LT(bytes, wanted.size());
    daemon->signal(SIGKILL);
    EXPECT_EQ(daemon->wait(), 128 + SIGKILL);
    daemon = std::make_unique<Daemon>(root, kCapturing);
    daemon->wait_ready();
  }
  FollowedFlow followed(*daemon, "pod/shop/survivor-0/");
  go_on(3);
  EXPECT_EQ(container->wait(), 0) << container->last_words();
  followed.expect(wanted);
}

TEST(Containers, ProbesAndNamespacesOfTheHostAreNoFlows) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::set<std::string> before = flow_ids(daemon);  // those of other containers on the machine
  podman.start({.name = "probed", .command = shell("echo ready; sleep 30")});
  EXPECT_NE(podman.podman({"exec", "probed", "/bin/busybox", "echo", "probe"}).find("probe"),
            std::string::npos);
  podman.kill("probed");
  const auto flow = ended_flow(daemon, "container/probed-");
  ASSERT_TRUE(flow);
  expect_stream(daemon, *flow, "stdout", "ready\n");
  EXPECT_EQ(::system("unshare -mpf sh -c 'echo host' | cat >/dev/null"), 0);
  // What is captured comes in order. A flow of anything before this container would be there when this one has ended.
  podman.run({.name = "marker", .command = shell("echo marker")});
  const auto marker = ended_flow(daemon, "container/marker-");
  ASSERT_TRUE(marker);
  std::set<std::string> expected = before;
  expected.insert({flow->id, marker->id});
  EXPECT_EQ(flow_ids(daemon), expected);
}

}  // namespace
}  // namespace flowtap::test
