#include "why_files.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"
#include "explain/diagnosis/diagnosis_store.hpp"
#include "tools/flowtap/client.hpp"
#include "tools/flowtap/pod_name.hpp"
#include "tools/flowtap/saved/saved_logs.hpp"
#include "why_answers.hpp"

namespace flowtap::cli {
namespace {

using diagnosis::Diagnosis;
using diagnosis::DiagnosisStore;

// More than a cluster's schedulers mention in all the logs that are kept. If there are more, the user is told.
constexpr std::size_t kMostPods = 100'000;
constexpr std::size_t kMostBytes = std::size_t{512} << 20U;
constexpr std::size_t kMostNear = 3;

/// Pods that may be meant: those of this name in other namespaces, or with names that begin like it.
std::string near(const DiagnosisStore& store, const PodName& wanted) {
  std::string out;
  std::size_t found = 0;
  for (const std::string& pod : store.pods()) {
    const auto other = pod_name(pod);
    if (!other || found == kMostNear) continue;
    const bool same = other->name == wanted.name;
    const bool begins = other->ns == wanted.ns && other->name.starts_with(wanted.name);
    if (!same && !begins) continue;
    ++found;
    out += (out.empty() ? "" : ", ") + pod;
  }
  return out;
}

ExitCode not_found(const DiagnosisStore& store, const WhyOptions& options, const PodName& wanted) {
  const std::string what =
      "no scheduler mentions " + in_quotes(options.of, 300) + " in the logs that --from names";
  const std::size_t pods = store.size();
  if (pods == 0)
    complain(
        {what + ", nor any other pod",
         "it takes logs of kube-scheduler, of the NUMA-aware scheduler and of HAMi's extender, from -v=2 on",
         0});
  else if (const std::string names = near(store, wanted); !names.empty())
    complain({fmt::format("{}, but they mention {} others", what, pods), "is it one of these: " + names, 0});
  else
    complain({fmt::format("{}, but they mention {} others", what, pods),
              "without a pod, flowtap why --from lists them", 0});
  return kNotFound;
}

}  // namespace

ExitCode why_from_files(const WhyOptions& options) {
  DiagnosisStore store(kMostPods, kMostBytes);
  if (const Status read = read_saved_logs(options.from, store); !read) {
    complain(read.error());
    return kFailure;
  }
  if (store.evicted() > 0)
    complain({fmt::format("{} pods are left out: what was said of more than {} pods is too much to keep",
                          grouped(store.evicted()), grouped(store.size())),
              "read fewer or shorter logs at a time", 0});
  if (options.of.empty())
    return put_out_list(options, [&store](const TakePod& take) {
      store.each([&take](const std::string& pod, const Diagnosis& diagnosis) {
        const auto name = pod_name(pod);
        if (name) take(name->ns, name->name, diagnosis, to_json(diagnosis));
      });
    });
  const auto wanted = pod_name(options.of).value_or(PodName{});
  const auto found = store.find(wanted.ns, wanted.name);
  if (!found) return not_found(store, options, wanted);
  return put_out(shown_answer(options, *found, to_json(*found, options.evidence)));
}

}  // namespace flowtap::cli
