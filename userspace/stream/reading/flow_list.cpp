#include "stream/reading/flow_list.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "base/flows/container_flow.hpp"
#include "base/flows/flow_run.hpp"
#include "base/percent.hpp"
#include "base/printable.hpp"
#include "identity/flow_id.hpp"
#include "identity/flow_labels.hpp"

namespace flowtap {
namespace {

// The kind of thing that an output is connected to.
std::string_view kind_word(ftap_log_kind kind) {
  switch (kind) {
    case FTAP_KIND_PIPE:
      return "pipe";
    case FTAP_KIND_FILE:
      return "file";
    case FTAP_KIND_TTY:
      return "tty";
    case FTAP_KIND_SOCKET:
      return "socket";
    case FTAP_KIND_NONE:
      return "none";
    case FTAP_KIND_OTHER:
      break;
  }
  return {};
}

std::string capture_word(const flow::StreamName& name) {
  std::string kind(kind_word(name.kind));
  switch (name.capture) {
    case flow::Capture::kTaken:
      return kind.empty() ? "uncaptured" : kind;
    case flow::Capture::kElsewhere:
      return "inherited";
    case flow::Capture::kNot:
      break;
  }
  if (name.kind == FTAP_KIND_NONE) return kind;
  return kind.empty() ? "uncaptured" : "uncaptured_" + kind;
}

std::optional<std::chrono::system_clock::time_point> time_point(std::uint64_t ns) {
  if (ns == 0) return std::nullopt;
  return std::chrono::system_clock::time_point(std::chrono::nanoseconds(ns));
}

void add_stream(api::FlowStatus& flow, const flow::StreamView& stream) {
  const flow::StreamSums& sums = stream.sums;
  flow.streams.push_back({.name = stream.name->output,
                          .capture = capture_word(*stream.name),
                          .bytes = sums.passed,
                          .missing_bytes = sums.missing(),
                          .open = !sums.ended});
  flow.bytes += sums.passed;
  flow.missing_bytes += sums.missing();
  flow.open = flow.open || !sums.ended;
  const auto first = time_point(sums.first);
  const auto last = time_point(sums.last);
  if (first && (!flow.first || *first < *flow.first)) flow.first = first;
  if (last && (!flow.last || *last > *flow.last)) flow.last = last;
}

void put_labels(api::FlowStatus& flow, FlowLabels labels) {
  if (has_runs(flow.id)) flow.run = run_of_flow(flow.id).number;
  flow.ns = std::move(labels.ns);
  flow.pod = std::move(labels.pod);
  flow.uid = std::move(labels.uid);
  flow.container = std::move(labels.container);
  flow.image = std::move(labels.image);
  flow.runtime = std::move(labels.runtime);
  flow.restart = labels.restart;
}

api::FlowStatus flow_status(const std::string& id, std::vector<flow::StreamView>& streams) {
  std::ranges::sort(streams, {}, &flow::StreamView::number);
  FlowLabels labels = parse_labels(streams.back().name->identity);
  api::FlowStatus flow;
  flow.id = id;
  flow.kind = id.substr(0, id.find('/'));
  put_labels(flow, std::move(labels));
  for (const flow::StreamView& stream : streams) add_stream(flow, stream);
  return flow;
}

bool matches(const api::FlowStatus& flow, const api::FlowFilter& filter) {
  return (!filter.ns || flow.ns == filter.ns) && (!filter.pod || flow.pod == filter.pod) &&
         (!filter.group || flow.group == filter.group) && (!filter.kind || flow.kind == *filter.kind);
}

// The labels that the id alone tells, where nothing else is known any more.
FlowLabels labels_of_id(const std::string& id) {
  FlowLabels labels;
  const auto parts = identity::flow_id_components(id);
  if (!parts) return labels;
  if (parts->size() >= 6 && parts->front() == "pod") {
    labels.ns = parts->at(1);
    labels.pod = parts->at(2);
    labels.uid = parts->at(3);
    labels.container = parts->at(4);
    std::uint64_t restart = 0;
    const std::string& n = parts->at(5);
    const auto [end, error] = std::from_chars(n.data(), n.data() + n.size(), restart);
    if (error == std::errc{} && end == n.data() + n.size()) labels.restart = restart;
  } else if (parts->size() == 3 && parts->front() == "sched" && parts->at(1) != "other") {
    labels.ns = parts->at(1);
    labels.pod = parts->at(2);
  } else if (parts->front() == "container") {
    // What is within a container has its name, too.
    const auto of = container_flow(std::string_view(id).substr(0, id.find('/', id.find('/') + 1)));
    if (of && !of->name.empty()) labels.container = percent_decoded(of->name);
  }
  return labels;
}

// What was written before the source was captured is in the flow's log, too: its reader begins with it.
void add_before(api::FlowStatus& flow, const flow::Before& before) {
  flow.more_before = before.state == flow::Before::State::kUncounted;
  flow.bytes += before.bytes;
  flow.lines += before.lines;
}

api::FlowStatus stored_flow(const flow::FlowSummary& summary) {
  api::FlowStatus flow;
  flow.id = summary.id;
  flow.kind = summary.id.substr(0, summary.id.find('/'));
  FlowLabels labels = labels_of_id(summary.id);
  if (!summary.runtime.empty()) labels.runtime = summary.runtime;
  put_labels(flow, std::move(labels));
  flow.bytes = summary.bytes;
  flow.lines = summary.lines;
  flow.missing_bytes = summary.missing;
  flow.found_bytes = summary.refilled;
  add_before(flow, summary.before);
  flow.first = time_point(summary.first);
  flow.last = time_point(summary.last);
  flow.ended = time_point(summary.ended);
  flow.open = summary.open();
  flow.suspect = summary.broke_off;
  return flow;
}

// Bytes that were missing when the stream was captured may be there by now, and captured bytes may have been too much for the
// lines.
void add_stored(api::FlowStatus& flow, const flow::FlowSummary& summary) {
  flow.lines = summary.lines;
  flow.missing_bytes =
      std::max(flow.missing_bytes - std::min(flow.missing_bytes, summary.refilled), summary.missing);
  flow.found_bytes = summary.refilled;
  flow.suspect = summary.broke_off;
  if (!flow.open) flow.ended = time_point(summary.ended);
  add_before(flow, summary.before);
}

}  // namespace

std::map<std::string, std::vector<flow::StreamView>> streams_by_flow(const flow::Journal& journal) {
  std::map<std::string, std::vector<flow::StreamView>> flows;
  for (flow::StreamView& stream : journal.streams())
    if (stream.name) flows[stream.name->flow].push_back(std::move(stream));
  return flows;
}

std::vector<api::FlowStatus> list_flows(const flow::Journal& journal, const flow::FlowStore& store,
                                        const flow::GroupRules& groups, const api::FlowFilter& filter,
                                        const std::set<std::string>* only) {
  const auto is_asked_for = [only](const std::string& id) { return only == nullptr || only->contains(id); };
  std::map<std::string, api::FlowStatus> flows;
  for (auto& [id, streams] : streams_by_flow(journal))
    if (is_asked_for(id)) flows.emplace(id, flow_status(id, streams));
  std::set<std::string> stored;
  for (const flow::FlowSummary& summary : store.flows()) {
    if (!is_asked_for(summary.id)) continue;
    stored.insert(summary.id);
    const auto [at, only_stored] = flows.try_emplace(summary.id);
    if (only_stored)
      at->second = stored_flow(summary);
    else
      add_stored(at->second, summary);
  }
  // A flow whose log has made room is there as long as the journal has something of it.
  for (const flow::FlowSummary& past : store.past_flows())
    if (const auto at = flows.find(past.id); at != flows.end() && !stored.contains(past.id))
      add_stored(at->second, past);
  std::vector<api::FlowStatus> all;
  for (auto& [id, flow] : flows) {
    if (flow.ns && flow.pod) flow.group = groups.group_of(*flow.ns, *flow.pod);
    if (matches(flow, filter)) all.push_back(std::move(flow));
  }
  return all;
}

std::unexpected<Error> unknown_flow(const std::string& flow) {
  return std::unexpected(
      Error{"the flow " + in_quotes(flow) + " is not known on this node", api::kFlowsHint, ENOENT});
}

}  // namespace flowtap
