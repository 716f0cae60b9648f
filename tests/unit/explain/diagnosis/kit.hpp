// Logs through SchedulerLog, and what comes out of them.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "explain/diagnosis/diagnosis_store.hpp"
#include "explain/diagnosis/facts/schedulers.hpp"
#include "explain/diagnosis/scheduler_log.hpp"
#include "stream/lines/line_assembler.hpp"

namespace flowtap::diagnosis::test {

/// One of the schedulers that are built in.
inline const Scheduler* scheduler(std::string_view name) {
  return &*std::ranges::find(Schedulers::built_in().all(), name, &Scheduler::name);
}

inline const Scheduler* const kKube = scheduler("kube-scheduler");
inline const Scheduler* const kHami = scheduler("HAMi");

/// Reads all of a log, in writes of this many bytes.
inline void read(DiagnosisStore& store, std::string_view log, std::size_t write = 4096) {
  SchedulerLog scheduler(store);
  flow::LineAssembler lines;
  flow::WholeRecords records;
  const auto reads = [&](const flow::WholeRecord& record) { scheduler.read(record); };
  const auto take = [&](const flow::LineView& line) { records.add(line, reads); };
  for (; !log.empty(); log.remove_prefix(std::min(write, log.size())))
    lines.add(log.substr(0, write), 0, take);
  lines.finish(take);
  records.flush(reads);
}

/// "ns/name" → its answer; "none" if there is none.
inline std::string answer(DiagnosisStore& store, std::string_view pod, bool evidence = false) {
  const std::size_t slash = pod.find('/');
  const auto found = store.find(pod.substr(0, slash), pod.substr(slash + 1));
  return found ? to_json(*found, evidence) : "none";
}

/// A log of these bodies behind headers.
inline std::string log_of(std::initializer_list<std::string_view> bodies) {
  std::string out;
  for (const std::string_view body : bodies)
    out.append("I0821 07:20:00.000001       1 a.go:1] ").append(body).append(1, '\n');
  return out;
}

/// What the log says of the pod ns/NAME; empty: nothing.
inline Diagnosis diagnosis_of(std::string_view log, std::string_view name = "p") {
  DiagnosisStore store;
  read(store, log);
  return store.find("ns", name).value_or(Diagnosis{});
}

inline std::string answer_of(std::initializer_list<std::string_view> bodies, std::string_view pod = "ns/p",
                             bool evidence = false) {
  DiagnosisStore store;
  read(store, log_of(bodies));
  return answer(store, pod, evidence);
}

/// An answer whose nodes and bind are JSON already.
inline std::string body(std::string_view status, std::string_view filter, std::string_view summary,
                        std::string_view nodes, std::string_view bind = R"({"status":"","summary":""})") {
  std::string out = R"({"status":")";
  out.append(status)
      .append(R"(","filter":{"status":")")
      .append(filter)
      .append(R"(","summary":")")
      .append(summary);
  return out.append(R"(","nodes":[)").append(nodes).append("]},\"bind\":").append(bind).append("}");
}

}  // namespace flowtap::diagnosis::test
