#include "identity/runtimes/bundle.hpp"

#include <gtest/gtest.h>

#include "tests/unit/identity/golden.hpp"

namespace flowtap::identity {
namespace {

using test::golden;
using test::kContainer;
using test::kDocker;
using test::kSandbox;
using test::kUid;

Bundle oci(const std::string& file, BundleKind kind, const std::string& id) {
  auto bundle = parse_oci_config(golden(file), kind, id);
  EXPECT_TRUE(bundle) << bundle.error().what;
  return bundle.value_or(Bundle{});
}

ContainerIdentity web(Runtime runtime) {
  ContainerIdentity who;
  who.runtime = runtime;
  who.container_id = kContainer;
  who.container_name = "web";
  who.ns = "shop";
  who.pod = "web-6c9d8f7b5-2xk4q";
  who.pod_uid = kUid;
  who.image = "registry.example/shop/web:1.4";
  who.format = LogFormat::kCri;
  return who;
}

TEST(Bundle, ContainerdsContainerAndSandbox) {
  const Bundle container = oci("containerd-container.config.json", BundleKind::kContainerd, kContainer);
  EXPECT_EQ(container.who, web(Runtime::kContainerd));
  EXPECT_EQ(container.sandbox_id, kSandbox);
  EXPECT_FALSE(container.log_directory);
  EXPECT_EQ(container.cgroups_path, "/kubepods/burstable/pod" + kUid + "/" + kContainer);

  const Bundle sandbox = oci("containerd-sandbox.config.json", BundleKind::kContainerd, kSandbox);
  EXPECT_TRUE(sandbox.who.sandbox);
  EXPECT_EQ(sandbox.who.pod, "web-6c9d8f7b5-2xk4q");
  EXPECT_EQ(sandbox.who.image, "registry.k8s.io/pause:3.10");
  EXPECT_FALSE(sandbox.who.container_name);
  EXPECT_EQ(sandbox.log_directory, "/var/log/pods/shop_web-6c9d8f7b5-2xk4q_" + kUid);
}

TEST(Bundle, AnOlderContainerdsUidIsInTheCgroup) {
  const Bundle bundle = oci("containerd-1.5.config.json", BundleKind::kContainerd, kContainer);
  EXPECT_EQ(bundle.who.pod_uid, kUid);
  EXPECT_TRUE(bundle.who.tty);
}

TEST(Bundle, NerdctlsName) {
  const Bundle bundle = oci("nerdctl.config.json", BundleKind::kContainerd, kContainer);
  EXPECT_EQ(bundle.who.container_name, "front");
  EXPECT_EQ(bundle.who.format, LogFormat::kNone);
  EXPECT_FALSE(bundle.who.ns);
}

TEST(Bundle, CriosContainerAndSandbox) {
  const Bundle container = oci("crio-container.config.json", BundleKind::kStorage, kContainer);
  ContainerIdentity expected = web(Runtime::kCrio);
  expected.restart = 3;
  expected.log_path = "/var/log/pods/shop_web-6c9d8f7b5-2xk4q_" + kUid + "/web/3.log";
  EXPECT_EQ(container.who, expected) << "whatever the pod's author wrote in containerd's language";
  EXPECT_EQ(container.sandbox_id, kSandbox);

  const Bundle sandbox = oci("crio-sandbox.config.json", BundleKind::kStorage, kSandbox);
  EXPECT_TRUE(sandbox.who.sandbox);
  EXPECT_EQ(sandbox.who.ns, "shop") << "not the label, which the pod's author writes";
  EXPECT_EQ(sandbox.who.pod, "web-6c9d8f7b5-2xk4q");
  EXPECT_EQ(sandbox.who.pod_uid, kUid);
}

TEST(Bundle, CriosNameTellsWhereTheLabelsDoNot) {
  const std::string text =
      R"({"annotations":{"io.kubernetes.cri-o.ContainerID":"c1","io.kubernetes.cri-o.Name":
    "k8s_web_web-0_shop_u-1_4","io.kubernetes.cri-o.Metadata":"{\"attempt\":4}"}})";
  const auto bundle = parse_oci_config(text, BundleKind::kStorage, "c1");
  ASSERT_TRUE(bundle) << bundle.error().what;
  EXPECT_EQ(bundle->who.container_name, "web");
  EXPECT_EQ(bundle->who.pod, "web-0");
  EXPECT_EQ(bundle->who.ns, "shop");
  EXPECT_EQ(bundle->who.pod_uid, "u-1");
  EXPECT_EQ(bundle->who.restart, 4U);
}

