// What containers wrote before there was a flowtapd, or before what it still keeps. It is read from the runtime's own files, and
// joined to what was captured without a byte missing or double.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <zlib.h>

#include <boost/json.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/rfc3339.hpp"
#include "stream/store/file_name.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/net/http_client.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;

// Each line has the time of this moment, as containerd's CRI plugin writes it.
std::string cri_lines(const std::string& text) {
  std::string lines;
  std::size_t begin = 0;
  for (std::size_t newline = 0; (newline = text.find('\n', begin)) != std::string::npos; begin = newline + 1)
    lines += rfc3339_nano(std::chrono::system_clock::now()) + " stdout F " +
             text.substr(begin, newline - begin) + "\n";
  return lines;
}

void write_gz(const std::string& path, const std::string& bytes) {
  const gzFile file = ::gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  ::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  ::gzclose(file);
}

// What the tmpfs has of a flow. Other bytes were never copied there.
std::string kept_bytes(const Daemon& daemon, const ScratchRoot& root, const std::string& flow) {
  EXPECT_TRUE(daemon.state_dir().starts_with(root.path()));
  return logged_bytes(root.read("state/flows/" + flow::flow_file_name(flow)), "both");
}

std::string pod_log(const Daemon& daemon, const std::string& pod, const std::string& query = {}) {
  const HttpAnswer answer = get_unix(daemon.socket(), "/api/v1/namespaces/shop/pods/" + pod + "/log" + query);
  EXPECT_EQ(answer.status, 200) << answer.body;
  return answer.body;
}

