#include "logs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "api/log_json.hpp"
#include "api/routes.hpp"
#include "api/socket_path.hpp"
#include "api/stream_client.hpp"
#include "api/target.hpp"
#include "base/printable.hpp"
#include "client.hpp"
#include "outlet.hpp"
#include "stop_signals.hpp"
#include "text.hpp"

namespace flowtap::cli {
namespace {

// The first part of a flow's id. A namespace that is called so is reached by the flow's id.
constexpr std::array<std::string_view, 6> kKinds = {"pod", "container", "unit", "proc", "file", "sched"};

bool is_flow(std::string_view of) {
  const std::string_view kind = of.substr(0, of.find('/'));
  return kind.size() < of.size() && std::ranges::find(kKinds, kind) != kKinds.end();
}

}  // namespace

Result<std::string> logs_target(const LogsOptions& options) {
  std::string target;
  if (is_flow(options.of)) {
    target = fmt::format("{}/{}/log", api::kFlowsPath, api::percent_encode(options.of));
  } else {
    const std::size_t slash = options.of.find('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == options.of.size() ||
        options.of.find('/', slash + 1) != std::string::npos)
      return fail(in_quotes(options.of) + " is neither NAMESPACE/POD nor the id of a flow",
                  "flowtap flows lists both");
    target = fmt::format("{}/{}/pods/{}/log", api::kNamespacesPath,
                         api::percent_encode(options.of.substr(0, slash)),
                         api::percent_encode(options.of.substr(slash + 1)));
  }
  char separator = '?';
  const auto add = [&](std::string_view name, const std::string& value) {
    target += fmt::format("{}{}={}", std::exchange(separator, '&'), name, api::percent_encode(value));
  };
  if (options.follow) add("follow", "true");
  if (options.timestamps || options.json) add("timestamps", "true");
  if (options.previous) add("previous", "true");
  if (!options.container.empty()) add("container", options.container);
  if (!options.stream.empty()) add("stream", options.stream == "stderr" ? "Stderr" : "Stdout");
  if (options.tail) add("tailLines", std::to_string(*options.tail));
  if (options.since) add("sinceSeconds", std::to_string(*options.since));
  return target;
}

std::string JsonLines::take(std::string_view piece) {
  std::string out;
  rest_ += piece;
  std::size_t begin = 0;
  for (std::size_t newline = 0; (newline = rest_.find('\n', begin)) != std::string::npos; begin = newline + 1)
    out += api::log_line_to_json(std::string_view(rest_).substr(begin, newline - begin)) + "\n";
  rest_.erase(0, begin);
  return out;
}

std::string JsonLines::finish() {
  return rest_.empty() ? std::string() : api::log_line_to_json(std::exchange(rest_, {})) + "\n";
}

ExitCode run_logs(const LogsOptions& options) {
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
  Outlet outlet(STDOUT_FILENO, stop->get());
  JsonLines json;
  std::optional<Failure> failure;
  std::uint64_t missing = 0;
  const api::StreamRequest request{
      *target,
      [&](std::string_view bytes) {
        return outlet.write(options.json ? json.take(bytes) : std::string(bytes));
      },
      [&](Result<api::StreamEnd> end) {
        if (!end)
          failure = failure_of(end.error(), socket);
        else if (end->reply.status > 200)  // 0: told to stop before there was an answer
          failure = failure_of(end->reply);
        else
          missing = end->missing_bytes.value_or(0);
      }};
  const Status run = api::fetch_streams(socket, {&request, 1}, stop->get());
  if (options.json) static_cast<void>(outlet.write(json.finish()));
  static_cast<void>(outlet.finish());
  if (!run) {
    complain(run.error());
    return kFailure;
  }
  if (failure) {
    complain(failure->error);
    return failure->exit;
  }
  // With `follow` each gap is a line of its own.
  if (missing > 0 && !options.follow)
    complain({fmt::format("{} bytes of this log are missing", grouped(missing)), "", 0});
  return kOk;
}

}  // namespace flowtap::cli
