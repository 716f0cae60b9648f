#include "api/routes/log_routes.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "api/flow_runs.hpp"
#include "api/pod_flows.hpp"
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

Answer answer(Result<std::unique_ptr<BodyReader>> reader, const LogReadOptions& options) {
  if (!reader) return view_error(reader.error());
  Answer answer;
  answer.stream = StreamBody{
      std::move(*reader), options.follow, {}, options.json || options.otel ? kJsonLines : "text/plain"};
  return answer;
}

// Ours, beside Kubernetes' parameters.
constexpr const char* kWholeLines = "wholeLines";

std::vector<QueryParameter> log_parameters() {
  using enum ParameterType;
  return {{"follow", "Also send the lines that come from now on.", kFlag},
          {"tailLines", "Only this many lines, counted from the end.", kCount},
          {kWholeLines,
           "For tailLines: a line that is stored in parts counts once. false, Kubernetes' rule, is the "
           "default for "
           "pods; true is the default for flows.",
           kFlag},
          {"sinceSeconds", "Only lines that are at most this many seconds old.", kCount},
          {"sinceTime", "Only lines from this time on.", kTime},
          {"timestamps", "Put its time in front of each line.", kFlag},
          {"limitBytes", "At most this many bytes.", kCount},
          {"stream", "Only this output.", kWord, {"All", "Stdout", "Stderr"}},
          {"format",
           "Lines as text, as JSON, or as log records of OpenTelemetry.",
           kWord,
           {"text", "json", "otel"}},
          {"gaps", "Show each gap where it is.", kFlag},
          {"pretty", "Accepted because Kubernetes does; changes nothing.", kFlag},
          {"insecureSkipTLSVerifyBackend", "Accepted because Kubernetes does; changes nothing.", kFlag}};
}

}  // namespace

std::vector<QueryParameter> flow_log_parameters() {
  auto parameters = log_parameters();
  parameters.push_back({"previous", "The log of the container's run before this one.", ParameterType::kFlag});
  return parameters;
}

std::vector<QueryParameter> pod_log_parameters() {
  auto parameters = log_parameters();
  parameters.push_back({"container", "The container; needed if the pod has several."});
  parameters.push_back({"previous", "The log of the container's previous run.", ParameterType::kFlag});
  return parameters;
}

Result<LogReadOptions> parse_log_options(const Parameters& parameters,
                                         std::chrono::system_clock::time_point now) {
  LogReadOptions options;
  options.follow = parameters.flag("follow");
  options.timestamps = parameters.flag("timestamps");
  FTAP_TRY_ASSIGN(tail, number(parameters, "tailLines", 0, kNotNegative));
  FTAP_TRY_ASSIGN(limit, number(parameters, "limitBytes", 1, kPositive));
  FTAP_TRY_ASSIGN(seconds, number(parameters, "sinceSeconds", 1, kPositive));
  FTAP_TRY_ASSIGN(wanted, outputs(parameters));
  if (const std::string* format = parameters.find("format"); format != nullptr && *format != "text") {
    options.json = *format == "json";
    options.otel = *format == "otel";
    if (!options.json && !options.otel)
      return fail("format: Unsupported value: " + in_quotes(*format) +
                  R"(: supported values: "text", "json", "otel")");
  }
  if (parameters.find("gaps") != nullptr) options.gaps = parameters.flag("gaps");
  options.tail_lines = tail;
  options.whole_lines = parameters.flag(kWholeLines);
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

Answer flow_log(const Call& call) {
  auto options = parse_log_options(call.parameters, std::chrono::system_clock::now());
  if (!options) return error_answer(400, options.error().what, options.error().hint);
  // This route is not one of Kubernetes', so lines count as people see them.
  if (call.parameters.find(kWholeLines) == nullptr) options->whole_lines = true;
  const auto view = call.node.flows();
  if (!view) return not_running(view.error());
  if (options->follow && !call.may_follow) return too_many_follow();
  if (!call.parameters.flag("previous"))
    return answer((*view)->log(call.segments.front(), *options), *options);
  const std::string& id = call.segments.front();
  const auto before = find_run_before((*view)->flows({.history = id.starts_with("pod/")}), id);
  if (!before)
    return error_answer(before.error().code == ENOENT ? 404 : 400, before.error().what, before.error().hint);
  return answer((*view)->log(*before, *options), *options);
}

Answer pod_log(const Call& call) {
  auto options = parse_log_options(call.parameters, std::chrono::system_clock::now());
  if (!options) return error_answer(400, options.error().what, options.error().hint);
  // Clients of Kubernetes take each byte for one that the container wrote.
  if (!options->gaps) options->gaps = false;
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
