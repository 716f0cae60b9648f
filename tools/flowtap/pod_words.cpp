#include "pod_words.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "pod_name.hpp"

namespace flowtap::cli {
namespace {

constexpr std::array<std::string_view, 3> kPodTypes = {"pod", "pods", "po"};
constexpr std::array<std::string_view, 19> kWorkloadTypes = {
    "deployment",  "deployments", "deploy",  "statefulset", "statefulsets", "sts", "daemonset",
    "daemonsets",  "ds",          "job",     "jobs",        "cronjob",      "cj",  "replicaset",
    "replicasets", "rs",          "service", "services",    "svc"};

bool is_one_of(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool is_number(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, is_digit);
}

Result<std::string> with_namespace(std::string_view ns, std::string_view of) {
  const auto pod = pod_name(of);
  if (ns.empty()) {
    // The id of a pod's flow has more parts.
    if (!pod || pod->ns != kPodTypes.front()) return std::string(of);
    const std::string name(pod->name);
    return fail(in_quotes(of) + " does not say its namespace",
                "NAMESPACE/" + name + ", or -n NAMESPACE " + name);
  }
  const std::string in_ns = std::string(ns) + '/';
  if (of.empty()) return std::string();
  if (!of.contains('/')) return in_ns + std::string(of);
  if (!pod) return fail(in_quotes(of) + " is the id of a flow, which says its namespace", "leave out -n");
  if (pod->ns == ns) return std::string(of);
  if (is_one_of(kPodTypes, pod->ns)) return in_ns + std::string(pod->name);
  if (is_one_of(kWorkloadTypes, pod->ns))
    return fail(
        in_quotes(of) + " is no pod, but makes pods",
        "flowtap flows -n " + std::string(ns) +
            " lists the pods; flowtap logs --group GROUP prints those of a group (stream.flow_rules)");
  return fail("there are two namespaces, " + in_quotes(ns) + " and " + in_quotes(pod->ns),
              "-n " + std::string(ns) + ' ' + std::string(pod->name) + ", or " + std::string(of) + " alone");
}

}  // namespace flowtap::cli
