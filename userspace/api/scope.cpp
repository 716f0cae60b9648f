#include "api/scope.hpp"

#include <algorithm>

#include "api/routes.hpp"
#include "api/target.hpp"

namespace flowtap::api {
namespace {

/// The segment behind `prefix` and a slash, decoded; empty where there is none.
std::string segment_behind(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix) || path.size() == prefix.size() || path[prefix.size()] != '/') return {};
  path.remove_prefix(prefix.size() + 1);
  return percent_decode(path.substr(0, path.find('/'))).value_or("");
}

/// A pod's flow is pod/NAMESPACE/...; what a scheduler says of a pod may name others.
std::string namespace_of_flow(std::string_view id) {
  constexpr std::string_view kPod = "pod/";
  if (!id.starts_with(kPod)) return {};
  id.remove_prefix(kPod.size());
  const auto slash = id.find('/');
  return slash == std::string_view::npos ? std::string() : std::string(id.substr(0, slash));
}

}  // namespace

std::string namespace_asked_for(std::string_view target) {
  const auto question = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, question);
  if (path == kFlowsPath || path == kSchedulerLogsPath) {
    const std::string_view query = target.substr(std::min(question + 1, target.size()));
    const auto parameters = Parameters::parse(query, {"diagnosis"});
    const std::string* ns = parameters ? parameters->find("namespace") : nullptr;
    return ns != nullptr ? *ns : std::string();
  }
  if (path.starts_with(kFlowsPath)) return namespace_of_flow(segment_behind(path, kFlowsPath));
  return segment_behind(path, kNamespacesPath);
}

}  // namespace flowtap::api
