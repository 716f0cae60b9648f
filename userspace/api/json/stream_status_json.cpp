#include "api/json/stream_status_json.hpp"

#include <initializer_list>

#include "base/json/members.hpp"
#include "base/rfc3339.hpp"

namespace flowtap::api {
namespace {

namespace json = boost::json;

json::object losses_to_json(const LossStatus& lost) {
  return {{"ring_full", lost.ring_full},
          {"fault", lost.fault},
          {"uncaptured", lost.uncaptured},
          {"quiet", lost.quiet},
          {"unread", lost.unread}};
}

json::object journal_to_json(const JournalStatus& journal) {
  return {{"bytes", journal.bytes},
          {"limit", journal.limit},
          {"segments", journal.segments},
          {"write_errors", journal.write_errors},
          {"torn", journal.torn}};
}

json::object sources_to_json(const SourcesStatus& sources) {
  json::array not_found;
  for (const std::string& one : sources.not_found) not_found.emplace_back(one);
  json::array refused;
  for (const RefusedSource& one : sources.refused)
    refused.emplace_back(json::object{{"name", one.name}, {"why", one.why}});
  json::array idle;
  for (const IdlePattern& one : sources.idle_patterns)
    idle.emplace_back(json::object{{"key", one.key}, {"pattern", utf8(one.pattern)}, {"why", utf8(one.why)}});
  return {{"not_found", std::move(not_found)},
          {"refused", std::move(refused)},
          {"lost_files", sources.lost_files},
          {"filled_bytes", sources.filled_bytes},
          {"idle_patterns", std::move(idle)}};
}

const json::array* array_member(const json::object& object, std::string_view name) {
  const auto* value = member(object, name);
  return value != nullptr ? value->if_array() : nullptr;
}

SourcesStatus sources_from_json(const json::object& object) {
  SourcesStatus sources;
  if (const auto* names = array_member(object, "not_found"))
    for (const json::value& name : *names)
      if (name.is_string()) sources.not_found.emplace_back(name.get_string());
  if (const auto* refused = array_member(object, "refused"))
    for (const json::value& one : *refused)
      if (const auto* source = one.if_object())
        sources.refused.push_back({text_member(*source, "name"), text_member(*source, "why")});
  each_object(object, "idle_patterns", [&sources](const json::object& one) {
    sources.idle_patterns.push_back(
        {text_member(one, "key"), text_member(one, "pattern"), text_member(one, "why")});
  });
  sources.lost_files = count_member(object, "lost_files").value_or(0);
  sources.filled_bytes = count_member(object, "filled_bytes").value_or(0);
  return sources;
}

/// The counts of the object `name`, each where `fields` says.
struct CountField {
  std::string_view name;
  std::uint64_t* value;
};
bool take_counts(const json::object& object, std::string_view name,
                 std::initializer_list<CountField> fields) {
  const auto* value = member(object, name);
  if (value == nullptr || !value->is_object()) return false;
  for (const CountField& field : fields)
    *field.value = count_member(value->get_object(), field.name).value_or(0);
  return true;
}

}  // namespace

boost::json::object stream_status_to_json(const StreamStatusReport& stream) {
  json::array differing;
  for (const std::string& flow : stream.differing) differing.emplace_back(utf8(flow));
  json::object out{
      {"backend", stream.backend ? json::value(*stream.backend) : json::value(nullptr)},
      {"reason", stream.reason},
      {"pinned", stream.pinned},
      {"pinned_in_namespace", stream.pinned_in_namespace},
      {"ring", json::object{{"bytes", stream.ring_bytes}, {"waiting", optional_number(stream.ring_waiting)}}},
      {"lost_bytes", losses_to_json(stream.lost_bytes)},
      {"recovery", json::object{{"found", stream.recovery.found},
                                {"sought", stream.recovery.sought},
                                {"missing", stream.recovery.missing}}},
      {"differing", std::move(differing)},
      {"lost_events", stream.lost_events},
      {"no_slot", stream.no_slot},
      {"recursion_misses", optional_number(stream.recursion_misses)},
      {"unkept_names", json::object{{"too_long", stream.unkept_names.too_long},
                                    {"no_map", stream.unkept_names.no_map},
                                    {"no_room", stream.unkept_names.no_room}}},
      {"flows", json::object{{"open", stream.open_flows},
                             {"ended", stream.ended_flows},
                             {"since", stream.flows_since ? json::value(rfc3339_nano(*stream.flows_since))
                                                          : json::value(nullptr)}}},
      {"open_streams", stream.open_streams},
      {"taps", stream.taps},
      {"sources", sources_to_json(stream.sources)}};
  if (stream.journal) out["journal"] = journal_to_json(*stream.journal);
  return out;
}

StreamStatusReport stream_status_from_json(const boost::json::object& object) {
  StreamStatusReport stream;
  if (const auto* backend = member(object, "backend"); backend != nullptr && backend->is_string())
    stream.backend = text_member(object, "backend");
  stream.reason = text_member(object, "reason");
  stream.pinned = bool_member(object, "pinned");
  stream.pinned_in_namespace = bool_member(object, "pinned_in_namespace");
  if (const auto* ring = member(object, "ring"); ring != nullptr && ring->is_object())
    stream.ring_waiting = count_member(ring->get_object(), "waiting");
  take_counts(object, "ring", {{"bytes", &stream.ring_bytes}});
  LossStatus& lost = stream.lost_bytes;
  take_counts(object, "lost_bytes",
              {{"ring_full", &lost.ring_full},
               {"fault", &lost.fault},
               {"uncaptured", &lost.uncaptured},
               {"quiet", &lost.quiet},
               {"unread", &lost.unread}});
  take_counts(object, "recovery",
              {{"found", &stream.recovery.found},
               {"sought", &stream.recovery.sought},
               {"missing", &stream.recovery.missing}});
  if (const auto* flows = array_member(object, "differing"))
    for (const json::value& flow : *flows)
      if (flow.is_string()) stream.differing.emplace_back(flow.get_string());
  stream.lost_events = count_member(object, "lost_events").value_or(0);
  stream.no_slot = count_member(object, "no_slot").value_or(0);
  stream.recursion_misses = count_member(object, "recursion_misses");
  take_counts(object, "unkept_names",
              {{"too_long", &stream.unkept_names.too_long},
               {"no_map", &stream.unkept_names.no_map},
               {"no_room", &stream.unkept_names.no_room}});
  JournalStatus journal;
  if (take_counts(object, "journal",
                  {{"bytes", &journal.bytes},
                   {"limit", &journal.limit},
                   {"segments", &journal.segments},
                   {"write_errors", &journal.write_errors},
                   {"torn", &journal.torn}}))
    stream.journal = journal;
  take_counts(object, "flows", {{"open", &stream.open_flows}, {"ended", &stream.ended_flows}});
  if (const auto* flows = member(object, "flows"); flows != nullptr && flows->is_object())
    stream.flows_since = parse_rfc3339(text_member(flows->get_object(), "since"));
  stream.open_streams = count_member(object, "open_streams").value_or(0);
  stream.taps = count_member(object, "taps").value_or(0);
  if (const auto* sources = member(object, "sources"); sources != nullptr && sources->is_object())
    stream.sources = sources_from_json(sources->get_object());
  return stream;
}

}  // namespace flowtap::api
