// What becomes of containers on a cluster of workflows, if they are evicted, fail or are deleted, or if their runtime or flowtapd
// restarts. In each case flow, file, log and follower have the bytes that were written. (trouble_test kills some for their
// memory.)
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/fd.hpp"
#include "stream/lines/cri_line.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;

const std::string kPodName = "step-0";
const std::string kOfPod = "shop/" + kPodName;

Containerd::Container step(const std::vector<std::string>& command) {
  return {.id = container_id("step"),
          .command = command,
          .annotations = cri_annotations("shop", kPodName, kPod, "main")};
}

// Writes lines until it is killed, but not more than are kept. `before` is done first.
std::vector<std::string> writes_on(const std::string& before = ":") {
  return shell(
      before +
      "; : 3>/on.waits; i=0; while [ -e /bin ] && [ $i -lt 200000 ]; do log_writer write $i 50 || exit "
      "1; i=$((i + 50)); done; while [ -e /bin ]; do sleep 0.1; done");
}

// Writes lines 0 .. 9999 when go0 is there, the next 10,000 when go1 is, ... Makes done0, done1, ... when they are written.
constexpr unsigned kPart = 10'000;
std::vector<std::string> writes_parts(unsigned parts) {
  std::string numbers;
  for (unsigned i = 0; i < parts; ++i) numbers += " " + std::to_string(i);
  return shell(until_read("for i in" + numbers +
                          "; do until [ -e /go$i ] || [ ! -e /bin ]; do sleep 0.1; done; "
                          "log_writer write ${i}0000 10000; : 3>/done$i; done"));
}
std::string part_name(const char* what, unsigned part) {
  return what + std::to_string(part);
}
std::size_t bytes_of_parts(unsigned parts) {
  return writer_lines(0, parts * kPart).size();
}
bool is_done(const ScratchRoot& root, unsigned part) {
  return eventually([&] { return fs::exists(root.file("busybox/" + part_name("done", part))); });
}

// Removes all that kubelet leaves nothing of.
void remove_logs(const ScratchRoot& root) {
  EXPECT_GT(fs::remove_all(root.file(pod_log_directory("shop", kPodName, kPod))), 0U);
  fs::remove_all(root.file("var/log/containers"));
}

std::string flow_of(const std::string& podmans_id) {
  return "container/step-" + podmans_id.substr(0, 12);
}

