// What is asked of the kernel itself, and the names of the system.
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "telemetry/collecting/fields.hpp"
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

constexpr double kMicroseconds = 1e6;
constexpr double kNanoseconds = 1e9;
constexpr double kScaledPpm = 65536.0 * 1e6;  // adjtimex(2): parts per million, with 16 bits behind the point

using Fields = std::map<std::string, std::string, std::less<>>;

// os-release(5): NAME="value", as a shell reads it.
Fields parse_os_release(std::string_view text) {
  Fields fields;
  while (!text.empty()) {
    const std::string_view line = trimmed(next_line(text), " \t\r");
    const auto equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    std::string_view value = line.substr(equals + 1);
    const char quote = value.empty() ? '\0' : value.front();
    const bool quoted = value.size() >= 2 && (quote == '"' || quote == '\'') && value.ends_with(quote);
    if (quoted) value = value.substr(1, value.size() - 2);
    std::string plain;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const bool escaped = value[i] == '\\' && quote != '\'' && i + 1 < value.size();
      plain += value[escaped ? ++i : i];
    }
    fields.insert_or_assign(std::string(line.substr(0, equals)), std::move(plain));
  }
  return fields;
}

// "22.04" from "22.04 LTS"; a dashboard compares it.
std::optional<double> version_number(std::string_view version) {
  std::size_t end = 0;
  bool point = false;
  while (end < version.size() && (is_digit(version[end]) || (version[end] == '.' && !point && end > 0))) {
    point = point || version[end] == '.';
    ++end;
  }
  version = version.substr(0, end);
  if (version.ends_with('.')) version.remove_suffix(1);
  return version.empty() ? std::nullopt : number_in(version);
}

void add_clock_sources(Source& from, Page& out) {
  constexpr std::string_view kName = "clocksource";
  const std::string folder = from.sys("/devices/system/clocksource/");
  for (const std::string& name : from.names(folder, kName)) {
    const std::string device = name.substr(kName.size());
    if (device.empty() || !is_digit(device.front())) continue;
    const auto available = from.line(folder + name + "/available_clocksource");
    std::string_view words = available ? std::string_view(*available) : std::string_view();
    for (auto one = next_word(words); !one.empty(); one = next_word(words))
      out.add("node_time_clocksource_available_info", PageKind::kGauge, "Clocks that the kernel could use.",
              {{"clocksource", std::string(one)}, {"device", device}}, 1);
    if (const auto current = from.line(folder + name + "/current_clocksource"))
      out.add("node_time_clocksource_current_info", PageKind::kGauge, "The clock that the kernel uses.",
              {{"clocksource", *current}, {"device", device}}, 1);
  }
}

}  // namespace

Found read_os(Source& from, Page& out) {
  auto file = from.on_disk(from.root("/etc/os-release"));
  if (!file) file = from.on_disk(from.root("/usr/lib/os-release"));
  if (!file) return Found::kNothing;
  const Fields fields = parse_os_release(file->text);
  const auto field = [&](std::string_view name) {
    const auto at = fields.find(name);
    return at == fields.end() ? std::string() : at->second;
  };
  out.add("node_os_info", PageKind::kGauge, "The operating system, from os-release.",
          {{"build_id", field("BUILD_ID")},
           {"id", field("ID")},
           {"id_like", field("ID_LIKE")},
           {"image_id", field("IMAGE_ID")},
           {"image_version", field("IMAGE_VERSION")},
           {"name", field("NAME")},
           {"pretty_name", field("PRETTY_NAME")},
           {"variant", field("VARIANT")},
           {"variant_id", field("VARIANT_ID")},
           {"version", field("VERSION")},
           {"version_codename", field("VERSION_CODENAME")},
           {"version_id", field("VERSION_ID")}},
          1);
  if (const auto version = version_number(field("VERSION_ID")); version && *version > 0)
    out.add("node_os_version", PageKind::kGauge, "The operating system's version as major.minor.",
            {{"id", field("ID")}, {"id_like", field("ID_LIKE")}, {"name", field("NAME")}}, *version);
  return Found::kSomething;
}

Found read_selinux(Source& from, Page& out) {
  const std::string enforcing = from.sys("/fs/selinux/enforce");
  const bool enabled = Source::is_there(enforcing);
  out.add("node_selinux_enabled", PageKind::kGauge, "Whether SELinux is enabled.", {}, enabled ? 1 : 0);
  if (!enabled) return Found::kSomething;
  if (const auto mode = from.number(enforcing))
    out.add("node_selinux_current_mode", PageKind::kGauge, "SELinux now: 1 enforcing, 0 permissive.", {},
            *mode);
  const auto config = from.on_disk(from.root("/etc/selinux/config"));
  const Fields fields = config ? parse_os_release(config->text) : Fields();
  if (const auto mode = fields.find("SELINUX"); mode != fields.end())
    out.add("node_selinux_config_mode", PageKind::kGauge,
            "SELinux after a boot: 1 enforcing, 0 permissive, -1 disabled.", {},
            mode->second == "enforcing"    ? 1
            : mode->second == "permissive" ? 0
                                           : -1);
  return Found::kSomething;
}

