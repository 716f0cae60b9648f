#include "api/routes/openapi.hpp"

#include <array>
#include <boost/json.hpp>
#include <string>

#include "api/routes/route_table.hpp"
#include "base/json/members.hpp"

namespace flowtap::api {
namespace {

namespace json = boost::json;

struct StatusMeaning {
  unsigned status;
  std::string_view what;
  bool all;  // whether every route may answer with it
};

constexpr std::array kMeanings = {
    StatusMeaning{304, "The client already has this answer: If-None-Match names its ETag.", false},
    StatusMeaning{400, "The request is malformed, or it has a parameter with an unknown name or value.",
                  true},
    StatusMeaning{401, "Over TCP: the request has no valid token.", true},
    StatusMeaning{
        403, "This user may not use the API; over TCP: Kubernetes says that it may not get pods/log there.",
        true},
    StatusMeaning{404, "This node does not know what the path names.", false},
    StatusMeaning{405, "Everything here can only be read: GET and HEAD.", true},
    StatusMeaning{409, "This output cannot be captured now; the error says why.", false},
    StatusMeaning{413, "The body of the request is too large.", true},
    StatusMeaning{429, "There were too many requests, or the limit on clients that follow is reached.", true},
    StatusMeaning{431, "The header of the request is too large.", true},
    StatusMeaning{500, "The answer could not be made.", true},
    StatusMeaning{
        503, "Not now: this part does not run, too many connections are open, or Kubernetes cannot be asked.",
        true}};

json::object reference(std::string_view folder, std::string_view name) {
  return {{"$ref", "#/components/" + std::string(folder) + "/" + std::string(name)}};
}

json::object schema_of(const QueryParameter& parameter) {
  switch (parameter.type) {
    case ParameterType::kCount:
      return {{"type", "integer"}, {"minimum", 0}};
    case ParameterType::kFlag:
      return {{"type", "boolean"}};
    case ParameterType::kTime:
      return {{"type", "string"}, {"format", "date-time"}};
    case ParameterType::kWord: {
      json::array words;
      for (const std::string_view word : parameter.words) words.emplace_back(json_view(word));
      return {{"type", "string"}, {"enum", std::move(words)}};
    }
    case ParameterType::kText:
      break;
  }
  return {{"type", "string"}};
}

json::array parameters_of(const Route& route) {
  json::array all;
  std::string_view rest = route.path;
  for (auto brace = rest.find('{'); brace != std::string_view::npos; brace = rest.find('{')) {
    rest.remove_prefix(brace + 1);
    const std::string_view name = rest.substr(0, rest.find('}'));
    all.push_back(json::object{{"name", json_view(name)},
                               {"in", "path"},
                               {"required", true},
                               {"description", json_view(segment_meaning(name))},
                               {"schema", {{"type", "string"}}}});
  }
  for (const QueryParameter& parameter : route.parameters) {
    json::object one{{"name", json_view(parameter.name)},
                     {"in", "query"},
                     {"description", json_view(parameter.what)},
                     {"schema", schema_of(parameter)}};
    if (parameter.type == ParameterType::kFlag) one["allowEmptyValue"] = true;
    all.push_back(std::move(one));
  }
  return all;
}

json::object responses_of(const Route& route) {
  json::object content;
  for (const std::string_view type : route.types) content[json_view(type)] = json::object();
  json::object all{{"200", {{"description", json_view(route.what)}, {"content", std::move(content)}}}};
  for (const StatusMeaning& meaning : kMeanings) {
    bool has = meaning.all || (meaning.status == 304 && route.types.front() == kJson);
    for (const unsigned status : route.refusals) has = has || status == meaning.status;
    const std::string name = std::to_string(meaning.status);
    if (has) all[name] = reference("responses", name);
  }
  return all;
}

json::object components() {
  json::object responses;
  for (const StatusMeaning& meaning : kMeanings) {
    json::object response{{"description", json_view(meaning.what)}};
    if (meaning.status >= 400)
      response["content"] = {{json_view(kJson), {{"schema", reference("schemas", "Error")}}}};
    responses[std::to_string(meaning.status)] = std::move(response);
  }
  const json::object error{{"type", "object"},
                           {"required", json::array{"error"}},
                           {"properties",
                            {{"error", {{"type", "string"}, {"description", "What is wrong."}}},
                             {"hint", {{"type", "string"}, {"description", "The way out."}}}}}};
  const json::object token{
      {"type", "http"},
      {"scheme", "bearer"},
      {"description",
       "Needed over TCP. On the Unix socket the user who asks decides, and no token is needed."}};
  return {{"responses", std::move(responses)},
          {"schemas", {{"Error", error}}},
          {"securitySchemes", {{"token", token}}}};
}

std::string document() {
  json::object paths;
  for (const Route& route : routes())
    paths[route.path] = {{"get",
                          {{"summary", json_view(route.what)},
                           {"parameters", parameters_of(route)},
                           {"responses", responses_of(route)}}}};
  const json::object all{
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "flowtapd"},
        {"version", FLOWTAP_VERSION},
        {"description", "What runs on this node, as flowtapd saw it. HEAD is answered wherever GET is."}}},
      {"security", json::array{json::object{{"token", json::array()}}, json::object()}},
      {"paths", std::move(paths)},
      {"components", components()}};
  return json::serialize(all);
}

}  // namespace

Answer openapi(const Call& /*call*/) {
  static const std::string kDocument = document();
  return {200, kDocument};
}

}  // namespace flowtap::api
