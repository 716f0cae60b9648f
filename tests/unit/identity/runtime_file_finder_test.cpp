#include "identity/runtimes/runtime_file_finder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "tests/support/files/file_tree.hpp"
#include "tests/unit/identity/golden.hpp"

namespace flowtap::identity {
namespace {

using flowtap::test::FileTree;
using test::kUid;

class RuntimeFileFinderTest : public testing::Test {
 protected:
  [[nodiscard]] std::optional<RuntimeFilePlace> find(const std::string& flow) const {
    return RuntimeFileFinder(std::move(*RootDir::open(tree_.root()))).find(flow);
  }
  [[nodiscard]] std::vector<PodLog> logs_of(const std::string& pod) const {
    return RuntimeFileFinder(std::move(*RootDir::open(tree_.root()))).pods([&pod](const PodLogs& logs) {
      return logs.pod == pod;
    });
  }
  // Whose file it is, by its content; empty: none was found.
  [[nodiscard]] std::string read(const std::string& flow) const {
    const auto log = find(flow);
    return log ? log->dir.read(log->base, 4096).value_or("unreadable") : "";
  }
  void link(const std::string& target, const std::string& path) const {
    ASSERT_EQ(::symlink(target.c_str(), (tree_.root() + "/" + path).c_str()), 0);
  }

  FileTree tree_;
  const std::string pod_ = "pod/shop/web-0/" + kUid + "/app/";
  const std::string dir_ = "var/log/pods/shop_web-0_" + kUid + "/";
};

TEST_F(RuntimeFileFinderTest, OfAPodInKubeletsDirectories) {
  tree_.file(dir_ + "app/0.log", "zero").file(dir_ + "app/1.log", "one");
  EXPECT_EQ(read(pod_ + "1"), "one");
  EXPECT_EQ(read(pod_ + "0"), "zero");
  EXPECT_EQ(find(pod_ + "0")->format, LogFormat::kCri);
  EXPECT_FALSE(find("pod/shop/web-1/" + kUid + "/app/0"));
  for (const std::string& flow :
       {"pod/shop/web-0/" + kUid + "/../0", "pod/shop/..%2F..%2Fetc/" + kUid + "/app/0",
        pod_ + "id-aabbccddeeff", pod_ + "1/inner", pod_ + "..%2F1", std::string("sched/shop/web-0"),
        std::string("pod"), std::string()})
    EXPECT_FALSE(find(flow)) << flow;
}

TEST_F(RuntimeFileFinderTest, ThePodsDirectoryMayBeElsewhere) {
  tree_.file("data/pods/shop_web-0_" + kUid + "/app/0.log", "moved").file("var/log/x", "");
  link("/data/pods", "var/log/pods");
  EXPECT_EQ(read(pod_ + "0"), "moved") << "the operator's link is followed";
}

TEST_F(RuntimeFileFinderTest, LinksBelowItAreATenants) {
  tree_.file(dir_ + "app/0.log", "own").file("etc/secret/0.log", "secret");
  link("../shop_web-0_" + kUid + "/app", dir_ + "linked");
  EXPECT_FALSE(find("pod/shop/web-0/" + kUid + "/linked/0")) << "not even to one beside it";
  link("/etc/secret/0.log", dir_ + "app/1.log");
  EXPECT_FALSE(find(pod_ + "1"));
  const auto logs = logs_of("web-0");
  EXPECT_TRUE(std::ranges::none_of(logs, [](const PodLog& log) { return log.container == "linked"; }));
}

TEST_F(RuntimeFileFinderTest, OfDockersContainers) {
  const std::string id(64, 'd');
  const std::string dir = "var/lib/docker/containers/" + id + "/";
  const std::string file = "/" + dir + id + "-json.log";
  tree_.file(dir + "config.v2.json",
             R"({"ID":")" + id + R"(","Name":"/db","LogPath":")" + file + R"(","Config":{"Labels":{)" +
                 R"("io.kubernetes.pod.uid":")" + kUid + R"(","io.kubernetes.pod.namespace":"shop",)" +
                 R"("io.kubernetes.pod.name":"web-0","io.kubernetes.container.name":"app"}}})");
  tree_.file(dir + "hostconfig.json",
             R"({"LogConfig":{"Type":"json-file"},"CgroupParent":"/kubepods/pod)" + kUid + R"("})");
  tree_.file(dir + id + "-json.log", "json");
  EXPECT_EQ(read("container/db-" + id.substr(0, 12)), "json");
  EXPECT_EQ(find("container/db-" + id.substr(0, 12))->format, LogFormat::kDockerJson);
  EXPECT_FALSE(find("container/db-eeeeeeeeeeee"));
  EXPECT_FALSE(find("container/db-dd")) << "a few digits are no id";
  // cri-dockerd's links to it, and one that belongs to another pod.
  tree_.file(dir_ + "app/x", "").file("var/log/pods/shop_thief-0_" + kUid + "/app/x", "");
  link(file, dir_ + "app/0.log");
  link(file, "var/log/pods/shop_thief-0_" + kUid + "/app/0.log");
  EXPECT_EQ(read(pod_ + "0"), "json");
  EXPECT_FALSE(find("pod/shop/thief-0/" + kUid + "/app/0"));
}

TEST_F(RuntimeFileFinderTest, OfPodmansContainers) {
  const std::string dir = "var/lib/containers/storage/vfs-containers/";
  const std::string id(64, 'a');
  tree_.file(dir + id + "/userdata/config.json", R"({"annotations":{"io.container.manager":"libpod"}})");
  EXPECT_FALSE(find("container/db-" + id.substr(0, 12))) << "it logs elsewhere";
  tree_.file(dir + id + "/userdata/ctr.log", "k8s");
  EXPECT_EQ(read("container/db-" + id.substr(0, 12)), "k8s");
  EXPECT_EQ(read("container/" + id), "k8s");
  EXPECT_EQ(read("container/db-" + id.substr(0, 12) + "@3"), "k8s") << "all runs have one file";
}

TEST_F(RuntimeFileFinderTest, AllContainersOfAPod) {
  tree_.file(dir_ + "app/0.log", "")
      .file(dir_ + "app/1.log", "")
      .file(dir_ + "app/1.log.20260101-000000", "");
  tree_.file(dir_ + "side/0.log", "").file(dir_ + "none/x", "");
  tree_.file("var/log/pods/shop_web-0_another/app/0.log", "")
      .file("var/log/pods/shop_web-00_" + kUid + "/a/0.log", "");
  std::vector<std::string> found;
  for (const PodLog& log : logs_of("web-0")) {
    EXPECT_EQ(log.pod.ns, "shop");
    found.push_back(log.pod.uid + " " + log.container + " " + std::to_string(log.restart));
    EXPECT_GT(log.since.time_since_epoch().count(), 0);
  }
  std::ranges::sort(found);
  EXPECT_EQ(found,
            (std::vector<std::string>{kUid + " app 0", kUid + " app 1", kUid + " side 0", "another app 0"}));
}

}  // namespace
}  // namespace flowtap::identity
