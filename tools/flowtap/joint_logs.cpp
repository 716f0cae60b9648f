#include "joint_logs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

#include "api/flows_json.hpp"
#include "api/log_json.hpp"
#include "api/log_routes.hpp"
#include "api/routes.hpp"
#include "api/socket_path.hpp"
#include "api/stream_client.hpp"
#include "api/target.hpp"
#include "base/printable.hpp"
#include "client.hpp"
#include "line_cutter.hpp"
#include "marks.hpp"
#include "outlet.hpp"
#include "stop_signals.hpp"
#include "text.hpp"
#include "timed_merge.hpp"

namespace flowtap::cli {
namespace {

using Flows = std::vector<api::FlowStatus>;

// A container that keeps the pod's namespaces has no log that anybody wants.
constexpr std::string_view kPauseContainer = "POD";
constexpr unsigned kGone = 404;
// Lines are written together as far as they come together.
constexpr std::size_t kLongestLine = std::size_t{1} << 20U;  // of each container, in memory
constexpr std::size_t kWritten = std::size_t{64} << 10U;

class JointLogs {
 public:
  JointLogs(const LogsOptions& options, std::string list, int stop)
      : options_(options),
        list_(std::move(list)),
        socket_(api::socket_path(options.state_dir)),
        stop_(stop),
        outlet_(STDOUT_FILENO, stop),
        style_(style_of(STDOUT_FILENO, options.color)) {
    if (options.group.empty()) marks_.set_one_pod();
  }

  ExitCode show() {
    const auto body = ask(options_.state_dir, list_);
    if (!body) return fail_with(body.error());
    auto flows = api::flows_from_json(*body);
    if (!flows) return fail_with({flows.error()});
    *flows = first_wanted(std::move(*flows));
    if (flows->empty()) return fail_with(nothing_there());
    auto merge = TimedMerge::create(options_.otel ? TimedMerge::Form::kOtel : TimedMerge::Form::kText);
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
    if (missing_ > 0) complain({fmt::format("{} bytes of these logs are missing", grouped(missing_)), "", 0});
    return kOk;
  }

  ExitCode follow() {
    client_.emplace(socket_);
    client_->add({list_ + "&follow=true", [this](std::string_view piece) { return take_list(piece); },
                  [this](Result<api::StreamEnd> end) { note_end(end); }});
    if (const Status run = client_->run(stop_); !run) return fail_with({run.error()});
    return failure_ ? fail_with(*failure_) : kOk;
  }

 private:
  /// A log that is followed.
  struct Followed {
    api::FlowStatus flow;
    LineCutter lines{kLongestLine};
  };

  [[nodiscard]] static ExitCode fail_with(const Failure& failure) {
    if (!failure.told) complain(failure.error);
    return failure.exit;
  }

  [[nodiscard]] Failure nothing_there() const {
    if (!options_.group.empty())
      return {{"no pod of the group " + in_quotes(options_.group) + " was seen on this node",
               "flowtap flows shows the groups; flow_rules in flowtapd's configuration make them", 0},
              kNotFound};
    return {{"the pod " + in_quotes(options_.of) + " was not seen on this node",
             "flowtap flows lists what was; a pod's log is on the node where it runs", 0},
            kNotFound};
  }

  [[nodiscard]] bool is_wanted(const api::FlowStatus& flow) const {
    if (!flow.container || *flow.container == kPauseContainer) return false;
    if (!options_.container.empty() && *flow.container != options_.container) return false;
    return flow.streams.empty() || std::ranges::any_of(flow.streams, api::is_captured);
  }

  /// Of a group all that is kept; of a pod what `flowtap logs` would show of each container.
  [[nodiscard]] Flows first_wanted(Flows flows) const {
    if (options_.group.empty()) flows = api::newest_runs(flows);
    std::erase_if(flows, [this](const api::FlowStatus& flow) { return !is_wanted(flow); });
    return flows;
  }