// Both outputs are written before and after the start of the service. The half line is begun before it and ended after it.
TEST(History, OfAContainerThatRanBeforeUnderPodman) {
  const ScratchRoot root;
  Podman podman(root);
  const std::string id = podman.start(
      {.name = "early",
       .command = shell("log_writer write 0 20000; echo early >&2; printf half; " +
                        shell_after("go", "printf 'way\\n'; log_writer write 20000 20000").back())});
  wait_until_waits(root, "go");
  const std::string flow = "container/early-" + id.substr(0, 12);
  const std::string wanted = writer_lines(0, 20'000) + "halfway\n" + writer_lines(20'000, 20'000);
  // podman makes its file before it starts the container, and conmon has what was written a moment later.
  ASSERT_TRUE(eventually([&] { return logged_bytes(podman.log(id), "stdout").ends_with("half"); }));
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  ASSERT_TRUE(eventually([&] { return flow_called(daemon, flow).has_value(); }));
  // conmon reads the two outputs in an order of its own.
  EXPECT_EQ(difference(log_text(daemon, flow, "stdout"), writer_lines(0, 20'000) + "half"), "")
      << "nothing was captured yet";
  EXPECT_EQ(log_text(daemon, flow, "stderr"), "early\n");
  const std::uint64_t before = writer_lines(0, 20'000).size() + 4 + 6;
  EXPECT_TRUE(eventually([&] { return flow_called(daemon, flow)->bytes == before; })) << "it is counted";
  EXPECT_FALSE(flow_called(daemon, flow)->more_before);
  EXPECT_EQ(flow_called(daemon, flow)->lines, 20'002U) << "with one that has not ended";
  let_go(root, "go");
  EXPECT_EQ(podman.wait("early"), 0);
  ASSERT_TRUE(ended_flow(daemon, flow));
  ASSERT_TRUE(eventually([&] { return log_text(daemon, flow).ends_with(writer_lines(39'999, 1)); }));
  EXPECT_EQ(difference(log_text(daemon, flow, "stdout"), wanted), "");
  EXPECT_EQ(log_text(daemon, flow, "stderr"), "early\n");
  EXPECT_EQ(difference(logged_bytes(podman.log(id), "stdout"), wanted), "") << "what conmon has";
  EXPECT_EQ(flow_called(daemon, flow)->bytes, wanted.size() + 6);
  EXPECT_EQ(flow_called(daemon, flow)->lines, 40'002U);
  const std::string path = "/api/v1/flows/" + escaped(flow) + "/log";
  const auto get = [&](const std::string& query) { return get_unix(daemon.socket(), path + query).body; };
  EXPECT_EQ(get("?tailLines=2"), writer_lines(39'998, 2));
  const std::string tail = get("?tailLines=20010");
  EXPECT_TRUE(tail.ends_with("way\n" + writer_lines(20'000, 20'000)));
  EXPECT_GT(tail.size(), writer_lines(20'000, 20'000).size() + 100) << "some of both";
  EXPECT_EQ(get("?tailLines=1000000").size(), wanted.size() + 6);
  EXPECT_EQ(get("?stream=Stdout&limitBytes=1000"), wanted.substr(0, 1000));
  EXPECT_EQ(get("?sinceSeconds=3600").size(), wanted.size() + 6);
  EXPECT_EQ(get("?timestamps=true&limitBytes=3").substr(0, 3), "202");
  const std::string kept = "way\n" + writer_lines(20'000, 20'000);
  EXPECT_TRUE(eventually([&] { return kept_bytes(daemon, root, flow).size() == kept.size(); }));
  EXPECT_EQ(difference(kept_bytes(daemon, root, flow), kept), "");
}

// Identical lines do not say where they stand. Only their times do.
TEST(History, OfLinesThatAreAllTheSame) {
  const ScratchRoot root;
  Podman podman(root);
  const std::string id = podman.start(
      {.name = "tick",
       .command = shell("for i in 1 2 3 4 5 6 7 8 9; do echo tick; done; " +
                        shell_after("go", "for i in 1 2 3 4 5; do echo tick; sleep 0.05; done").back())});
  wait_until_waits(root, "go");
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string flow = "container/tick-" + id.substr(0, 12);
  ASSERT_TRUE(eventually([&] { return flow_called(daemon, flow).has_value(); }));
  let_go(root, "go");
  EXPECT_EQ(podman.wait("tick"), 0);
  ASSERT_TRUE(ended_flow(daemon, flow));
  std::string all;
  for (int i = 0; i < 14; ++i) all += "tick\n";
  ASSERT_TRUE(eventually([&] { return log_text(daemon, flow) == all; })) << log_text(daemon, flow).size();
  EXPECT_EQ(kept_bytes(daemon, root, flow).size() % 5, 0U);
}

// podman has what the line discipline makes of it, and flowtapd has what was written.
TEST(History, OfATerminal) {
  const ScratchRoot root;
  Podman podman(root);
  const std::string id = podman.start(
      {.name = "early",
       .command = shell("log_writer write 0 1000; " + shell_after("go", "log_writer write 1000 1000").back()),
       .flags = {"--tty"}});
  wait_until_waits(root, "go");
  const std::string flow = "container/early-" + id.substr(0, 12);
  ASSERT_TRUE(eventually(
      [&] { return logged_bytes(podman.log(id), "stdout").find("0000000999") != std::string::npos; }));
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  ASSERT_TRUE(eventually([&] { return flow_called(daemon, flow).has_value(); }));
  EXPECT_TRUE(are_writer_lines(log_text(daemon, flow)));
  let_go(root, "go");
  EXPECT_EQ(podman.wait("early"), 0);
  ASSERT_TRUE(ended_flow(daemon, flow));
  const std::string wanted = writer_lines(0, 2000);
  EXPECT_TRUE(eventually([&] { return log_text(daemon, flow) == wanted; }))
      << difference(log_text(daemon, flow), wanted);
}

TEST(History, OfAFlowWhoseBeginningHasMadeRoom) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, {.stream = true, .room = "flow_bytes: 262144"});
  daemon.wait_ready();
  const std::string id = podman.start({.name = "large", .command = {"log_writer", "both", "0", "60000"}});
  EXPECT_EQ(podman.wait("large"), 0);
  const std::string flow = "container/large-" + id.substr(0, 12);
  ASSERT_TRUE(ended_flow(daemon, flow));
  const std::string out = logged_bytes(podman.log(id), "stdout");
  const std::string err = logged_bytes(podman.log(id), "stderr");
  EXPECT_EQ(out.size() + err.size(), writer_lines(0, 60'000).size());
  ASSERT_TRUE(eventually([&] { return log_text(daemon, flow).size() == out.size() + err.size(); }));
  EXPECT_EQ(difference(log_text(daemon, flow, "stdout"), out), "");
  EXPECT_EQ(difference(log_text(daemon, flow, "stderr"), err), "");
  EXPECT_LT(kept_bytes(daemon, root, flow).size(), 262'144U);
}

// kubelet's file is rotated and gzipped, and the pod says more while the service runs.
TEST(History, OfAPodThatRanBefore) {
  const ScratchRoot root;
  Containerd containerd(root);
  const auto container = containerd.start({.id = container_id("web"),
                                           .command = shell_after("go", "log_writer write 3000 1000"),
                                           .annotations = cri_annotations("shop", "web-0", kPod, "app")});
  wait_until_waits(root, "go");
  const std::string dir = std::string("var/log/pods/shop_web-0_") + kPod + "/app/";
  write_gz(root.file(dir + "0.log.20260101-000000.gz"), cri_lines(writer_lines(0, 1000)));
  root.write(dir + "0.log.20260101-000001", cri_lines(writer_lines(1000, 1000)));
  root.write(dir + "0.log", cri_lines(writer_lines(2000, 1000)));
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  ASSERT_TRUE(eventually([&] { return !flows_of(daemon, "?pod=web-0").empty(); }));
  EXPECT_EQ(difference(pod_log(daemon, "web-0"), writer_lines(0, 3000)), "");
  let_go(root, "go");
  EXPECT_EQ(container->wait(), 0) << container->last_words();
  ASSERT_TRUE(ended_flow(daemon, "pod/shop/web-0/"));
  const std::string all = writer_lines(0, 4000);
  ASSERT_TRUE(eventually([&] { return pod_log(daemon, "web-0").size() == all.size(); }));
  EXPECT_EQ(difference(pod_log(daemon, "web-0"), all), "") << "the runtime has not written the rest yet";
  root.write(dir + "0.log", cri_lines(writer_lines(2000, 1000)) + cri_lines(writer_lines(3000, 1000)));
  EXPECT_EQ(difference(pod_log(daemon, "web-0"), all), "") << "now it has";
  EXPECT_EQ(difference(pod_log(daemon, "web-0", "?tailLines=3500"), writer_lines(500, 3500)), "");
}

// Docker's json-file, as its daemon writes it: {"log":"one\n","stream":"stdout","time":"..."}
std::string json_lines(const std::string& text, const std::string& stream = "stdout") {
  std::string lines;
  std::size_t begin = 0;
  for (std::size_t newline = 0; (newline = text.find('\n', begin)) != std::string::npos; begin = newline + 1)
    lines += boost::json::serialize(
                 boost::json::object{{"log", text.substr(begin, newline + 1 - begin)},
                                     {"stream", stream},
                                     {"time", rfc3339_nano(std::chrono::system_clock::now())}}) +
             "\n";
  return lines;
}

// Docker's configuration may name this as `data-root`.
const std::string kDataRoot = "/srv/docker";

/// What Docker keeps of a container, in its own directory below `root`.
class DockersContainer {
 public:
  DockersContainer(const ScratchRoot& root, const std::string& id, const std::string& name)
      : root_(root),
        log_(kDataRoot.substr(1) + "/containers/" + id + "/" + id + "-json.log"),
        flow_("container/" + name + "-" + id.substr(0, 12)) {
    const std::string directory = fs::path(log_).parent_path().string() + "/";
    fs::create_directories(root.file(directory));
    root.write(directory + "config.v2.json",
               boost::json::serialize(boost::json::object{{"ID", id},
                                                          {"Name", "/" + name},
                                                          {"Config", {{"Image", "busybox:1.35"}}},
                                                          {"LogPath", "/" + log_}}));
    root.write(
        directory + "hostconfig.json",
        R"({"LogConfig":{"Type":"json-file","Config":{"max-size":"1m","max-file":"3","compress":"true"}}})");
  }
  /// Writes the file, or a rotated one (".1").
  void write(const std::string& lines, const std::string& suffix = "") const {
    root_.write(log_ + suffix, lines);
  }
  void write_old(const std::string& lines, const std::string& suffix) const {
    write_gz(root_.file(log_ + suffix), lines);
  }
  [[nodiscard]] const std::string& flow() const { return flow_; }

 private:
  const ScratchRoot& root_;
  std::string log_;
  std::string flow_;
};

TEST(History, OfAContainerThatRanBeforeUnderDocker) {
  const ScratchRoot root;
  Containerd containerd(root);
  const std::string id = container_id("web");
  const auto container = containerd.start(
      {.id = id, .command = shell_after("go", "log_writer write 3000 1000"), .cgroup_parent = "/docker"});
  wait_until_waits(root, "go");
  const DockersContainer docker(root, id, "shop-web");
  const std::string newest = json_lines(writer_lines(2000, 1000)) + json_lines("a \"problem\"\n", "stderr");
  docker.write_old(json_lines(writer_lines(0, 1000)), ".2.gz");
  docker.write(json_lines(writer_lines(1000, 1000)), ".1");
  docker.write(newest);
  const std::string ended_id = container_id("ended");
  const DockersContainer ended(root, ended_id, "batch");
  ended.write_old(json_lines(writer_lines(0, 500)), ".1.gz");
  ended.write(json_lines(writer_lines(500, 500)));

  DaemonOptions options = kCapturing;
  options.sources = "docker_dirs: [" + kDataRoot + "]";
  Daemon daemon(root, options);
  daemon.wait_ready();
  ASSERT_TRUE(eventually([&] { return flow_called(daemon, docker.flow()).has_value(); }));
  EXPECT_EQ(difference(log_text(daemon, docker.flow(), "stdout"), writer_lines(0, 3000)), "");
  EXPECT_EQ(log_text(daemon, docker.flow(), "stderr"), "a \"problem\"\n");
  let_go(root, "go");
  EXPECT_EQ(container->wait(), 0) << container->last_words();
  ASSERT_TRUE(ended_flow(daemon, docker.flow()));
  const std::string all = writer_lines(0, 4000);
  EXPECT_TRUE(eventually([&] { return log_text(daemon, docker.flow(), "stdout") == all; }))
      << difference(log_text(daemon, docker.flow(), "stdout"), all);
  docker.write(newest + json_lines(writer_lines(3000, 1000)));
  EXPECT_EQ(difference(log_text(daemon, docker.flow(), "stdout"), all), "") << "now Docker has the rest, too";
  EXPECT_EQ(log_text(daemon, docker.flow(), "stderr"), "a \"problem\"\n");
  EXPECT_TRUE(
      eventually([&] { return kept_bytes(daemon, root, docker.flow()) == writer_lines(3000, 1000); }));
  // Only Docker knows a container that ended before.
  EXPECT_FALSE(flow_called(daemon, ended.flow()));
  EXPECT_EQ(difference(log_text(daemon, ended.flow()), writer_lines(0, 1000)), "");
  const std::string path = "/api/v1/flows/" + escaped(ended.flow()) + "/log";
  EXPECT_EQ(get_unix(daemon.socket(), path + "?tailLines=600&follow=true").body, writer_lines(400, 600));
}

// The tmpfs is gone with the node's memory, but the runtimes' files are not.
TEST(History, BehindAReboot) {
  const ScratchRoot root;
  Podman podman(root);
  auto first = std::make_unique<Daemon>(root, kCapturing);
  first->wait_ready();
  const std::string id = podman.start({.name = "before", .command = {"log_writer", "write", "0", "3000"}});
  EXPECT_EQ(podman.wait("before"), 0);
  ASSERT_TRUE(ended_flow(*first, "container/before-"));
  first->signal(SIGTERM);
  EXPECT_EQ(first->wait(), 0) << first->err();
  const std::string config = root.write("detach.yaml", "stream: {bpffs: " + root.file("bpffs") + "}\n");
  EXPECT_EQ(run_flowtapd(root, {"--detach", "--host-root", root.path(), "--config", config}).status, 0);
  ASSERT_EQ(::umount2(root.file("state/flows").c_str(), MNT_DETACH), 0);
  const std::string dir = std::string("var/log/pods/shop_web-0_") + kPod + "/app/";
  fs::create_directories(root.file(dir));
  root.write(dir + "1.log", cri_lines("first life\n"));
  root.write(dir + "2.log", cri_lines(writer_lines(0, 100)));
  write_gz(root.file(dir + "2.log.20260101-000001.gz"), cri_lines("even before\n"));
  const std::string init = std::string("var/log/pods/shop_web-0_") + kPod + "/init/";
  fs::create_directories(root.file(init));
  root.write(init + "0.log", cri_lines("prepared\n"));
  DaemonOptions grouping = kCapturing;
  grouping.sources = "flow_rules: [{pod: web-0, group: rebooted}]";
  Daemon daemon(root, grouping);
  daemon.wait_ready();
  const std::string flow = "container/before-" + id.substr(0, 12);
  EXPECT_FALSE(flow_called(daemon, flow)) << "what was captured is gone";
  EXPECT_TRUE(daemon.err().contains("nothing that was captured earlier is left")) << daemon.err();
  EXPECT_EQ(difference(log_text(daemon, flow), writer_lines(0, 3000)), "");
  EXPECT_EQ(pod_log(daemon, "web-0", "?container=app"), "even before\n" + writer_lines(0, 100));
  EXPECT_EQ(pod_log(daemon, "web-0", "?container=init"), "prepared\n");
  EXPECT_EQ(pod_log(daemon, "web-0", "?container=app&tailLines=1"), writer_lines(99, 1));
  EXPECT_EQ(pod_log(daemon, "web-0", "?container=app&previous=true"), "first life\n");
  EXPECT_EQ(pod_log(daemon, "web-0", "?container=app&follow=true"), "even before\n" + writer_lines(0, 100))
      << "and ends";
  // A client that wants several logs at a time gets them, too.
  int runs = 0;
  const auto joint = [&](const std::vector<std::string>& arguments) {
    const std::string name = "joint" + std::to_string(++runs);
    EXPECT_EQ(start_logs(root, name, arguments)->wait(), 0) << root.read(name + ".err");
    return root.read(name);
  };
  const std::string last = writer_lines(99, 1);
  EXPECT_EQ(joint({"shop/web-0", "--all-containers", "--tail", "1"}), "app " + last + "init prepared\n");
  EXPECT_EQ(joint({"--group", "rebooted", "--tail", "1"}),
            "web-0 app first life\nweb-0 app " + last + "web-0 init prepared\n")
      << "of a group all runs";
  // If nothing is left, that is said.
  fs::remove_all(root.file("var/log/pods"));
  const HttpAnswer gone = get_unix(daemon.socket(), "/api/v1/namespaces/shop/pods/web-0/log");
  EXPECT_EQ(gone.status, 404);
  EXPECT_NE(gone.body.find("is known on this node"), std::string::npos) << gone.body;
}

// A pod with a hostPath can write where kubelet's files are. Links there lead nowhere.
TEST(History, FollowsNoLinkOfATenant) {
  const ScratchRoot root;
  const std::string pods = root.file("var/log/pods/");
  fs::create_directories(pods + "shop_secret-0_" + kPod + "/app");
  root.write(std::string("var/log/pods/shop_secret-0_") + kPod + "/app/0.log", cri_lines("secret\n"));
  fs::create_directories(pods + "shop_file-0_" + kPod + "/app");
  fs::create_symlink("/var/log/pods/shop_secret-0_" + std::string(kPod) + "/app/0.log",
                     pods + "shop_file-0_" + kPod + "/app/0.log");
  fs::create_directories(pods + "shop_dir-0_" + kPod);
  fs::create_symlink("../shop_secret-0_" + std::string(kPod) + "/app", pods + "shop_dir-0_" + kPod + "/app");
  fs::create_symlink("shop_secret-0_" + std::string(kPod), pods + "shop_pod-0_" + kPod);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  EXPECT_EQ(pod_log(daemon, "secret-0"), "secret\n");
  for (const char* pod : {"file-0", "dir-0", "pod-0"}) {
    const HttpAnswer answer =
        get_unix(daemon.socket(), std::string("/api/v1/namespaces/shop/pods/") + pod + "/log");
    EXPECT_EQ(answer.status, 404) << pod << " " << answer.body;
  }
}

}  // namespace
}  // namespace flowtap::test
