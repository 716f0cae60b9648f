#include "identity/resolver.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/files/file_tree.hpp"
#include "tests/unit/identity/golden.hpp"

namespace flowtap::identity {
namespace {

using flowtap::test::FileTree;
using test::golden;
using test::kContainer;
using test::kDocker;
using test::kPodman;
using test::kSandbox;
using test::kUid;

const std::string kTasks = "run/containerd/io.containerd.runtime.v2.task/k8s.io/";
const std::string kPodLogs = "var/log/pods/shop_web-6c9d8f7b5-2xk4q_" + kUid;
const std::string kVictim(64, 'e');

class ResolverTest : public ::testing::Test {
 protected:
  // A node with one pod, before anybody wrote anything.
  void SetUp() override {
    std::filesystem::create_directories(tree_.root() + "/proc");
    tree_.file(kTasks + kSandbox + "/config.json", golden("containerd-sandbox.config.json"));
    root_.emplace(*RootDir::open(tree_.root()));
    proc_.emplace(*RootDir::open(tree_.root() + "/proc"));
    resolver_.emplace(*root_, *proc_, StateDirectories{}, 8);
  }
  void add_container(unsigned restart) {
    tree_.file(kTasks + kContainer + "/config.json", golden("containerd-container.config.json"));
    tree_.file(kPodLogs + "/web/" + std::to_string(restart) + ".log", "");
  }
  void remove(const std::string& path) { std::filesystem::remove_all(tree_.root() + "/" + path); }

