#include "logs.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "api/flow_runs.hpp"
#include "api/json/flows_json.hpp"
#include "api/json/log_json.hpp"
#include "api/routes/routes.hpp"
#include "api/routes/target.hpp"
#include "api/socket_path.hpp"
#include "base/printable.hpp"
#include "base/rfc3339.hpp"
#include "http/client/stream_client.hpp"
#include "joint_logs.hpp"
#include "output_limit.hpp"
#include "tools/flowtap/client.hpp"
#include "tools/flowtap/pod_name.hpp"
#include "tools/flowtap/pod_words.hpp"
#include "tools/flowtap/terminal/stop_signals.hpp"
#include "tools/flowtap/terminal/text.hpp"
#include "tools/flowtap/terminal/writer.hpp"

namespace flowtap::cli {
namespace {

// The first part of a flow's id. A pod in a namespace of such a name is reached by its flow's id.
constexpr std::array<std::string_view, 6> kKinds = {"pod", "container", "unit", "proc", "file", "sched"};

bool is_joint(const LogsOptions& options) {
  return options.all_containers || !options.group.empty();
}

Result<PodName> pod_of(std::string_view of) {
  if (const auto pod = pod_name(of)) return *pod;
  return fail(in_quotes(of) + " is neither NAMESPACE/POD nor the id of a flow", "flowtap flows lists both");
}

std::string parameters_of(const LogsOptions& options) {
  std::string query;
  const auto add = [&](std::string_view name, const std::string& value) {
    query += fmt::format("{}{}={}", query.empty() ? '?' : '&', name, api::percent_encode(value));
  };
  if (options.follow) add("follow", "true");
  if (options.otel)
    add("format", "otel");
  else if (options.json)
    add("format", "json");
  else if (options.timestamps)
    add("timestamps", "true");
  add("gaps", "true");
  if (options.previous) add("previous", "true");
  if (!options.container.empty() && !is_flow(options.of) && !is_joint(options))
    add("container", options.container);
  if (!options.stream.empty()) add("stream", options.stream == "stderr" ? "Stderr" : "Stdout");
  if (options.tail) add("tailLines", std::to_string(*options.tail));
  // Kubernetes' route counts the parts of long lines, as kubelet does.
  if (options.tail && !is_flow(options.of) && !is_joint(options)) add("wholeLines", "true");
  if (options.since_time) add("sinceTime", rfc3339_nano(*options.since_time));
  return query;
}

// The flow that a name means: the newest run of the container.
Answer<std::string> named_flow(const LogsOptions& options) {
  const auto body = ask(options.state_dir, api::kFlowsPath);
  if (!body) return std::unexpected(body.error());
  const auto flows = api::flows_from_json(*body);
  if (!flows) return std::unexpected(Failure{flows.error()});
  auto flow = api::find_named_flow(*flows, options.of);
  if (!flow) return std::unexpected(Failure{std::move(flow).error(), kNotFound});
  return std::move(*flow);
}

bool is_signalled(int stop) {
  pollfd signal{stop, POLLIN, 0};
  return ::poll(&signal, 1, 0) == 1;
}

}  // namespace

bool is_flow(std::string_view of) {
  const std::string_view kind = of.substr(0, of.find('/'));
  return kind.size() < of.size() && std::ranges::find(kKinds, kind) != kKinds.end();
}

bool is_name(std::string_view of) {
  return !of.empty() && !of.contains('/');
}

std::string flow_log_target(const LogsOptions& options, std::string_view flow) {
  return fmt::format("{}/{}/log{}", api::kFlowsPath, api::percent_encode(flow), parameters_of(options));
}

Result<std::string> logs_target(const LogsOptions& options) {
  if (is_flow(options.of)) return flow_log_target(options, options.of);
  FTAP_TRY_ASSIGN(pod, pod_of(options.of));
  return fmt::format("{}/{}/pods/{}/log{}", api::kNamespacesPath, api::percent_encode(pod.ns),
                     api::percent_encode(pod.name), parameters_of(options));
}

Result<std::string> list_target(const LogsOptions& options) {
  if (!options.group.empty())
    return fmt::format("{}?kind=pod&history=true&group={}{}{}", api::kFlowsPath,
                       api::percent_encode(options.group),
                       options.ns.empty() ? "" : "&namespace=", api::percent_encode(options.ns));
  FTAP_TRY_ASSIGN(pod, pod_of(options.of));
  return fmt::format("{}?kind=pod&history=true&namespace={}&pod={}", api::kFlowsPath,
                     api::percent_encode(pod.ns), api::percent_encode(pod.name));
}

Failure with_lines_hint(Failure failure, const LogsOptions& options) {
  if (failure.exit != kNotFound || !is_number(options.ns)) return failure;
  std::string& hint = failure.error.hint;
  hint += fmt::format("{}-n takes a namespace: --tail {} prints the last lines", hint.empty() ? "" : "; ",
                      options.ns);
  return failure;
}

std::string JsonLines::take(std::string_view piece) {
  std::string out;
  lines_.take(piece, [&out](std::string_view line) { out += api::log_line_to_json(line) + "\n"; });
  return out;
}

std::string JsonLines::finish() {
  std::string out;
  lines_.finish([&out](std::string_view line) { out += api::log_line_to_json(line) + "\n"; });
  return out;
}

ExitCode run_logs(const LogsOptions& options) {
  if (is_joint(options)) return run_joint_logs(options);
  if (is_name(options.of)) {
    LogsOptions named = options;
    auto flow = named_flow(options);
    if (!flow) {
      complain(flow.error().error);
      return flow.error().exit;
    }
    named.of = std::move(*flow);
    return run_logs(named);
  }
  const auto target = logs_target(options);
  if (!target) {
    complain(target.error());
    return kUsage;
  }
  const auto stop = stop_signals();
  if (!stop) {
    complain(stop.error());
    return kFailure;
  }
  const std::string socket = api::socket_path(options.state_dir);
  Writer writer(STDOUT_FILENO, stop->get());
  std::optional<OutputLimit> limit;
  if (options.limit_bytes) limit.emplace(*options.limit_bytes, options.json || options.otel, options.follow);
  OutputLimit* const within = limit ? &*limit : nullptr;
  std::optional<Failure> failure;
  std::uint64_t missing = 0;
  const http::StreamRequest request{
      *target, [&](std::string_view bytes) { return write_within(within, writer, bytes); },
      [&](Result<http::StreamEnd> end) {
        if (!end)
          failure = failure_of(end.error(), socket);
        else if (end->reply.status > 200)  // 0: told to stop before there was an answer
          failure = failure_of(end->reply);
        else if (!options.follow && !end->missing_bytes && is_signalled(stop->get()))
          failure = Failure{{"interrupted before all of this log was read", "", 0}};
        else
          missing = end->missing_bytes.value_or(0);
      }};
  const Status run = http::fetch_streams(socket, {&request, 1}, stop->get());
  static_cast<void>(writer.finish());
  if (!run) {
    complain(run.error());
    return kFailure;
  }
  if (failure) {
    complain(with_lines_hint(*failure, options).error);
    return failure->exit;
  }
  if (say_limit(within, writer)) return kOk;
  // Each gap was shown in its place, so a follower has seen them all already.
  if (missing > 0 && !options.follow)
    complain({fmt::format("{} bytes of this log are missing", grouped(missing)), "", 0});
  return kOk;
}

}  // namespace flowtap::cli
