#include "why_exits.hpp"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>

#include "api/json/exits_json.hpp"
#include "api/routes/routes.hpp"
#include "api/routes/target.hpp"
#include "base/json/members.hpp"
#include "base/printable.hpp"
#include "base/rfc3339.hpp"

namespace flowtap::cli {
namespace {

constexpr unsigned kLines = 10;

bool is_crash(const api::ContainerExit& exit) {
  return exit.oom || exit.signal || exit.code.value_or(0) != 0;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string how(const api::ContainerExit& exit) {
  if (exit.signal) {
    const char* const name = ::sigabbrev_np(static_cast<int>(*exit.signal));
    return fmt::format("was killed by signal {}{}", *exit.signal,
                       name != nullptr ? fmt::format(" (SIG{})", name) : std::string());
  }
  return fmt::format("ended with code {}", exit.code.value_or(0));
}

}  // namespace

Answer<std::vector<Crash>> ask_for_crashes(const std::string& state_dir, const PodName& pod) {
  const auto body = ask(state_dir, fmt::format("{}/{}/pods/{}/exits", api::kNamespacesPath,
                                               api::percent_encode(pod.ns), api::percent_encode(pod.name)));
  if (!body) return std::unexpected(body.error());
  auto exits = api::exits_from_json(*body);
  if (!exits) return std::unexpected(Failure{std::move(exits).error(), kFailure});
  std::vector<Crash> crashes;
  for (api::ContainerExit& exit : *exits) {
    if (!is_crash(exit)) continue;
    // The flow may be gone, to make room for others.
    const auto log = ask(state_dir, fmt::format("{}/{}/log?tailLines={}", api::kFlowsPath,
                                                api::percent_encode(exit.flow), kLines));
    crashes.push_back({std::move(exit), log ? lines_of(*log) : std::vector<std::string>{}});
  }
  return crashes;
}

std::string crashes_text(std::string_view pod, const std::vector<Crash>& crashes,
                         std::chrono::system_clock::time_point now, const Style& style) {
  std::string text;
  for (const Crash& crash : crashes) {
    const std::chrono::duration<double> age = now - crash.exit.time;
    text += text.empty() ? "" : "\n";
    text += style.paint("1", fmt::format("{}: the container {} {}", printable(pod),
                                         printable(crash.exit.container), how(crash.exit)));
    if (crash.exit.oom) text += ", because memory was used up (OOM)";
    text +=
        fmt::format(", {} ago ({})", uptime_text(std::max(age.count(), 0.0)), rfc3339_nano(crash.exit.time));
    text += crash.lines.empty() ? "; nothing that it wrote is kept\n" : "; its last lines:\n";
    for (const std::string& line : crash.lines) text += "  " + printable(line) + "\n";
  }
  return text;
}

std::string with_crashes(std::string_view body, const std::vector<Crash>& crashes) {
  namespace json = boost::json;
  json::object object;
  if (auto parsed = parse_object(body, "the answer")) object = std::move(*parsed);
  std::vector<api::ContainerExit> exits;
  exits.reserve(crashes.size());
  for (const Crash& crash : crashes) exits.push_back(crash.exit);
  json::array all = json::parse(api::exits_to_json(exits)).at("exits").as_array();
  for (std::size_t i = 0; i < crashes.size(); ++i) {
    json::array lines;
    for (const std::string& line : crashes[i].lines) lines.emplace_back(utf8(line));
    all[i].as_object()["lines"] = std::move(lines);
  }
  object["exits"] = std::move(all);
  return json::serialize(object);
}

}  // namespace flowtap::cli
