// Reasons that read alike and mean different things have different advice, and none claims what only the other one says.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/diagnosis/advice.hpp"

namespace flowtap::diagnosis {
namespace {

/// A reason, and what one node with it lacks.
using Expected = std::vector<std::pair<std::string, std::string_view>>;

void expect_lacks(const Expected& expected) {
  for (const auto& [reason, lacks] : expected) {
    const auto advice = advice_for(reason);
    ASSERT_TRUE(advice) << reason;
    EXPECT_EQ(advice->lacks.one, lacks) << reason;
  }
}

std::string_view means_of(std::string_view reason) {
  const auto advice = advice_for(reason);
  return advice ? advice->means : std::string_view();
}

// What the text of a neighbour is not true of.
TEST(AdviceOfLikeReasons, IsNotThatOfANeighbour) {
  for (
      const auto& [one, other] : Expected{
          {"not enough cpus available to satisfy request", "Insufficient amplified cpu"},
          {"AddResourceUsage failed", "AddResourceUsage failed for device GPU-1: no template"},
          {"node is filtered out by the prefilter result", "Node(s) failed PreFilter plugin VolumeBinding"},
          {"PersistentVolumeClaim had no name", "persistentvolumeclaim \"data\" not found"},
          {"PersistentVolumeClaim had no pv name and storageClass name", "storageclass \"fast\" not found"},
          {"VolumeBindingMode not set for StorageClass \"fast\"", "storageclass \"fast\" not found"},
          {"PersistentVolume had no name", "persistentvolume \"pv-1\" not found"},
          {"running \"VolumeBinding\" filter plugin: x",
           "running PreBind plugin \"VolumeBinding\": binding volumes: x"},
          {"asked by caller to stop allocating devices: x", "timed out trying to allocate devices"},
          {"resource claim ns/c, request gpu: unknown request type",
           "resourceclaim depends on disabled DRAControlPlaneController feature"},
          {"waiting for minCount pods from a gang to be waiting on permit",
           "waiting for minCount pods from a gang to appear in scheduling queue"},
          {"waiting for minCount pods from a gang to be scheduled", "gang child pod not collect enough, x"},
          {"resource gap: map[cpu:4]", "pod group is unschedulable"},
          {"failed to get workload default/train", "PodGroup not found"},
          {"No victims found on node n1 for preemptor pod p", "No preemption victims found for incoming pod"},
          {"no candidate node for preemption", "No preemption victims found for incoming pod"},
          {"not eligible due to failed to read from cycleState",
           "not eligible due to workload aware preemption enabled"},
          {"extender: http://e claims to preempt on node: n1 but the node is not found in nodeNameToInfo map",
           "extender \"http://e\" claims a filtered node \"n9\" which is not found in the input node "
           "list"}}) {
    ASSERT_TRUE(advice_for(one) && advice_for(other)) << one;
    EXPECT_NE(means_of(one), means_of(other)) << one << " and " << other;
  }
  expect_lacks({{"not enough cpus available to satisfy request", "lacks CPUs to bind to the pod"},
                {"node(s) NUMA Topology policy not match", "has another NUMA policy than the pod"},
                {"PersistentVolume had no name", "waits for the pod's volume claims to be bound"},
                {"no class for claim \"ns/c\"", "cannot mount a claim with neither volume nor class"},
                {"looking up PVC ns/c: persistentvolumeclaim \"c\" not found",
                 "cannot mount a claim that does not exist"},
                {"expected at least one victim pod on node \"n1\"",
                 "could not be emptied: the extender names no pods"}});
  EXPECT_FALSE(advice_for("looking up PVC ns/c: not synced"));
}

// Nobody is told to wait for room, or to preempt, where another policy or mode is in the way.
TEST(AdviceOfLikeReasons, IsAboutRoomOnlyWhereRoomIsMissing) {
  for (const std::string_view reason : {"1/4 ModeNotFit", "node(s) NUMA Topology policy not match"}) {
    const auto advice = advice_for(reason);
    ASSERT_TRUE(advice) << reason;
    EXPECT_EQ(advice->mends, Mends::kOther) << reason;
    EXPECT_FALSE(advice->todo.contains("ait for")) << advice->todo;
  }
}

// koordinator-sh/koordinator, pkg/scheduler/plugins
TEST(AdviceOfLikeReasons, KnowsWhatKoordinatorSaysOfDevicesAndReservations) {
  expect_lacks(
      {{"Insufficient GPU Devices", "lacks devices that Koordinator gives out"},
       {"Insufficient Partitioned GPU Devices", "has no free partition of GPUs"},
       {"Insufficient Topology Scoped GPU Devices", "has no free GPUs that are close to each other"},
       {"node(s) Device Joint-Allocate rules violation", "has no free devices that belong together"},
       {"node(s) Unsupported number of GPU requests", "has no partition of so many GPUs"},
       {"node(s) missing GPU Partition Table", "has no table of GPU partitions"},
       {"no matched GPU shared resource template", "has GPUs that are not given out in such parts"},
       {"insufficient CPUs to satisfy required cpu bind policy FullPCPUs", "lacks CPUs to bind to the pod"},
       {"Insufficient NUMA cpu", "cannot align the pod to NUMA nodes"},
       {"insufficient resources on NUMA Node", "has not reported its NUMA nodes"},
       {"Reservation(s) Insufficient cpu, requested: 4000, used: 1000, capacity: 4000",
        "has no reservation with room for the pod"},
       {"Insufficient nvidia.com/gpu by node", "has too little beside the reservation"},
       {"2 Reservation(s) didn't match affinity rules", "has reservations that the pod does not choose"},
       {"1 Reservation(s) is unschedulable", "has reservations that take no pods"},
       {"1 Reservation(s) had untolerated taint dedicated", "has reservations with a taint"},
       {"reservation is not active", "was chosen for a reservation that is over"},
       {"Gang not found", "cannot find the pod's group"},
       {"quota manager not found, quota: a, tree: t", "cannot be tried without a quota"}});
  EXPECT_NE(means_of("Insufficient nvidia.com/gpu by node"), means_of("Insufficient nvidia.com/gpu"));
  // They say what would do, or that another reason is in the way.
  EXPECT_FALSE(advice_for("2 Reservation(s) matched owner total"));
  EXPECT_FALSE(advice_for("2 Reservation(s) for node reason that Insufficient cpu"));
}

TEST(AdviceOfLikeReasons, KnowsWhatTheApiServerAndEtcdSay) {
  expect_lacks(
      {{"plugin \"DefaultBinder\" error binding pod \"ns/p\": etcdserver: unhealthy cluster",
        "could not be tried: etcd did not answer"},
       {"running Bind plugin \"DefaultBinder\": etcdserver: not leader",
        "could not be tried: etcd did not answer"},
       {"etcdserver: request timed out, waiting for the applied index took too long",
        "could not be tried: etcd did not answer"},
       {"etcdserver: request is too large", "could not be written: it is too large"},
       {"etcdserver: corrupt cluster", "could not be written: etcd's data differ"},
       {"etcdserver: permission denied", "could not be tried: etcd does not let the API server in"},
       {"pods is forbidden: User \"system:kube-scheduler\" cannot list resource \"pods\"",
        "could not be tried: a right is missing"},
       {"pods \"p\" is forbidden: exceeded quota: q", "may not be written by the scheduler"},
       {"admission webhook \"w\" denied the request: no", "was turned down by a webhook"},
       {"pod p is being deleted, cannot be assigned to a host", "was chosen for a pod that was gone"},
       {"pod p has non-empty .spec.schedulingGates", "was chosen for a pod that is held back"},
       {"the server has asked for the client to provide credentials (post pods p)",
        "could not be tried: the scheduler was not let in"},
       {"the server could not find the requested resource",
        "could not be tried: the API server lacks a kind"},
       {"Pod \"p\" is invalid: spec: Forbidden", "could not be written: it is not valid"},
       {"Internal error occurred: resource quota evaluation timed out",
        "could not be tried: the API server had an error"},
       // What is more special than an error of the API server's.
       {"Internal error occurred: failed calling webhook \"w\": Post \"https://w\": connection refused",
        "could not be tried: nobody answered"}});
  EXPECT_FALSE(advice_for("etcdserver: requested lease not found"));
  EXPECT_FALSE(advice_for("plugin.example.com \"p\" is invalid: no"));
}

// What a plugin says inside an error has its own advice, not that of any plugin's error.
TEST(AdviceOfLikeReasons, IsOfWhatAPluginSaysInAnError) {
  expect_lacks(
      {{R"(running PreFilter plugin "DynamicResources": request gpu: unsupported request type)",
        "cannot serve a claim of a kind that is not known"},
       {R"(running "DynamicResources" filter plugin: claim ns/c, constraint #0: empty constraint (unsupported constraint type?))",
        "cannot serve a claim of a kind that is not known"},
       {R"(running PreBind plugin "DynamicResources": add reservation to claim ns/c: etcdserver: request timed out)",
        "could not be tried: etcd did not answer"},
       {R"(running Score plugins: plugin "TargetLoadPacking" failed with: getting node "n1" from Snapshot: x)",
        "could not be tried by a plugin"},
       {"node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
        "waits for the pod that has the volume"}});
}

// An alert is the server's word about the certificate of who asks, and proves that both speak TLS.
TEST(AdviceOfLikeReasons, OfTlsKnowsWhoseCertificateIsNotTrusted) {
  const std::string alert = "Post \"https://e:443/filter\": remote error: tls: ";
  const std::string_view refused = "could not be tried: the scheduler's certificate is not accepted";
  expect_lacks(
      {{alert + "bad certificate", refused},
       {alert + "unknown certificate authority", refused},
       {alert + "certificate required", refused},
       {alert + "expired certificate", "could not be tried: the scheduler's certificate has expired"},
       {alert + "handshake failure", "could not be tried: TLS was broken off"},
       {"Post \"https://e:443/filter\": tls: failed to verify certificate: x509: certificate signed by "
        "unknown authority",
        "could not be tried: a certificate is not trusted"},
       {"Post \"https://e:443/filter\": tls: first record does not look like a TLS handshake",
        "could not be tried: no agreement on TLS"}});
}

TEST(AdviceOfLikeReasons, OfAConnectionThatFailsKnowsOnWhichSide) {
  const std::string dial = "Post \"https://e:443/filter\": dial tcp 10.0.0.2:443: ";
  expect_lacks(
      {{dial + "connect: connection refused", "could not be tried: nobody answered"},
       {dial + "connect: network is down", "could not be tried: nobody answered"},
       {dial + "connect: cannot assign requested address", "could not be tried: no address to ask from"},
       {dial + "connect: permission denied", "could not be tried: asking is not allowed"},
       {dial + "socket: too many open files", "could not be tried: too many files are open"},
       {"http: request body too large", "could not be tried: the request was too large"},
       {"Post \"https://e:443/filter\": stopped after 10 redirects",
        "could not be tried: an answer made no sense"},
       {"etcdserver: permission denied", "could not be tried: etcd does not let the API server in"}});
  EXPECT_FALSE(advice_for("my plugin: permission denied"));
}

std::string todo_for(std::string_view reason) {
  const auto advice = advice_for(reason);
  return advice ? std::string(advice->todo) : "no advice";
}

// Coscheduling's PodGroup has a minMember, and Kubernetes' own a minCount.
TEST(AdviceOfLikeReasons, NamesTheFieldThatTheGroupHas) {
  for (const char* reason :
       {"pod group is unschedulable", "minCount (4) cannot be satisfied: 2 scheduled, 1 remaining",
        "pod group is unschedulable: waiting for minCount pods from a gang to be waiting on permit",
        "waiting for minCount pods from a gang to be waiting on permit"}) {
    EXPECT_TRUE(todo_for(reason).contains("minCount")) << reason;
    EXPECT_FALSE(todo_for(reason).contains("minMember")) << reason;
  }
  EXPECT_TRUE(todo_for("optimistic rejection in PostFilter").contains("minMember"));
}

TEST(AdviceOfLikeReasons, NamesWhatAnotherOneHasWritten) {
  const auto means = [](const std::string& what) {
    const auto advice = advice_for("running PreBind plugin \"P\": Operation cannot be fulfilled on " + what +
                                   ": the object has been modified; please apply your changes");
    return advice ? std::string(advice->means) : "no advice";
  };
  EXPECT_TRUE(means("resourceclaims.resource.k8s.io \"c\"").contains("the pod's ResourceClaim"));
  EXPECT_TRUE(means("persistentvolumeclaims \"c\"").contains("the pod's PersistentVolumeClaim"));
  EXPECT_TRUE(means("persistentvolumes \"v\"").contains("the volume"));
  EXPECT_TRUE(means("pods \"p\"").contains("the pod or the node"));
}

TEST(AdviceOfLikeReasons, KnowsThePlatformsOwnTaints) {
  const std::string any = todo_for("node(s) had untolerated taint {dedicated: ml}");
  for (const char* taint :
       {"eks.amazonaws.com/compute-type: fargate", "cloud.google.com/gke-quick-remove: true",
        "node.openshift.io/os: Windows", "kubernetes.io/arch: arm64", "sandbox.gke.io/runtime: gvisor",
        "ignore-taint.cluster-autoscaler.kubernetes.io/gpu-driver: true",
        "status-taint.cluster-autoscaler.kubernetes.io/suspended: ", "readiness.k8s.io/NetworkReady: pending",
        "medik8s.io/remediation: self-node-remediation",
        "medik8s.io/drain: ", "remediator.kubernetes.azure.com/unschedulable: "}) {
    const std::string own = todo_for("node(s) had untolerated taint {" + std::string(taint) + '}');
    EXPECT_NE(own, any) << taint;
    EXPECT_NE(own, "no advice") << taint;
  }
}

TEST(AdviceOfLikeReasons, KnowsWhyAGroupOrAProfileIsNotTried) {
  for (const char* reason :
       {"failed to schedule other pod from a pod group: x",
        "all pods in a single pod group should have the same .spec.schedulerName set, got: \"a\" and \"b\"",
        "profile not found for scheduler name \"a\""})
    EXPECT_NE(todo_for(reason), "no advice") << reason;
}

}  // namespace
}  // namespace flowtap::diagnosis
