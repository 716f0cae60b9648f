#include "api/log_json.hpp"

#include "api/json.hpp"

namespace flowtap::api {

std::string log_line_to_json(std::string_view line) {
  boost::json::object object;
  if (const std::size_t space = line.find(' '); space != std::string_view::npos) {
    object["time"] = utf8(line.substr(0, space));
    line.remove_prefix(space + 1);
  }
  object["text"] = utf8(line);
  return boost::json::serialize(object);
}

}  // namespace flowtap::api
