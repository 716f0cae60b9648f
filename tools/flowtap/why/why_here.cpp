#include "why_here.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "api/json/flows_json.hpp"
#include "api/json/workloads_json.hpp"
#include "api/pod_flows.hpp"
#include "api/routes/routes.hpp"
#include "api/routes/target.hpp"
#include "base/flows/sandbox_container.hpp"
#include "base/json/members.hpp"
#include "base/printable.hpp"
#include "component/views/called.hpp"
#include "tools/flowtap/terminal/table.hpp"
#include "why_next.hpp"

namespace flowtap::cli {
namespace {

using Time = std::chrono::system_clock::time_point;

std::vector<api::FlowStatus> flows_at(const std::string& state_dir, const std::string& query, bool& known) {
  const auto body = ask(state_dir, std::string(api::kFlowsPath) + query);
  auto flows = body ? api::flows_from_json(*body) : fail("");
  known = known && flows;
  return flows ? std::move(*flows) : std::vector<api::FlowStatus>();
}

// A workload is listed for some time after its end. Then it has no instance and no process.
bool is_there(const api::WorkloadReading& workload) {
  const auto value = [&workload](const char* family) {
    const auto at = workload.values.find(family);
    return at == workload.values.end() ? 0 : at->second;
  };
  return value("flowtap_workload_info") > 0 || value("flowtap_workload_processes") > 0;
}

std::vector<api::WorkloadKey> workloads_at(const std::string& state_dir, const std::string& query,
                                           bool& known) {
  const auto body = ask(state_dir, std::string(api::kWorkloadsPath) + query);
  const auto all = body ? api::workloads_from_json(*body) : fail("");
  known = known && all;
  std::vector<api::WorkloadKey> there;
  if (!all) return there;
  for (const api::WorkloadReading& workload : all->workloads)
    if (is_there(workload)) there.push_back(workload.key);
  return there;
}

std::string written_words(const api::FlowStatus& flow) {
  return fmt::format("{}, {} {}", at_least(bytes_text(flow.bytes), flow.more_before),
                     at_least(grouped(flow.lines), flow.more_before),
                     flow.lines == 1 && !flow.more_before ? "line" : "lines");
}

bool runs(const Here& here, const std::string& container) {
  return std::ranges::find(here.running, container) != here.running.end() ||
         std::ranges::any_of(here.flows, [&](const api::FlowStatus& flow) {
           return flow.open && flow.container == container;
         });
}

const Ended* end_of(const Ends& ends, const std::string& container) {
  const auto found = std::ranges::find_if(
      ends.ended, [&container](const Ended& ended) { return ended.exit.container == container; });
  return found == ends.ended.end() ? nullptr : &*found;
}

// Whether a flow has bytes of a later run whose end flowtapd has not seen, because it was not running. What a child
// wrote after its container's end comes soon after that end.
bool is_of_later_run(const api::FlowStatus& flow, const api::ContainerExit& exit) {
  constexpr std::chrono::seconds kShortlyAfter{10};
  if (!flow.last || flow.open || *flow.last <= exit.time) return false;
  return flow.id != exit.flow || *flow.last > exit.time + kShortlyAfter;
}

bool has_later_run(const Here& here, const Ended& ended) {
  return std::ranges::any_of(here.flows, [&ended](const api::FlowStatus& flow) {
    return flow.container.value_or("") == ended.exit.container && is_of_later_run(flow, ended.exit);
  });
}

Table::Cell state_of(const Here& here, const Ends& ends, const std::string& container, Time now) {
  const Ended* const ended = end_of(ends, container);
  if (runs(here, container)) return {ended != nullptr ? "runs again" : "runs", "32"};
  if (ended == nullptr || has_later_run(here, *ended)) return {"ended, how is not known", "2"};
  return {fmt::format("{}, {}", end_words(ended->exit), age_words(ended->exit.time, now)),
          ended->badly() ? "1;31" : "2"};
}

std::set<std::string> containers_of(const Here& here, const Ends& ends) {
  std::set<std::string> all(here.running.begin(), here.running.end());
  for (const api::FlowStatus& flow : here.flows) all.insert(flow.container.value_or(""));
  for (const Ended& ended : ends.ended) all.insert(ended.exit.container);
  return all;
}

bool is_this_node(std::string_view node) {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && node == name.data();
}

}  // namespace

Here ask_for_here(const std::string& state_dir, const PodName& pod) {
  Here here{.known = true, .flows = {}, .running = {}, .sandbox = false};
  const std::string query =
      fmt::format("namespace={}&pod={}", api::percent_encode(pod.ns), api::percent_encode(pod.name));
  here.flows = api::newest_runs(flows_at(state_dir, "?kind=pod&history=true&" + query, here.known));
  for (const api::WorkloadKey& key : workloads_at(state_dir, "?kind=pod&" + query, here.known)) {
    here.sandbox = here.sandbox || key.container == kSandboxContainer;
    if (key.container != kSandboxContainer) here.running.push_back(key.container);
  }
  return here;
}

Here ask_for_here(const std::string& state_dir, std::string_view name) {
  Here here{.known = true, .flows = {}, .running = {}, .sandbox = false};
  here.flows = flows_at(state_dir, "", here.known);
  std::erase_if(here.flows,
                [name](const api::FlowStatus& flow) { return !api::is_flow_called(flow.id, name); });
  // Workloads have no ids: a container that was asked for by its id has the name that its flow has.
  const auto is_meant = [&](const api::WorkloadKey& key) {
    if (key.kind == "unit")
      return api::is_called({.container = {}, .id = {}, .unit = key.workload, .flow = {}}, name);
    return key.kind == "container" &&
           (key.container == name || std::ranges::any_of(here.flows, [&key](const api::FlowStatus& flow) {
              return api::is_flow_called(flow.id, key.container);
            }));
  };
  for (const api::WorkloadKey& key : workloads_at(state_dir, "", here.known))
    if (is_meant(key)) here.running.emplace_back(key.kind == "unit" ? key.workload : key.container);
  return here;
}

void note_silent(Ends& ends, const Here& here) {
  const auto is_captured = [](const api::StreamStatus& stream) {
    constexpr std::array<std::string_view, 4> kCaptured = {"pipe", "file", "tty", "socket"};
    return std::ranges::find(kCaptured, stream.capture) != kCaptured.end() && stream.missing_bytes == 0;
  };
  for (Ended& ended : ends.ended) {
    const auto flow = std::ranges::find(here.flows, ended.exit.flow, &api::FlowStatus::id);
    ended.silent = flow != here.flows.end() && flow->bytes == 0 && flow->missing_bytes == 0 &&
                   !flow->more_before && !flow->suspect && !flow->streams.empty() &&
                   std::ranges::all_of(flow->streams, is_captured);
  }
}

std::string here_text(const Here& here, const Ends& ends, Time now, const Style& style) {
  Table table;
  table.add(Table::heading({"container", "state", "written", "last byte", "flow"}, 2, 2));
  for (const std::string& container : containers_of(here, ends)) {
    const auto flow = std::ranges::find(
        here.flows, container, [](const api::FlowStatus& one) { return one.container.value_or(""); });
    const bool has_flow = flow != here.flows.end();
    table.add({{printable(container)},
               state_of(here, ends, container, now),
               {has_flow ? written_words(*flow) : "-"},
               {has_flow && flow->last ? age_words(*flow->last, now) : "-"},
               {has_flow ? printable(flow->id) : "-"}});
  }
  return table.text(style);
}

std::string bound_text(const PodName& pod, std::string_view node, const Here& here, const Ends& ends,
                       Time now, const Style& style) {
  if (!here.known) return {};
  std::string words;
  for (const std::string& container : containers_of(here, ends)) {
    words +=
        (words.empty() ? "" : ", ") + printable(container) + ' ' + state_of(here, ends, container, now).text;
  }
  const bool some_run = std::ranges::any_of(containers_of(here, ends),
                                            [&here](const std::string& one) { return runs(here, one); });
  // If the pod's sandbox is still there, a container that has ended well was one that prepares for others (an init
  // container).
  const bool waits = !some_run && !ends.badly() && (here.sandbox || (words.empty() && is_this_node(node)));
  if (waits)
    return fmt::format(
               "  on this node: {}{}\n", words.empty() ? "" : words + "; ",
               words.empty() ? "none of its containers has started yet" : "nothing else has started yet") +
           todo_text(start_step(pod), style);
  if (!words.empty()) return fmt::format("  on this node: {}\n", words);
  if (ends.badly() || is_this_node(node)) return {};
  return todo_text(fmt::format("flowtap why {}/{}{} says how its containers are doing; {}", pod.ns, pod.name,
                               node.empty() ? " on its node" : fmt::format(" on {}", node), start_step(pod)),
                   style);
}

std::string named_words(const Here& here, const Ends& ends) {
  const bool untold = ends.ended.empty();
  const auto open = std::ranges::find(here.flows, true, &api::FlowStatus::open);
  const bool goes_on = open != here.flows.end() || !here.running.empty();
  if (!goes_on && untold) return "has ended; how is not known, since flowtapd did not see it";
  if (!goes_on)
    return std::ranges::any_of(ends.ended, [&here](const Ended& ended) { return has_later_run(here, ended); })
               ? "ran again later, and has ended; how is not known, since flowtapd did not see it"
               : "";
  std::string words = untold ? "runs" : "runs again";
  if (open != here.flows.end())
    words += fmt::format("; flowtap logs {} has what it writes", printable(open->id));
  return words;
}

std::string with_here(std::string_view body, const Here& here) {
  auto object = parse_object(body, "the answer").value_or(boost::json::object());
  object["flows"] = boost::json::parse(api::flows_to_json(here.flows)).at("flows");
  return boost::json::serialize(object);
}

}  // namespace flowtap::cli
