#include "log_words.hpp"

#include <charconv>
#include <string_view>

#include "base/flows/flow_run.hpp"
#include "base/printable.hpp"
#include "base/time/moment.hpp"
#include "pod_words.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kForms =
    "flowtap logs NAMESPACE/POD, flowtap logs NAME, or flowtap logs --group GROUP";

std::unexpected<Error> wrong(std::string what, std::string_view hint = kForms) {
  return fail(std::move(what), std::string(hint));
}

/// Nothing: all lines.
Result<std::optional<std::uint64_t>> tail_of(std::string_view text) {
  if (text == "-1" || text == "all") return std::nullopt;
  std::uint64_t lines = 0;
  const char* const first = text.data();
  const char* const last = first + text.size();
  const auto [end, error] = std::from_chars(first, last, lines);
  if (error == std::errc{} && end == last) return lines;
  return wrong("--tail does not take " + in_quotes(text),
               "a whole number of lines, such as --tail 100; -1 and all stand for all lines");
}

Status read_times(const LogWords& words, std::chrono::system_clock::time_point now, LogsOptions& options) {
  const bool has_time = words.since_time && !words.since_time->empty();
  if (words.since && has_time)
    return wrong("--since and --since-time exclude each other", "leave one of them out");
  if (!words.since && !has_time) return {};
  auto moment = parse_moment(has_time ? *words.since_time : *words.since, now);
  if (!moment) return std::unexpected(std::move(moment).error().in(has_time ? "--since-time" : "--since"));
  options.since_time = *moment;
  return {};
}

// Docker, podman and journalctl take a number of lines by -n. A namespace may be called so, too.
bool must_be_lines(const LogWords& words, const LogsOptions& options) {
  if (!is_number(words.ns)) return false;
  if (options.of.empty()) return options.group.empty();
  return !words.unit.empty() || options.of.ends_with(".service") || !with_namespace(words.ns, options.of);
}

Status no_namespace(const LogWords& words, const LogsOptions& options) {
  std::string hint = "--tail " + words.ns + " prints the last lines";
  if (words.unit.empty() && is_name(options.of))
    hint += "; " + words.ns + '/' + options.of + " is a pod of the namespace " + words.ns;
  return wrong("-n is the namespace, as for kubectl", hint);
}

Status read_name(const LogWords& words, LogsOptions& options) {
  if (!words.unit.empty() && !options.of.empty())
    return wrong("--unit and " + in_quotes(options.of) + " name two logs", "leave one of them out");
  if (!words.unit.empty()) options.of = words.unit;
  if (must_be_lines(words, options)) return no_namespace(words, options);
  options.ns = words.ns;
  FTAP_TRY_ASSIGN(of, with_namespace(words.ns, options.of));
  options.of = std::move(of);
  if (words.container_word.empty()) return {};
  if (!options.container.empty() || is_name(options.of) || is_flow(options.of))
    return wrong("unexpected argument " + in_quotes(words.container_word));
  options.container = words.container_word;
  return {};
}

/// Whether these can be asked for together.
Status check_together(const LogsOptions& options, bool prefix) {
  const bool is_group = !options.group.empty();
  if (options.of.empty() && !is_group) return wrong("logs needs a pod, a flow or a group");
  if (!options.of.empty() && is_group) return wrong("logs takes a pod or a group, not both");
  if (options.previous && (options.all_containers || is_group))
    return wrong("--previous needs one container");
  if (options.all_containers && !options.container.empty())
    return wrong("--all-containers and --container exclude each other");
  if (!options.stream.empty() && options.tail) return wrong("--stream and --tail exclude each other");
  if (prefix && !options.all_containers && !is_group)
    return wrong("--prefix needs several logs",
                 "--all-containers puts the container in front of each line, and --group the pod");
  if (!is_flow(options.of) && !is_name(options.of)) return {};
  if (options.all_containers) return wrong("--all-containers needs a pod: a flow belongs to one container");
  if (!options.container.empty()) return wrong("--container needs a pod: a flow belongs to one container");
  if (options.previous && !is_name(options.of) && !options.of.starts_with("pod/") && !has_runs(options.of))
    return wrong("--previous needs a pod or a container: all else goes on in one log");
  return {};
}

}  // namespace

Result<LogsOptions> logs_options(LogWords words, std::chrono::system_clock::time_point now) {
  LogsOptions options = std::move(words.options);
  FTAP_TRY(read_name(words, options));
  FTAP_TRY(read_times(words, now, options));
  if (words.tail) {
    FTAP_TRY_ASSIGN(tail, tail_of(*words.tail));
    options.tail = tail;
  }
  if (words.limit_bytes > 0) options.limit_bytes = words.limit_bytes;
  FTAP_TRY(check_together(options, words.prefix));
  return options;
}

}  // namespace flowtap::cli
