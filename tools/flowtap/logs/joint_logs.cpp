#include "joint_logs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>

#include "api/json/flows_json.hpp"
#include "api/json/log_json.hpp"
#include "api/pod_flows.hpp"
#include "api/routes/routes.hpp"
#include "api/routes/target.hpp"
#include "api/socket_path.hpp"
#include "base/flows/sandbox_container.hpp"
#include "base/printable.hpp"
#include "http/client/stream_client.hpp"
#include "line_cutter.hpp"
#include "logs.hpp"
#include "marks.hpp"
#include "output_limit.hpp"
#include "read_so_far.hpp"
#include "timed_merge.hpp"
#include "tools/flowtap/client.hpp"
#include "tools/flowtap/terminal/stop_signals.hpp"
#include "tools/flowtap/terminal/text.hpp"
#include "tools/flowtap/terminal/writer.hpp"

namespace flowtap::cli {
namespace {

using Flows = std::vector<api::FlowStatus>;

constexpr unsigned kGone = 404;
constexpr unsigned kUncaptured = 409;  // and its runtime has kept nothing either
// Lines that come together are written together.
constexpr std::size_t kWritten = std::size_t{64} << 10U;

// It has many members: a list that grows, the logs in it, and one output for all of them.
class JointLogs {
 public:
  JointLogs(const LogsOptions& options, std::string list, int stop)
      : options_(options),
        list_(std::move(list)),
        socket_(api::socket_path(options.state_dir)),
        stop_(stop),
        writer_(STDOUT_FILENO, stop),
        style_(style_of(STDOUT_FILENO, options.color)) {
    if (options.group.empty()) marks_.set_one_pod();
    if (options.limit_bytes)
      limit_.emplace(*options.limit_bytes, form() != TimedMerge::Form::kText, options.follow);
  }

  ExitCode show() {
    const auto body = ask(options_.state_dir, list_);
    if (!body) return fail_with(body.error());
    auto flows = api::flows_from_json(*body);
    if (!flows) return fail_with({flows.error()});
    *flows = first_ones(std::move(*flows));
    // For a container that is not captured, the lines that its runtime has kept are read.
    std::erase_if(*flows, [this](const api::FlowStatus& flow) {
      return !is_wanted(flow) && !is_meant_and_uncaptured(flow);
    });
    if (flows->empty()) return fail_with(nothing_there());
    auto merge = TimedMerge::create(form());
    if (!merge) return fail_with({merge.error()});
    for (const api::FlowStatus& flow : *flows) {
      marks_.know(flow);
      merge->begin_log();
      read_whole(flow, *merge);
      if (failure_) return fail_with(*failure_);
    }
    const Status merged = merge->merge([&](std::size_t log, std::string_view line) {
      put(line, (*flows)[log]);
      return out_.size() < kWritten || write_out();
    });
    if (!merged) return fail_with({merged.error()});
    static_cast<void>(write_out());
    if (!say_limit(within(), writer_) && missing_ > 0)
      complain({fmt::format("{} bytes of these logs are missing", grouped(missing_)), "", 0});
    return kOk;
  }

  ExitCode follow() {
    client_.emplace(socket_);
    client_->add({list_ + "&follow=true", [this](std::string_view piece) { return take_list(piece); },
                  [this](Result<http::StreamEnd> end) { note_end(end); }});
    if (const Status run = client_->run(stop_); !run) return fail_with({run.error()});
    static_cast<void>(say_limit(within(), writer_));
    return failure_ ? fail_with(*failure_) : kOk;
  }

 private:
  /// A log that is being followed, or that was followed to its end and may go on.
  struct Followed {
    api::FlowStatus flow;
    ReadSoFar read;
    LineCutter lines;
    bool is_asked = false;    // its lines were requested, and their end has not come
    bool told_again = false;  // meanwhile, so it may have gone on after that end
  };

  [[nodiscard]] TimedMerge::Form form() const {
    if (options_.otel) return TimedMerge::Form::kOtel;
    return options_.json ? TimedMerge::Form::kJson : TimedMerge::Form::kText;
  }

  /// The daemon bounds the objects that it makes itself.
  [[nodiscard]] LineCutter line_cutter() const {
    return form() == TimedMerge::Form::kText ? LineCutter() : LineCutter(std::string::npos);
  }

  [[nodiscard]] static ExitCode fail_with(const Failure& failure) {
    if (!failure.told) complain(failure.error);
    return failure.exit;
  }

