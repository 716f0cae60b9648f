#include "status.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "api/json/status_json.hpp"
#include "api/routes/routes.hpp"
#include "base/printable.hpp"
#include "client.hpp"
#include "status_stream.hpp"
#include "tools/flowtap/terminal/table.hpp"

namespace flowtap::cli {
namespace {

std::string components_text(const api::StatusReport& report, const Style& style) {
  Table table;
  for (const auto& c : report.components) {
    table.add({state(c.up, "up", "down"), {printable(c.name), "1"}, {printable(c.detail)}});
    if (!c.up && !c.hint.empty())
      table.add({{""}, {""}, {fmt::format("{} {}", style.pick("→", "->"), printable(c.hint)), "33"}});
  }
  return table.text(style);
}

std::string programs_text(const api::CountStatus& count, const Style& style) {
  Table table;
  table.add(Table::heading({"program", "state", "runs", "per run", "missed"}, 2, 5));
  for (const auto& p : count.programs) {
    const bool timed = p.run_count && p.run_time_seconds && *p.run_count > 0;
    const auto average = timed ? *p.run_time_seconds / static_cast<double>(*p.run_count) * 1e9 : 0;
    table.add({{printable(p.name)},
               state(p.attached, "attached", "detached"),
               {p.run_count ? grouped(*p.run_count) : "-", "", true},
               {timed ? fmt::format("{:.0f} ns", average) : "-", "", true},
               p.recursion_misses ? amount(*p.recursion_misses, true) : Table::Cell{"-", "", true}});
  }
  return table.text(style);
}

std::string backends_text(const api::StatusReport& report, const Style& style) {
  Table table;
  table.add(Table::heading({"backend", "state", "pending", "lost", "last error"}, 2, 4));
  for (const auto& b : report.backends)
    table.add({{printable(b.name)},
               state(b.up, "up", "down"),
               amount(b.pending),
               amount(b.lost, true),
               {printable(b.last_error)}});
  return table.text(style);
}

std::string read_errors_text(const api::StatusReport& report, const Style& style) {
  Table table;
  table.add(Table::heading({"could not be read", "times"}, 1, 2));
  for (const auto& e : report.read_errors) table.add({{printable(e.what)}, amount(e.count, true)});
  return table.text(style);
}

std::string cycle_text(const api::CountStatus& count, const Style& style) {
  // A configured value is a round number and is shown as one: "1 s", not "1.00 s".
  std::string period = seconds_text(count.cycle_seconds, style);
  if (const auto zeros = period.find(".00 "); zeros != std::string::npos) period.erase(zeros, 3);
  std::string text = fmt::format("every {}, {} so far", period, grouped(count.cycles));
  if (count.last_cycle_seconds) text += ", the last took " + seconds_text(*count.last_cycle_seconds, style);
  return text;
}

}  // namespace

std::string status_text(const api::StatusReport& report, const Style& style) {
  std::string out =
      fmt::format("{} on Linux {}, up {}\n", style.paint("1", "flowtapd " + printable(report.version)),
                  printable(report.kernel), uptime_text(report.uptime_seconds));
  if (!report.components.empty()) out += '\n' + components_text(report, style);
  Table numbers;
  numbers.add({{"cycles", "2"}, {cycle_text(report.count, style)}});
  if (report.count.cpus_possible > 0)
    numbers.add({{"CPUs", "2"},
                 {fmt::format("{} online of {}", report.count.cpus_online, report.count.cpus_possible)}});
  out += '\n' + numbers.text(style);
  if (report.stream) out += '\n' + stream_text(*report.stream, style);
  if (!report.count.programs.empty()) out += '\n' + programs_text(report.count, style);
  if (!report.backends.empty()) out += '\n' + backends_text(report, style);
  const bool any_error = std::ranges::any_of(report.read_errors, [](const auto& e) { return e.count > 0; });
  if (any_error) out += '\n' + read_errors_text(report, style);
  return out;
}

ExitCode run_status(const StatusOptions& options) {
  return show(options.state_dir, api::kStatusPath, options.json,
              [&](std::string_view body) -> Result<std::string> {
                FTAP_TRY_ASSIGN(report, api::status_from_json(body));
                return status_text(report, style_of(STDOUT_FILENO, options.color));
              });
}

}  // namespace flowtap::cli
