// Which namespace a request is about; if that is not certain, it is all of them.
#include "api/scope.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "api/routes/route_table.hpp"

namespace flowtap::api {
namespace {

constexpr Right::To kLogs = Right::To::kLogs;
constexpr Right::To kNode = Right::To::kNode;
constexpr Right::To kKnown = Right::To::kKnown;

TEST(Scope, OfTargets) {
  for (const auto& [target, to, ns] : std::vector<std::tuple<std::string, Right::To, std::string>>{
           {"/api/v1/namespaces/shop/pods/web-0/log", kLogs, "shop"},
           {"/api/v1/namespaces/shop/pods/web-0/schedulerlog?evidence", kLogs, "shop"},
           {"/api/v1/namespaces/sh%6Fp/pods/web-0/log", kLogs, "shop"},
           {"/api/v1/namespaces/%zz/pods/web-0/log", kLogs, ""},
           {"/api/v1/namespaces/Shop/pods/web-0/log", kLogs, ""},
           {"/api/v1/namespaces/" + std::string(64, 'a') + "/pods/web-0/log", kLogs, ""},
           {"/api/v1/namespaces/", kLogs, ""},
           {"/api/v1/namespaces", kLogs, ""},
           {"/api/v1/namespacesx/shop/pods/p/log", kLogs, ""},
           {"/api/v1/flows?namespace=shop", kLogs, "shop"},
           {"/api/v1/flows?namespace=shop&follow=true", kLogs, "shop"},
           {"/api/v1/flows?namespace=", kLogs, ""},
           {"/api/v1/flows?namespace=shop&namespace=kube-system", kLogs, ""},
           {"/api/v1/flows", kLogs, ""},
           {"/api/v1/flows?pod=web-0", kLogs, ""},
           {"/api/v1/schedulerlogs?namespace=shop&diagnosis", kLogs, "shop"},
           {"/api/v1/workloads?namespace=shop&pod=web-0", kLogs, "shop"},
           {"/api/v1/workloads?kind=unit", kLogs, ""},
           {"/api/v1/flows/pod%2Fshop%2Fweb-0%2Fu%2Fapp%2F0/log", kLogs, "shop"},
           {"/api/v1/flows/pod%2Fshop%2Fweb-0%2Fu%2Fapp%2F0/raw?follow=true", kLogs, "shop"},
           {"/api/v1/flows/pod%2Fshop/log", kLogs, ""},
           {"/api/v1/flows/sched%2Fshop%2Fweb-0/log", kLogs, ""},
           {"/api/v1/flows/pod/shop/web-0/log", kNode, ""},
           {"/api/v1/flows/container%2Fpod%2Fshop%2F/log", kNode, ""},
           {"/api/v1/flows/unit%2Fkubelet.service/log", kNode, ""},
           {"/api/v1/processes/1/raw?namespace=shop", kNode, ""},
           {"/api/v1/processes/1/log", kNode, ""},
           {"/api/v1/status?namespace=shop", kLogs, ""},
           {"/healthz", kKnown, ""},
           {"/readyz", kKnown, ""},
           {"/openapi.json", kKnown, ""},
           {"/healthz/x", kLogs, ""},
           {"", kLogs, ""}})
    EXPECT_EQ(right_for(target), (Right{to, ns})) << target;
}

// Each route of the table, so that a new one cannot be forgotten. The requests name no namespace.
TEST(Scope, OfEachRoute) {
  const std::map<std::string, Right::To> wanted = {
      {"/healthz", kKnown},
      {"/readyz", kKnown},
      {"/openapi.json", kKnown},
      {"/api/v1/status", kLogs},
      {"/api/v1/stats", kLogs},
      {"/api/v1/workloads", kLogs},
      {"/api/v1/flows", kLogs},
      {"/api/v1/flows/{id}/raw", kNode},
      {"/api/v1/flows/{id}/log", kNode},
      {"/api/v1/namespaces/{namespace}/pods/{name}/log", kLogs},
      {"/api/v1/namespaces/{namespace}/pods/{name}/schedulerlog", kLogs},
      {"/api/v1/namespaces/{namespace}/pods/{name}/exits", kLogs},
      {"/api/v1/exits", kNode},
      {"/api/v1/schedulerlogs", kLogs},
      {"/api/v1/processes/{pid}/raw", kNode},
      {"/api/v1/processes/{pid}/log", kNode}};
  std::map<std::string, Right::To> rights;
  for (const Route& route : routes()) {
    const std::string path(route.path);
    rights[path] = right_for(path).to;
    EXPECT_EQ(right_for(path).ns, "") << path;
  }
  EXPECT_EQ(rights, wanted);
}

}  // namespace
}  // namespace flowtap::api
