// From a pid to the container's names, with a /proc and runtime files of the test's own.
#include "telemetry/process_names.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/files/file_tree.hpp"
#include "tests/unit/identity/golden.hpp"

namespace flowtap {
namespace {

using identity::test::golden;
using identity::test::kContainer;
using identity::test::kSandbox;
using identity::test::kUid;
using test::FileTree;

const std::string kTasks = "run/containerd/io.containerd.runtime.v2.task/k8s.io/";
const std::string kOfPod = "/kubepods/burstable/pod" + kUid + "/" + kContainer;
const std::vector<std::string> kWeb{"pod", "shop", "web-6c9d8f7b5-2xk4q", "web", "web"};
const std::vector<std::string> kSshd{"unit", "", "", "", "sshd.service"};

class ProcessNamesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    process(1, 1, "/init.scope");
    names_ = *ProcessIdentities::open(tree_.root(), {}, {}, std::make_shared<NamedContainers>());
  }
  void process(pid_t pid, unsigned start, const std::string& cgroup) {
    const std::string directory = "proc/" + std::to_string(pid);
    tree_.file(directory + "/stat", std::to_string(pid) + " (a) b) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 " +
                                        std::to_string(start) + " 0 0\n");
    tree_.file(directory + "/cgroup", "0::" + cgroup + "\n");
  }
  void add_container() {
    tree_.file(kTasks + kSandbox + "/config.json", golden("containerd-sandbox.config.json"));
    tree_.file(kTasks + kContainer + "/config.json", golden("containerd-container.config.json"));
    tree_.file("var/log/pods/shop_web-6c9d8f7b5-2xk4q_" + kUid + "/web/0.log", "");
  }
  std::vector<std::string> of(pid_t pid) {
    const auto name = names_->name(pid);
    return name ? name->labels() : std::vector<std::string>{};
  }

  FileTree tree_;
  std::unique_ptr<ProcessIdentities> names_;
};

TEST_F(ProcessNamesTest, AProcessHasItsContainersNames) {
  add_container();
  process(4711, 100, kOfPod);
  process(4712, 101, kOfPod + "/inner");
  process(77, 5, "/system.slice/sshd.service");
  process(2, 1, "/");
  EXPECT_EQ(of(4711), kWeb);
  EXPECT_EQ(of(4712), kWeb) << "in a cgroup below the container's";
  EXPECT_EQ(of(77), kSshd);
  EXPECT_EQ(of(2), (std::vector<std::string>{"host", "", "", "", ""}));
}

TEST_F(ProcessNamesTest, WhereV1TellsWorkloadsApartItsCgroupIs) {
  add_container();
  process(4711, 100, "/system.slice/docker.service\n5:cpu,cpuacct:" + kOfPod);
  EXPECT_EQ(of(4711).at(4), "docker.service");
  const auto by_v1 = *ProcessIdentities::open(tree_.root(), {.place = tree_.root(), .id = 5}, {},
                                              std::make_shared<NamedContainers>());
  EXPECT_EQ(by_v1->name(4711).value().labels(), kWeb);
}

TEST_F(ProcessNamesTest, AProcessThatIsNotThereHasNone) {
  EXPECT_TRUE(of(4711).empty());
  tree_.file("proc/5/stat", "garbage");
  EXPECT_TRUE(of(5).empty());
}

TEST_F(ProcessNamesTest, AnotherProcessOfThePidIsAskedForAnew) {
  add_container();
  process(4711, 100, kOfPod);
  EXPECT_EQ(of(4711), kWeb);
  process(4711, 100, "/system.slice/sshd.service");
  EXPECT_EQ(of(4711), kWeb) << "who began is remembered";
  process(4711, 101, "/system.slice/sshd.service");
  EXPECT_EQ(of(4711), kSshd);
}

TEST_F(ProcessNamesTest, NamesThatComeLateAreAskedForAgain) {
  process(4711, 100, kOfPod);
  EXPECT_EQ(of(4711).at(0), "pod") << "what the cgroup tells";
  EXPECT_EQ(of(4711).at(2), "");
  add_container();
  EXPECT_EQ(of(4711), kWeb);
}

}  // namespace
}  // namespace flowtap