  void read_whole(const api::FlowStatus& flow, TimedMerge& merge) {
    LogsOptions of = options_;
    of.timestamps = true;
    const auto take_end = [&](const Result<api::StreamEnd>& end) {
      note_end(end);
      if (end) missing_ += end->missing_bytes.value_or(0);
    };
    const api::StreamRequest request{flow_log_target(of, flow.id),
                                     [&](std::string_view piece) {
                                       const Status added = merge.add(piece);
                                       if (!added) failure_ = Failure{added.error()};
                                       return added.has_value();
                                     },
                                     take_end};
    if (const Status run = api::fetch_streams(socket_, {&request, 1}, stop_); !run)
      failure_ = Failure{run.error()};
  }

  bool take_list(std::string_view piece) {
    lists_.take(piece, [this](std::string_view line) {
      auto flows = api::flows_from_json(line);
      if (!flows) return;
      const bool first = !std::exchange(listed_, true);
      if (first) {
        // Of a pod's earlier runs nothing is shown, whatever becomes of them.
        if (options_.group.empty())
          for (const api::FlowStatus& flow : *flows) followed_.insert(flow.id);
        *flows = first_wanted(std::move(*flows));
        for (const api::FlowStatus& flow : *flows) followed_.erase(flow.id);
      }
      for (const api::FlowStatus& flow : *flows)
        if (is_wanted(flow)) follow_flow(flow, first);
    });
    return true;
  }

  /// Of what joins later nothing is left out: it is all new.
  void follow_flow(const api::FlowStatus& flow, bool is_first) {
    if (!followed_.insert(flow.id).second) return;
    marks_.know(flow);
    LogsOptions of = options_;
    of.timestamps = options_.timestamps || options_.json;  // records of OpenTelemetry's have them in any case
    if (!is_first) of.tail.reset();
    const auto followed = std::make_shared<Followed>(Followed{.flow = flow});
    client_->add({flow_log_target(of, flow.id),
                  [this, followed](std::string_view piece) {
                    followed->lines.take(piece, [&](std::string_view line) { put(line, followed->flow); });
                    return write_out();
                  },
                  [this, followed](Result<api::StreamEnd> end) {
                    followed->lines.finish([&](std::string_view line) { put(line, followed->flow); });
                    static_cast<void>(write_out());
                    // It had to make room, or has no line yet: then it is told of again.
                    if (end && end->reply.status == kGone)
                      followed_.erase(followed->flow.id);
                    else
                      note_end(end);
                  }});
  }

  /// The first failure is the one that is told; of logs that are gone by now there is nothing to be told.
  void note_end(const Result<api::StreamEnd>& end) {
    std::optional<Failure> failure;
    if (!end)
      failure = failure_of(end.error(), socket_);
    else if (end->reply.status > 200 && end->reply.status != kGone)
      failure = failure_of(end->reply);
    if (!failure || failure_) return;
    failure_ = std::move(failure);
    if (!options_.follow) return;
    // The others go on, maybe for hours.
    complain(failure_->error);
    failure_->told = true;
  }

  void put(std::string_view line, const api::FlowStatus& flow) {
    if (options_.otel) {
      out_ += std::string(line) + "\n";  // which says whose it is
      return;
    }
    if (options_.json) {
      out_ += api::log_line_to_json(line, &flow) + "\n";
      return;
    }
    // It was asked for to have the order.
    if (!options_.follow && !options_.timestamps)
      line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
    out_ += marks_.of(flow, style_) + " ";
    if (outlet_.is_terminal())
      out_ += printable(line, "\t");
    else
      out_ += line;
    out_ += '\n';
  }

  bool write_out() { return outlet_.write_shown(std::exchange(out_, {})); }

  const LogsOptions& options_;
  const std::string list_;  // target
  const std::string socket_;
  const int stop_;
  Outlet outlet_;
  const Style style_;
  Marks marks_;
  std::optional<api::StreamClient> client_;
  LineCutter lists_;
  bool listed_ = false;
  std::set<std::string> followed_;  // their ids
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
