#include "tap.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <optional>
#include <vector>

#include "api/routes/routes.hpp"
#include "api/socket_path.hpp"
#include "base/printable.hpp"
#include "feedback.hpp"
#include "http/client/stream_client.hpp"
#include "logs.hpp"
#include "tools/flowtap/client.hpp"
#include "tools/flowtap/terminal/stop_signals.hpp"
#include "tools/flowtap/terminal/text.hpp"
#include "tools/flowtap/terminal/writer.hpp"

namespace flowtap::cli {
namespace {

// The place to which the process writes this output cannot be followed. Perhaps the other one can.
constexpr unsigned kNothingToFollow = 409;

/// One of the two outputs of the process.
struct TapOutput {
  TapOutput(const char* stream, int fd, int stop) : name(stream), writer(fd, stop) {}
  const char* name;
  Writer writer;
  std::optional<JsonLines> json = {};  ///< if lines are wanted as objects
  bool followed = false;               ///< it was followed to its end, or until we were told to stop
  std::uint64_t missing_bytes = 0;
  std::optional<Failure> failure = {};
};

bool take(TapOutput& output, std::string_view bytes) {
  return output.writer.write(output.json ? output.json->take(bytes) : bytes);
}

void take_end(TapOutput& output, Result<http::StreamEnd> end, const std::string& socket, bool alone) {
  if (output.json) static_cast<void>(output.writer.write(output.json->finish()));
  output.writer.finish();
  if (!end) {
    output.failure = failure_of(end.error(), socket);
  } else if (end->reply.status <= 200) {  // 0: told to stop before there was an answer
    output.followed = true;
    output.missing_bytes = end->missing_bytes.value_or(0);
  } else {
    output.failure = failure_of(end->reply);
    if (end->reply.status != kNothingToFollow || alone) return;
    // Reported at once, as the rest may go on for hours.
    complain({fmt::format("{} is not followed: {}", output.name, output.failure->error.what), "", 0});
    output.failure->told = true;
  }
}

ExitCode conclude(const std::deque<TapOutput>& outputs) {
  std::uint64_t missing = 0;
  const Failure* worst = nullptr;
  bool followed = false;
  for (const TapOutput& output : outputs) {
    if (!output.json) missing += output.missing_bytes;  // as objects, each gap is a line of its own
    followed = followed || output.followed;
    if (output.failure && (worst == nullptr || worst->told)) worst = &*output.failure;
  }
  if (missing > 0)
    complain({fmt::format("{} bytes are not shown: they could not be captured", grouped(missing)), "", 0});
  if (worst == nullptr || (worst->told && followed)) return kOk;
  if (!worst->told) complain(worst->error);
  return worst->exit;
}

}  // namespace

ExitCode run_tap(const TapOptions& options) {
  const auto stop = stop_signals();
  if (!stop) {
    complain(stop.error());
    return kFailure;
  }
  std::vector<int> followed;  // descriptors of the process
  if (options.out) followed.push_back(STDOUT_FILENO);
  if (options.err) followed.push_back(STDERR_FILENO);
  const std::vector<int> ours = options.json ? std::vector{STDOUT_FILENO} : followed;
  if (const Status apart = check_no_feedback(options.pid, followed, ours); !apart) {
    complain(apart.error());
    return kFailure;
  }
  const std::string socket = api::socket_path(options.state_dir);
  std::deque<TapOutput> outputs;
  if (options.out) outputs.emplace_back("stdout", STDOUT_FILENO, stop->get());
  if (options.err) outputs.emplace_back("stderr", options.json ? STDOUT_FILENO : STDERR_FILENO, stop->get());
  const bool alone = outputs.size() == 1;
  std::vector<http::StreamRequest> requests;
  requests.reserve(outputs.size());
  for (TapOutput& output : outputs) {
    if (options.json) output.json.emplace();
    requests.push_back({fmt::format("{}/{}/{}stream={}", api::kProcessesPath, options.pid,
                                    options.json ? "log?timestamps=true&" : "raw?", output.name),
                        [&output](std::string_view bytes) { return take(output, bytes); },
                        [&output, &socket, alone](Result<http::StreamEnd> end) {
                          take_end(output, std::move(end), socket, alone);
                        }});
  }
  if (const Status run = http::fetch_streams(socket, requests, stop->get()); !run) {
    complain(run.error());
    return kFailure;
  }
  return conclude(outputs);
}

}  // namespace flowtap::cli
