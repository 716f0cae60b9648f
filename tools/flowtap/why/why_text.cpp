#include "why_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/printable.hpp"
#include "explain/diagnosis/advice.hpp"
#include "explain/diagnosis/failed_nodes.hpp"
#include "explain/diagnosis/fit_error.hpp"
#include "tools/flowtap/terminal/table.hpp"
#include "why_attempts.hpp"
#include "why_words.hpp"

namespace flowtap::cli {
namespace {

using diagnosis::CellVerdict;
using diagnosis::ContainerVerdict;
using diagnosis::Diagnosis;
using diagnosis::NodeVerdict;
using diagnosis::Verdict;

// One reason may be as long as a record.
constexpr std::size_t kLongestReason = 1000;

std::string shown(std::string_view reason) {
  const std::string quoted = in_quotes(reason, kLongestReason);
  return quoted.substr(1, quoted.size() - 2);
}

/// The columns of the table. Empty ones are left out.
struct Row {
  std::string node;
  std::string container;
  Verdict verdict = Verdict::kNone;
  std::string cell;
  std::string score;
  std::string reason;
};

/// "cpu: 2 of 4"
std::string cell_text(const CellVerdict& cell) {
  const std::string resource = printable(cell.resource);
  if (cell.available.empty()) return "too little " + resource;
  if (cell.requested.empty())
    return resource + ": " + (cell.available == "0" ? "none" : printable(cell.available));
  return resource + ": " + printable(cell.available) + " of " + printable(cell.requested);
}

/// Cells with the same text share a row.
void add_cells(std::vector<Row>& rows, Row row, const std::vector<CellVerdict>& cells) {
  std::map<std::size_t, std::string> texts;
  for (const CellVerdict& cell : cells) {
    std::string& text = texts[cell.cell];
    text += (text.empty() ? "" : ", ") + cell_text(cell);
  }
  const std::size_t first = rows.size();
  for (const auto& [cell, text] : texts) {
    const auto same = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                                   [&](const Row& one) { return one.reason == shown(text); });
    if (same != rows.end()) {
      same->cell += ',' + std::to_string(cell);
      continue;
    }
    row.cell = std::to_string(cell);
    row.reason = shown(text);
    rows.push_back(row);
  }
}

void add_rows(std::vector<Row>& rows, const NodeVerdict& node) {
  const bool passed = node.verdict == Verdict::kPassed;
  const auto has_cell = [](const ContainerVerdict& container) { return container.cell.has_value(); };
  Row row;
  row.node = printable(node.name);
  row.verdict = node.verdict;
  if (passed && node.score != 0) row.score = fmt::format("{}", node.score);
  // If all containers fit, their names tell nothing.
  const bool each = passed ? std::ranges::any_of(node.containers, has_cell) : !node.containers.empty();
  if (!each || !node.reason.empty()) {
    row.reason = shown(node.reason);
    rows.push_back(row);
    add_cells(rows, row, node.cells);
  }
  if (!each) return;
  for (const ContainerVerdict& container : node.containers) {
    row.container = printable(container.name);
    row.verdict = container.verdict;
    row.cell = container.cell ? std::to_string(*container.cell) : "";
    row.reason = shown(container.reason);
    rows.push_back(row);
    add_cells(rows, row, container.cells);
  }
}

std::string nodes_text(const Diagnosis& diagnosis, const Style& style) {
  std::vector<Row> rows;
  for (const NodeVerdict& node : diagnosis.nodes) add_rows(rows, node);
  if (rows.empty()) return {};
  const auto any = [&rows](std::string Row::* column) {
    return std::ranges::any_of(rows, [column](const Row& row) { return !(row.*column).empty(); });
  };
  const bool containers = any(&Row::container);
  const bool cells = any(&Row::cell);
  const bool scores = any(&Row::score);
  const bool reasons = any(&Row::reason);
  // From the last column on, so that the others keep their places.
  const auto cut = [&](Table::Row row) {
    const std::array kept = {true, containers, true, cells, scores, reasons};
    for (std::size_t i = kept.size(); i-- > 0;)
      if (!kept.at(i)) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
    return row;
  };
  Table table;
  table.add(cut(Table::heading({"node", "container", "verdict", "NUMA cell", "score", "reason"}, 3, 5)));
  for (const Row& row : rows)
    table.add(cut({{row.node},
                   {row.container},
                   row.verdict == Verdict::kNone ? Table::Cell{"-"}
                                                 : state(row.verdict == Verdict::kPassed, "fits", "fails"),
                   {row.cell, "", true},
                   {row.score, "", true},
                   {row.reason}}));
  return table.text(style);
}

std::string unnamed_text(const Diagnosis& diagnosis, const Style& style) {
  const auto failed = diagnosis::failed_nodes(diagnosis);
  if (failed.unnamed.empty()) return {};
  Table table;
  table.add(Table::heading({diagnosis.nodes.empty() ? "nodes" : "other nodes", "reason"}, 0, 1));
  for (const diagnosis::NodesReason& one : failed.unnamed)
    table.add({{grouped(one.nodes), "", true}, {shown(one.reason)}});
  std::size_t sum = 0;
  for (const diagnosis::NodesReason& one : failed.unnamed) sum += one.nodes;
  if (sum <= failed.others) return table.text(style);
  return table.text(style) +
         fmt::format("  {} in all, since a node may have several reasons\n", grouped(failed.others));
}

/// It has its place, or needs none any more.
bool is_settled(const Diagnosis& diagnosis) {
  return diagnosis.status == Diagnosis::Status::kSucceeded || diagnosis.lifecycle.over();
}

/// What kube-scheduler did to make room, which of its plugins turned nodes down, and which hold the pod back.
// A plugin that only keeps a pod from being tried has turned no node down.
std::vector<std::string> turning_down(const Diagnosis& diagnosis) {
  std::vector<std::string> out = diagnosis.plugins;
  std::erase_if(out, [&diagnosis](const std::string& plugin) {
    return std::ranges::find(diagnosis.lifecycle.held, plugin, &diagnosis::HeldBack::plugin) !=
           diagnosis.lifecycle.held.end();
  });
  return out;
}

std::string room_text(const Diagnosis& diagnosis, const Style& /*style*/) {
  std::string out;
  if (!diagnosis.victims.empty()) out += "  ended to make room: " + list_words(diagnosis.victims) + '\n';
  if (diagnosis.filter.verdict != Verdict::kFailed || is_settled(diagnosis)) return out;
  if (const auto plugins = turning_down(diagnosis); !plugins.empty())
    out += "  turned down by: " + list_words(plugins) + '\n';
  // What has advice is shown with it.
  if (const auto why = diagnosis::room_error_in(diagnosis.preemption);
      !why.empty() && !diagnosis::advice_for(why))
    out += "  room could not be made: " + shown(why) + '\n';
  for (const diagnosis::HeldBack& held : diagnosis.lifecycle.held)
    out += fmt::format("  held back since by {}{}{}\n", printable(held.plugin),
                       held.reason.empty() ? "" : ": ", shown(held.reason));
  return out;
}

/// Such as whether an autoscaler will make a node for it.
std::string notes_text(const Diagnosis& diagnosis, const Style& /*style*/) {
  std::string out;
  if (is_settled(diagnosis)) return out;
  for (const diagnosis::Note& note : diagnosis.notes)
    out += fmt::format("  {} says: {}\n", printable(note.by), shown(note.says));
  return out;
}

std::string lacks_text(const Diagnosis& diagnosis, const Style& /*style*/) {
  std::string out;
  if (is_settled(diagnosis)) return out;
  for (const std::string& what : diagnosis.lacks) out += "  not said: " + printable(what) + '\n';
  return out;
}

std::string advice_text(const Diagnosis& diagnosis, const Style& style) {
  std::string out;
  if (is_settled(diagnosis)) return out;
  for (const diagnosis::Advice& advice : diagnosis::advice_for(diagnosis))
    out +=
        fmt::format("  {}: {}\n    {}\n", style.paint("1", shown(advice.reason)), printable(advice.means),
                    style.paint("33", fmt::format("{} {}", style.pick("→", "->"), printable(advice.todo))));
  return out;
}

/// The log lines that support the answer, phase by phase and node by node.
std::string lines_text(const Diagnosis& diagnosis, const Style& style) {
  Table table;
  table.add(Table::heading({"verdict", "line"}, 0, 0));
  bool any = false;
  const auto add = [&](std::string_view of, std::string_view container, std::string_view line) {
    if (line.empty()) return;
    any = true;
    const char* between = container.empty() ? "" : " ";
    table.add({{printable(of) + between + printable(container)}, {printable(line)}});
  };
  add("filter", "", diagnosis.filter.line);
  for (const NodeVerdict& node : diagnosis.nodes) {
    add(node.name, "", node.line);
    for (const ContainerVerdict& container : node.containers) add(node.name, container.name, container.line);
  }
  add("bind", "", diagnosis.bind.line);
  add("pod", "", diagnosis.lifecycle.line);
  return any ? table.text(style) : std::string();
}

}  // namespace

std::string why_text(const std::string& pod, const Diagnosis& diagnosis, const Style& style, bool evidence) {
  std::string out = style.paint("1", printable(pod)) + ' ' + state_words(diagnosis) + '\n';
  if (const std::string words = attempt_words(diagnosis, style.pick("×", "x")); !words.empty())
    out += "  " + words + '\n';
  for (auto* part : {nodes_text, unnamed_text, room_text, notes_text, lacks_text, advice_text})
    if (const std::string text = part(diagnosis, style); !text.empty()) out += '\n' + text;
  if (const std::string text = evidence ? lines_text(diagnosis, style) : ""; !text.empty())
    out += '\n' + text;
  return out;
}

PodState pod_state(std::string pod, const Diagnosis& diagnosis) {
  return {std::move(pod), pod_word(diagnosis), why_words(diagnosis)};
}

std::string why_list_text(const std::vector<PodState>& pods, const Style& style) {
  if (pods.empty()) return "no pods\n";
  Table table;
  table.add(Table::heading({"pod", "state", "why"}, 0, 0));
  for (const PodState& one : pods)
    table.add({{printable(one.pod)}, {std::string(one.word.word), one.word.color}, {one.why}});
  return table.text(style);
}

}  // namespace flowtap::cli
