#include "api/scope.hpp"

#include <algorithm>

#include "api/routes/openapi.hpp"
#include "api/routes/routes.hpp"
#include "api/routes/target.hpp"
#include "base/ascii.hpp"

namespace flowtap::api {
namespace {

/// The segment behind `prefix` and a slash, decoded; empty where there is none.
std::string segment_behind(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix) || path.size() == prefix.size() || path[prefix.size()] != '/') return {};
  path.remove_prefix(prefix.size() + 1);
  return percent_decode(path.substr(0, path.find('/'))).value_or("");
}

/// RFC 1123, as in Kubernetes. Any other text cannot be the name of a namespace.
std::string name_of(std::string_view ns) {
  constexpr std::size_t kLongest = 63;
  const auto fits = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
  return ns.size() <= kLongest && std::ranges::all_of(ns, fits) ? std::string(ns) : std::string();
}

/// The id of a pod's flow is pod/NAMESPACE/...; what a scheduler says about a pod may name other namespaces.
Right right_to_flow(std::string_view id) {
  constexpr std::string_view kPod = "pod/";
  if (id.starts_with("sched/")) return {};
  if (!id.starts_with(kPod)) return {.to = Right::To::kNode};
  id.remove_prefix(kPod.size());
  const auto slash = id.find('/');
  return {.ns = slash == std::string_view::npos ? std::string() : name_of(id.substr(0, slash))};
}

}  // namespace

Right right_for(std::string_view target) {
  const auto question = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, question);
  if (path == kHealthPath || path == kReadyPath || path == kOpenApiPath) return {.to = Right::To::kKnown};
  if (path.starts_with(kProcessesPath) || path == kExitsPath) return {.to = Right::To::kNode};
  if (path == kFlowsPath || path == kWorkloadsPath || path == kSchedulerLogsPath) {
    const std::string_view query = target.substr(std::min(question + 1, target.size()));
    const auto parameters = Parameters::parse(query, {"diagnosis"});
    const std::string* ns = parameters ? parameters->find("namespace") : nullptr;
    return {.ns = ns != nullptr ? name_of(*ns) : std::string()};
  }
  if (path.starts_with(kFlowsPath)) return right_to_flow(segment_behind(path, kFlowsPath));
  return {.ns = name_of(segment_behind(path, kNamespacesPath))};
}

}  // namespace flowtap::api
