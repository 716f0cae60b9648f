#include "api/routes/diagnosis_routes.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json/members.hpp"
#include "base/printable.hpp"

namespace flowtap::api {
namespace {

Answer not_explained(const Error& error) {
  return error_answer(503, "nothing is explained: " + error.what,
                      error.hint.empty() ? "flowtap status tells more" : std::string_view(error.hint));
}

/// What the flows of this node say of a pod.
struct PodFlows {
  bool log = false;    ///< of one of its containers
  bool sched = false;  ///< of what schedulers wrote of it
};

PodFlows flows_of(const std::string& ns, const std::string& pod, const NodeView& node) {
  PodFlows found;
  const auto view = node.flows();
  if (!view) return found;
  // Logs that only the runtime has kept are looked for in its directories.
  auto flows = (*view)->flows({.ns = ns, .pod = pod});
  if (flows.empty()) flows = (*view)->flows({.ns = ns, .pod = pod, .history = true});
  for (const FlowStatus& flow : flows) {
    found.sched = found.sched || flow.kind == "sched";
    found.log = found.log || flow.kind == "pod";
  }
  return found;
}

constexpr std::string_view kWhereSchedulersAre =
    "a scheduler's decisions are known only on the node where it runs";

Answer not_explained(const std::string& ns, const std::string& pod, const Call& call,
                     const DiagnosesView& view) {
  const std::string name = ns + "/" + pod;
  const std::string the_pod = "the pod " + in_quotes(name);
  const PodFlows flows = flows_of(ns, pod, call.node);
  const std::string its_flow = "flowtap logs sched/" + name + " has what schedulers wrote of it";
  const auto others = view.made_room();
  if (flows.sched)
    return error_answer(
        404,
        "nothing that explains " + the_pod + " is known" +
            (others > 0
                 ? " any more: it may have made room for others, as " + std::to_string(others) + " pods have"
                 : ""),
        its_flow + (others > 0 ? "; explain.max_pods of flowtapd's configuration says how many "
                                 "pods are explained"
                               : ""));
  const std::string what =
      flows.log ? the_pod + " is on this node, and no scheduler's log that is read here mentions it"
                : the_pod + " was not seen on this node by a scheduler";
  if (view.logs() == 0)
    return error_answer(404, what,
                        "no scheduler's log is captured here: ask on the node where the scheduler runs, or "
                        "name its flow in stream.schedulers of flowtapd's configuration");
  if (others > 0)
    return error_answer(
        404, what + ", or it has made room for others, as " + std::to_string(others) + " pods have",
        "raise explain.max_pods of flowtapd's configuration; if it is kept, " + its_flow + "; " +
            std::string(kWhereSchedulersAre));
  return error_answer(404, what,
                      "flowtap why lists the pods that were seen; " + std::string(kWhereSchedulersAre));
}

/// A list of up to this many bytes is sent as a whole, with its tag.
constexpr std::size_t kWhole = std::size_t{64} << 10U;

/// {"items":[...]}, item by item: the whole list may be as large as the store. Between two pieces, the thread that
/// makes all answers works on others.
class DiagnosesReader final : public BodyReader {
 public:
  DiagnosesReader(const DiagnosesView& view, std::vector<DiagnosedPod> pods, bool answers)
      : view_(view), pods_(std::move(pods)), answers_(answers) {}

  /// The whole list, to be called before read(); nothing: the list is longer.
  [[nodiscard]] std::optional<std::string> whole(std::size_t limit) {
    fill(limit + 1);
    return text_.size() <= limit ? std::optional(std::move(text_)) : std::nullopt;
  }

  [[nodiscard]] Result<Piece> read(std::size_t limit) override {
    fill(limit);
    Piece piece{.bytes = text_.substr(sent_, limit)};
    sent_ += piece.bytes.size();
    piece.end = sent_ == text_.size() && next_ > pods_.size();
    piece.again = !piece.end;
    return piece;
  }

  void when_more(std::function<void()> wake) override { wake(); }

 private:
  /// Adds items until there are this many bytes to send, or no more items.
  void fill(std::size_t much) {
    if (sent_ >= text_.size() / 2) text_.erase(0, std::exchange(sent_, 0));
    while (text_.size() - sent_ < much && next_ <= pods_.size()) add();
  }
  /// Adds the next item, or the end after the last one.
  void add() {
    const std::size_t at = next_++;
    if (at == pods_.size()) {
      text_ += "]}";
      return;
    }
    const DiagnosedPod& pod = pods_[at];
    const auto entry = view_.entry(pod, answers_);
    if (!entry) return;
    // A scheduler may have written any bytes; JSON is UTF-8.
    const boost::json::object item{
        {"namespace", utf8(pod.ns)}, {"name", utf8(pod.name)}, {"status", entry->status}};
    std::string text = boost::json::serialize(item);
    if (answers_) {
      text.pop_back();
      text.append(R"(,"diagnosis":)").append(entry->answer).append(1, '}');
    }
    if (std::exchange(some_, true)) text_ += ',';
    text_ += text;
  }

  const DiagnosesView& view_;  // outlives the API
  const std::vector<DiagnosedPod> pods_;
  const bool answers_;
  std::size_t next_ = 0;
  bool some_ = false;
  std::string text_ = R"({"items":[)";
  std::size_t sent_ = 0;  // of the text
};

}  // namespace

Answer schedulerlog(const Call& call) {
  const auto view = call.node.diagnoses();
  if (!view) return not_explained(view.error());
  const std::string& ns = call.segments.front();
  const std::string& pod = call.segments.back();
  auto body = (*view)->schedulerlog(ns, pod, call.parameters.flag("evidence"));
  return body ? Answer{.status = 200, .body = std::move(*body)} : not_explained(ns, pod, call, **view);
}

Answer schedulerlogs(const Call& call) {
  const auto view = call.node.diagnoses();
  if (!view) return not_explained(view.error());
  const std::string* ns = call.parameters.find("namespace");
  auto reader = std::make_unique<DiagnosesReader>(**view, (*view)->pods(ns != nullptr ? *ns : ""),
                                                  call.parameters.flag("diagnosis"));
  if (auto body = reader->whole(kWhole)) return {.status = 200, .body = std::move(*body)};
  Answer answer;
  answer.stream = StreamBody{std::move(reader), false, {}, kJson};
  return answer;
}

}  // namespace flowtap::api
