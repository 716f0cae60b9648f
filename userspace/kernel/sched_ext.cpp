#include "kernel/sched_ext.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/ascii.hpp"
#include "base/file.hpp"

namespace flowtap::kernel {
namespace {

constexpr std::string_view kFolder = "/kernel/sched_ext";  // below sysfs
constexpr std::size_t kMostEvents = 64;                    // 6.18 has 9
constexpr std::size_t kLongestEvent = 64;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// It is no failure that a kernel does not have this.
bool lacks(const Error& error) {
  return error.code == ENOENT;
}

std::optional<std::uint64_t> read_number(const std::string& path, unsigned& unreadable) {
  const auto line = read_line(path);
  const auto value = line ? number(*line) : std::nullopt;
  if (!value && (line || !lacks(line.error()))) ++unreadable;
  return value;
}

// "SCX_EV_NAME" as a label, or empty if it is no such name.
std::string event_label(std::string_view name) {
  constexpr std::string_view kPrefix = "SCX_EV_";
  if (!name.starts_with(kPrefix) || name.size() > kLongestEvent) return {};
  std::string label(name.substr(kPrefix.size()));
  for (char& c : label) {
    c = to_lower(c);
    const bool fits = is_lower(c) || is_digit(c) || c == '_';
    if (!fits) return {};
  }
  return label;
}

}  // namespace

std::map<std::string, std::uint64_t> parse_sched_ext_events(std::string_view text, unsigned& unreadable) {
  std::map<std::string, std::uint64_t> events;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty()) continue;
    const auto space = std::min(line.find(' '), line.size());
    std::string label = event_label(line.substr(0, space));
    const auto value = number(line.substr(std::min(space + 1, line.size())));
    if (label.empty() || !value || events.size() == kMostEvents)
      ++unreadable;
    else
      events.insert_or_assign(std::move(label), *value);
  }
  return events;
}

bool has_sched_ext(const std::string& sysfs) {
  std::error_code unreadable;
  return std::filesystem::is_directory(sysfs + std::string(kFolder), unreadable);
}

std::string sched_ext_scheduler(const std::string& sysfs) {
  auto name = read_line(sysfs + std::string(kFolder) + "/root/ops");
  if (!name) return {};
  // SCX_OPS_NAME_LEN is 128; the scheduler's author may have written any name.
  name->resize(std::min<std::size_t>(name->size(), 128));
  for (char& c : *name)
    if (c <= ' ' || c > '~' || c == '"' || c == '\\') c = '_';
  return *name;
}

std::optional<SchedExt> read_sched_ext(const std::string& sysfs) {
  const std::string folder = sysfs + std::string(kFolder) + "/";
  const auto state = read_line(folder + "state");
  if (!state && lacks(state.error())) return std::nullopt;
  SchedExt now;
  if (state)
    now.state = *state;
  else
    ++now.unreadable;
  now.scheduler = sched_ext_scheduler(sysfs);
  now.enable_sequence = read_number(folder + "enable_seq", now.unreadable);
  now.rejected = read_number(folder + "nr_rejected", now.unreadable);
  // The folder root/ comes and goes with a scheduler.
  const auto events = read_file(folder + "root/events");
  if (events)
    now.events = parse_sched_ext_events(*events, now.unreadable);
  else if (!lacks(events.error()) && events.error().code != ENODEV)
    ++now.unreadable;
  return now;
}

}  // namespace flowtap::kernel
