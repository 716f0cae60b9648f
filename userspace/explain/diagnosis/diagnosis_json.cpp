#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "base/rfc3339.hpp"
#include "explain/diagnosis/diagnosis.hpp"

namespace flowtap::diagnosis {
namespace {

// JSON has it as it is.
bool is_plain(char c) {
  return is_ascii(c) && c >= ' ' && c != '"' && c != '\\';
}

void put(std::string& out, std::string_view text) {
  if (std::ranges::all_of(text, is_plain)) {
    out.append(1, '"').append(text).append(1, '"');
    return;
  }
  const std::string safe = utf8(text);
  out += boost::json::serialize(boost::json::string_view(safe));
}

void put(std::string& out, std::string_view name, std::string_view text) {
  put(out.append(1, '"').append(name).append("\":"), text);
}

// Writes the shortest text that reads back to the same value: 1.5, not 1.5E0.
void put(std::string& out, double value) {
  std::array<char, 32> digits{};
  const double finite = std::isfinite(value) ? value : 0;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), finite).ptr;
  out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

void put_line(std::string& out, std::string_view line, bool evidence) {
  if (evidence && !line.empty()) put(out += ',', "line", line);
}

void put(std::string& out, const CellVerdict& cell) {
  out.append("{\"numaCell\":").append(std::to_string(cell.cell));
  put(out += ',', "resource", cell.resource);
  if (!cell.available.empty()) put(out += ',', "available", cell.available);
  if (!cell.requested.empty()) put(out += ',', "requested", cell.requested);
  out += '}';
}

template <typename Item>
void put_member(std::string& out, std::string_view name, const std::vector<Item>& items);

void put(std::string& out, const ContainerVerdict& container, bool evidence) {
  put(out += '{', "name", container.name);
  put(out += ',', "status", to_string(container.verdict));
  if (container.verdict == Verdict::kFailed) put(out += ',', "reason", container.reason);
  if (container.cell) out.append(",\"numaCell\":").append(std::to_string(*container.cell));
  if (evidence) put_member(out, "cells", container.cells);
  put_line(out, container.line, evidence);
  out += '}';
}

void put(std::string& out, const CardVerdict& card) {
  put(out += '{', "name", card.name);
  put(out += ',', "reason", card.reason);
  out += '}';
}

void put(std::string& out, const NodesReason& one) {
  put(out += '{', "reason", one.reason);
  out.append(",\"nodes\":").append(std::to_string(one.nodes)).append(1, '}');
}

void put_time(std::string& out, std::string_view name, const Diagnosis::Instant& time) {
  if (time) put(out, name, rfc3339_nano(*time));
}

void put(std::string& out, const Diagnosis::Past& past) {
  out += '{';
  put_time(out, "time", past.time);
  if (past.time) out += ',';
  put(out, "scheduler", past.scheduler);
  put(out += ',', "status", to_string(past.status));
  put(out += ',', "phase", past.at_bind ? kBindPhase : kFilterPhase);
  put(out += ',', "summary", past.summary);
  out += '}';
}

void put(std::string& out, const HeldBack& held) {
  put(out += '{', "plugin", held.plugin);
  if (!held.reason.empty()) put(out += ',', "reason", held.reason);
  out += '}';
}

void put(std::string& out, const Note& note) {
  put(out += '{', "by", note.by);
  put(out += ',', "says", note.says);
  out += '}';
}

void put(std::string& out, const NodeVerdict& node, bool evidence);

template <typename Item, typename... More>
void put_list(std::string& out, const std::vector<Item>& items, More... more) {
  for (const Item& item : items) {
    if (&item != &items.front()) out += ',';
    put(out, item, more...);
  }
}

void put(std::string& out, const NodeVerdict& node, bool evidence) {
  put(out += '{', "name", node.name);
  put(out += ',', "status", to_string(node.verdict));
  put(out += ",\"score\":", node.score);
  put_list(out += ",\"containers\":[", node.containers, evidence);
  out += ']';
  if (!node.reason.empty()) put(out += ',', "reason", node.reason);
  if (evidence) {
    put_list(out += ",\"cards\":[", node.cards);
    put_member(out += ']', "cells", node.cells);
  }
  put_line(out, node.line, evidence);
  out += '}';
}

template <typename Item>
void put_member(std::string& out, std::string_view name, const std::vector<Item>& items) {
  if (items.empty()) return;
  out.append(",\"").append(name).append("\":[");
  put_list(out, items);
  out += ']';
}

void put_phase(std::string& out, const PhaseVerdict& phase, bool evidence) {
  put(out += '{', "status", to_string(phase.verdict));
  put(out += ',', "summary", phase.summary);
  put_line(out, phase.line, evidence);
}

/// Puts what became of the pod, if anything did.
void put_lifecycle(std::string& out, const Lifecycle& life, bool evidence) {
  std::string members;
  if (life.deleted) members += R"(,"deleted":true)";
  if (!life.preempted_by.empty()) {
    put(members += ",\"preempted\":{", "by", life.preempted_by);
    if (!life.preempted_on.empty()) put(members += ',', "node", life.preempted_on);
    members += '}';
  }
  if (!life.waits.empty()) put(members += ',', "waits", life.waits);
  put_member(members, "held", life.held);
  put_line(members, life.line, evidence);
  if (!members.empty()) out.append(",\"lifecycle\":{").append(members, 1).append(1, '}');
}

/// Puts which attempt it is, and what came before it.
void put_attempt(std::string& out, const Diagnosis& diagnosis) {
  if (!diagnosis.uid.empty()) put(out += ',', "uid", diagnosis.uid);
  if (!diagnosis.scheduler.empty()) put(out += ',', "scheduler", diagnosis.scheduler);
  if (diagnosis.attempt > 0) out.append(",\"attempt\":").append(std::to_string(diagnosis.attempt));
  if (diagnosis.first || diagnosis.last) {
    put_time(out += ",\"times\":{", "first", diagnosis.first);
    if (diagnosis.first && diagnosis.last) out += ',';
    put_time(out, "last", diagnosis.last);
    out += '}';
  }
  put_member(out, "history", diagnosis.history);
  put_member(out, "lacks", diagnosis.lacks);
  put_member(out, "notes", diagnosis.notes);
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  return verdict == Verdict::kNone ? "" : verdict == Verdict::kPassed ? "passed" : "failed";
}

std::string_view to_string(Diagnosis::Status status) {
  switch (status) {
    case Diagnosis::Status::kSucceeded:
      return "succeeded";
    case Diagnosis::Status::kFailed:
      return "failed";
    case Diagnosis::Status::kPending:
      break;
  }
  return "pending";
}

std::string to_json(const Diagnosis& diagnosis, bool evidence, bool lifecycle) {
  std::string out;
  put(out += '{', "status", to_string(diagnosis.status));
  if (evidence) put_attempt(out, diagnosis);
  if (evidence || lifecycle) put_lifecycle(out, diagnosis.lifecycle, evidence);
  put_phase(out += ",\"filter\":", diagnosis.filter, evidence);
  put_list(out += ",\"nodes\":[", diagnosis.nodes, evidence);
  out += ']';
  put_member(out, "reasons", diagnosis.reasons);
  if (!diagnosis.preemption.empty()) put(out += ',', "preemption", diagnosis.preemption);
  if (evidence && !diagnosis.nominated.empty()) put(out += ',', "nominated", diagnosis.nominated);
  if (evidence) put_member(out, "victims", diagnosis.victims);
  if (evidence) put_member(out, "plugins", diagnosis.plugins);
  put_phase(out += "},\"bind\":", diagnosis.bind, evidence);
  if (evidence && !diagnosis.node.empty()) put(out += ',', "node", diagnosis.node);
  return out += "}}";
}

}  // namespace flowtap::diagnosis
