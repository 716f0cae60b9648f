#include "identity/cgroup_path.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "identity/root_dir.hpp"
#include "tests/unit/identity/golden.hpp"

namespace flowtap::identity {
namespace {

const std::string kId = test::kContainer;
const std::string kOther = std::string(64, 'a');

const char* name_of(Qos qos) {
  switch (qos) {
    case Qos::kGuaranteed:
      return "Guaranteed";
    case Qos::kBurstable:
      return "Burstable";
    case Qos::kBestEffort:
      return "BestEffort";
    case Qos::kNone:
      break;
  }
  return "-";
}

std::optional<Runtime> runtime_of(std::string_view column) {
  if (column.starts_with("containerd|docker")) return std::nullopt;
  if (column.starts_with("containerd") || column == "kind (nested)/systemd") return Runtime::kContainerd;
  if (column.starts_with("cri-o")) return Runtime::kCrio;
  if (column.starts_with("docker")) return Runtime::kDocker;
  return std::nullopt;
}

TEST(CgroupPath, EveryRowOfTheTable) {
  std::istringstream table(test::golden("cgroup-paths.tsv"));
  std::string line;
  std::getline(table, line);
  int rows = 0;
  while (std::getline(table, line)) {
    std::istringstream row(line);
    std::string path;
    std::string qos;
    std::string uid;
    std::string id;
    std::string column;
    std::getline(row, path, '\t');
    std::getline(row, qos, '\t');
    std::getline(row, uid, '\t');
    std::getline(row, id, '\t');
    std::getline(row, column, '\t');
    SCOPED_TRACE(path);
    ++rows;
    const CgroupPlace place = parse_cgroup_path(path);
    if (id == "-") {
      EXPECT_TRUE(place.containers.empty());
      continue;
    }
    ASSERT_FALSE(place.containers.empty());
    const CgroupContainer& innermost = place.containers.back();
    EXPECT_EQ(innermost.id, id);
    EXPECT_EQ(innermost.pod_uid, uid);
    EXPECT_STREQ(name_of(innermost.qos), qos.c_str());
    EXPECT_EQ(innermost.runtime, runtime_of(column));
    EXPECT_EQ(place.nested() != nullptr, column.starts_with("kind"));
  }
  EXPECT_EQ(rows, 12);
}

TEST(CgroupPath, PodmanDockerAndContainerdWithoutAPod) {
  const auto only = [](const std::string& path, std::optional<Runtime> runtime, const std::string& id) {
    const auto place = parse_cgroup_path(path);
    ASSERT_EQ(place.containers.size(), 1U) << path;
    ASSERT_NE(place.ours(), nullptr) << path;
    EXPECT_EQ(place.ours()->id, id) << path;
    EXPECT_EQ(place.ours()->runtime, runtime) << path;
    EXPECT_FALSE(place.ours()->pod_uid) << path;
  };
  only("/libpod_parent/libpod-" + kId, Runtime::kPodman, kId);  // podman with --cgroup-manager cgroupfs
  only("/libpod_parent/" + kOther + "/libpod-" + kId, Runtime::kPodman, kId);  // in a podman pod
  only("/machine.slice/libpod-" + kId + ".scope/container", Runtime::kPodman, kId);
  only("/machine.slice/machine-libpod_pod_" + kOther + ".slice/libpod-" + kId + ".scope", Runtime::kPodman,
       kId);
  only("/docker/" + kId, Runtime::kDocker, kId);
  only("/system.slice/docker-" + kId + ".scope", Runtime::kDocker, kId);
  only("/system.slice/docker-" + kId + ".scope/init.scope", Runtime::kDocker, kId);
  only("/system.slice/nerdctl-" + kId + ".scope", Runtime::kContainerd, kId);
  only("/default/" + kId, std::nullopt, kId);
  only("/k8s.io/web-1", Runtime::kContainerd, "web-1");  // ctr
  only("/custom/" + kId, std::nullopt, kId);             // --cgroup-parent
}

TEST(CgroupPath, TheTwoNamesThatTheKernelGives) {
  const auto place = parse_cgroup_path("/pod" + test::kUid + "/" + kId);
  ASSERT_NE(place.ours(), nullptr);
  EXPECT_EQ(place.ours()->id, kId);
  EXPECT_EQ(place.ours()->pod_uid, test::kUid);
  EXPECT_EQ(place.ours()->qos, Qos::kNone) << "the name of the class is further up";
  EXPECT_EQ(parse_cgroup_path("/crio-" + kId + ".scope/container").ours()->id, kId);
}

TEST(CgroupPath, Units) {
  const auto unit = [](const char* path) { return parse_cgroup_path(path).unit.value_or("none"); };
  EXPECT_EQ(unit("/system.slice/foo.service"), "foo.service");
  EXPECT_EQ(unit("/system.slice/system-getty.slice/getty@tty1.service"), "getty@tty1.service");
  EXPECT_EQ(unit("/system.slice/foo.service/inner.service"), "foo.service")
      << "the outer one is systemd's own";
  EXPECT_EQ(unit("/user.slice/user-1000.slice/session-3.scope"), "session-3.scope");
  EXPECT_EQ(unit("/init.scope"), "init.scope");
  EXPECT_EQ(unit("/"), "none");
  EXPECT_EQ(unit(""), "none");
  EXPECT_EQ(unit("/system.slice"), "none");
  EXPECT_EQ(unit(("/machine.slice/libpod-conmon-" + kId + ".scope").c_str()),
            "libpod-conmon-" + kId + ".scope");

  const auto user =
      parse_cgroup_path("/user.slice/user-1000.slice/user@1000.service/app.slice/kube-scheduler.service");
  EXPECT_EQ(user.unit, "user@1000.service");
  EXPECT_EQ(user.user_unit, "kube-scheduler.service") << "what a user calls it is not the node's unit";
}

TEST(CgroupPath, OnlyTheOutermostContainerIsTheNodesOwn) {
  const std::string inside = "/kubepods/pod" + test::kUid + "/" + kId;
  const auto kind = parse_cgroup_path("/system.slice/docker-" + kOther + ".scope/kubelet" + inside);
  ASSERT_NE(kind.ours(), nullptr);
  EXPECT_EQ(kind.ours()->id, kOther);
  EXPECT_FALSE(kind.ours()->pod_uid) << "the inner pod is not the outer container's";
  ASSERT_NE(kind.nested(), nullptr);
  EXPECT_EQ(kind.nested()->id, kId);

  // Docker in a pod: a tenant gives a cgroup the name of another tenant's container.
  const auto forged = parse_cgroup_path("/kubepods/pod09a70ae9ccc491e651e5c773579b3490/" + kOther + inside);
  EXPECT_EQ(forged.ours()->id, kOther);
  EXPECT_EQ(forged.ours()->pod_uid, "09a70ae9ccc491e651e5c773579b3490");
  EXPECT_EQ(forged.nested()->id, kId);

  for (const std::string above : {"/user.slice/user-1000.slice/user@1000.service/user.slice",
                                  "/machine.slice/systemd-nspawn@a.service/payload",
                                  "/machine.slice/machine-vm.scope", "/lxc.payload.a"}) {
    const auto place = parse_cgroup_path(joined({above, "libpod-" + kId + ".scope", "container"}));
    EXPECT_EQ(place.ours(), nullptr) << above;
    ASSERT_NE(place.nested(), nullptr) << above;
    EXPECT_EQ(place.nested()->id, kId);
    EXPECT_TRUE(place.unit) << above;
  }
}

TEST(CgroupPath, WhatLooksLikeOneAndIsNone) {
  const std::string upper = "BACB920470900725E0AA7D914FEE5EB0854315448B024B6B8420AD8429C607BA";
  const std::vector<std::string> none = {"/kubepods/pod" + test::kUid,
                                         "/kubepods/" + kId.substr(1),
                                         "/docker/" + upper,
                                         "/crio-conmon-" + kId + ".scope",
                                         "/docker-" + kId + "x.scope",
                                         "/a:b",
                                         "/:",
                                         "/::",
                                         "/x::" + kId.substr(1),
                                         "/libpod_parent/" + kId};
  for (const std::string& path : none) EXPECT_TRUE(parse_cgroup_path(path).containers.empty()) << path;
  EXPECT_FALSE(parse_cgroup_path("/podnot-a-uid/" + kId).ours()->pod_uid);
  EXPECT_EQ(pod_uid_of_cgroup("/kubepods/burstable/pod" + test::kUid), test::kUid);
  EXPECT_FALSE(pod_uid_of_cgroup("/docker"));
}

TEST(CgroupPath, DeepNestingKeepsBothEnds) {
  std::string path = "/docker/" + kOther;
  for (int i = 0; i < 1000; ++i) path += "/" + std::string(64, 'b');
  path += "/" + kId;
  const auto place = parse_cgroup_path(path);
  EXPECT_EQ(place.containers.size(), CgroupPlace::kDeepest);
  EXPECT_EQ(place.ours()->id, kOther);
  EXPECT_EQ(place.nested()->id, kId);
}

}  // namespace
}  // namespace flowtap::identity
