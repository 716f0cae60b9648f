// Which pod a record is about, in all the shapes that schedulers have written it.
#include "stream/lines/flow_key.hpp"

#include <gtest/gtest.h>

#include <string>

namespace flowtap::flow {
namespace {

std::string flow_of(const std::string& text, const FlowKeys& keys = FlowKeys()) {
  const auto record = parse_klog_record(text);
  if (!record) return "no record";
  const auto found = keys.find(*record);
  std::string out = found.key ? "" : "none";
  if (found.key) found.key->put(out);
  return out;
}

std::string pairs(const std::string& pairs, const FlowKeys& keys = FlowKeys()) {
  return flow_of("I0821 07:20:00.000001       1 a.go:1] \"m\" " + pairs, keys);
}

std::string json(const std::string& members) {
  return flow_of(R"({"ts":1.5,"msg":"m","v":3,)" + members + "}");
}

TEST(FlowKey, AllErasFoldToThePod) {
  for (const std::string text :
       {R"(logID="ns/p")", R"(logID="ns/p/main")", R"(pod="ns/p")", R"(pod="ns/p" podUID="u" node="n")",
        R"(pod="p" namespace="ns")", R"(pod="p" uuid="u" namespaces="ns")", R"(object="ns/p" kind="Pod")",
        R"(object="ns/p")", R"(podNamespace="ns" podName="p")", R"(podName="p" podNamespace="ns")",
        R"(pod name="p" pod namespace="ns" node="n")", R"(err="x pod=\"a/b\"" pod="ns/p")",
        "err=<\n\tpod=\"a/b\"\n > pod=\"ns/p\"", R"(n=3 b=true pod="ns/p" x={"a":" pod=\"a/b\""})"})
    EXPECT_EQ(pairs(text), "ns/p") << text;
  EXPECT_EQ(json(R"("pod":{"name":"p","namespace":"ns"})"), "ns/p");
  EXPECT_EQ(json(R"("pod":{"name":"a","namespace":"ns"},"pod":{"name":"p","namespace":"ns"})"), "ns/p");
  EXPECT_EQ(json(R"("pod":"ns/p")"), "ns/p");
  EXPECT_EQ(json(R"("x":{"pod":{"name":"p","namespace":"ns"}})"), "none");
}

TEST(FlowKey, OtherShapesAreNobodysPod) {
  EXPECT_EQ(pairs(R"(logID="resync1795224891102")"), "other/resync1795224891102");
  EXPECT_EQ(pairs(R"(logID="sweep1795224891")"), "other/sweep1795224891");
  for (const std::string text : {R"(logID="gpu-node-1/node-0")",
                                 R"(logID="node01.lab.eng/node-1")",
                                 R"(logID="node-0")",
                                 R"(logID="p")",
                                 R"(logID="a/b/c/d")",
                                 R"(logID="")",
                                 R"(logID="/")",
                                 "logID=\"(MISSING)\"",
                                 R"(pod="p")",
                                 R"(pod="p" node="n")",
                                 R"(podName="p")",
                                 R"(pod="resync1795224891102")",
                                 R"(object="kube-system/kube-scheduler" kind="Lease")",
                                 R"(object="n={node-0=<cpu=8/8/8>}")",
                                 R"(pod="/p")",
                                 R"(node="n")",
                                 R"(pod={"name":"p"})",
                                 R"(pod=ns/p)",
                                 R"(pod=[1])",
                                 R"(podx="ns/p")"})
    EXPECT_EQ(pairs(text), "none") << text;
  // A pod may have a zone's name; only logID's two segments cannot tell them apart.
  EXPECT_EQ(pairs(R"(pod="ns/node-0")"), "ns/node-0");
  EXPECT_EQ(pairs(R"(logID="ns/node-0/main")"), "ns/node-0");
}

TEST(FlowKey, OnlyKubernetesNamesAreNames) {
  const std::string label63(63, 'a');
  EXPECT_EQ(pairs("pod=\"" + label63 + "/a.b-c.0\""), label63 + "/a.b-c.0");
  EXPECT_EQ(pairs("pod=\"ns/" + std::string(253, 'a') + "\""), "ns/" + std::string(253, 'a'));
  for (const std::string value :
       {"../../etc/passwd", "ns/..", "ns/.", "ns/a/b", "ns/a..b", "ns/.a", "ns/a.", "ns/-a", "ns/a-", "NS/p",
        "n.s/p", "ns/p q", "ns/p%2f", "ns/p\\u002fx", "ns/p\\n", "ns/\\x00", "ns/", "ns/\xc3\xa4"})
    EXPECT_EQ(pairs("pod=\"" + value + "\""), "none") << value;
  EXPECT_EQ(pairs("pod=\"" + label63 + "a/p\""), "none");
  EXPECT_EQ(pairs("pod=\"ns/" + std::string(254, 'a') + "\""), "none");
  EXPECT_EQ(pairs(R"(pod="../x" namespace="..")"), "none");
  // A pod in a namespace `other` cannot take a flow that is no pod's.
  EXPECT_EQ(pairs(R"(pod="other/resync1795224891102")"), "none");
  EXPECT_EQ(pairs(R"(pod="other/p")"), "other/p");
}

TEST(FlowKey, TheOrderOfTheKeysDecides) {
  EXPECT_EQ(pairs(R"(pod="a/pod" logID="a/log")"), "a/log");
  EXPECT_EQ(pairs(R"(object="a/object" kind="Pod" pod="a/pod")"), "a/pod");
  EXPECT_EQ(pairs(R"(logID="gpu-1/node-0" pod="a/pod")"), "a/pod");
  EXPECT_EQ(pairs(R"(pod="a/pod" logID="a/log")", FlowKeys({"pod", "logID"})), "a/pod");
  EXPECT_EQ(pairs(R"(pod="a/pod" preemptor="a/other")", FlowKeys({"preemptor"})), "a/other");
  EXPECT_EQ(pairs(R"(pod="a/pod")", FlowKeys(std::vector<std::string>{})), "none");
  EXPECT_EQ(pairs(R"(pod="a/first" pod="a/last")"), "a/last");
}

// Annotations and arguments as a scheduler's %+v writes them.
TEST(FlowKey, WhatMayHaveBeenWithinAValueIsNobodysPod) {
  const std::string forged = R"( pod="kube-system/victim" x=)";
  for (const std::string& value :
       {"&{Annotations:map[a:b" + forged + "]}", "map[a:b" + forged + "]", "{Name:a}" + forged + "}",
        "[a]" + forged + "]", R"(["a"])" + forged + "[1]", "PodScheduled" + forged}) {
    EXPECT_EQ(pairs("v=" + value), "none") << value;
    EXPECT_EQ(pairs("v=" + value + R"( pod="a/p")"), "none") << value;
    EXPECT_EQ(pairs(R"(pod="a/first" v=)" + value), "a/first") << value;
    EXPECT_EQ(pairs(R"(pod="p" v=)" + value + R"( namespace="kube-system")"), "none") << value;
  }
}

TEST(FlowKey, OnlyPairsAreLookedAt) {
  const std::string header = "I0821 07:20:00.000001       1 a.go:1] ";
  EXPECT_EQ(flow_of(header + "schedule a/p pod=\"a/p\""), "none");
  EXPECT_EQ(flow_of(header + R"("m pod=\"a/p\"" x="1")"), "none");
  EXPECT_EQ(flow_of(header + "\"m\" x=1\n pod=\"a/p\""), "none");
  EXPECT_EQ(flow_of(header + R"("m" pod="a/p)"), "none");
}

TEST(FlowKey, SaysWhenMoreOfTheRecordMayHaveTheKey) {
  const FlowKeys keys;
  const std::string header = "I0821 07:20:00.000001       1 a.go:1] \"m\" ";
  EXPECT_TRUE(keys.find(*parse_klog_record(header + "err=<")).cut);
  EXPECT_TRUE(keys.find(*parse_klog_record(header + "x=\"ab"), true).cut);
  EXPECT_FALSE(keys.find(*parse_klog_record(header + "x=\"ab")).cut);
  EXPECT_FALSE(keys.find(*parse_klog_record(header + "x=\"ab\"")).cut);
  EXPECT_FALSE(keys.find(*parse_klog_record(header + "pod=\"ns/p"), true).key);
}

}  // namespace
}  // namespace flowtap::flow
