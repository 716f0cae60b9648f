#include "object_records.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "base/json/members.hpp"
#include "base/rfc3339.hpp"
#include "explain/diagnosis/facts/fact_parser.hpp"
#include "stream/lines/klog/klog_pairs.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "tools/flowtap/saved/klog_stamp.hpp"

namespace flowtap::cli {
namespace {

namespace json = boost::json;
using Time = std::chrono::system_clock::time_point;

std::uint64_t nanos(const std::optional<Time>& time) {
  if (!time) return 0;
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(time->time_since_epoch()).count();
  return since > 0 ? static_cast<std::uint64_t>(since) : 0;
}

// Gives each string of the object, and of the objects in it, until one is taken.
template <typename Takes>
bool any_string(const json::object& object, Takes takes) {
  for (const auto& [key, value] : object) {
    if (const auto* text = value.if_string(); text != nullptr && takes(std::string_view(*text))) return true;
    const auto* inner = value.if_object();
    if (inner == nullptr) continue;
    for (const auto& [name, member] : *inner)
      if (const auto* text = member.if_string(); text != nullptr && takes(std::string_view(*text)))
        return true;
  }
  return false;
}

// "schedule_one.go", with a line or without.
bool is_place(std::string_view text) {
  const std::string_view file = text.substr(0, text.find(':'));
  return file.ends_with(".go") && !file.contains(' ') && text.size() < 200;
}

// A quoted message, and pairs.
bool is_body(std::string_view text) {
  if (!text.starts_with('"')) return false;
  const std::string whole = record_of_body(0, "a.go", text);
  const auto record = flow::parse_klog_record(whole);
  if (!record || !record->structured || record->message.empty()) return false;
  flow::KlogPair pair;
  return flow::KlogPairs(*record).next(pair);
}

// A message without pairs, as HAMi writes some. Other programs' messages look so, too, but a collector that takes records apart says
// beside them how grave each is. zap, which some programs use, says it, too, and calls the place `caller`.
std::string prose_in(const json::object& object) {
  if (text_member(object, "severity").empty() || member(object, "caller") != nullptr) return {};
  std::string text = text_member(object, "message");
  if (const json::value* inner = member(object, "jsonPayload");
      text.empty() && inner != nullptr && inner->is_object())
    text = text_member(inner->get_object(), "message");
  return flow::begins_klog_record(text) ? std::string() : text;
}

// The member, or that of the object that one of the names has.
std::string text_in(const json::object& object, std::initializer_list<std::string_view> holders,
                    std::string_view name) {
  for (const std::string_view holder : holders)
    if (const json::value* inner = member(object, holder); inner != nullptr && inner->is_object())
      return text_member(inner->get_object(), name);
  return {};
}

// How often an event was, in whichever form: 0 if it does not say it.
std::uint64_t count_in(const json::object& event) {
  const json::value* series = member(event, "series");
  for (const json::value* count :
       {series != nullptr && series->is_object() ? member(series->get_object(), "count") : nullptr,
        member(event, "count"), member(event, "deprecatedCount")}) {
    if (count == nullptr) continue;
    if (count->is_int64() && count->get_int64() > 0) return static_cast<std::uint64_t>(count->get_int64());
    if (const auto* text = count->if_string(); text != nullptr) {  // of YAML
      std::uint64_t number = 0;
      const auto [end, wrong] = std::from_chars(text->data(), text->data() + text->size(), number);
      if (wrong == std::errc{} && end == text->data() + text->size()) return number;
    }
  }
  return 0;
}

}  // namespace

std::string record_of_body(std::uint64_t time, std::string_view place, std::string_view body) {
  const std::string_view line = place.contains(':') ? "" : ":1";
  return fmt::format("I{}       1 {}{}] {}", klog_stamp(time), place, line, body);
}

bool is_of_known_scheduler(const std::string& record) {
  const auto parsed = flow::parse_klog_record(record);
  return parsed && !diagnosis::FactParser().parse(*parsed, record).empty();
}

std::optional<ObjectRecord> headerless_record(const json::object& object) {
  std::string body;
  std::string place;
  std::optional<Time> time;
  const bool said = any_string(object, [&body](std::string_view text) {
    if (!is_body(text)) return false;
    body = text;
    return true;
  });
  if (!said) body = prose_in(object);
  const bool placed = !body.empty() && any_string(object, [&place](std::string_view text) {
    if (!is_place(text)) return false;
    place = text;
    return true;
  });
  if (!placed) return std::nullopt;
  any_string(object, [&time](std::string_view text) {
    time = parse_rfc3339(text);
    return time.has_value();
  });
  while (body.ends_with('\n')) body.pop_back();
  ObjectRecord record{.text = record_of_body(nanos(time), place, body), .time = nanos(time)};
  if (said) return record;
  // Without a time, it would be the oldest record of its log.
  const bool is_schedulers = time && !body.contains('\n') && is_of_known_scheduler(record.text);
  return is_schedulers ? std::optional(std::move(record)) : std::nullopt;
}

std::optional<ObjectRecord> event_record(const json::object& object) {
  const std::initializer_list<std::string_view> about = {"involvedObject", "regarding"};
  KubeEvent event{.ns = text_in(object, about, "namespace"),
                  .pod = text_in(object, about, "name"),
                  .type = text_member(object, "type"),
                  .reason = text_member(object, "reason"),
                  .message = text_member(object, "message")};
  if (event.message.empty()) event.message = text_member(object, "note");  // of events.k8s.io
  if (text_in(object, about, "kind") != "Pod" || event.pod.empty() || event.message.empty())
    return std::nullopt;
  event.from = text_in(object, {"source", "deprecatedSource"}, "component");
  for (const char* key : {"reportingComponent", "reportingController"})
    if (event.from.empty()) event.from = text_member(object, key);
  std::optional<Time> time = parse_rfc3339(text_in(object, {"series"}, "lastObservedTime"));
  for (const char* key : {"lastTimestamp", "deprecatedLastTimestamp", "eventTime"})
    if (!time) time = parse_rfc3339(text_member(object, key));
  if (!time) time = parse_rfc3339(text_in(object, {"metadata"}, "creationTimestamp"));
  event.time = nanos(time);
  event.count = std::max(count_in(object), std::uint64_t{1});
  return ObjectRecord{.text = klog_of(event), .time = event.time, .event = event};
}

}  // namespace flowtap::cli
