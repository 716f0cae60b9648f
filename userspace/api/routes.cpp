#include "api/routes.hpp"

#include <algorithm>
#include <array>
#include <exception>

#include "api/json.hpp"
#include "api/stats_json.hpp"
#include "api/status_json.hpp"
#include "base/printable.hpp"

namespace flowtap::api {
namespace {

Answer health(const NodeView&) {
  return {200, R"({"status":"ok"})"};
}

Answer ready(const NodeView& node) {
  if (const Status status = node.ready(); !status)
    return error_answer(503, "not ready: " + status.error().what, status.error().hint);
  return {200, R"({"status":"ready"})"};
}

Answer status(const NodeView& node) {
  return {200, status_to_json(node.status())};
}

Answer stats(const NodeView& node) {
  const auto snapshot = node.snapshot();
  if (!snapshot)
    return error_answer(503, "no totals yet: the first cycle has not ended", "try again in a moment");
  return {200, stats_to_json(*snapshot)};
}

struct Route {
  std::string_view path;
  Answer (*answer)(const NodeView&);
};
constexpr std::array kRoutes = {Route{kHealthPath, health}, Route{kReadyPath, ready},
                                Route{kStatusPath, status}, Route{kStatsPath, stats}};

std::string route_list() {
  std::string list;
  for (const Route& r : kRoutes) list += (list.empty() ? "" : ", ") + std::string(r.path);
  return list;
}

Answer find_and_answer(const Request& request, const NodeView& node) {
  if (!request.target.starts_with('/'))
    return error_answer(400, "the request target must be a path that begins with /");
  const auto question = request.target.find('?');
  const std::string_view path = request.target.substr(0, question);
  const auto* const found = std::ranges::find(kRoutes, path, &Route::path);
  if (found == kRoutes.end())
    return error_answer(404, "there is no " + in_quotes(path), "routes: " + route_list());
  if (request.method != "GET" && request.method != "HEAD") {
    Answer refused = error_answer(405, std::string(path) + " can only be read", "use GET or HEAD");
    refused.allow = "GET, HEAD";
    return refused;
  }
  if (question != std::string_view::npos && question + 1 < request.target.size())
    return error_answer(400,
                        std::string(path) + " takes no parameters, but was given " +
                            in_quotes(request.target.substr(question + 1)),
                        "leave out the ? and what follows it");
  return found->answer(node);
}

}  // namespace

Answer error_answer(unsigned status, std::string_view what, std::string_view hint) {
  // What comes from outside may be any bytes; JSON is UTF-8.
  boost::json::object body{{"error", printable(what)}};
  if (!hint.empty()) body["hint"] = printable(hint);
  return {status, boost::json::serialize(body)};
}

Answer route(const Request& request, const NodeView& node) noexcept {
  try {
    return find_and_answer(request, node);
  } catch (const std::exception&) {  // out of memory, or a view that broke its promise
    return {500, R"({"error":"the service failed to make this answer; its log says more"})"};
  }
}

}  // namespace flowtap::api