  [[nodiscard]] Failure nothing_there() const {
    if (!options_.group.empty()) {
      const std::string who =
          options_.container.empty() ? "pod" : "container " + in_quotes(options_.container);
      return with_lines_hint(
          {{"no " + who + " of the group " + in_quotes(options_.group) + " was seen on this node",
            "flowtap flows shows the groups; flow_rules in flowtapd's configuration make them", 0},
           kNotFound},
          options_);
    }
    return with_lines_hint({{"no log of the pod " + in_quotes(options_.of) + " is known on this node",
                             std::string("a pod's log is on the node where it runs; ") + api::kFlowsHint, 0},
                            kNotFound},
                           options_);
  }

  [[nodiscard]] bool is_meant(const api::FlowStatus& flow) const {
    // The sandbox has no log that is worth showing.
    return flow.container && *flow.container != kSandboxContainer &&
           (options_.container.empty() || *flow.container == options_.container);
  }
  [[nodiscard]] bool is_wanted(const api::FlowStatus& flow) const {
    return is_meant(flow) && (flow.streams.empty() || std::ranges::any_of(flow.streams, api::is_captured));
  }

  /// For a group, everything that is kept; for a pod, the logs that `flowtap logs` would show for each container.
  [[nodiscard]] Flows first_ones(Flows flows) const {
    return options_.group.empty() ? api::newest_runs(flows) : std::move(flows);
  }
  [[nodiscard]] bool is_meant_and_uncaptured(const api::FlowStatus& flow) const {
    return is_meant(flow) && !is_wanted(flow) && std::ranges::any_of(flow.streams, is_uncaptured);
  }
  static void say_left_out(const api::FlowStatus& flow, const std::string& hint) {
    complain({fmt::format("what {}/{} prints is not captured, so it is left out",
                          printable(flow.pod.value_or("")), printable(*flow.container)),
              hint, 0});
  }
  [[nodiscard]] static bool is_uncaptured(const api::StreamStatus& stream) {
    return stream.capture.starts_with("uncaptured");
  }

  void read_whole(const api::FlowStatus& flow, TimedMerge& merge) {
    LogsOptions of = options_;
    of.timestamps = true;
    const auto take_end = [&](const Result<http::StreamEnd>& end) {
      if (end && end->reply.status == kUncaptured)
        return say_left_out(flow, "its runtime has not kept anything of it on this node, either");
      note_end(end);
      if (end) missing_ += end->missing_bytes.value_or(0);
      // Half of the lines, sorted by time, would look like all of them.
      if (end && !is_over(end) && !failure_)
        failure_ =
            Failure{{"interrupted before all of these logs were read, so none of them is shown", "", 0}};
    };
    const http::StreamRequest request{flow_log_target(of, flow.id),
                                      [&](std::string_view piece) {
                                        const Status added = merge.add(piece);
                                        if (!added) failure_ = Failure{added.error()};
                                        return added.has_value();
                                      },
                                      take_end};
    if (const Status run = http::fetch_streams(socket_, {&request, 1}, stop_); !run)
      failure_ = Failure{run.error()};
  }

  bool take_list(std::string_view piece) {
    lists_.take(piece, [this](std::string_view line) {
      auto flows = api::flows_from_json(line);
      if (!flows) return;
      const bool first = !std::exchange(listed_, true);
      if (first) {
        // The earlier runs of a pod's containers are not shown, whatever happens to them.
        if (options_.group.empty())
          for (const api::FlowStatus& flow : *flows) followed_.emplace(flow.id, nullptr);
        *flows = first_ones(std::move(*flows));
        for (const api::FlowStatus& flow : *flows) followed_.erase(flow.id);
        // If the name is misspelt, no flow will ever come.
        if (std::ranges::none_of(*flows, [this](const auto& flow) { return is_meant(flow); })) {
          Error error = nothing_there().error;
          error.what += " yet; waiting for it";
          complain(error);
        }
      }
      for (const api::FlowStatus& flow : *flows)
        if (is_wanted(flow))
          take_flow(flow, first);
        else if (is_meant_and_uncaptured(flow) && !followed_.contains(flow.id) &&
                 left_out_.insert(flow.id).second)
          say_left_out(flow, "without -f, what its runtime has kept is shown");
    });
    return true;
  }

  void take_flow(const api::FlowStatus& flow, bool is_first) {
    const auto [at, is_new] = followed_.try_emplace(flow.id);
    if (is_new) {
      marks_.know(flow);
      at->second = std::make_shared<Followed>(
          Followed{.flow = flow, .read = ReadSoFar(form()), .lines = line_cutter()});
    }
    if (at->second == nullptr) return;
    if (at->second->is_asked)
      at->second->told_again = true;
    else
      ask_for(at->second, is_first);
  }

