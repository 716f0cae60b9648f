#include "api/routes/flow_routes.hpp"

#include <cerrno>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "api/json/flows_json.hpp"
#include "base/printable.hpp"

namespace flowtap::api {
namespace {

/// One word of a parameter, and what it stands for.
template <typename T>
struct Choice {
  std::string_view word;
  T value;
};

/// The choice that a parameter names; `preset` if it is not given, and an Error for any other word.
template <typename T>
Result<T> choose(const Call& call, std::string_view name, T preset,
                 std::initializer_list<Choice<T>> choices) {
  const std::string* word = call.parameters.find(name);
  if (word == nullptr) return preset;
  std::string accepted;
  for (const Choice<T>& choice : choices) {
    if (choice.word == *word) return choice.value;
    accepted += (accepted.empty() ? "" : ", ") + std::string(choice.word);
  }
  return fail(std::string(name) + "=" + in_quotes(*word) + " is not accepted", "accepted: " + accepted);
}

Result<Outputs> outputs_of(const Call& call) {
  return choose(call, "stream", Outputs::kBoth, {{"stdout", Outputs::kStdout}, {"stderr", Outputs::kStderr}});
}

Result<bool> is_told(const Call& call, std::string_view name) {
  return choose(call, name, false, {{"true", true}, {"false", false}});
}

Result<bool> follow_of(const Call& call) {
  return is_told(call, "follow");
}

// Flows of a list that a client has not taken yet: about 32 KiB as text, and there may be thousands of clients.
constexpr std::size_t kFlowsAtATime = 64;

/// Flows as they come, as the lines of a body. Each line is an object like the list without `follow`.
class FlowListBody final : public BodyReader {
 public:
  explicit FlowListBody(std::unique_ptr<FlowListReader> reader) : reader_(std::move(reader)) {}

  [[nodiscard]] Result<Piece> read(std::size_t limit) override {
    if (text_.empty()) {
      const auto some = reader_->take(kFlowsAtATime);
      text_ = list_.add(some.flows);
      const bool is_within = std::exchange(within_, some.more);
      if (!some.more && (is_within || !some.flows.empty())) text_ += list_.end() + "\n";
    }
    Piece piece;
    piece.bytes = text_.substr(0, limit);
    text_.erase(0, limit);
    return piece;
  }
  void when_more(std::function<void()> wake) override { reader_->when_more(std::move(wake)); }

 private:
  std::unique_ptr<FlowListReader> reader_;
  FlowsToJson list_;
  std::string text_;    // that was not given yet
  bool within_ = true;  // within a line, or before the first one, which always comes
};

Answer refused(unsigned status, const Error& error, std::string_view hint = {}) {
  return error_answer(status, error.what, error.hint.empty() ? hint : std::string_view(error.hint));
}

/// Which status an Error of FlowsView stands for.
unsigned status_of(const Error& error) {
  switch (error.code) {
    case ENOENT:
    case ESRCH:
      return 404;
    case EACCES:
      return 403;
    case ENOTSUP:
      return 409;
    case EMFILE:
      return 429;
    default:
      return 500;
  }
}

std::string_view hint_of(const Error& error) {
  switch (error.code) {
    case ENOENT:
      return kFlowsHint;
    case ESRCH:
      return "give the process's number in the host's pid namespace";
    case EMFILE:
      return "end another tap, and try again";
    default:
      return {};
  }
}

Answer stream_answer(Result<std::unique_ptr<BodyReader>> reader, bool follow) {
  if (!reader) return view_error(reader.error());
  Answer answer;
  const auto missing = (*reader)->missing_bytes();
  answer.stream = StreamBody{std::move(*reader), follow, missing};
  return answer;
}

Answer tap(const Call& call, const ReadOptions& options) {
  std::uint32_t pid = 0;
  const char* const end = call.segments.front().data() + call.segments.front().size();
  const auto [rest, error] = std::from_chars(call.segments.front().data(), end, pid);
  if (error != std::errc() || rest != end || pid == 0)
    return error_answer(400, in_quotes(call.segments.front()) + " is not a process number",
                        "give the process's number in the host's pid namespace");
  const auto view = call.node.flows();
  if (!view) return not_running(view.error());
  if (!call.may_follow) return too_many_follow();
  return stream_answer((*view)->tap(pid, options), true);
}

}  // namespace

Answer view_error(const Error& error) {
  return refused(status_of(error), error, hint_of(error));
}

Answer not_running(const Error& error) {
  return refused(503, Error{"nothing is captured: " + error.what, error.hint, error.code},
                 "flowtap status tells more");
}

Answer too_many_follow() {
  return error_answer(
      429, "the limit on clients that follow is reached",
      "end one, read without follow=true, or raise api.max_followers in flowtapd's configuration");
}

Answer list_flows(const Call& call) {
  const auto follow = follow_of(call);
  if (!follow) return refused(400, follow.error());
  const auto history = is_told(call, "history");
  if (!history) return refused(400, history.error());
  const auto view = call.node.flows();
  if (!view) return not_running(view.error());
  const FlowFilter filter{call.parameter("namespace"), call.parameter("pod"), call.parameter("group"),
                          call.parameter("kind"), *history};
  if (!*follow) return {200, flows_to_json((*view)->flows(filter))};
  if (!call.may_follow) return too_many_follow();
  auto reader = (*view)->list_reader(filter);
  if (!reader) return view_error(reader.error());
  Answer answer;
  answer.stream = StreamBody{std::make_unique<FlowListBody>(std::move(*reader)), true, {}, kJsonLines};
  return answer;
}

Answer read_flow(const Call& call) {
  const auto outputs = outputs_of(call);
  if (!outputs) return refused(400, outputs.error());
  const auto follow = follow_of(call);
  if (!follow) return refused(400, follow.error());
  const auto from_now = choose(call, "from", false, {{"start", false}, {"now", true}});
  if (!from_now) return refused(400, from_now.error());
  const auto view = call.node.flows();
  if (!view) return not_running(view.error());
  if (*follow && !call.may_follow) return too_many_follow();
  return stream_answer(
      (*view)->read(call.segments.front(), {.outputs = *outputs, .from_now = *from_now, .to_now = !*follow}),
      *follow);
}

Answer tap_process(const Call& call) {
  const auto outputs = outputs_of(call);
  if (!outputs) return refused(400, outputs.error());
  return tap(call, {.outputs = *outputs, .from_now = true});
}

Answer tap_process_lines(const Call& call) {
  const auto outputs = outputs_of(call);
  if (!outputs) return refused(400, outputs.error());
  const bool timestamps = call.parameters.flag("timestamps");
  return tap(call, {.outputs = *outputs, .from_now = true, .lines = true, .timestamps = timestamps});
}

}  // namespace flowtap::api
