#include "telemetry/workloads/end_record.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "base/percent.hpp"
#include "base/wall_clock.hpp"

namespace flowtap::telemetry {
namespace {

using Words = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kKept = "-._~:/@";
// A kind is written by its name, so that a number of another build does not mean another one.
constexpr std::array kKinds = {WorkloadKind::kPod, WorkloadKind::kContainer, WorkloadKind::kUnit};
constexpr std::uint64_t kMostStatus = 0xffff;

void put(std::string& line, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  line.append(line.empty() ? "" : " ").append(key).append(1, '=').append(percent_encoded(value, kKept));
}

void put(std::string& line, std::string_view key, std::uint64_t value) {
  put(line, key, std::to_string(value));
}

std::optional<Words> words_of(std::string_view line) {
  Words words;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    const auto equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) return std::nullopt;
    auto value = percent_decoded(word.substr(equals + 1));
    if (!value || !words.emplace(word.substr(0, equals), std::move(*value)).second) return std::nullopt;
  }
  return words;
}

std::string text(const Words& words, std::string_view key) {
  const auto at = words.find(key);
  return at == words.end() ? std::string() : at->second;
}

std::optional<std::uint64_t> number(const Words& words, std::string_view key, std::uint64_t most) {
  const auto at = words.find(key);
  if (at == words.end()) return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = at->second.data() + at->second.size();
  const auto [stop, error] = std::from_chars(at->second.data(), end, value);
  return error == std::errc{} && stop == end && value <= most ? std::optional(value) : std::nullopt;
}

std::optional<EndRecord::Time> time(const Words& words, std::string_view key) {
  const auto ns = number(words, key, std::numeric_limits<std::int64_t>::max());
  if (!ns) return std::nullopt;
  return EndRecord::Time(std::chrono::duration_cast<EndRecord::Time::duration>(
      std::chrono::nanoseconds(static_cast<std::int64_t>(*ns))));
}

std::optional<WorkloadName> name_of(const Words& words) {
  WorkloadName name{.kind = WorkloadKind::kUnknown,
                    .ns = text(words, "namespace"),
                    .pod = text(words, "pod"),
                    .container = text(words, "container"),
                    .workload = text(words, "workload")};
  for (const WorkloadKind kind : kKinds)
    if (text(words, "kind") == kind_name(kind)) name.kind = kind;
  const bool called = !name.container.empty() || !name.workload.empty();
  return name.kind != WorkloadKind::kUnknown && called ? std::optional(std::move(name)) : std::nullopt;
}

std::optional<EndRecord::End> end_of(const Words& words) {
  const auto when = time(words, "ended");
  const auto status = number(words, "status", kMostStatus);
  if (!when || !status) return std::nullopt;
  return EndRecord::End{.id = text(words, "id"),
                        .flow = text(words, "flow"),
                        .status = static_cast<int>(*status),
                        .oom = number(words, "oom", 1) == 1,
                        .started = number(words, "started", 1) != 0,
                        .success = number(words, "success", 1) == 1,
                        .time = *when,
                        .process = text(words, "process")};
}

std::optional<EndRecord::Kills> kills_of(const Words& words) {
  const auto when = time(words, "killed");
  const auto count = number(words, "kills", std::numeric_limits<std::uint64_t>::max());
  if (!when || count.value_or(0) == 0) return std::nullopt;
  return EndRecord::Kills{.id = text(words, "killed_id"),
                          .flow = text(words, "killed_flow"),
                          .count = *count,
                          .time = *when,
                          .process = text(words, "killed_process")};
}

}  // namespace

std::string to_line(const EndRecord& record) {
  std::string line;
  put(line, "kind", kind_name(record.name.kind));
  put(line, "namespace", record.name.ns);
  put(line, "pod", record.name.pod);
  put(line, "container", record.name.container);
  put(line, "workload", record.name.workload);
  if (const auto& end = record.end) {
    put(line, "ended", ns_of(end->time));
    put(line, "status", static_cast<std::uint64_t>(end->status) & kMostStatus);
    put(line, "oom", std::uint64_t{end->oom});
    put(line, "started", std::uint64_t{end->started});
    if (end->success) put(line, "success", std::uint64_t{1});
    put(line, "process", end->process);
    put(line, "id", end->id);
    put(line, "flow", end->flow);
  }
  if (const auto& kills = record.oom_kills) {
    put(line, "killed", ns_of(kills->time));
    put(line, "kills", kills->count);
    put(line, "killed_process", kills->process);
    put(line, "killed_id", kills->id);
    put(line, "killed_flow", kills->flow);
  }
  line += '\n';
  return line.size() <= kLongestEndLine ? line : std::string();
}

std::optional<EndRecord> parse_end_line(std::string_view line) {
  if (line.size() >= kLongestEndLine) return std::nullopt;
  const auto words = words_of(line);
  if (!words) return std::nullopt;
  auto name = name_of(*words);
  if (!name) return std::nullopt;
  return EndRecord{.name = std::move(*name), .end = end_of(*words), .oom_kills = kills_of(*words)};
}

}  // namespace flowtap::telemetry
