#include "part_lines.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ranges>
#include <utility>

#include "base/rfc3339.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "tools/flowtap/saved/unwrap/around/value_margin.hpp"

namespace flowtap::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostOutputs = 64;
constexpr std::size_t kMostBehindPart = 64;  // lines that wait for the parts of one before them
constexpr std::size_t kMostObjectsBefore = 8;
constexpr std::size_t kLongestText = std::size_t{1} << 20U;  // a record has no more (flow::RecordRules)

constexpr std::array kTexts = {"message", "log", "msg", "MESSAGE"};
constexpr std::array kOrdinal = {"partial_ordinal", "partial_last"};

/// How a runtime says in a member that more of the line follows, and that nothing does.
struct Mark {
  std::string_view member;
  std::string_view more;
  std::string_view last;  // the member, or another one, has this; empty: nothing says it
  std::string_view last_member;
};
constexpr std::array kPartMarks = {
    Mark{"logtag", "P", "F", "logtag"},                       // CRI, as Fluent Bit and Fluentd call it
    Mark{"_p", "P", "F", "_p"},                               // the same, of Fluent Bit's own parser
    Mark{"partial_message", "true", "true", "partial_last"},  // Docker's drivers
};

// A member may be a string or a value of JSON.
bool has_value(const json::object& object, std::string_view name, std::string_view value) {
  const json::value* found = member(object, name);
  if (found == nullptr) return false;
  if (const json::string* text = found->if_string()) return std::string_view(*text) == value;
  return value == "true" && found->is_bool() && found->get_bool();
}

// The mark that says that more follows; their number: none does.
std::size_t mark_of_more(const json::object& object) {
  const auto found = std::ranges::find_if(kPartMarks, [&object](const Mark& mark) {
    return has_value(object, mark.member, mark.more) &&
           (mark.last_member == mark.member || !has_value(object, mark.last_member, mark.last));
  });
  return static_cast<std::size_t>(found - kPartMarks.begin());
}

// Docker before 19.03 says nothing beside the last part.
bool is_last(const json::object& object, const Mark& mark) {
  return has_value(object, mark.last_member, mark.last) ||
         (mark.last_member != mark.member && member(object, mark.member) == nullptr);
}

// Few lines have one, and only those are parsed.
bool may_have_more(std::string_view line) {
  return std::ranges::any_of(kPartMarks, [line](const Mark& mark) {
    const std::size_t at = line.find(mark.member);
    if (at == std::string_view::npos) return false;
    const std::string_view behind = line.substr(at + mark.member.size(), mark.more.size() + 5);
    return behind.starts_with('"') && behind.contains(mark.more);
  });
}

json::string* text_of(json::object& object) {
  for (const char* const name : kTexts)
    if (auto* const found = object.find(name); found != object.end() && found->value().is_string())
      return &found->value().get_string();
  return nullptr;
}

bool is_time(std::string_view name, std::string_view text) {
  return name.contains("time") || name == "ts" || name == "date" || parse_rfc3339(text);
}

// s since 1970
std::optional<double> time_of(const json::object& object) {
  for (const auto& [name, value] : object) {
    if (value.is_number() && is_time(name, {})) return number_member(object, name);
    const json::string* const text = value.if_string();
    const auto time = text != nullptr ? parse_rfc3339(std::string_view(*text)) : std::nullopt;
    if (time) return std::chrono::duration<double>(time->time_since_epoch()).count();
  }
  return std::nullopt;
}

// All that tells whose output it is. Numbers, such as a line's place in its file, differ from part to part. The parser bounds how deep
// values are nested.
void add_output(const json::object& object, std::string& out) {
  for (const auto& [name, value] : object) {
    if (const json::object* inner = value.if_object()) {
      add_output(*inner, out.append(name).append(1, '{'));
    } else if (const json::string* text = value.if_string(); text == nullptr) {
      if (!value.is_number()) out.append(name).append(1, '=').append(json::serialize(value));
    } else if (!is_time(name, *text)) {
      out.append(name).append(1, '=').append(json::serialize(value));
    }
    out.append(1, '\n');
  }
}

std::string output_of(const json::object& part) {
  json::object object = part;
  for (const char* const name : kTexts)
    if (const json::value* text = member(object, name); text != nullptr && text->is_string())
      object.erase(name);
  for (const Mark& mark : kPartMarks) object.erase(json_view(mark.member));
  for (const char* const name : kOrdinal) object.erase(name);
  std::string out;
  add_output(object, out);
  return out;
}