Found read_time(Source& from, Page& out) {
  const auto now = std::chrono::system_clock::now();
  out.add("node_time_seconds", PageKind::kGauge, "The node's time, in seconds since the Unix epoch.", {},
          std::chrono::duration<double>(now.time_since_epoch()).count());
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm local{};
  if (::localtime_r(&seconds, &local) != nullptr)
    out.add("node_time_zone_offset_seconds", PageKind::kGauge, "The local time minus UTC.",
            {{"time_zone", local.tm_zone != nullptr ? local.tm_zone : ""}},
            static_cast<double>(local.tm_gmtoff));
  add_clock_sources(from, out);
  return Found::kSomething;
}

// adjtimex(2) with no mode set changes nothing. glibc's function makes the system call clock_adjtime, which is refused
// (userspace/daemon/seccomp.cpp).
Found read_timex(Source& from, Page& out) {
  timex now{};
  const auto state = ::syscall(SYS_adjtimex, &now);
  if (state < 0) {
    from.fail();
    return Found::kNothing;
  }
  const double fine = (static_cast<unsigned>(now.status) & STA_NANO) != 0 ? kNanoseconds : kMicroseconds;
  struct Value {
    const char* name;
    PageKind kind;
    const char* help;
    double value;
  };
  const auto number = [](auto value) { return static_cast<double>(value); };
  const std::array values{
      Value{"sync_status", PageKind::kGauge, "Whether the clock is synchronized.",
            state == TIME_ERROR ? 0.0 : 1.0},
      Value{"offset_seconds", PageKind::kGauge, "The local clock's offset from its reference.",
            number(now.offset) / fine},
      Value{"frequency_adjustment_ratio", PageKind::kGauge, "How much faster the local clock is made.",
            1 + number(now.freq) / kScaledPpm},
      Value{"maxerror_seconds", PageKind::kGauge, "The largest error.", number(now.maxerror) / kMicroseconds},
      Value{"estimated_error_seconds", PageKind::kGauge, "The estimated error.",
            number(now.esterror) / kMicroseconds},
      Value{"status", PageKind::kGauge, "The bits of the clock's status.", number(now.status)},
      Value{"loop_time_constant", PageKind::kGauge, "The phase-locked loop's time constant.",
            number(now.constant)},
      Value{"tick_seconds", PageKind::kGauge, "Time between two ticks.", number(now.tick) / kMicroseconds},
      Value{"pps_frequency_hertz", PageKind::kGauge, "Frequency of the pulse per second.",
            number(now.ppsfreq) / kScaledPpm},
      Value{"pps_jitter_seconds", PageKind::kGauge, "Jitter of the pulse per second.",
            number(now.jitter) / fine},
      Value{"pps_shift_seconds", PageKind::kGauge, "Duration of the pulse per second's interval.",
            number(now.shift)},
      Value{"pps_stability_hertz", PageKind::kGauge, "Stability of the pulse per second.",
            number(now.stabil) / kScaledPpm},
      Value{"pps_jitter_total", PageKind::kCounter, "Pulses with too much jitter.", number(now.jitcnt)},
      Value{"pps_calibration_total", PageKind::kCounter, "Intervals of calibration.", number(now.calcnt)},
      Value{"pps_error_total", PageKind::kCounter, "Errors of calibration.", number(now.errcnt)},
      Value{"pps_stability_exceeded_total", PageKind::kCounter, "Times that the frequency was not stable.",
            number(now.stbcnt)},
      Value{"tai_offset_seconds", PageKind::kGauge, "International Atomic Time minus UTC.", number(now.tai)},
  };
  for (const Value& value : values)
    out.add("node_timex_" + std::string(value.name), value.kind, value.help, {}, value.value);
  return Found::kSomething;
}

Found read_uname(Source& from, Page& out) {
  utsname names{};
  if (::uname(&names) != 0) {
    from.fail();
    return Found::kNothing;
  }
  const auto text = [](const char* name) { return std::string(name); };
  out.add("node_uname_info", PageKind::kGauge, "The node's names, from uname(2).",
          {{"domainname", text(static_cast<const char*>(names.domainname))},
           {"machine", text(static_cast<const char*>(names.machine))},
           {"nodename", text(static_cast<const char*>(names.nodename))},
           {"release", text(static_cast<const char*>(names.release))},
           {"sysname", text(static_cast<const char*>(names.sysname))},
           {"version", text(static_cast<const char*>(names.version))}},
          1);
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
