#include "part_lines.hpp"

#include <algorithm>
#include <array>

#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostOutputs = 64;
constexpr std::size_t kLongestText = std::size_t{1} << 20U;  // a record has no more (flow::RecordRules)

constexpr std::array kTexts = {"message", "log", "msg", "MESSAGE"};
// What tells one output from another one, and is the same in each of its lines.
constexpr std::array kOfOutput = {"stream", "container_id", "container_name", "partial_id",
                                  "file",   "filename",     "path",           "tag",
                                  "host",   "kubernetes",   "docker",         "log.file.path"};

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

bool has_more(const json::object& object) {
  return std::ranges::any_of(kPartMarks, [&object](const Mark& mark) {
    return has_value(object, mark.member, mark.more) &&
           (mark.last_member == mark.member || !has_value(object, mark.last_member, mark.last));
  });
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

std::string output_of(const json::object& object) {
  std::string out;
  for (const char* const name : kOfOutput)
    if (const json::value* found = member(object, name)) out.append(json::serialize(*found)).append(1, '\n');
  return out;
}

}  // namespace

void PartLines::add(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  const bool is_object = line.starts_with('{') && line.size() <= 2 * kLongestText;
  const bool may_be_part = is_object && (!held_.empty() || may_have_more(line));
  if (!may_be_part || !add_part(line, time, take)) take(line, full, time);
}

bool PartLines::add_part(std::string_view line, std::uint64_t time, const Take& take) {
  json::error_code error;
  json::value value = json::parse(json_view(line), error);
  if (error || !value.is_object()) return false;
  // Elasticsearch keeps what it was sent in a member.
  json::value* const source = value.get_object().if_contains("_source");
  json::object& object = source != nullptr && source->is_object() ? source->get_object() : value.get_object();
  const json::string* const text = text_of(object);
  if (text == nullptr) return false;
  const std::string output = output_of(object);
  auto before = held_.find(output);
  if (before != held_.end() && flow::begins_klog_record(std::string_view(*text))) {
    give(before, take);  // its rest is not here
    before = held_.end();
  }
  if (before == held_.end()) {
    if (!has_more(object) || held_.size() == kMostOutputs) return false;
    held_.emplace(output, Held{.object = std::move(object), .time = time});
    return true;
  }
  json::string& whole = *text_of(before->second.object);
  whole.append(*text);
  ++before->second.parts;
  if (!has_more(object) || whole.size() > kLongestText) give(before, take);
  return true;
}

void PartLines::give(Outputs::iterator one, const Take& take) {
  const Held held = std::move(one->second);
  held_.erase(one);
  take(json::serialize(held.object), true, held.time);
  // Each of its lines is understood, and counted.
  for (std::size_t i = 1; i < held.parts; ++i) take({}, true, held.time);
}

void PartLines::finish(const Take& take) {
  while (!held_.empty()) give(held_.begin(), take);
}

}  // namespace flowtap::cli