// The object that has the text; nullptr: there is none. Elasticsearch keeps what it was sent in a member.
json::object* parsed(std::string_view line, json::value& value) {
  json::error_code error;
  value = json::parse(json_view(line), error);
  if (error || !value.is_object()) return nullptr;
  json::value* const source = value.get_object().if_contains("_source");
  json::object& object = source != nullptr && source->is_object() ? source->get_object() : value.get_object();
  return text_of(object) != nullptr ? &object : nullptr;
}

// Of a value of several lines.
bool goes_on_with_value(std::string_view text) {
  return text.starts_with('\t') || text.starts_with(kValueEnds) ||
         text.find_first_not_of("\r\n") == std::string_view::npos;
}

}  // namespace

void PartLines::add(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  const bool is_object = line.starts_with('{') && line.size() <= 2 * kLongestText;
  const bool may_be_part = is_object && (!open_.empty() || may_have_more(line));
  if (!may_be_part || !add_part(line, full, time)) {
    if (is_object) remember(line);
    if (held_.empty()) return take(line, full, time);
    held_.push_back({.line = std::string(line), .full = full, .time = time});
  }
  give(take);
}

// False: the line is one of its own.
bool PartLines::add_part(std::string_view line, bool full, std::uint64_t time) {
  json::value value;
  json::object* const object = parsed(line, value);
  if (object == nullptr) return false;
  json::string* const text = text_of(*object);
  const std::string output = output_of(*object);
  const std::optional<double> at = time_of(*object);
  if (const auto found = open_.find(output); found != open_.end()) {
    Open& open = found->second;
    const bool more = mark_of_more(*object) == open.mark;
    const bool in_order = !at || !open.time || *at >= *open.time;
    const bool is_part = more || is_last(*object, kPartMarks.at(open.mark));
    if (!is_part || !in_order || flow::begins_klog_record(std::string_view(*text))) {
      close(found);  // its rest is not here
    } else {
      json::string& whole = *text_of(open.held->object);
      whole.append(*text);
      ++open.held->parts;
      open.time = at;
      if (!more || whole.size() > kLongestText) close(found);
      return true;
    }
  }
  if (open_.size() == kMostOutputs || !begins(*object, *text, output)) return false;
  remember(line);
  const std::size_t mark = mark_of_more(*object);
  Held& held = held_.emplace_back(Held{.line = std::string(line), .full = full, .time = time, .open = true});
  held.object = std::move(*object);
  open_.emplace(output, Open{.held = &held, .mark = mark, .time = at});
  return true;
}

// Behind what may be the rest of a line, the file may have its newest line first: the rest of this one stood before it.
bool PartLines::begins(const json::object& object, std::string_view text, const std::string& output) const {
  if (mark_of_more(object) == kPartMarks.size() || !flow::begins_klog_record(text)) return false;
  for (const std::string& line : std::views::reverse(before_)) {
    json::value value;
    json::object* const before = parsed(line, value);
    if (before == nullptr || output_of(*before) != output) continue;
    const std::string_view said = *text_of(*before);
    return flow::begins_klog_record(said) || goes_on_with_value(said);
  }
  return true;
}

void PartLines::remember(std::string_view line) {
  if (before_.size() == kMostObjectsBefore) before_.pop_front();
  before_.emplace_back(line);
}

void PartLines::close(Outputs::iterator one) {
  one->second.held->open = false;
  open_.erase(one);
}

void PartLines::give(const Take& take) {
  for (; !held_.empty() && (!held_.front().open || held_.size() > kMostBehindPart); held_.pop_front()) {
    const Held& held = held_.front();
    if (held.open) close(std::ranges::find(open_, &held, [](const auto& one) { return one.second.held; }));
    if (held.parts == 1) {
      take(held.line, held.full, held.time);
      continue;
    }
    take(json::serialize(held.object), true, held.time);
    // Each of its lines is understood, and counted.
    for (std::size_t i = 1; i < held.parts; ++i) take({}, true, held.time);
  }
}

void PartLines::finish(const Take& take) {
  while (!open_.empty()) close(open_.begin());
  give(take);
}

}  // namespace flowtap::cli
