#include "api/json/log_json.hpp"

#include "base/json/members.hpp"
#include "base/rfc3339.hpp"

namespace flowtap::api {

std::string log_line_to_json(std::string_view line, const FlowStatus* of) {
  boost::json::object object;
  const std::size_t space = line.find(' ');
  // Notes between lines, such as how many a slow reader has missed, have no time.
  if (space != std::string_view::npos && parse_rfc3339(line.substr(0, space))) {
    object["time"] = utf8(line.substr(0, space));
    line.remove_prefix(space + 1);
  }
  const auto put = [&object](boost::json::string_view name, const std::optional<std::string>& text) {
    if (text) object[name] = utf8(*text);
  };
  if (of != nullptr) {
    put("namespace", of->ns);
    put("pod", of->pod);
    put("container", of->container);
  }
  object["text"] = utf8(line);
  return boost::json::serialize(object);
}

}  // namespace flowtap::api
