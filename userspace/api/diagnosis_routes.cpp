#include "api/diagnosis_routes.hpp"

#include "api/json.hpp"
#include "base/printable.hpp"

namespace flowtap::api {
namespace {

Answer not_explained(const Error& error) {
  return error_answer(503, "nothing is explained: " + error.what,
                      error.hint.empty() ? "flowtap status tells more" : std::string_view(error.hint));
}

Answer not_seen(const std::string& ns, const std::string& pod, const DiagnosesView& view) {
  const std::string what =
      "the pod " + in_quotes(ns + "/" + pod) + " was not seen on this node by a scheduler";
  if (view.logs() == 0)
    return error_answer(404, what,
                        "no scheduler's log is captured here: ask on the node where the scheduler runs, or "
                        "name its flow in stream.schedulers of flowtapd's configuration");
  return error_answer(
      404, what, "flowtap why lists the pods that were; what a scheduler decides is known where it runs");
}

}  // namespace

Answer schedulerlog(const Call& call) {
  const auto view = call.node.diagnoses();
  if (!view) return not_explained(view.error());
  const std::string& ns = call.segments.front();
  const std::string& pod = call.segments.back();
  auto body = (*view)->schedulerlog(ns, pod, call.parameters.flag("evidence"));
  return body ? Answer{.status = 200, .body = std::move(*body)} : not_seen(ns, pod, **view);
}

Answer schedulerlogs(const Call& call) {
  const auto view = call.node.diagnoses();
  if (!view) return not_explained(view.error());
  const std::string* ns = call.parameters.find("namespace");
  const bool answers = call.parameters.flag("diagnosis");
  std::string body = R"({"items":[)";
  bool first = true;
  for (const DiagnosisEntry& entry : (*view)->schedulerlogs(ns != nullptr ? *ns : "", answers)) {
    // What a scheduler wrote may be any bytes; JSON is UTF-8.
    const boost::json::object item{
        {"namespace", utf8(entry.ns)}, {"name", utf8(entry.name)}, {"status", entry.status}};
    std::string text = boost::json::serialize(item);
    if (answers) {
      text.pop_back();
      text.append(R"(,"diagnosis":)").append(entry.answer).append(1, '}');
    }
    body.append(first ? "" : ",").append(text);
    first = false;
  }
  body += "]}";
  return {.status = 200, .body = std::move(body)};
}

}  // namespace flowtap::api