  /// A log that joins later is read from its beginning, as all of it is new. A log that goes on after its end is read
  /// from where it was read.
  void ask_for(const std::shared_ptr<Followed>& followed, bool is_first) {
    LogsOptions of = options_;
    of.timestamps = true;  // to know how far it has been read
    if (const auto since = followed->read.since()) of.since_time = since;
    followed->read.begin_again();
    if (!is_first)
      of.tail.reset();
    else if (of.tail)
      followed->read.begin_at_last(*of.tail, std::chrono::system_clock::now());
    followed->is_asked = true;
    const auto give = [this, followed](std::string_view line) {
      if (const auto fresh = followed->read.take(line)) put(*fresh, followed->flow);
      if (options_.json) followed->read.note_cut(line);
    };
    client_->add({flow_log_target(of, followed->flow.id),
                  [this, followed, give](std::string_view piece) {
                    followed->lines.take(piece, give);
                    return write_out();
                  },
                  [this, followed, give](Result<http::StreamEnd> end) {
                    followed->lines.finish([&](std::string_view line) {
                      give(line);
                      if (!options_.json) followed->read.note_cut(line);
                    });
                    static_cast<void>(write_out());
                    note_end(end);
                    // The log ended, had to make room, or has no line yet. It goes on when the list reports it again. A
                    // failure, or our own end, ends it for good.
                    followed->is_asked = !is_over(end);
                    if (!followed->is_asked && std::exchange(followed->told_again, false))
                      ask_for(followed, false);
                  }});
  }

  [[nodiscard]] static bool is_over(const Result<http::StreamEnd>& end) {
    return end && (end->reply.status == kGone || (end->reply.status == 200 && end->missing_bytes));
  }

  /// Only the first failure is reported, and logs that are gone by now are no failure.
  void note_end(const Result<http::StreamEnd>& end) {
    std::optional<Failure> failure;
    if (!end)
      failure = failure_of(end.error(), socket_);
    else if (end->reply.status > 200 && end->reply.status != kGone)
      failure = failure_of(end->reply);
    if (!failure || failure_) return;
    failure_ = std::move(failure);
    if (!options_.follow) return;
    // It is reported at once, as the others may go on for hours.
    complain(failure_->error);
    failure_->told = true;
  }

  void put(std::string_view line, const api::FlowStatus& flow) {
    if (options_.otel) {
      out_ += std::string(line) + "\n";  // the JSON object says which container it belongs to
      return;
    }
    if (options_.json) {
      out_ += api::log_json_of(line, flow) + "\n";
      return;
    }
    // The time was only requested for the order, or to know how far a log has been read.
    if (!options_.timestamps && !TimedMerge::time_of(line, form()).empty())
      line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
    out_ += marks_.of(flow, style_) + " ";
    if (writer_.is_terminal())
      out_ += printable(line, "\t");
    else
      out_ += line;
    out_ += '\n';
  }

  bool write_out() {
    const std::string out = std::exchange(out_, {});
    if (!limit_) return writer_.write_shown(out);
    const bool more = writer_.write_shown(limit_->take(out)) && !limit_->is_over();
    if (!more && client_) client_->end();  // others may say nothing for hours
    return more;
  }
  [[nodiscard]] OutputLimit* within() { return limit_ ? &*limit_ : nullptr; }

  const LogsOptions& options_;
  const std::string list_;  // target
  const std::string socket_;
  const int stop_;
  Writer writer_;
  const Style style_;
  Marks marks_;
  std::optional<http::StreamClient> client_;
  std::optional<OutputLimit> limit_;
  LineCutter lists_{std::string::npos};  // the daemon makes these lines itself
  bool listed_ = false;
  std::map<std::string, std::shared_ptr<Followed>> followed_;  // by their ids; null: not to be followed
  std::set<std::string> left_out_;                             // ids for which that has been reported
  std::string out_;
  std::uint64_t missing_ = 0;
  std::optional<Failure> failure_;
};

}  // namespace

ExitCode run_joint_logs(const LogsOptions& options) {
  auto list = list_target(options);
  if (!list) {
    complain(list.error());
    return kUsage;
  }
  const auto stop = stop_signals();
  if (!stop) {
    complain(stop.error());
    return kFailure;
  }
  JointLogs logs(options, std::move(*list), stop->get());
  return options.follow ? logs.follow() : logs.show();
}

}  // namespace flowtap::cli
