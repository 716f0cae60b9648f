#include <boost/json.hpp>
#include <utility>

#include "base/rfc3339.hpp"
#include "explain/diagnosis/diagnosis.hpp"

namespace flowtap::diagnosis {
namespace {

namespace json = boost::json;

/// The member of this name if it has the type that `as` takes out of a value, else null.
template <typename As>
auto member(const json::object& object, std::string_view name, As as)
    -> decltype(as(std::declval<const json::value&>())) {
  const json::value* value = object.if_contains({name.data(), name.size()});
  return value != nullptr ? as(*value) : nullptr;
}

std::string text(const json::object& object, std::string_view name) {
  const auto* found = member(object, name, [](const json::value& value) { return value.if_string(); });
  return found != nullptr ? std::string(found->data(), found->size()) : std::string();
}

const json::object& object_in(const json::object& object, std::string_view name) {
  static const json::object kNone;
  const auto* found = member(object, name, [](const json::value& value) { return value.if_object(); });
  return found != nullptr ? *found : kNone;
}

template <typename Number>
std::optional<Number> number(const json::object& object, std::string_view name) {
  const auto* found = object.if_contains({name.data(), name.size()});
  if (found == nullptr || !found->is_number()) return std::nullopt;
  json::error_code error;
  const auto value = found->to_number<Number>(error);
  return error ? std::nullopt : std::optional(value);
}

/// What `read` makes of each object of a list.
template <typename Read>
auto list(const json::object& object, std::string_view name, Read read) {
  std::vector<decltype(read(object))> out;
  const auto* found = member(object, name, [](const json::value& value) { return value.if_array(); });
  if (found == nullptr) return out;
  for (const json::value& item : *found)
    if (const auto* entry = item.if_object()) out.push_back(read(*entry));
  return out;
}

/// Each text of a list.
std::vector<std::string> texts(const json::object& object, std::string_view name) {
  std::vector<std::string> out;
  const auto* found = member(object, name, [](const json::value& value) { return value.if_array(); });
  if (found == nullptr) return out;
  for (const json::value& item : *found)
    if (const auto* text = item.if_string()) out.emplace_back(text->data(), text->size());
  return out;
}

/// The value that has this word; nothing if there is none.
template <typename Value>
std::optional<Value> value_of(std::string_view said, std::initializer_list<Value> values) {
  for (const Value value : values)
    if (said == to_string(value)) return value;
  return std::nullopt;
}

Verdict verdict(const json::object& object) {
  return value_of(text(object, "status"), {Verdict::kPassed, Verdict::kFailed}).value_or(Verdict::kNone);
}

PhaseVerdict phase(const json::object& object) {
  return {.verdict = verdict(object), .summary = text(object, "summary"), .line = text(object, "line")};
}

CellVerdict cell(const json::object& object) {
  return {number<std::size_t>(object, "numaCell").value_or(0), text(object, "resource"),
          text(object, "available"), text(object, "requested")};
}

ContainerVerdict container(const json::object& object) {
  return {text(object, "name"),   verdict(object),
          text(object, "reason"), number<std::size_t>(object, "numaCell"),
          text(object, "line"),   list(object, "cells", cell)};
}

CardVerdict card(const json::object& object) {
  return {text(object, "name"), text(object, "reason")};
}

NodesReason reason(const json::object& object) {
  return {text(object, "reason"), number<std::size_t>(object, "nodes").value_or(0)};
}

NodeVerdict node(const json::object& object) {
  return {.name = text(object, "name"),
          .verdict = verdict(object),
          .score = number<double>(object, "score").value_or(0),
          .containers = list(object, "containers", container),
          .reason = text(object, "reason"),
          .cards = list(object, "cards", card),
          .cells = list(object, "cells", cell),
          .line = text(object, "line")};
}

std::optional<Diagnosis::Status> status(const json::object& object) {
  using enum Diagnosis::Status;
  return value_of(text(object, "status"), {kPending, kSucceeded, kFailed});
}

Diagnosis::Past past(const json::object& object) {
  return {.time = parse_rfc3339(text(object, "time")),
          .scheduler = text(object, "scheduler"),
          .status = status(object).value_or(Diagnosis::Status::kPending),
          .at_bind = text(object, "phase") == kBindPhase,
          .summary = text(object, "summary")};
}

Note note(const json::object& object) {
  return {.by = text(object, "by"), .says = text(object, "says")};
}

HeldBack held(const json::object& object) {
  return {.plugin = text(object, "plugin"), .reason = text(object, "reason")};
}

Lifecycle lifecycle(const json::object& object) {
  const auto* deleted = member(object, "deleted", [](const json::value& value) { return value.if_bool(); });
  const json::object& preempted = object_in(object, "preempted");
  return {.deleted = deleted != nullptr && *deleted,
          .preempted_by = text(preempted, "by"),
          .preempted_on = text(preempted, "node"),
          .waits = text(object, "waits"),
          .held = list(object, "held", held),
          .line = text(object, "line")};
}

}  // namespace

Result<Diagnosis> diagnosis_from_json(std::string_view json_text) {
  json::error_code error;
  const json::value value = json::parse({json_text.data(), json_text.size()}, error);
  const json::object* object = error ? nullptr : value.if_object();
  const auto said = object != nullptr ? status(*object) : std::nullopt;
  if (!said) return fail("this is no diagnosis: " + std::string(json_text.substr(0, 100)));
  const json::object& filter = object_in(*object, "filter");
  const json::object& times = object_in(*object, "times");
  const json::object& bind = object_in(*object, "bind");
  return Diagnosis{.status = *said,
                   .uid = text(*object, "uid"),
                   .filter = phase(filter),
                   .nodes = list(filter, "nodes", node),
                   .reasons = list(filter, "reasons", reason),
                   .preemption = text(filter, "preemption"),
                   .nominated = text(filter, "nominated"),
                   .victims = texts(filter, "victims"),
                   .plugins = texts(filter, "plugins"),
                   .bind = phase(bind),
                   .node = text(bind, "node"),
                   .scheduler = text(*object, "scheduler"),
                   .attempt = number<std::size_t>(*object, "attempt").value_or(0),
                   .first = parse_rfc3339(text(times, "first")),
                   .last = parse_rfc3339(text(times, "last")),
                   .history = list(*object, "history", past),
                   .lacks = texts(*object, "lacks"),
                   .lifecycle = lifecycle(object_in(*object, "lifecycle")),
                   .notes = list(*object, "notes", note)};
}

}  // namespace flowtap::diagnosis
