#include "api/json/log_json.hpp"

#include "base/json/members.hpp"
#include "base/rfc3339.hpp"

namespace flowtap::api {

std::string log_line_to_json(std::string_view line) {
  boost::json::object object;
  const std::size_t space = line.find(' ');
  // Notes between lines, such as how many a slow reader has missed, have no time.
  if (space != std::string_view::npos && parse_rfc3339(line.substr(0, space))) {
    object["time"] = utf8(line.substr(0, space));
    line.remove_prefix(space + 1);
  }
  object["text"] = utf8(line);
  return boost::json::serialize(object);
}

// The text may be long, so it is not parsed.
std::string log_json_of(std::string_view object, const FlowStatus& flow) {
  boost::json::object origin;
  const auto put = [&origin](boost::json::string_view name, const std::optional<std::string>& text) {
    if (text) origin[name] = utf8(*text);
  };
  put("namespace", flow.ns);
  put("pod", flow.pod);
  put("container", flow.container);
  if (origin.empty()) return std::string(object);
  constexpr std::string_view kBegin = R"({"time":")";
  // A message of flowtap's own has no time.
  std::size_t at = object.starts_with(kBegin) ? object.find('"', kBegin.size()) : 0;
  if (at == std::string_view::npos) return std::string(object);
  const std::string members = boost::json::serialize(origin);
  const std::string_view inner = std::string_view(members).substr(1, members.size() - 2);
  std::string out(object.substr(0, ++at));
  if (at > 1) out += ',';
  out += inner;
  if (at == 1) return out.append(1, ',').append(object.substr(at));
  return out.append(object.substr(at));
}

}  // namespace flowtap::api
