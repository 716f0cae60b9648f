#include "merged_record.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/json/members.hpp"
#include "base/rfc3339.hpp"
#include "collector_name.hpp"

namespace flowtap::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostRecords = 1 << 16U;
constexpr std::array<const char*, 4> kKlogs = {"ts", "caller", "logger", "msg"};  // zapr's own, in its order

bool has_time(const json::object& object) {
  const json::value* ts = member(object, "ts");
  return ts != nullptr && ts->is_number();
}

// Collectors may take a record's time away and write their own. Milliseconds since 1970; 0, which is nobody's, if there is none.
json::value time_in(const json::object& object) {
  for (const auto& [key, value] : object) {
    if (!value.is_string()) continue;
    if (const auto time = parse_rfc3339(std::string_view(value.get_string())))
      return std::chrono::duration<double, std::milli>(time->time_since_epoch()).count();
  }
  return 0;
}

bool has_event(std::string_view text) {
  // In a string, quotes have backslashes.
  const auto has = [text](std::string_view name) { return text.contains(name); };
  return (has(R"("involvedObject)") || has(R"("regarding)")) && has(R"("reason)");
}

// What writes events to its own log, an object in each line, which a collector then has as a string.
std::optional<ObjectRecord> event_in(std::string_view string) {
  if (!string.starts_with('{') || !has_event(string)) return std::nullopt;
  json::error_code error;
  const json::value value = json::parse(json_view(string), error);
  return !error && value.is_object() ? event_record(value.get_object()) : std::nullopt;
}

// The program's own members follow klog's.
std::string as_klog(const json::object& object) {
  json::object out;
  if (!has_time(object)) out.emplace("ts", time_in(object));
  for (const char* key : kKlogs)
    if (const json::value* found = member(object, key); found != nullptr && !out.contains(key))
      out.emplace(key, *found);
  for (const auto& [key, value] : object)
    if (!out.contains(key)) out.emplace(key, value);
  return json::serialize(out);
}

// A record of zap's has a level, and klog's has `v` or none.
bool is_klogs(const json::object& object) {
  const json::value* msg = member(object, "msg");
  const json::value* caller = member(object, "caller");
  if (!has_time(object) && object.contains("level")) return false;
  return msg != nullptr && msg->is_string() && caller != nullptr && caller->is_string();
}

// `outer`: what a collector calls the log of all that is in the value. The parser bounds how deep values are nested.
void find_records(const json::value& value, std::vector<ObjectRecord>& out, const std::string& outer = {}) {
  if (out.size() >= kMostRecords) return;
  if (const json::string* string = value.if_string()) {
    if (auto record = event_in(*string)) out.push_back(std::move(*record));
  } else if (const json::array* array = value.if_array()) {
    for (const json::value& item : *array) find_records(item, out, outer);
  } else if (const json::object* object = value.if_object()) {
    const std::string own = outer.empty() ? collector_name(*object) : outer;
    if (is_klogs(*object)) return out.push_back({.text = as_klog(*object), .event = {}, .source = own});
    for (auto* const read : {headerless_record, event_record})
      if (auto record = read(*object)) {
        if (!record->event) record->source = own;
        return out.push_back(std::move(*record));
      }
    const std::size_t first = out.size();
    for (const auto& one : *object) {
      const std::size_t before = out.size();
      find_records(one.value(), out, own);
      // A collector may keep the line beside what it has read from it.
      const bool is_one = out.size() == before + 1 && before > first && out.back().event.has_value();
      if (is_one && out.back().event == out[before - 1].event) out.pop_back();
    }
  }
}

// "schedule_one.go" or "schedule_one.go:97" is all of a string.
bool has_place(std::string_view line) {
  constexpr std::string_view kGo = ".go";
  for (std::size_t at = line.find(kGo); at != std::string_view::npos; at = line.find(kGo, at)) {
    at += kGo.size();
    const std::string_view behind = line.substr(at + (line.substr(at).starts_with(':') ? 1 : 0));
    const std::size_t end = std::min(behind.find_first_not_of("0123456789"), behind.size());
    if (behind.substr(end).starts_with('"')) return true;
  }
  return false;
}

// Few lines have one, and only those are parsed.
bool may_have_record(std::string_view line) {
  const auto has = [line](std::string_view text) { return line.contains(text); };
  return (has(R"("caller")") && has(R"("msg")")) || (has(R"("\")") && has(".go")) ||
         (has(R"("severity")") && has_place(line)) || has_event(line);
}

// "[pod/web-0/app] " and "app[12]: " are no lists of objects.
std::size_t place_of_object(std::string_view line) {
  for (std::size_t at = line.find_first_of("{["); at != std::string_view::npos;
       at = line.find_first_of("{[", at + 1)) {
    const std::size_t next = line.find_first_not_of(" \t\r\n", at + 1);
    if (next == std::string_view::npos) break;
    if (line[at] == '{' ? line[next] == '"' : line[next] == '{' || line[next] == '[') return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<Enclosed> find_merged(std::string_view line) {
  if (!may_have_record(line)) return std::nullopt;
  const std::size_t begin = place_of_object(line);
  if (begin == std::string_view::npos) return std::nullopt;
  const PrefixKind behind = prefix_kind(line.substr(0, begin));
  if (behind == PrefixKind::kProse) return std::nullopt;
  return Enclosed{.at = begin, .form = flow::KlogForm::kJson, .behind = behind};
}

std::vector<ObjectRecord> merged_records(std::string_view text) {
  std::vector<ObjectRecord> out;
  json::error_code error;
  json::value value = json::parse(json_view(text), error);
  if (error) {
    // In a field of CSV, others stand behind it, and of a list each line may have one.
    const std::string_view whole = text.substr(0, text.rfind('}') + 1);  // npos + 1 is 0
    value = json::parse(json_view(whole.substr(std::min(whole.find('{'), whole.size()))), error);
  }
  if (!error) find_records(value, out);
  return out;
}

}  // namespace flowtap::cli
