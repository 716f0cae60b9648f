#include "identity/flow_labels.hpp"

#include <gtest/gtest.h>

namespace flowtap {
namespace {

TEST(FlowLabels, ComeBackAsTheyWere) {
  const FlowLabels labels{.ns = "shop",
                          .pod = "web-0",
                          .uid = "3f1c",
                          .container = "main \"quoted\"",
                          .image = "busybox",
                          .runtime = "containerd",
                          .restart = 3,
                          .log_path = "/var/log/pods/x/0.log",
                          .cgroup = 4711,
                          .started = 1'764'348'594'000'000'000};
  EXPECT_EQ(parse_labels(render_labels(labels)), labels);
  EXPECT_EQ(labels.count(), 8U);
}

TEST(FlowLabels, WhatIsNotKnownIsAbsent) {
  EXPECT_EQ(render_labels({}), "{}");
  EXPECT_EQ(parse_labels("{}"), FlowLabels{});
  EXPECT_EQ(FlowLabels{}.count(), 0U);
}

TEST(FlowLabels, OfWhatIsNoneOfOursWhatFits) {
  for (const char* text : {"", "nonsense", "[]", R"({"pod":1,"restart":"x"})", R"({"restart":-1})"})
    EXPECT_EQ(parse_labels(text), FlowLabels{}) << text;
  EXPECT_EQ(parse_labels(R"({"pod":"p","more":{"x":1}})").pod, "p");
}

TEST(FlowLabels, OfAContainer) {
  identity::ContainerIdentity who;
  who.runtime = identity::Runtime::kPodman;
  who.container_id = "abc";
  who.container_name = "web";
  const FlowLabels labels = labels_of(who);
  EXPECT_EQ(labels.runtime, "podman");
  EXPECT_EQ(labels.container, "web");
  EXPECT_FALSE(labels.pod);
}

}  // namespace
}  // namespace flowtap
