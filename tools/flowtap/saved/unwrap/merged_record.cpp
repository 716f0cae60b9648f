#include "merged_record.hpp"

#include <array>
#include <utility>

#include "base/json/members.hpp"

namespace flowtap::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostRecords = 1 << 16U;
constexpr std::array<const char*, 4> kKlogs = {"ts", "caller", "logger", "msg"};  // zapr's own, in its order

// The program's own members follow klog's.
std::string as_klog(const json::object& object) {
  json::object out;
  for (const char* key : kKlogs)
    if (const json::value* found = member(object, key)) out.emplace(key, *found);
  for (const auto& [key, value] : object)
    if (!out.contains(key)) out.emplace(key, value);
  return json::serialize(out);
}

bool is_klogs(const json::object& object) {
  const json::value* ts = member(object, "ts");
  const json::value* msg = member(object, "msg");
  const json::value* caller = member(object, "caller");
  return ts != nullptr && ts->is_number() && msg != nullptr && msg->is_string() && caller != nullptr &&
         caller->is_string();
}

// The parser bounds how deep values are nested.
void find_records(const json::value& value, std::vector<std::string>& out) {
  if (out.size() >= kMostRecords) return;
  if (const json::array* array = value.if_array()) {
    for (const json::value& item : *array) find_records(item, out);
  } else if (const json::object* object = value.if_object()) {
    if (is_klogs(*object)) return out.push_back(as_klog(*object));
    for (const auto& one : *object) find_records(one.value(), out);
  }
}

}  // namespace

std::vector<std::string> merged_records(std::string_view line) {
  std::vector<std::string> out;
  const std::size_t begin = line.find_first_of("{[");
  if (begin == std::string_view::npos || !line.contains(R"("caller")") || !line.contains(R"("msg")"))
    return out;
  json::error_code error;
  const json::value value = json::parse(json_view(line.substr(begin)), error);
  if (!error) find_records(value, out);
  return out;
}

}  // namespace flowtap::cli
