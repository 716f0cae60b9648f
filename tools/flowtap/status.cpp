#include "status.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "api/routes.hpp"
#include "api/status_json.hpp"
#include "base/printable.hpp"
#include "client.hpp"

namespace flowtap::cli {
namespace {

/// Rows of cells under headings, each column as wide as it must be, numbers to the right.
class Table {
 public:
  struct Cell {
    std::string text;
    std::string sgr = {};
    bool right = false;
  };
  using Row = std::vector<Cell>;

  void add(Row row) { rows_.push_back(std::move(row)); }

  [[nodiscard]] std::string text(const Style& style) const {
    std::vector<std::size_t> widths;
    for (const Row& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i].text));
    }
    std::string out;
    for (const Row& row : rows_) {
      std::string line = " ";
      for (std::size_t i = 0; i < row.size(); ++i) {
        // The last column is not filled up: nothing follows it.
        const bool last = i + 1 == row.size() && !row[i].right;
        const std::string cell = last ? row[i].text : fit(row[i].text, widths[i], row[i].right);
        line += " " + (row[i].sgr.empty() ? cell : style.paint(row[i].sgr, cell)) + (last ? "" : " ");
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
    }
    return out;
  }

 private:
  std::vector<Row> rows_;
};

Table::Row heading(std::initializer_list<const char*> names, std::size_t right_from, std::size_t right_to) {
  Table::Row row;
  for (const char* name : names)
    row.push_back({name, "2", row.size() >= right_from && row.size() < right_to});
  return row;
}

Table::Cell state(bool good, const char* yes, const char* no) {
  return good ? Table::Cell{yes, "32"} : Table::Cell{no, "1;31"};
}

Table::Cell amount(std::uint64_t number, bool bad_if_any = false) {
  return {grouped(number), bad_if_any && number > 0 ? "33" : "", true};
}

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
  table.add(heading({"program", "state", "runs", "per run", "missed"}, 2, 5));
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
  table.add(heading({"backend", "state", "pending", "lost", "last error"}, 2, 4));
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
  table.add(heading({"could not be read", "times"}, 1, 2));
  for (const auto& e : report.read_errors) table.add({{printable(e.what)}, amount(e.count, true)});
  return table.text(style);
}

std::string cycle_text(const api::CountStatus& count, const Style& style) {
  // What was configured is a round number and shown as one: "1 s", not "1.00 s".
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
  numbers.add({{"CPUs", "2"},
               {fmt::format("{} online of {}", report.count.cpus_online, report.count.cpus_possible)}});
  out += '\n' + numbers.text(style);
  if (!report.count.programs.empty()) out += '\n' + programs_text(report.count, style);
  if (!report.backends.empty()) out += '\n' + backends_text(report, style);
  const bool any_error = std::ranges::any_of(report.read_errors, [](const auto& e) { return e.count > 0; });
  if (any_error) out += '\n' + read_errors_text(report, style);
  return out;
}

ExitCode run_status(const std::string& state_dir, bool json) {
  const auto body = ask(state_dir, api::kStatusPath);
  if (!body) {
    complain(body.error().error);
    return body.error().exit;
  }
  if (json) {
    std::printf("%s\n", body->c_str());
    return kOk;
  }
  const auto report = api::status_from_json(*body);
  if (!report) {
    complain(report.error());
    return kFailure;
  }
  std::fputs(status_text(*report, style_of(STDOUT_FILENO)).c_str(), stdout);
  return kOk;
}

}  // namespace flowtap::cli
