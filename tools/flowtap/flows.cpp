#include "flows.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "api/json/flows_json.hpp"
#include "api/routes/routes.hpp"
#include "api/routes/target.hpp"
#include "base/printable.hpp"
#include "client.hpp"
#include "tools/flowtap/terminal/table.hpp"

namespace flowtap::cli {
namespace {

using Time = std::chrono::system_clock::time_point;

std::string target_of(const FlowsOptions& options) {
  std::string query;
  const auto add = [&query](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    query += (query.empty() ? '?' : '&') + std::string(name) + '=' + api::percent_encode(value);
  };
  add("namespace", options.ns);
  add("pod", options.pod);
  add("group", options.group);
  add("kind", options.kind);
  return std::string(api::kFlowsPath) + query;
}

constexpr std::ptrdiff_t kFoundColumn = 6;

std::string or_dash(const std::optional<std::string>& text) {
  return text && !text->empty() ? printable(*text) : "-";
}

std::string pod_text(const api::FlowStatus& flow) {
  if (!flow.pod) return "-";
  return flow.ns ? printable(*flow.ns + "/" + *flow.pod) : printable(*flow.pod);
}

// How the flow compares with what its runtime has kept, in a word of the API.
constexpr std::string_view kDiffers = "differs";

// If nothing of a flow is captured, the word says why.
Table::Cell state_cell(const api::FlowStatus& flow) {
  if (flow.open) return {"open", "32"};
  if (flow.audit == kDiffers) return {"ended, differs", "33"};
  if (flow.streams.empty() || std::ranges::any_of(flow.streams, api::is_captured)) return {"ended", "2"};
  return {printable(flow.streams.front().capture), "33"};
}

std::string age_text(const std::optional<Time>& last, Time now) {
  if (!last) return "-";
  const std::chrono::duration<double> age = now - *last;
  return uptime_text(std::max(age.count(), 0.0)) +
         " ago";  // the daemon has the same clock, but somebody may set it
}

// There was more before it was captured.
Table::Cell count_cell(const api::FlowStatus& flow, std::string count) {
  return {at_least(std::move(count), flow.more_before), "", true};
}

// "0 B?" means that nobody knows for sure.
Table::Cell missing_cell(const api::FlowStatus& flow) {
  const char* colour = flow.missing_bytes > 0 ? "1;31" : flow.suspect ? "33" : "";
  return {bytes_text(flow.missing_bytes) + (flow.suspect ? "?" : ""), colour, true};
}

}  // namespace

std::string flows_text(const std::vector<api::FlowStatus>& flows, Time now, const Style& style) {
  if (flows.empty()) return "no flows\n";
  // These columns are shown only if some flow has something in them.
  const bool groups =
      std::ranges::any_of(flows, [](const api::FlowStatus& f) { return f.group.has_value(); });
  const bool founds = std::ranges::any_of(flows, [](const api::FlowStatus& f) { return f.found_bytes > 0; });
  const auto without = [groups, founds](Table::Row row) {
    if (!founds) row.erase(row.begin() + kFoundColumn);
    if (!groups) row.erase(row.begin());
    return row;
  };
  Table table;
  table.add(without(Table::heading({"group", "pod", "container", "runtime", "bytes", "lines", "found",
                                    "missing", "state", "last byte", "flow"},
                                   4, 8)));
  for (const api::FlowStatus& f : flows)
    table.add(without({{or_dash(f.group)},
                       {pod_text(f)},
                       {or_dash(f.container)},
                       {or_dash(f.runtime)},
                       count_cell(f, bytes_text(f.bytes)),
                       count_cell(f, grouped(f.lines)),
                       {bytes_text(f.found_bytes), "", true},
                       missing_cell(f),
                       state_cell(f),
                       {age_text(f.last, now)},
                       {printable(f.id)}}));
  return table.text(style);
}

ExitCode run_flows(const FlowsOptions& options) {
  return show(
      options.state_dir, target_of(options), options.json, [&](std::string_view body) -> Result<std::string> {
        FTAP_TRY_ASSIGN(flows, api::flows_from_json(body));
        return flows_text(flows, std::chrono::system_clock::now(), style_of(STDOUT_FILENO, options.color));
      });
}

}  // namespace flowtap::cli
