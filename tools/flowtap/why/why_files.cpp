#include "why_files.hpp"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <string>
#include <utility>

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

/// What lines look like if all of them were understood.
Strangers::Guess of_known(const SavedRead& read) {
  if (read.kubectl > 0)
    return {
        .what = "kubectl's output about objects, without a scheduler's event about a pod",
        .hint = "kubectl get events -A lists all events; a scheduler's log says more, and is kept longer"};
  if (read.telling > 0)
    return {
        .what =
            "a scheduler's records that decide nothing about a pod, or whose lines were cut before its name",
        .hint =
            "save more of the log, in whole lines, with kubectl logs or journalctl --no-pager, and not from "
            "a "
            "screen"};
  return {.what = "empty lines", .hint = "name a file with a scheduler's log"};
}

/// Why there is no answer about any pod.
Error nothing_told(const SavedRead& read) {
  const std::string beginning = "in the logs that --from names, ";
  if (read.lines == 0) return {beginning + "there is nothing", "name a file with a scheduler's log", 0};
  if (read.nameless > 0)
    return {beginning + "there are events that do not name their pod",
            "name all of what kubectl describe pod prints, or the log of kube-scheduler", 0};
  auto guess = read.strangers.guess();
  if (!guess) guess = of_known(read);
  const bool one = read.lines == 1;
  std::string what =
      one ? beginning + "there is one line, and it says nothing of a pod"
          : fmt::format("{}none of {} lines says anything of a pod", beginning, grouped(read.lines));
  if (guess) what += (one ? ": it looks like " : ": they look like ") + guess->what;
  return {std::move(what), guess ? guess->hint : "", 0};
}

ExitCode not_found(const DiagnosisStore& store, const WhyOptions& options, const PodName& wanted,
                   const SavedRead& read) {
  if (read.naming > 0) {
    const bool one = read.naming == 1;
    complain({fmt::format("in the logs that --from names, {} {}, and {} what was decided of it",
                          one ? "one line names" : grouped(read.naming) + " lines name",
                          in_quotes(options.of, 300), one ? "does not say" : "none says"),
              "name more of the scheduler's log: it says at -v=2 what becomes of each attempt", 0});
    return kNotFound;
  }
  const std::string names = near(store, wanted);
  complain({fmt::format("no scheduler mentions {} in the logs that --from names, but they mention {} others",
                        in_quotes(options.of, 300), store.size()),
            names.empty() ? "without a pod, flowtap why --from lists them" : "is it one of these: " + names,
            0});
  return kNotFound;
}

/// Whoever reads an answer must know that it rests on a part of what the files say.
void tell_strange(const SavedRead& read) {
  if (read.telling > 0 && read.nameless > 0)
    complain({fmt::format("{} of the events do not name their pod, and are left out", grouped(read.nameless)),
              "name all of what kubectl describe pod prints", 0});
  const auto guess = read.strangers.guess();
  if (read.quoted || read.telling == 0 || 2 * read.strange <= read.lines || !guess) return;
  complain({fmt::format("{} of {} lines were not understood: they look like {}", grouped(read.strange),
                        grouped(read.lines), guess->what),
            guess->hint, 0});
}

/// Nobody vouches for what somebody quotes.
void tell_quoted(const SavedRead& read) {
  if (!read.quoted && read.telling > 0 && read.quotations > 0)
    complain({fmt::format("in {} somebody quotes a scheduler's record, and it is left out",
                          read.quotations == 1 ? "one line" : grouped(read.quotations) + " lines"),
              "if these lines are to count, name the text that has them alone", 0});
  if (!read.quoted) return;
  complain(
      {"in the text that --from names, a scheduler's records stand amid other words or without their header, "
       "and whoever wrote it may have changed them",
       "what the scheduler wrote itself is in its log: name that with --from", 0});
}

/// A list of no pods must not look as if the logs had none.
void tell_elsewhere(const DiagnosisStore& store, const std::string& ns) {
  std::set<std::string, std::less<>> others;
  for (const std::string& pod : store.pods()) {
    const auto name = pod_name(pod);
    if (name && name->ns == ns) return;
    if (name) others.emplace(name->ns);
  }
  std::string names;
  std::size_t named = 0;
  for (const std::string& other : others) {
    if (named++ == kMostNear) break;
    names += (names.empty() ? "" : ", ") + other;
  }
  if (others.size() > kMostNear) names += fmt::format(" and {} more", others.size() - kMostNear);
  complain(
      {fmt::format("no scheduler decides about a pod of the namespace {} in the logs that --from names, but "
                   "they mention {} of {}",
                   in_quotes(ns, 300), store.size() == 1 ? "one" : grouped(store.size()) + " pods", names),
       "without -n, flowtap why --from lists them", 0});
}

}  // namespace

ExitCode why_from_files(const WhyOptions& options) {
  DiagnosisStore store(kMostPods, kMostBytes);
  const auto wanted = pod_name(options.of).value_or(PodName{});
  if (!options.of.empty()) store.keep_informed(wanted.ns, wanted.name);
  const auto read = read_saved_logs(options.from, store, options.of);
  if (!read) {
    complain(read.error());
    return kFailure;
  }
  tell_strange(*read);
  tell_quoted(*read);
  if (store.evicted() > 0)
    complain({fmt::format("{} pods are left out: what was said of more than {} pods is too much to keep",
                          grouped(store.evicted()), grouped(store.size())),
              "read fewer or shorter logs at a time", 0});
  const auto found = options.of.empty() ? std::nullopt : store.find(wanted.ns, wanted.name);
  if (store.size() == 0 && !found) {
    complain(nothing_told(*read));
    return kFailure;
  }
  if (!options.ns.empty() && options.of.empty()) tell_elsewhere(store, options.ns);
  if (options.of.empty())
    return put_out_list(options, [&store](const TakePod& take) {
      store.each([&take](const std::string& pod, const Diagnosis& diagnosis) {
        const auto name = pod_name(pod);
        if (name) take(name->ns, name->name, diagnosis, to_json(diagnosis, false, true));
      });
    });
  if (!found) return not_found(store, options, wanted, *read);
  return put_out(shown_answer(options, *found, to_json(*found, options.evidence, true)));
}

}  // namespace flowtap::cli