  FileTree tree_;
  std::optional<RootDir> root_;
  std::optional<RootDir> proc_;
  std::optional<Resolver> resolver_;
  const Sighting web_{.cgroup = kContainer, .parent = "pod" + kUid, .pid = 0, .cgroup_path = {}};
};

TEST_F(ResolverTest, AContainerOfAPod) {
  add_container(3);
  const Answer answer = resolver_->resolve(web_);
  EXPECT_EQ(answer.certainty, Certainty::kComplete);
  ASSERT_TRUE(answer.container);
  EXPECT_EQ(answer.container->restart, 3U);
  EXPECT_EQ(answer.container->log_path, "/" + kPodLogs + "/web/3.log");
  EXPECT_EQ(answer.container->image, "registry.example/shop/web:1.4");
  EXPECT_EQ(answer.flow_id(), "pod/shop/web-6c9d8f7b5-2xk4q/" + kUid + "/web/3");
}

TEST_F(ResolverTest, LateBundleAndLateLogFileAreAskedForAgain) {
  Answer answer = resolver_->resolve(web_);
  EXPECT_EQ(answer.certainty, Certainty::kPartial);
  EXPECT_EQ(answer.container->pod_uid, kUid) << "what the cgroup tells";
  EXPECT_EQ(answer.flow_id(), "container/" + kContainer);

  tree_.file(kTasks + kContainer + "/config.json", golden("containerd-container.config.json").substr(0, 99));
  EXPECT_EQ(resolver_->resolve(web_).certainty, Certainty::kPartial) << "half-written";
  EXPECT_TRUE(resolver_->last_error());
  EXPECT_EQ(resolver_->counts().unreadable, 1U);

  tree_.file(kTasks + kContainer + "/config.json", golden("containerd-container.config.json"));
  answer = resolver_->resolve(web_);
  EXPECT_EQ(answer.certainty, Certainty::kPartial) << "no N.log yet";
  EXPECT_EQ(answer.flow_id(), "pod/shop/web-6c9d8f7b5-2xk4q/" + kUid + "/web/id-bacb92047090");

  add_container(0);
  answer = resolver_->resolve(web_);
  EXPECT_EQ(answer.certainty, Certainty::kComplete);
  EXPECT_EQ(answer.container->restart, 0U);
}

TEST_F(ResolverTest, WhatIsKnownStaysKnownWhenTheBundleGoes) {
  add_container(0);
  const Answer first = resolver_->resolve(web_);
  remove(kTasks + kContainer);
  tree_.file(kPodLogs + "/web/1.log", "");  // the next container's
  const Answer again = resolver_->resolve(web_);
  EXPECT_EQ(again.certainty, Certainty::kComplete);
  EXPECT_EQ(again.container, first.container);
  EXPECT_EQ(resolver_->counts().hits, 1U);
}

TEST_F(ResolverTest, TheLinkKnowsWhatTheBundleKnew) {
  std::filesystem::create_directories(tree_.root() + "/var/log/containers");
  std::filesystem::create_symlink(
      "/" + kPodLogs + "/web/5.log",
      tree_.root() + "/var/log/containers/web-6c9d8f7b5-2xk4q_shop_web-" + kContainer + ".log");
  const Answer answer = resolver_->resolve(web_);
  EXPECT_EQ(answer.certainty, Certainty::kComplete);
  EXPECT_EQ(answer.flow_id(), "pod/shop/web-6c9d8f7b5-2xk4q/" + kUid + "/web/5");
  EXPECT_FALSE(answer.container->image) << "only the bundle had it";
  EXPECT_EQ(resolver_->counts().from_links, 1U);
}

// The question is about a process with a pid, which another process may have got by now.
TEST_F(ResolverTest, AnotherProcessWithThePidIsNotBelieved) {
  add_container(0);
  const std::string path = "/kubepods/burstable/pod" + kUid + "/" + kContainer;
  tree_.file("proc/7/cgroup", "0::" + path + "\n");
  tree_.file("proc/7/stat", "7 (web) S 1 7 7 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0\n");
  const Sighting by_pid{.cgroup = {}, .parent = {}, .pid = 7, .cgroup_path = {}, .start = 4711};
  EXPECT_TRUE(resolver_->resolve(by_pid).container);
  Sighting earlier = by_pid;
  earlier.start = 4710;
  const Answer other = resolver_->resolve(earlier);
  EXPECT_FALSE(other.container);
  EXPECT_FALSE(other.whole_path);
  // Where the start is not known, it must be exactly the cgroup's directory.
  std::filesystem::create_directories(tree_.root() + "/cgroup" + path);
  const RootDir cgroups = *RootDir::open(tree_.root() + "/cgroup");
  Resolver careful(*root_, *proc_, {}, 8, &cgroups);
  Sighting by_cgroup{.cgroup = {}, .parent = {}, .pid = 7, .cgroup_path = {}, .start = {}};
  by_cgroup.cgroup_id = *cgroups.inode(path);
  EXPECT_TRUE(careful.resolve(by_cgroup).container);
  by_cgroup.cgroup_id = *by_cgroup.cgroup_id + 1;
  EXPECT_FALSE(careful.resolve(by_cgroup).container);
  remove("cgroup");
  EXPECT_FALSE(careful.resolve(by_cgroup).container) << "nothing tells that it is the same";
  by_cgroup.start = 4711;
  EXPECT_TRUE(careful.resolve(by_cgroup).container) << "the container has ended meanwhile";
}

TEST_F(ResolverTest, ThePodsLogDirectoryIsItsSandboxs) {
  // kubelet's directory of pods may be configured elsewhere; then only the sandbox tells.
  std::string sandbox = golden("containerd-sandbox.config.json");
  sandbox.replace(sandbox.find("/var/log/pods/"), 14, "/data/logs/");
  tree_.file(kTasks + kSandbox + "/config.json", sandbox);
  add_container(0);
  tree_.file("data/logs/shop_web-6c9d8f7b5-2xk4q_" + kUid + "/web/4.log", "");
  EXPECT_EQ(resolver_->resolve(web_).container->restart, 4U);
  // And without a sandbox it is where kubelet puts it by default.
  remove(kTasks + kSandbox);
  Resolver fresh(*root_, *proc_, {}, 8);
  EXPECT_EQ(fresh.resolve(web_).container->restart, 0U);
}

TEST_F(ResolverTest, TheSandboxItself) {
  const Answer answer =
      resolver_->resolve({.cgroup = kSandbox, .parent = "pod" + kUid, .pid = 0, .cgroup_path = {}});
  EXPECT_EQ(answer.certainty, Certainty::kComplete);
  EXPECT_TRUE(answer.container->sandbox);
  EXPECT_EQ(answer.flow_id(), "pod/shop/web-6c9d8f7b5-2xk4q/" + kUid + "/POD/id-91f829d8c007");
}

TEST_F(ResolverTest, PodmanAndDocker) {
  const std::string storage = "var/lib/containers/storage/vfs-containers/";
  tree_.file(storage + kPodman + "/userdata/config.json", golden("podman.config.json"));
  const Sighting podman{
      .cgroup = "libpod-" + kPodman, .parent = "libpod_parent", .pid = 0, .cgroup_path = {}};
  EXPECT_EQ(resolver_->resolve(podman).certainty, Certainty::kPartial) << "no name yet";
  tree_.file(storage + "containers.json", golden("podman.containers.json"));
  EXPECT_EQ(resolver_->resolve(podman).flow_id(), "container/web-1-32283c29ce5b");

  tree_.file("var/lib/docker/containers/" + kDocker + "/config.v2.json", golden("docker.config.v2.json"));
  tree_.file("var/lib/docker/containers/" + kDocker + "/hostconfig.json", golden("docker.hostconfig.json"));
  const Answer docker = resolver_->resolve(
      {.cgroup = "docker-" + kDocker + ".scope", .parent = "system.slice", .pid = 0, .cgroup_path = {}});
  EXPECT_EQ(docker.flow_id(), "container/open-web-dde7a8080851");
  EXPECT_EQ(docker.container->format, LogFormat::kDockerJson);
}

TEST_F(ResolverTest, ContainerdsOwnClientMayNameAContainerAnything) {
  tree_.file("run/containerd/io.containerd.runtime.v2.task/mine/web-1/config.json", "{}");
  const Answer answer =
      resolver_->resolve({.cgroup = "web-1", .parent = "mine", .pid = 0, .cgroup_path = {}});
  EXPECT_EQ(answer.flow_id(), "container/web%2D1");
  const Answer none = resolver_->resolve({.cgroup = "other", .parent = "mine", .pid = 0, .cgroup_path = {}});
  EXPECT_FALSE(none.container);
  EXPECT_FALSE(none.flow_id());
}

TEST_F(ResolverTest, UnitsAndPlainProcesses) {
  const auto ask = [this](const std::string& path) {
    return resolver_->resolve(
        {.cgroup = path.substr(path.rfind('/') + 1), .parent = "", .pid = 0, .cgroup_path = path});
  };
  const Answer unit = ask("/system.slice/foo.service");
  EXPECT_EQ(unit.certainty, Certainty::kComplete);
  EXPECT_EQ(unit.flow_id(), "unit/foo.service");
  EXPECT_EQ(ask("/user.slice/user-7.slice/user@7.service/app.slice/kube-scheduler.service").flow_id(),
            "unit/user@7.service/kube-scheduler.service");
  EXPECT_FALSE(ask("/").flow_id());
  EXPECT_FALSE(ask("/system.slice").flow_id());
}

TEST_F(ResolverTest, ThePathComesFromProcUnlessTheProcessMoved) {
  add_container(0);
  tree_.file("proc/7/cgroup", "0::/kubepods/burstable/pod" + kUid + "/" + kContainer + "\n");
  const Answer whole = resolver_->resolve({.cgroup = kContainer, .parent = "?", .pid = 7, .cgroup_path = {}});
  EXPECT_TRUE(whole.container->pod);
  EXPECT_TRUE(whole.whole_path);
  tree_.file("proc/7/cgroup", "0::/system.slice/other.service\n");
  const Answer names =
      resolver_->resolve({.cgroup = kContainer, .parent = "pod" + kUid, .pid = 7, .cgroup_path = {}});
  EXPECT_TRUE(names.container) << "the names of the event are older and right";
  EXPECT_FALSE(names.whole_path);
  remove("proc/7");
  EXPECT_FALSE(
      resolver_->resolve({.cgroup = kContainer, .parent = "?", .pid = 7, .cgroup_path = {}}).whole_path);
}

// A process inside a container with cgroups of its own can give one the name of any other container of the node.
TEST_F(ResolverTest, NobodyGetsIntoAnothersFlow) {
  add_container(0);
  const std::string pod_of_victim = "/kubepods/burstable/pod" + kUid + "/" + kContainer;
  const auto ask = [&](const std::string& above) {
    return resolver_->resolve(
        {.cgroup = kContainer, .parent = "pod" + kUid, .pid = 0, .cgroup_path = above + pod_of_victim});
  };
  ASSERT_TRUE(ask("").flow_id()->starts_with("pod/shop/"));
  EXPECT_EQ(ask("/kubepods/pod09a70ae9ccc491e651e5c773579b3490/" + kVictim).flow_id(),
            "container/" + kVictim + "/" + kContainer);
  EXPECT_EQ(ask("/user.slice/user-7.slice/user@7.service").flow_id(), "unit/user@7.service/" + kContainer);

  // Whether it is known or not, an id in another pod's cgroup is not that container.
  const Sighting moved{
      .cgroup = kContainer, .parent = "pod09a70ae9ccc491e651e5c773579b3490", .pid = 0, .cgroup_path = {}};
  for (Resolver* resolver : {&*resolver_}) {
    const Answer answer = resolver->resolve(moved);
    EXPECT_EQ(answer.certainty, Certainty::kPartial);
    EXPECT_FALSE(answer.container->pod);
  }
  Resolver fresh(*root_, *proc_, {}, 8);
  EXPECT_FALSE(fresh.resolve(moved).container->pod);
}

// Clients of containerd choose ids, and may choose one again for another container.
TEST_F(ResolverTest, AnIdThatIsUsedAgainIsAnotherContainers) {
  add_container(0);
  Sighting first = web_;
  first.cgroup_id = 7;
  ASSERT_TRUE(resolver_->resolve(first).flow_id()->ends_with("/web/0"));
  std::string config = golden("containerd-container.config.json");
  for (std::size_t at = config.find("\"web\""); at != std::string::npos; at = config.find("\"web\""))
    config.replace(at, 5, "\"job\"");
  tree_.file(kTasks + kContainer + "/config.json", config);
  tree_.file(kPodLogs + "/job/0.log", "");
  EXPECT_TRUE(resolver_->resolve(first).flow_id()->ends_with("/web/0")) << "the same cgroup";
  Sighting second = web_;
  second.cgroup_id = 8;
  EXPECT_TRUE(resolver_->resolve(second).flow_id()->ends_with("/job/0"));
}

// A user's manager may give one of its cgroups the name of any container, and its process is gone before its path is
// read.
TEST_F(ResolverTest, NamesThatAUserMayHaveChosenAreNobodys) {
  add_container(0);
  Sighting dead = web_;
  ASSERT_TRUE(resolver_->resolve(dead).flow_id()->starts_with("pod/shop/"));
  dead.users_names = true;
  const Answer answer = resolver_->resolve(dead);
  EXPECT_EQ(answer.certainty, Certainty::kPartial);
  EXPECT_FALSE(answer.flow_id());
  EXPECT_TRUE(answer.unproven) << "but it is said that there is one";
  Sighting unit = dead;
  unit.cgroup = "app.service";
  unit.parent = "app.slice";
  EXPECT_FALSE(resolver_->resolve(unit).unproven) << "that calls itself none";
  dead.cgroup_path = "/user.slice/user-7.slice/user@7.service/pod" + kUid + "/" + kContainer;
  EXPECT_EQ(resolver_->resolve(dead).flow_id(), "unit/user@7.service/" + kContainer) << "whose it is";
}

// Cgroups of build steps and of `runc run` in a container: their names were chosen there.
TEST_F(ResolverTest, WhatWasStartedInAContainerIsItsOwnByAnyName) {
  add_container(0);
  const std::string outer = "/kubepods/burstable/pod" + kUid + "/" + kContainer;
  Sighting inner{.cgroup = "x9k2", .parent = "buildkit", .pid = 0, .cgroup_path = outer + "/buildkit/x9k2"};
  const std::string pod = *resolver_->resolve(inner).flow_id();
  EXPECT_TRUE(pod.ends_with("/web/0")) << "a runtime's own";
  inner.nested = true;
  EXPECT_EQ(resolver_->resolve(inner).flow_id(), pod + "/x9k2");
  Sighting running = inner;
  running.cgroup.clear();
  running.parent.clear();
  EXPECT_EQ(resolver_->resolve(running).flow_id(), pod + "/x9k2") << "known by its process alone";
  inner.cgroup_path.reset();
  EXPECT_TRUE(resolver_->resolve(inner).unproven) << "nothing says of which";
  inner.parent = kContainer;
  EXPECT_EQ(resolver_->resolve(inner).flow_id(), pod + "/x9k2");
  // A client of containerd may have given this name to another container.
  tree_.file("run/containerd/io.containerd.runtime.v2.task/mine/x9k2/config.json", "{}");
  inner.parent = "mine";
  EXPECT_TRUE(resolver_->resolve(inner).unproven);
  // What a unit with a mount namespace of its own starts is nested in that unit.
  Sighting ours = web_;
  ours.cgroup_path = outer;
  ours.nested = true;
  EXPECT_EQ(resolver_->resolve(ours).flow_id(), pod);
}

TEST_F(ResolverTest, AProcessThatHasMovedDeeperIsWhereItWas) {
  add_container(0);
  const std::string path = "/kubepods/burstable/pod" + kUid + "/" + kContainer;
  tree_.file("proc/7/cgroup", "0::" + path + "/init.scope\n");
  tree_.file("proc/7/stat", "7 (web) S 1 7 7 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0\n");
  std::filesystem::create_directories(tree_.root() + "/cgroup" + path + "/init.scope");
  const RootDir cgroups = *RootDir::open(tree_.root() + "/cgroup");
  Resolver resolver(*root_, *proc_, {}, 8, &cgroups);
  Sighting moved{.cgroup = kContainer, .parent = "?", .pid = 7, .cgroup_path = {}, .start = 4711};
  moved.cgroup_id = *cgroups.inode(path);
  moved.users_names = true;
  const Answer answer = resolver.resolve(moved);
  EXPECT_TRUE(answer.whole_path);
  EXPECT_TRUE(answer.flow_id()->ends_with("/web/0"));
  moved.cgroup_id = *moved.cgroup_id + 1000;
  EXPECT_FALSE(resolver.resolve(moved).whole_path);
}

TEST_F(ResolverTest, ASandboxOfAnotherPodIsNotFollowed) {
  std::string config = golden("containerd-container.config.json");
  config.replace(config.find("\"shop\""), 6, "\"evil\"");
  tree_.file(kTasks + kContainer + "/config.json", config);
  tree_.file(kPodLogs + "/web/7.log", "");
  const Answer answer = resolver_->resolve(web_);
  EXPECT_EQ(answer.certainty, Certainty::kPartial);
  EXPECT_FALSE(answer.container->restart);
  EXPECT_FALSE(answer.container->log_path);
}

}  // namespace
}  // namespace flowtap::identity
