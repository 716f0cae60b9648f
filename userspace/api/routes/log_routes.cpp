#include "api/routes/log_routes.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <map>
#include <set>

#include "api/routes/route_table.hpp"
#include "base/printable.hpp"
#include "base/rfc3339.hpp"

namespace flowtap::api {
namespace {

// What field.Error of Kubernetes' apimachinery says: text has quotes, a number has none.
std::unexpected<Error> invalid(std::string_view name, const std::string& value, std::string_view why) {
  return fail(std::string(name) + ": Invalid value: " + value + ": " + std::string(why));
}

std::unexpected<Error> forbidden(std::string_view why) {
  return fail("Forbidden: " + std::string(why));
}

Result<std::optional<std::uint64_t>> number(const Parameters& parameters, std::string_view name,
                                            std::int64_t least, std::string_view rule) {
  const std::string* value = parameters.find(name);
  if (value == nullptr) return std::optional<std::uint64_t>();
  std::int64_t number = 0;
  const char* const end = value->data() + value->size();
  const auto [rest, error] = std::from_chars(value->data(), end, number);
  if (error != std::errc{} || rest != end) return invalid(name, in_quotes(*value), "must be a whole number");
  if (number < least) return invalid(name, std::to_string(number), rule);
  return std::optional(static_cast<std::uint64_t>(number));
}

Result<Outputs> outputs(const Parameters& parameters) {
  const std::string* value = parameters.find("stream");
  if (value == nullptr || *value == "All") return Outputs::kBoth;
  if (*value == "Stdout" || *value == "stdout") return Outputs::kStdout;
  if (*value == "Stderr" || *value == "stderr") return Outputs::kStderr;
  return fail("stream: Unsupported value: " + in_quotes(*value) +
              R"(: supported values: "All", "Stdout", "Stderr")");
}

constexpr std::string_view kNotNegative = "must be greater than or equal to 0";
constexpr std::string_view kPositive = "must be greater than 0";

Answer answer(Result<std::unique_ptr<BodyReader>> reader, const LogOptions& options) {
  if (!reader) return view_error(reader.error());
  Answer answer;
  answer.stream =
      StreamBody{std::move(*reader), options.follow, {}, options.otel ? kJsonLines : "text/plain"};
  return answer;
}

/// All containers of the pod of this name; if several pods had the name, of the newest one.
std::vector<const FlowStatus*> newest_pod(const std::vector<FlowStatus>& flows, const std::string& ns,
                                          const std::string& pod) {
  std::map<std::string, std::vector<const FlowStatus*>> by_uid;
  for (const FlowStatus& flow : flows)
    if (flow.kind == "pod" && flow.ns == ns && flow.pod == pod && flow.container && flow.container != "POD")
      by_uid[flow.uid.value_or("")].push_back(&flow);
  const auto age = [](const std::vector<const FlowStatus*>& containers) {
    // A pod that runs is the newest, whether or not it has written anything yet.
    std::pair<bool, std::chrono::system_clock::time_point> newest{};
    for (const FlowStatus* flow : containers) {
      newest.first = newest.first || flow->open;
      newest.second = std::max(newest.second, flow->first.value_or(std::chrono::system_clock::time_point()));
    }
    return newest;
  };
  const std::vector<const FlowStatus*>* found = nullptr;
  for (const auto& [uid, containers] : by_uid)
    if (found == nullptr || age(containers) > age(*found)) found = &containers;
  return found != nullptr ? *found : std::vector<const FlowStatus*>();
}

/// The runs of a pod's containers, by how often each had been restarted before.
using Runs = std::map<std::string, std::map<std::uint64_t, const FlowStatus*>>;

/// The container that is meant if none is named; end: several may be meant. Kubernetes takes the only one that is not
/// an init container. Nothing on the node says which ones are init containers, but they have ended when the others run.
Runs::const_iterator default_container(const Runs& runs) {
  if (runs.size() == 1) return runs.begin();
  const auto goes_on = [](const Runs::value_type& container) {
    return container.second.rbegin()->second->open;
  };
  const auto found = std::ranges::find_if(runs, goes_on);
  return std::ranges::count_if(runs, goes_on) == 1 ? found : runs.end();
}

}  // namespace

std::vector<QueryParameter> log_parameters() {
  using enum ParameterType;
  return {{"follow", "Also send the lines that come from now on.", kFlag},
          {"tailLines", "Only this many lines, counted from the end.", kCount},
          {"sinceSeconds", "Only lines that are at most this many seconds old.", kCount},
          {"sinceTime", "Only lines from this time on.", kTime},
          {"timestamps", "Put its time in front of each line.", kFlag},
          {"limitBytes", "At most this many bytes.", kCount},
          {"stream", "Only this output.", kWord, {"All", "Stdout", "Stderr"}},
          {"format", "Lines as text, or as log records of OpenTelemetry.", kWord, {"text", "otel"}},
          {"pretty", "Accepted because Kubernetes does; changes nothing.", kFlag},
          {"insecureSkipTLSVerifyBackend", "Accepted because Kubernetes does; changes nothing.", kFlag}};
}

std::vector<QueryParameter> pod_log_parameters() {
  auto parameters = log_parameters();
  parameters.push_back({"container", "The container; needed if the pod has several."});
  parameters.push_back({"previous", "The log of the container's previous run.", ParameterType::kFlag});
  return parameters;
}

std::vector<std::string_view> log_flags() {
  return flags_of(pod_log_parameters());
}

Result<LogOptions> parse_log_options(const Parameters& parameters,
                                     std::chrono::system_clock::time_point now) {
  LogOptions options;
  options.follow = parameters.flag("follow");
  options.timestamps = parameters.flag("timestamps");
  FTAP_TRY_ASSIGN(tail, number(parameters, "tailLines", 0, kNotNegative));
  FTAP_TRY_ASSIGN(limit, number(parameters, "limitBytes", 1, kPositive));
  FTAP_TRY_ASSIGN(seconds, number(parameters, "sinceSeconds", 1, kPositive));
  FTAP_TRY_ASSIGN(wanted, outputs(parameters));
  if (const std::string* format = parameters.find("format"); format != nullptr && *format != "text") {
    if (*format != "otel")
      return fail("format: Unsupported value: " + in_quotes(*format) +
                  R"(: supported values: "text", "otel")");
    options.otel = true;
  }
  options.tail_lines = tail;
  options.limit_bytes = limit;
  options.outputs = wanted;
  if (tail && wanted != Outputs::kBoth)
    return forbidden("`tailLines` and specific `stream` are mutually exclusive for now");
  const std::string* time = parameters.find("sinceTime");
  if (time != nullptr && seconds)
    return forbidden("at most one of `sinceTime` or `sinceSeconds` may be specified");
  if (time != nullptr) {
    options.since = parse_rfc3339(*time);
    if (!options.since)
      return invalid("sinceTime", in_quotes(*time), "must be a time in the form of RFC 3339");
  }
  constexpr std::uint64_t kCentury = std::uint64_t{100} * 366 * 24 * 3600;
  if (seconds) options.since = now - std::chrono::seconds(std::min(*seconds, kCentury));
  return options;
}

Result<std::string> find_pod_flow(const std::vector<FlowStatus>& flows, const std::string& ns,
                                  const std::string& pod, const std::string* container, bool previous) {
  const auto pods = newest_pod(flows, ns, pod);
  if (pods.empty())
    return std::unexpected(Error{
        "the pod " + in_quotes(ns + "/" + pod) + " was not seen on this node",
        "flowtap flows lists the pods that were seen; a pod's log is on the node where it runs", ENOENT});
  Runs runs;
  for (const FlowStatus* flow : pods) runs[*flow->container][flow->restart ? *flow->restart + 1 : 0] = flow;
  const auto refuse = [](std::string what) { return std::unexpected(Error{std::move(what), {}, EINVAL}); };
  const auto found = container != nullptr ? runs.find(*container) : default_container(runs);
  if (found == runs.end() && container != nullptr)
    return refuse("container " + *container + " is not valid for pod " + pod);
  if (found == runs.end()) {
    std::string names;
    for (const auto& [name, restarts] : runs) names += (names.empty() ? "" : " ") + name;
    return refuse("a container name must be specified for pod " + pod + ", choose one of: [" + names + "]");
  }
  auto run = found->second.rbegin();
  if (previous && ++run == found->second.rend())
    return refuse("previous terminated container " + in_quotes(found->first) + " in pod " + in_quotes(pod) +
                  " not found");
  return run->second->id;
}

std::vector<FlowStatus> newest_runs(const std::vector<FlowStatus>& flows) {
  std::set<std::pair<std::string, std::string>> pods;
  for (const FlowStatus& flow : flows)
    if (flow.ns && flow.pod) pods.emplace(*flow.ns, *flow.pod);
  std::vector<FlowStatus> runs;
  for (const auto& [ns, pod] : pods) {
    std::map<std::string, const FlowStatus*> newest;  // by container
    for (const FlowStatus* flow : newest_pod(flows, ns, pod)) {
      const FlowStatus*& run = newest[*flow->container];
      if (run == nullptr || flow->restart > run->restart) run = flow;
    }
    for (const auto& [container, run] : newest) runs.push_back(*run);
  }
  return runs;
}

Answer flow_log(const Call& call) {
  const auto options = parse_log_options(call.parameters, std::chrono::system_clock::now());
  if (!options) return error_answer(400, options.error().what, options.error().hint);
  const auto view = call.node.flows();
  if (!view) return not_running(view.error());
  if (options->follow && !call.may_follow) return too_many_follow();
  return answer((*view)->log(call.segments.front(), *options), *options);
}

Answer pod_log(const Call& call) {
  const auto options = parse_log_options(call.parameters, std::chrono::system_clock::now());
  if (!options) return error_answer(400, options.error().what, options.error().hint);
  const auto view = call.node.flows();
  if (!view) return not_running(view.error());
  if (options->follow && !call.may_follow) return too_many_follow();
  const std::string& ns = call.segments.front();
  const std::string& pod = call.segments.back();
  const auto flow = find_pod_flow((*view)->flows({.ns = ns, .pod = pod, .kind = "pod", .history = true}), ns,
                                  pod, call.parameters.find("container"), call.parameters.flag("previous"));
  if (!flow)
    return error_answer(flow.error().code == ENOENT ? 404 : 400, flow.error().what, flow.error().hint);
  return answer((*view)->log(*flow, *options), *options);
}

}  // namespace flowtap::api
