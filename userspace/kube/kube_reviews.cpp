#include "kube/kube_reviews.hpp"

#include "base/json/members.hpp"

namespace flowtap::kube {
namespace {

namespace json = boost::json;

/// The status in the answer, if the answer is of this kind.
Result<json::object> status_of(std::string_view body, std::string_view kind) {
  const std::string name = "the API server's answer to a " + std::string(kind);
  json::error_code error;
  const json::value value = json::parse({body.data(), body.size()}, error);
  const auto* object = error ? nullptr : value.if_object();
  const auto* status = object != nullptr ? member(*object, "status") : nullptr;
  if (status == nullptr || !status->is_object() || text_member(*object, "kind") != kind)
    return fail(name + " is not one", "is api.kubernetes_server the address of Kubernetes' API server?");
  return status->get_object();
}

std::vector<std::string> texts(const json::value* list) {
  std::vector<std::string> all;
  const auto* items = list != nullptr ? list->if_array() : nullptr;
  if (items == nullptr) return all;
  for (const auto& item : *items)
    if (const auto* text = item.if_string()) all.emplace_back(text->data(), text->size());
  return all;
}

json::array array_of(const std::vector<std::string>& texts) {
  json::array all;
  for (const std::string& text : texts) all.emplace_back(utf8(text));
  return all;
}

}  // namespace

std::string token_review(std::string_view token) {
  return json::serialize(json::object{{"apiVersion", "authentication.k8s.io/v1"},
                                      {"kind", "TokenReview"},
                                      {"spec", json::object{{"token", utf8(token)}}}});
}

Result<std::optional<Subject>> parse_token_review(std::string_view body) {
  FTAP_TRY_ASSIGN(status, status_of(body, "TokenReview"));
  if (!bool_member(status, "authenticated")) return std::nullopt;
  const auto* user = member(status, "user");
  const auto* told = user != nullptr ? user->if_object() : nullptr;
  // A user without a name might be taken for somebody else.
  if (told == nullptr || text_member(*told, "username").empty())
    return fail("the API server's answer to a TokenReview names nobody");
  Subject subject{.user = text_member(*told, "username"),
                  .uid = text_member(*told, "uid"),
                  .groups = texts(member(*told, "groups")),
                  .extra = {}};
  if (const auto* extra = member(*told, "extra"); extra != nullptr && extra->is_object())
    for (const auto& [key, values] : extra->get_object())
      subject.extra.emplace_back(std::string(key.data(), key.size()), texts(&values));
  return subject;
}

std::string access_review(const Subject& subject, const Right& right) {
  json::object extra;
  for (const auto& [key, values] : subject.extra) extra[utf8(key)] = array_of(values);
  const bool of_node = right.to == Right::To::kNode;
  json::object attributes{{"verb", "get"},
                          {"version", "v1"},
                          {"resource", of_node ? "nodes" : "pods"},
                          {"subresource", of_node ? "proxy" : "log"}};
  if (!of_node && !right.ns.empty()) attributes["namespace"] = utf8(right.ns);
  json::object spec{{"user", utf8(subject.user)},
                    {"groups", array_of(subject.groups)},
                    {"extra", std::move(extra)},
                    {"resourceAttributes", std::move(attributes)}};
  if (!subject.uid.empty()) spec["uid"] = utf8(subject.uid);
  return json::serialize(json::object{
      {"apiVersion", "authorization.k8s.io/v1"}, {"kind", "SubjectAccessReview"}, {"spec", std::move(spec)}});
}

Result<bool> parse_access_review(std::string_view body) {
  FTAP_TRY_ASSIGN(status, status_of(body, "SubjectAccessReview"));
  return bool_member(status, "allowed") && !bool_member(status, "denied");
}

}  // namespace flowtap::kube
