#include "api/routes/routes.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <vector>

#include "api/routes/route_table.hpp"
#include "api/routes/target.hpp"
#include "base/json/members.hpp"
#include "base/printable.hpp"

namespace flowtap::api {
namespace {

/// The text in the places of {name}, still encoded and never empty; nothing where the path does not match.
std::optional<std::vector<std::string_view>> match(const Route& route, std::string_view path) {
  std::string_view pattern = route.path;
  std::vector<std::string_view> segments;
  while (true) {
    const auto braces = pattern.find('{');
    if (braces == std::string_view::npos) return path == pattern ? std::optional(segments) : std::nullopt;
    if (!path.starts_with(pattern.substr(0, braces))) return std::nullopt;
    path.remove_prefix(braces);
    pattern.remove_prefix(pattern.find('}') + 1);
    const std::string_view segment = path.substr(0, path.find('/'));
    if (segment.empty()) return std::nullopt;
    segments.push_back(segment);
    path.remove_prefix(segment.size());
  }
}

Answer no_such_path(std::string_view path) {
  // The client may have forgotten to encode the slashes in a flow id.
  const std::string flow = std::string(kFlowsPath) + "/";
  if (path.starts_with(flow) && (path.ends_with("/raw") || path.ends_with("/log")))
    return error_answer(404, "there is no " + in_quotes(path),
                        "a flow id is one segment: write each / inside of it as %2F");
  std::string list;
  for (const Route& r : routes()) list += (list.empty() ? "" : ", ") + r.path;
  return error_answer(404, "there is no " + in_quotes(path), "routes: " + list);
}

Answer unknown_parameter(const Route& route, const std::string& name) {
  std::string accepted;
  for (const auto& p : route.parameters)
    accepted += (accepted.empty() ? "accepted: " : ", ") + std::string(p.name);
  return error_answer(400, route.path + " does not know the parameter " + in_quotes(name),
                      accepted.empty() ? "it takes none: leave out the ? and what follows it" : accepted);
}

Answer answer_with(const Route& route, const std::vector<std::string_view>& segments, const Request& request,
                   std::string_view query, const NodeView& node) {
  if (request.method != "GET" && request.method != "HEAD") {
    Answer refused = error_answer(405, route.path + " can only be read", "use GET or HEAD");
    refused.allow = "GET, HEAD";
    return refused;
  }
  std::vector<std::string> decoded;
  for (const std::string_view segment : segments) {
    auto text = percent_decode(segment);
    if (!text) return error_answer(400, text.error().what, text.error().hint);
    decoded.push_back(std::move(*text));
  }
  auto parameters = Parameters::parse(query, flags_of(route.parameters));
  if (!parameters) return error_answer(400, parameters.error().what, parameters.error().hint);
  if (const auto* name = parameters->unknown(names_of(route.parameters)))
    return unknown_parameter(route, *name);
  return route.answer({node, std::move(decoded), std::move(*parameters), request.may_follow});
}

Answer find_and_answer(const Request& request, const NodeView& node) {
  if (!request.target.starts_with('/'))
    return error_answer(400, "the request target must be a path that begins with /");
  const auto question = std::min(request.target.find('?'), request.target.size());
  const std::string_view path = request.target.substr(0, question);
  const std::string_view query = request.target.substr(std::min(question + 1, request.target.size()));
  for (const Route& route : routes())
    if (const auto segments = match(route, path)) return answer_with(route, *segments, request, query, node);
  return no_such_path(path);
}

}  // namespace

Answer route(const Request& request, const NodeView& node) noexcept {
  try {
    return find_and_answer(request, node);
  } catch (const std::exception&) {  // out of memory, or a view that broke its promise
    return {500, R"({"error":"the service failed to make this answer; its log says more"})"};
  }
}

}  // namespace flowtap::api