TEST(Bundle, PodmansHasNoNameButItsStoreHas) {
  const Bundle bundle = oci("podman.config.json", BundleKind::kStorage, test::kPodman);
  EXPECT_EQ(bundle.who.runtime, Runtime::kPodman);
  EXPECT_FALSE(bundle.who.container_name);
  EXPECT_FALSE(bundle.who.tty);
  EXPECT_EQ(bundle.cgroups_path, "/libpod_parent/libpod-" + test::kPodman);
  EXPECT_TRUE(oci("podman-tty.config.json", BundleKind::kStorage, test::kPodmanTty).who.tty);
  EXPECT_FALSE(oci("podman-pod.config.json", BundleKind::kStorage, test::kPodmanInPod).who.ns)
      << "podman's pods are not Kubernetes'";

  const auto stored = find_stored_name(golden("podman.containers.json"), test::kPodman).value();
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->name, "web-1");
  EXPECT_EQ(stored->image, "localhost/bb:1");
  EXPECT_FALSE(find_stored_name(golden("podman.containers.json"), kContainer).value());
}

TEST(Bundle, Dockers) {
  const auto bundle =
      parse_docker_config(golden("docker.config.v2.json"), golden("docker.hostconfig.json"), kDocker);
  ASSERT_TRUE(bundle) << bundle.error().what;
  ContainerIdentity expected;
  expected.runtime = Runtime::kDocker;
  expected.container_id = kDocker;
  expected.container_name = "open-web";
  expected.image = "registry.example/web:main";
  expected.log_path = "/var/lib/docker/containers/" + kDocker + "/" + kDocker + "-json.log";
  expected.format = LogFormat::kDockerJson;
  EXPECT_EQ(bundle->who, expected);

  const auto alone = parse_docker_config(golden("docker.config.v2.json"), "", kDocker);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->who.format, LogFormat::kNone) << "the driver is unknown";
  EXPECT_FALSE(alone->who.log_path);
}

TEST(Bundle, LabelsOfKubernetesAreBelievedOnlyInThatPodsCgroup) {
  const std::string config = golden("cri-dockerd.config.v2.json");
  const auto pod = parse_docker_config(config, golden("cri-dockerd.hostconfig.json"), kDocker);
  ASSERT_TRUE(pod) << pod.error().what;
  EXPECT_EQ(pod->who.ns, "shop");
  EXPECT_EQ(pod->who.pod, "web-0");
  EXPECT_EQ(pod->who.pod_uid, kUid);
  EXPECT_EQ(pod->who.container_name, "web");
  EXPECT_EQ(pod->who.restart, 2U);

  // The same labels come from an image: Docker started it without Kubernetes, below a cgroup that somebody chose, in
  // another pod.
  for (const char* parent : {"", "/custom", "/kubepods/pod09a70ae9ccc491e651e5c773579b3490"}) {
    const auto image =
        parse_docker_config(config, std::string(R"({"CgroupParent":")") + parent + "\"}", kDocker);
    ASSERT_TRUE(image);
    EXPECT_FALSE(image->who.ns) << parent;
    EXPECT_FALSE(image->who.pod_uid) << parent;
  }
}

TEST(Bundle, WhatIsNoBundleIsAnError) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("{} x"), std::string(100'000, '['),
        golden("containerd-container.config.json").substr(0, 400)}) {
    EXPECT_FALSE(parse_oci_config(text, BundleKind::kContainerd, "c")) << text.substr(0, 20);
    EXPECT_FALSE(parse_docker_config(text, "{}", "c")) << text.substr(0, 20);
  }
  EXPECT_FALSE(parse_oci_config("{}", BundleKind::kStorage, "c")) << "neither podman's nor CRI-O's";
  EXPECT_FALSE(parse_oci_config(golden("crio-container.config.json"), BundleKind::kStorage, "another"));
  EXPECT_FALSE(parse_docker_config(golden("docker.config.v2.json"), "{}", "another"));
  EXPECT_FALSE(find_stored_name("{}", "c"));
}

TEST(Bundle, MembersOfOtherTypesAndLengthsAreAbsent) {
  const std::string long_name(5000, 'a');
  const std::string text =
      R"({"process":[],"linux":{"cgroupsPath":7},"annotations":{"io.kubernetes.cri.container-type":"container",
          "io.kubernetes.cri.sandbox-namespace":null,"io.kubernetes.cri.sandbox-name":"","io.kubernetes.cri.image-name":")" +
      long_name + R"("}})";
  const auto bundle = parse_oci_config(text, BundleKind::kContainerd, "c");
  ASSERT_TRUE(bundle) << bundle.error().what;
  EXPECT_FALSE(bundle->who.ns);
  EXPECT_FALSE(bundle->who.pod);
  EXPECT_FALSE(bundle->who.image);
  EXPECT_FALSE(bundle->cgroups_path);
}

}  // namespace
}  // namespace flowtap::identity