class Reliability : public testing::Test {
 protected:
  void start_daemon() {
    daemon_ = std::make_unique<Daemon>(root_, kCapturing);
    daemon_->wait_ready();
  }
  [[nodiscard]] LogFollower follow(const std::string& of, const std::string& output = "stdout") {
    return LogFollower(*daemon_, root_, of, {"--stream", output});
  }
  // Returns the container's id when it writes.
  std::string start(Podman& podman, const std::string& before = ":") {
    std::string id = podman.start({.name = "step", .command = writes_on(before)});
    wait_until_waits(root_, "on");
    return id;
  }
  std::unique_ptr<Process> start(Containerd& containerd, const Containerd::Container& pod) {
    auto container = containerd.start(pod);
    wait_until_waits(root_, "on");
    return container;
  }
  // Returns when the follower has many lines.
  [[nodiscard]] LogFollower follow_amid(const std::string& of) {
    LogFollower out = follow(of);
    EXPECT_TRUE(out.gets(100'000));
    return out;
  }
  void expect_end(const std::string& flow) {
    ended_ = ended_flow(*daemon_, flow);
    ASSERT_TRUE(ended_);
  }
  // Expects that the flow ends and lacks nothing.
  void expect_whole(const std::string& flow) {
    ASSERT_NO_FATAL_FAILURE(expect_end(flow));
    EXPECT_EQ(ended_->missing, 0U);
  }
  // Expects this of the flow that has ended, and that the follower has got all of it.
  void expect_output(LogFollower& follower, const std::string& output, const std::string& wanted) {
    expect_stream(*daemon_, *ended_, output, wanted);
    EXPECT_EQ(follower.wait(), 0) << follower.complaint();
    EXPECT_EQ(difference(follower.text(), wanted), "");
  }
  // It ended amid its lines: only somebody who has read them knows how many were written, and a runtime's shim gives up what it
  // has not copied two seconds after the end.
  void expect_cut_short(LogFollower& out, const std::string& kept) {
    if (ended_->missing > 0) {
      EXPECT_TRUE(expect_told(out).starts_with(kept)) << "the runtime can have no more";
      return;
    }
    EXPECT_EQ(out.wait(), 0) << out.complaint();
    const std::string text = out.text();
    EXPECT_TRUE(text.starts_with(kept)) << "the runtime can have no more";
    EXPECT_TRUE(are_writer_lines(text));
    expect_output(out, "stdout", text);
  }
  // Stops whoever reads a container's pipe, and kills him when much is in it. Returns how many bytes he has left in it, once the
  // container, which learns of it with its next write, has ended.
  static std::size_t kill_reader(pid_t container) {
    const pid_t reader = reader_of(container);
    EXPECT_EQ(::kill(reader, SIGSTOP), 0);
    const Fd pipe(::open(fmt::format("/proc/{}/fd/1", container).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    constexpr int kMuch = 32768;
    int left = 0;
    EXPECT_TRUE(eventually([&] { return ::ioctl(pipe.get(), FIONREAD, &left) == 0 && left > kMuch; }))
        << "the pipe has " << left << " bytes";
    EXPECT_EQ(::kill(reader, SIGKILL), 0);
    EXPECT_TRUE(eventually([&] {
      std::string stat;  // none: it is gone
      std::getline(std::ifstream(fmt::format("/proc/{}/stat", container)), stat);
      return stat.empty() || stat.contains(") Z ");
    }));
    EXPECT_EQ(::ioctl(pipe.get(), FIONREAD, &left), 0);
    return static_cast<std::size_t>(left);
  }
  // Expects that the flow ends, and that what its reader has left in the pipe is told at its end. Returns what was read.
  std::string expect_left(const std::string& flow, LogFollower& out, std::size_t left) {
    ended_ = ended_flow(*daemon_, flow);
    if (!ended_) {
      ADD_FAILURE() << flow << " does not end";
      return {};
    }
    EXPECT_EQ(ended_->missing, left);
    return expect_told(out);
  }
  // The same of the flow that has ended, of however many bytes.
  std::string expect_told(LogFollower& out) {
    std::string text = raw_bytes(*daemon_, ended_->id, "stdout");
    EXPECT_TRUE(are_writer_lines(text));
    EXPECT_EQ(out.wait(), 0) << out.complaint();
    EXPECT_TRUE(out.text().starts_with(text));
    EXPECT_TRUE(out.text().ends_with(flow::gap_text(ended_->missing, flow::MissingCause::kUnread) + "\n"));
    EXPECT_GE(left_unread(), ended_->missing);
    return text;
  }
  // Of the whole node: containers of other tests are killed meanwhile.
  [[nodiscard]] double left_unread() const {
    return daemon_->settled_stats().series.at(R"(flowtap_log_lost_bytes_total{cause="unread"})");
  }

  ScratchRoot root_;
  std::unique_ptr<Daemon> daemon_;
  std::optional<FlowSeen> ended_;
};

// kubelet does this if memory or disk runs short: a warning, a grace period, the end, and nothing is left on the node.
TEST_F(Reliability, EvictedFromItsNode) {
  Containerd containerd(root_);
  start_daemon();
  const auto pod = step(writes_on("trap 'echo has to go >&2' TERM"));
  const auto container = start(containerd, pod);
  auto out = follow(kOfPod);
  auto err = follow(kOfPod, "stderr");
  containerd.kill(pod.id, "SIGTERM");
  ASSERT_TRUE(err.gets(std::string("has to go\n").size()));
  ASSERT_TRUE(out.gets(out.text().size() + 10'000)) << "it uses its grace";
  containerd.kill(pod.id, "SIGKILL");
  EXPECT_EQ(container->wait(), 128 + SIGKILL) << container->last_words();
  remove_logs(root_);
  EXPECT_FALSE(fs::exists(root_.file("run/containerd/io.containerd.runtime.v2.task/k8s.io/" + pod.id)));

  ASSERT_NO_FATAL_FAILURE(expect_end("pod/shop/step-0/"));
  expect_cut_short(out, containerd.out(pod.id));
  expect_output(err, "stderr", "has to go\n");
}

TEST_F(Reliability, StoppedAndRemovedByPodman) {
  Podman podman(root_);
  start_daemon();
  const std::string id = start(podman, "trap 'echo has to go >&2' TERM");
  const std::string flow_id = flow_of(id);
  auto out = follow(flow_id);
  auto err = follow(flow_id, "stderr");
  // Otherwise it is removed before anybody can look at it.
  fs::create_hard_link(podman.log_file(id), root_.file("kept.log"));
  podman.podman({"kill", "--signal=TERM", "step"});
  ASSERT_TRUE(err.gets(std::string("has to go\n").size()));
  podman.podman({"stop", "--time=0", "step"});
  podman.podman({"rm", "step"});
  EXPECT_FALSE(fs::exists(podman.log_file(id)));

  ASSERT_NO_FATAL_FAILURE(expect_end(flow_id));
  expect_cut_short(out, logged_bytes(root_.read("kept.log"), "stdout"));
  expect_output(err, "stderr", "has to go\n");
}

// What explains a failure is the last that a program says, on the other output, in as many writes as its interpreter likes.
TEST_F(Reliability, AnExceptionAtItsExit) {
  Containerd containerd(root_);
  start_daemon();
  const std::vector<std::string> traceback = {"Traceback (most recent call last):\n",
                                              "  File \"/srv/job/train.py\", line 41, in <module>\n",
                                              "    main()\n",
                                              "  File \"/srv/job/train.py\", line 37, in main\n",
                                              "    raise RuntimeError(\"CUDA out of memory\")\n",
                                              "RuntimeError: CUDA out of memory\n"};
  std::string script;
  std::string wanted;
  for (const std::string& line : traceback) {
    std::ofstream(root_.file("busybox/line" + std::to_string(wanted.size()))) << line;
    script += "cat /line" + std::to_string(wanted.size()) + " >&2; ";
    wanted += line;
  }
  // The runtime reads the two outputs in an order of its own.
  const auto pod =
      step(shell_after("go", "log_writer write 0 5000; " + shell_after("raise", script + "exit 1").back()));
  const auto container = containerd.start(pod);
  wait_until_waits(root_, "go");
  LogFollower both(*daemon_, root_, kOfPod);
  let_go(root_, "go");
  EXPECT_TRUE(both.gets(writer_lines(0, 5000).size()));
  let_go(root_, "raise");
  EXPECT_EQ(container->wait(), 1) << container->last_words();
  remove_logs(root_);

  ASSERT_NO_FATAL_FAILURE(expect_whole("pod/shop/step-0/"));
  expect_stream(*daemon_, *ended_, "stdout", writer_lines(0, 5000));
  expect_stream(*daemon_, *ended_, "stderr", wanted);
  EXPECT_EQ(both.wait(), 0) << both.complaint();
  EXPECT_TRUE(both.text().ends_with(wanted)) << both.text().substr(both.text().size() - 1000);
  EXPECT_EQ(both.text().size(), writer_lines(0, 5000).size() + wanted.size());
  const auto tail = start_logs(root_, "tail", {kOfPod, "--tail", std::to_string(traceback.size())});
  EXPECT_EQ(tail->wait(), 0) << tail->last_words();
  EXPECT_EQ(root_.read("tail"), wanted);
}

TEST_F(Reliability, DeletedWhileItWrites) {
  Containerd containerd(root_);
  start_daemon();
  const auto pod = step(writes_on());
  const auto container = start(containerd, pod);
  auto out = follow_amid(kOfPod);
  remove_logs(root_);  // this comes before the end: whoever deletes a pod by force does not wait
  containerd.kill(pod.id);
  EXPECT_EQ(container->wait(), 128 + SIGKILL) << container->last_words();

  ASSERT_NO_FATAL_FAILURE(expect_end("pod/shop/step-0/"));
  expect_cut_short(out, containerd.out(pod.id));
}

TEST_F(Reliability, RemovedByForceWhileItWrites) {
  Podman podman(root_);
  start_daemon();
  const std::string id = start(podman);
  const std::string flow_id = flow_of(id);
  auto out = follow_amid(flow_id);
  fs::create_hard_link(podman.log_file(id), root_.file("kept.log"));
  podman.podman({"rm", "--force", "--time=0", "step"});

  ASSERT_NO_FATAL_FAILURE(expect_end(flow_id));
  expect_cut_short(out, logged_bytes(root_.read("kept.log"), "stdout"));
}

// The shim and the container go on. Nobody takes the output out of the FIFO, so the container waits when the FIFO is full.
TEST_F(Reliability, ContainerdIsKilledAndStartedAgainWhileItWrites) {
  Containerd containerd(root_);
  start_daemon();
  constexpr unsigned kParts = 4;
  const auto pod = step(writes_parts(kParts));
  const auto container = containerd.start(pod);
  let_go(root_, "go0");
  auto out = follow(kOfPod);
  std::unique_ptr<Process> attached;
  for (unsigned part = 1; part + 1 < kParts; ++part) {
    ASSERT_TRUE(out.gets(bytes_of_parts(part)));
    // ctr goes first, since it would remove the FIFOs when it loses its containerd. kubelet's FIFOs are containerd's own.
    (attached ? attached : container)->signal(SIGKILL);
    (void)(attached ? attached : container)->wait();
    let_go(root_, part_name("go", part));
    containerd.restart();
    attached = containerd.attach(pod.id);
  }
  ASSERT_TRUE(out.gets(bytes_of_parts(kParts - 1)));
  let_go(root_, part_name("go", kParts - 1));
  EXPECT_EQ(attached->wait(), 0) << attached->last_words();

  ASSERT_NO_FATAL_FAILURE(expect_whole("pod/shop/step-0/"));
  EXPECT_EQ(ended_->id, std::string("pod/shop/step-0/") + kPod + "/main/0");
  const std::string wanted = writer_lines(0, kParts * kPart);
  expect_output(out, "stdout", wanted);
}

// Nobody reads the container's pipe any more, and nobody ever will. What was read is there, what was not is told, and the flow ends.
TEST_F(Reliability, TheShimIsKilledWhileItWrites) {
  Containerd containerd(root_);
  start_daemon();
  const auto pod = step(writes_on());
  const auto container = start(containerd, pod);
  auto out = follow_amid(kOfPod);
  const std::size_t left = kill_reader(containerd.pid(pod.id));
  const std::string text = expect_left("pod/shop/step-0/", out, left);
  (void)container->wait();
  EXPECT_TRUE(text.starts_with(containerd.out(pod.id))) << "the runtime can have no more";
}

// More lines than a FIFO and the shim's buffer hold, but not more than these and the container's pipe: 99,570 bytes. Pages may be half
// full in the FIFO, and the buffer has 4 or 32 KiB.
constexpr unsigned kOverflow = 1765;

// Nobody takes its output out of the FIFO, as if ctr got no CPU. The shim waits for room there, and gives up some time after it was
// told to leave: what it has read is captured, and the rest is told.
TEST_F(Reliability, WhatTheShimGivesUpOfAContainerThatHasEndedIsTold) {
  Containerd containerd(root_);
  start_daemon();
  const auto pod = step(shell_after("go", "exec log_writer write 0 " + std::to_string(kOverflow)));
  const auto ctr = containerd.start(pod);
  wait_until_waits(root_, "go");
  auto out = follow(kOfPod);
  const pid_t container = containerd.pid(pod.id);
  ctr->signal(SIGKILL);
  (void)ctr->wait();
  let_go(root_, "go");
  ASSERT_TRUE(eventually([container] { return ::kill(container, 0) != 0; }));
  containerd.remove(pod.id);

  ASSERT_NO_FATAL_FAILURE(expect_end("pod/shop/step-0/"));
  const std::string text = expect_told(out);
  EXPECT_GT(ended_->missing, 0U);
  EXPECT_EQ(text.size() + ended_->missing, writer_lines(0, kOverflow).size());
  EXPECT_TRUE(text.starts_with(containerd.out(pod.id))) << "the runtime can have no more";
}

// Tests that want every byte of a pod rest on this.
TEST_F(Reliability, NothingIsGivenUpOfAContainerThatEndsWhenItIsRead) {
  Containerd containerd(root_);
  start_daemon();
  const std::string writes = "log_writer write 0 " + std::to_string(kOverflow) + "; : 3>/done0";
  const auto pod = step(shell_after("go", until_read(writes)));
  const auto ctr = containerd.start(pod);
  wait_until_waits(root_, "go");
  auto out = follow(kOfPod);
  const pid_t container = containerd.pid(pod.id);
  ctr->signal(SIGSTOP);
  let_go(root_, "go");
  ASSERT_TRUE(is_done(root_, 0));
  EXPECT_EQ(::kill(container, 0), 0) << "some of it is in its pipe";
  ctr->signal(SIGCONT);
  EXPECT_EQ(ctr->wait(), 0) << ctr->last_words();

  ASSERT_NO_FATAL_FAILURE(expect_whole("pod/shop/step-0/"));
  expect_output(out, "stdout", writer_lines(0, kOverflow));
}

TEST_F(Reliability, ConmonIsKilledWhileItWrites) {
  Podman podman(root_);
  start_daemon();
  const std::string id = start(podman);
  const std::string flow_id = flow_of(id);
  auto out = follow_amid(flow_id);
  const std::size_t left = kill_reader(podman.pid("step"));
  const std::string text = expect_left(flow_id, out, left);
  EXPECT_TRUE(text.starts_with(logged_bytes(podman.log(id), "stdout"))) << "the runtime can have no more";
}

// flowtapd is asked to end, or is killed, in the middle of a part. The next part is written while there is no flowtapd.
TEST_F(Reliability, FlowtapdRestartsWhileItWrites) {
  Containerd containerd(root_);
  start_daemon();
  const std::vector<int> signals = {SIGTERM, SIGKILL, SIGTERM, SIGKILL};
  const auto parts = static_cast<unsigned>(signals.size()) * 2 + 1;
  const std::string wanted = writer_lines(0, parts * kPart);
  const auto pod = step(writes_parts(parts));
  const auto container = containerd.start(pod);
  unsigned part = 0;
  for (const int signal : signals) {
    auto out = follow(kOfPod);
    ASSERT_TRUE(out.gets(bytes_of_parts(part)));
    let_go(root_, part_name("go", part));
    ASSERT_TRUE(out.gets(bytes_of_parts(part) + 1));
    daemon_->signal(signal);
    EXPECT_EQ(daemon_->wait(), signal == SIGTERM ? 0 : 128 + signal);
    EXPECT_TRUE(out.wait()) << "who follows learns that there is nobody any more";
    EXPECT_TRUE(wanted.starts_with(out.text()));
    let_go(root_, part_name("go", part + 1));
    ASSERT_TRUE(is_done(root_, part + 1));
    start_daemon();
    part += 2;
  }
  auto out = follow(kOfPod);
  let_go(root_, part_name("go", part));
  EXPECT_EQ(container->wait(), 0) << container->last_words();

  ASSERT_NO_FATAL_FAILURE(expect_whole("pod/shop/step-0/"));
  expect_output(out, "stdout", wanted);
}

}  // namespace
}  // namespace flowtap::test
