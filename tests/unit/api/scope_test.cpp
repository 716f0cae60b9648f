// Which namespace a request is about: what is not certain is all of them.
#include "api/scope.hpp"

#include <gtest/gtest.h>

namespace flowtap::api {
namespace {

TEST(Scope, OfTargets) {
  for (const auto& [target, ns] : std::initializer_list<std::pair<std::string, std::string>>{
           {"/api/v1/namespaces/shop/pods/web-0/log", "shop"},
           {"/api/v1/namespaces/shop/pods/web-0/schedulerlog?evidence", "shop"},
           {"/api/v1/namespaces/sh%6Fp/pods/web-0/log", "shop"},
           {"/api/v1/namespaces/%zz/pods/web-0/log", ""},
           {"/api/v1/namespaces/", ""},
           {"/api/v1/namespaces", ""},
           {"/api/v1/namespacesx/shop/pods/p/log", ""},
           {"/api/v1/flows?namespace=shop", "shop"},
           {"/api/v1/flows?namespace=shop&follow=true", "shop"},
           {"/api/v1/flows?namespace=", ""},
           {"/api/v1/flows?namespace=shop&namespace=kube-system", ""},
           {"/api/v1/flows", ""},
           {"/api/v1/flows?pod=web-0", ""},
           {"/api/v1/schedulerlogs?namespace=shop&diagnosis", "shop"},
           {"/api/v1/flows/pod%2Fshop%2Fweb-0%2Fu%2Fapp%2F0/log", "shop"},
           {"/api/v1/flows/pod%2Fshop%2Fweb-0%2Fu%2Fapp%2F0/raw?follow=true", "shop"},
           {"/api/v1/flows/pod%2Fshop/log", ""},
           {"/api/v1/flows/pod/shop/web-0/log", ""},
           {"/api/v1/flows/sched%2Fshop%2Fweb-0/log", ""},
           {"/api/v1/flows/container%2Fpod%2Fshop%2F/log", ""},
           {"/api/v1/status?namespace=shop", ""},
           {"/api/v1/processes/1/raw?namespace=shop", ""},
           {"/healthz", ""},
           {"", ""}})
    EXPECT_EQ(namespace_asked_for(target), ns) << target;
}

}  // namespace
}  // namespace flowtap::api
