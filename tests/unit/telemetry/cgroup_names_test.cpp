#include "telemetry/cgroup_names.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"

namespace flowtap {
namespace {

using identity::Answer;
using identity::Certainty;
using telemetry::WorkloadKind;

const std::string kId(64, 'a');

Answer of_container(identity::ContainerIdentity who) {
  Answer answer;
  answer.certainty = Certainty::kComplete;
  who.container_id = kId;
  answer.container = std::move(who);
  return answer;
}

TEST(CgroupNames, APodsContainerHasItsNamesAndItsOwnCgroup) {
  identity::ContainerIdentity who;
  who.ns = "shop";
  who.pod = "web-5d69c7f9c9-x7x2b";
  who.container_name = "app";
  who.image = "docker.io/web:1";
  const std::string own = "/kubepods.slice/kubepods-pod1.slice/cri-containerd-" + kId + ".scope";
  const auto naming = naming_of(of_container(who), own + "/inner/deep");
  EXPECT_EQ(naming.name.labels(),
            (std::vector<std::string>{"pod", "shop", "web-5d69c7f9c9-x7x2b", "app", "web"}));
  EXPECT_EQ(naming.top, own);
  EXPECT_EQ(naming.id, kId);
  EXPECT_EQ(naming.image, "docker.io/web:1");
  EXPECT_TRUE(naming.complete);
  who.sandbox = true;
  EXPECT_EQ(naming_of(of_container(who), own).name.container, "POD");
}

TEST(CgroupNames, AStaticPodHasNoController) {
  identity::ContainerIdentity who;
  who.ns = "kube-system";
  who.pod = "kube-apiserver-node-1";
  who.container_name = "kube-apiserver";
  who.pod_uid = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(naming_of(of_container(who), "/" + kId).name.workload, "");
  who.pod_uid = "3f1c2a50-7e0e-4c59-9f0e-0d6a3a1c9b11";
  EXPECT_EQ(naming_of(of_container(who), "/" + kId).name.workload, "kube-apiserver-node")
      << "a StatefulSet's";
}

TEST(CgroupNames, WhatNobodyNamedIsCalledByItsId) {
  EXPECT_EQ(naming_of(of_container({}), "/docker/" + kId).name.labels(),
            (std::vector<std::string>{"container", "", "", std::string(12, 'a'), ""}));
  identity::ContainerIdentity of_a_pod;
  of_a_pod.pod_uid = "3f1c2a50-7e0e-4c59-9f0e-0d6a3a1c9b11";
  EXPECT_EQ(naming_of(of_container(of_a_pod), "/" + kId).name.kind, WorkloadKind::kPod);
}

TEST(CgroupNames, WhatTheStreamPathKnowsIsByTheNumbersOfV2) {
  test::FileTree tree;
  tree.file("proc/version", "").file("sys/fs/cgroup/cgroup.procs", "");
  const auto named = std::make_shared<NamedContainers>();
  identity::ContainerIdentity other;
  other.container_id = std::string(64, 'b');
  other.container_name = "other";
  named->note(7, other);
  const auto name = [&](std::uint32_t hierarchy) {
    const auto names = CgroupIdentities::open(
        tree.root(), {.place = tree.root() + "/sys/fs/cgroup", .id = hierarchy}, {}, named);
    return (*names)->name(7, "/docker/" + kId).name.container;
  };
  EXPECT_EQ(name(0), "other");
  EXPECT_EQ(name(5), std::string(12, 'a')) << "7 is another cgroup's number there";
}

TEST(CgroupNames, UnitsAndTheRest) {
  Answer unit;
  unit.certainty = Certainty::kComplete;
  unit.unit = "sshd.service";
  const auto naming = naming_of(unit, "/system.slice/sshd.service/sub");
  EXPECT_EQ(naming.name.labels(), (std::vector<std::string>{"unit", "", "", "", "sshd.service"}));
  EXPECT_EQ(naming.top, "/system.slice/sshd.service");
  EXPECT_EQ(naming.flow, "unit/sshd.service");
  const auto host = naming_of(Answer{}, "/");
  EXPECT_EQ(host.name.kind, WorkloadKind::kHost);
  EXPECT_EQ(host.top, "");
}

}  // namespace
}  // namespace flowtap
