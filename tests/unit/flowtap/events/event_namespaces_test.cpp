// In which namespace the pods of events are, where their table has no column for it.
#include "tools/flowtap/saved/event_namespaces.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/flowtap/events/kube_events_kit.hpp"

namespace flowtap::cli {
namespace {

TEST(EventNamespaces, AMessageMayHaveItsPodWithTheNamespace) {
  const auto ns = [](const std::string& message) {
    KubeEvents events;
    const auto event = events.read("3m  Warning  FailedScheduling  pod/j-0  " + message);
    return event ? event->ns : "none";
  };
  EXPECT_EQ(ns("Pod ml/j-0 can possibly be assigned to n1"), "ml");
  EXPECT_EQ(ns("gang of (ml/j-0)."), "ml");
  EXPECT_EQ(ns("rejected: ml/j-0."), "ml");
  for (const char* const none :
       {"Pod ml/j-01 waits", "Post https://10.0.0.1/api/v1/ml/pods/j-0", "ml/j-0.x waits", "M_L/j-0 waits",
        "j-0 waits", "/j-0 waits", "a.b/j-0 waits"})
    EXPECT_EQ(ns(none), "default") << none;
  KubeEvents events;
  const auto number =
      events.read("3m  Warning  FailedScheduling  pod/3  0/3 nodes are available: 3 Insufficient cpu.");
  ASSERT_TRUE(number);
  EXPECT_EQ(number->ns, "default") << "of how many nodes";
}

TEST(EventNamespaces, AMessageMayNameItsPodsNamespace) {
  KubeEvents events;
  const auto event =
      events.read("3m  Warning  FailedScheduling  pod/gone-0  skip schedule deleting pod: shop/gone-0");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->ns, "shop");
  EXPECT_EQ(events.without_namespace(), 0U);
  EXPECT_FALSE(
      events.read("3m  Warning  FailedScheduling  pod/gone-0  skip schedule deleting pod: shop/other"));
}

// "ns/pod" of each event.
std::vector<std::string> pods_of(const std::string& text) {
  KubeEvents events;
  std::vector<std::string> out;
  std::size_t unnamed = 0;
  for (const KubeEvent& event : events_of(events, text)) {
    unnamed += event.ns == "default" ? 1 : 0;
    out.push_back(event.ns + '/' + event.pod);
  }
  EXPECT_EQ(events.without_namespace(), unnamed);
  return out;
}

const std::string kEventsHeading = "LAST SEEN   TYPE   REASON   OBJECT   MESSAGE\n";
const std::string kOtherWaits = "2m  Warning  FailedScheduling  pod/web-1  " + kNoFit + '\n';
const std::string kIsAssigned = "1m  Normal  Scheduled  pod/web-0  " + kAssigned + '\n';
using Pods = std::vector<std::string>;

TEST(EventNamespaces, ARowNamesTheNamespaceOfAllRowsOfItsTable) {
  EXPECT_EQ(pods_of(kEventsHeading + kOtherWaits + kIsAssigned), (Pods{"shop/web-1", "shop/web-0"}));
  EXPECT_EQ(pods_of(kOtherWaits + kIsAssigned), (Pods{"shop/web-1", "shop/web-0"})) << "--no-headers";
  EXPECT_EQ(pods_of("> " + kOtherWaits + "> " + kIsAssigned), (Pods{"shop/web-1", "shop/web-0"}));
  EXPECT_EQ(pods_of("a.txt:9:" + kOtherWaits + "a.txt:10:" + kIsAssigned),
            (Pods{"shop/web-1", "shop/web-0"}));
  EXPECT_EQ(pods_of("Name:  web-1\nEvents:\n  Type  Reason  Age  From  Message\n"
                    "  Warning  FailedScheduling  2m  default-scheduler  " +
                    kNoFit +
                    "\n  Normal  Scheduled  1m  default-scheduler  Successfully assigned shop/web-1 to n1\n"),
            (Pods{"shop/web-1", "shop/web-1"}))
      << "a description without its namespace";
}

TEST(EventNamespaces, OneTableSaysNothingOfAnother) {
  const Pods unnamed{"default/web-1", "shop/web-0"};
  EXPECT_EQ(pods_of(kEventsHeading + kOtherWaits + kEventsHeading + kIsAssigned), unnamed);
  EXPECT_EQ(pods_of(kOtherWaits + "$ kubectl get events -n shop --no-headers\n" + kIsAssigned), unnamed);
  EXPECT_EQ(pods_of("a.txt:1:" + kOtherWaits + "b.txt:1:" + kIsAssigned), unnamed) << "grep in two files";
  EXPECT_EQ(pods_of(kOtherWaits + "shop  " + kIsAssigned), unnamed) << "of kubectl get events -A";
  KubeEvents events;
  auto event = events.read(kOtherWaits.substr(0, kOtherWaits.size() - 1));
  ASSERT_TRUE(event);
  events.begin_file();
  EXPECT_TRUE(events.read(kIsAssigned));
  events.settle(*event);
  EXPECT_EQ(event->ns, "default");
}

TEST(EventNamespaces, RowsThatContradictEachOtherNameNoNamespace) {
  const std::string other = "1m  Normal  Scheduled  pod/api-0  Successfully assigned ml/api-0 to n1\n";
  EXPECT_EQ(pods_of(kEventsHeading + kOtherWaits + kIsAssigned + other + kIsAssigned),
            (Pods{"default/web-1", "shop/web-0", "ml/api-0", "shop/web-0"}));
}

TEST(EventNamespaces, OnlyWordsThatMeanNothingElseNameTheNamespace) {
  const auto ns = [](const std::string& row) {
    return pods_of(kEventsHeading + kOtherWaits + row + '\n').front();
  };
  const std::string uid = "3f1c2a50-0000-4000-8000-0123456789ab";
  EXPECT_EQ(ns("1m  Warning  FailedScheduling  pod/j-0  skip schedule deleting pod: ml/j-0"), "ml/web-1");
  EXPECT_EQ(ns("1m  Warning  FailedScheduling  pod/j-0  Pod ml/j-0 can possibly be assigned to n1"),
            "ml/web-1");
  EXPECT_EQ(ns("1m  Warning  BackOff  pod/j-0  Back-off restarting failed container app in pod j-0_ml(" +
               uid + ")"),
            "ml/web-1");
  EXPECT_EQ(
      ns("1m  Normal  Provisioning  persistentvolumeclaim/data  External provisioner is provisioning volume "
         "for claim \"ml/data\""),
      "ml/web-1");
  for (const std::string& none :
       {std::string("1m  Normal  Pulling  pod/j-0  Pulling image \"ml/j-0\""),
        std::string("1m  Normal  Preempted  pod/j-0  Preempted by ml/j-0 on node n1"),
        std::string("1m  Normal  Scheduled  pod/j-1  Successfully assigned ml/j-0 to n1"),
        std::string("1m  Normal  Scheduled  job/j-0  Successfully assigned ml/j-0 to n1"),
        std::string("1m  Normal  Started  pod/j-0  Successfully assigned ml/j-0 to n1"),
        std::string("1m  Warning  FailedScheduling  pod/j-0  0/3 nodes are available: 3 had taint {ml/j-0}."),
        std::string("1m  Warning  FailedScheduling  pod/j-0  no label ml/j-0 there"),
        "1m  Warning  BackOff  pod/j-0  Back-off restarting failed container app in pod j-1_ml(" + uid + ")",
        std::string(
            "1m  Warning  BackOff  pod/j-0  Back-off restarting failed container app in pod j-0_ml(x)"),
        std::string(
            "1m  Normal  Provisioning  persistentvolumeclaim/data  External provisioner is provisioning "
            "volume for claim \"ml/other\"")})
    EXPECT_EQ(ns(none), "default/web-1") << none;
}

}  // namespace
}  // namespace flowtap::cli
