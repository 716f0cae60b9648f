#include "identity/runtimes/bundle_finder.hpp"

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

const std::string kTasks = "run/containerd/io.containerd.runtime.v2.task/";

class BundleFinderTest : public ::testing::Test {
 protected:
  Result<std::optional<Bundle>> find(const std::string& id, std::optional<Runtime> hint = {},
                                     StateDirectories where = {}) {
    const auto root = RootDir::open(tree_.root());
    return BundleFinder(*root, std::move(where)).find(id, hint);
  }
  std::optional<Runtime> runtime(const std::string& id, std::optional<Runtime> hint = {}) {
    const auto bundle = find(id, hint);
    EXPECT_TRUE(bundle) << bundle.error().what;
    return bundle && *bundle ? (*bundle)->who.runtime : std::nullopt;
  }

  FileTree tree_;
};

TEST_F(BundleFinderTest, EveryRuntimesPlace) {
  const std::string storage = "var/lib/containers/storage/overlay-containers/";
  tree_.file(kTasks + "k8s.io/" + kContainer + "/config.json", golden("containerd-container.config.json"))
      .file(kTasks + "moby/" + kDocker + "/config.json", "{}")
      .file("var/lib/docker/containers/" + kDocker + "/config.v2.json", golden("docker.config.v2.json"))
      .file("var/lib/docker/containers/" + kDocker + "/hostconfig.json", golden("docker.hostconfig.json"))
      .file(storage + kPodman + "/userdata/config.json", golden("podman.config.json"))
      .file(storage + kPodman + "/userdata/ctr.log", "")
      .file(storage + "containers.json", golden("podman.containers.json"));
  EXPECT_EQ(runtime(kContainer), Runtime::kContainerd);
  EXPECT_EQ(runtime(kContainer, Runtime::kContainerd), Runtime::kContainerd);
  EXPECT_EQ(runtime(kContainer, Runtime::kDocker), std::nullopt);
  EXPECT_EQ(runtime(kDocker), Runtime::kDocker)
      << "not the bundle without names that Docker's containerd has";
  EXPECT_EQ(runtime(kPodman), Runtime::kPodman);
  EXPECT_EQ(runtime(std::string(64, 'e')), std::nullopt);

  const auto podman = find(kPodman, Runtime::kPodman);
  EXPECT_EQ((*podman)->who.container_name, "web-1");
  EXPECT_EQ((*podman)->who.image, "localhost/bb:1");
  EXPECT_EQ((*podman)->who.format, LogFormat::kK8sFile);
  EXPECT_EQ((*podman)->who.log_path, "/" + storage + kPodman + "/userdata/ctr.log");
}

TEST_F(BundleFinderTest, CrioInItsRunrootAndPodmanWithVfs) {
  tree_.file("run/containers/storage/overlay-containers/" + kContainer + "/userdata/config.json",
             golden("crio-container.config.json"));
  tree_.file("var/lib/containers/storage/vfs-containers/" + kPodman + "/userdata/config.json",
             golden("podman.config.json"));
  EXPECT_EQ(runtime(kContainer, Runtime::kCrio), Runtime::kCrio);
  EXPECT_EQ(runtime(kPodman, Runtime::kPodman), Runtime::kPodman);
  const auto podman = find(kPodman);
  EXPECT_FALSE((*podman)->who.container_name) << "no list to look it up in";
  EXPECT_FALSE((*podman)->who.log_path) << "another log driver";
}

TEST_F(BundleFinderTest, StateElsewhere) {
  tree_.file("data/ctd/io.containerd.runtime.v2.task/ns/" + kContainer + "/config.json",
             golden("containerd-container.config.json"));
  EXPECT_EQ(find(kContainer).value(), std::nullopt);
  const StateDirectories where{.containerd = {"data/ctd"}, .storage = {}, .docker = {}};
  EXPECT_TRUE(find(kContainer, Runtime::kContainerd, where).value());
  // The usual place may be a link; it leads where it would lead the node itself.
  std::filesystem::create_directories(tree_.root() + "/run");
  std::filesystem::create_symlink("/data/ctd", tree_.root() + "/run/containerd");
  EXPECT_EQ(runtime(kContainer), Runtime::kContainerd);
}

TEST_F(BundleFinderTest, NobodyIsLedAstray) {
  FileTree outside;
  outside.file(kContainer + "/config.json", golden("containerd-container.config.json"));
  std::filesystem::create_directories(tree_.root() + "/" + kTasks);
  std::filesystem::create_symlink(outside.root(), tree_.root() + "/" + kTasks + "k8s.io");
  EXPECT_EQ(find(kContainer).value(), std::nullopt);
  tree_.file("secret/config.json", golden("containerd-container.config.json"));
  tree_.file(kTasks + "default/x/y", "");
  EXPECT_FALSE(find("../../../../secret"));
  EXPECT_FALSE(find("."));
  EXPECT_FALSE(find(""));
}

TEST_F(BundleFinderTest, ABundleThatCannotBeReadIsAnErrorAndNoAbsence) {
  const std::string path = kTasks + "k8s.io/" + kContainer + "/config.json";
  tree_.file(path, golden("containerd-container.config.json").substr(0, 300));
  EXPECT_FALSE(find(kContainer)) << "half-written";
  tree_.file(path, std::string(kBundleLimit + 1, ' '));
  EXPECT_FALSE(find(kContainer)) << "too large";
  tree_.file(path, golden("containerd-container.config.json"));
  EXPECT_EQ(runtime(kContainer), Runtime::kContainerd);
}

}  // namespace
}  // namespace flowtap::identity
