#include "stream/reading/flows_service.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "base/printable.hpp"
#include "base/wall_clock.hpp"
#include "identity/flow_id.hpp"
#include "identity/flow_labels.hpp"
#include "stream/reading/flow_list.hpp"
#include "stream/reading/flow_list_reader.hpp"
#include "stream/reading/forms/json_form.hpp"
#include "stream/reading/forms/otel_form.hpp"
#include "stream/reading/raw_reader.hpp"

namespace flowtap {
namespace {

// A list that is taken as fast as it is given is made only once.
constexpr std::chrono::seconds kListLives(1);

// A flow that nobody has captured, with as much as the names of its files tell.
api::FlowStatus kept_flow(identity::PodLog log) {
  identity::ContainerIdentity who;
  who.ns = std::move(log.pod.ns);
  who.pod = std::move(log.pod.pod);
  who.pod_uid = std::move(log.pod.uid);
  who.container_name = std::move(log.container);
  who.restart = log.restart;
  api::FlowStatus flow;
  flow.id = identity::flow_id(who);
  flow.kind = "pod";
  flow.ns = who.ns;
  flow.pod = who.pod;
  flow.uid = who.pod_uid;
  flow.container = who.container_name;
  flow.restart = log.restart;
  flow.first = log.since;
  flow.more_before = true;
  return flow;
}

}  // namespace

void FlowsService::set_groups(flow::GroupRules groups) {
  auto fresh = std::make_shared<const flow::GroupRules>(std::move(groups));
  {
    const std::scoped_lock lock(groups_mutex_);
    groups_ = std::move(fresh);
  }
  store_.news_of_flows();
}

std::shared_ptr<const flow::GroupRules> FlowsService::groups() const {
  const std::scoped_lock lock(groups_mutex_);
  return groups_;
}

Result<std::unique_ptr<api::FlowListReader>> FlowsService::list_reader(const api::FlowFilter& filter) {
  return FlowListReader::open(*this, store_, waker_, filter);
}

std::vector<api::FlowStatus> FlowsService::flows(const api::FlowFilter& filter,
                                                 const std::set<std::string>* only) const {
  if (only == nullptr) store_.check_files();
  // Asked first: a flow that is handed over meanwhile is in one of the two.
  const std::set<std::string> begun =
      begun_before_ != nullptr ? begun_before_->flows() : std::set<std::string>{};
  std::vector<api::FlowStatus> all = list_flows(journal_, store_, *groups(), filter, only);
  const std::uint64_t now = wall_ns();
  for (api::FlowStatus& flow : all) {
    flow.more_before = flow.more_before || begun.contains(flow.id);
    // For a flow without bytes it is not known since when it is there.
    const std::uint64_t first = flow.first ? ns_of(*flow.first) : 0;
    // Its last bytes may be what was missed, and the ones before them are from long ago.
    const auto end = flow.open ? std::nullopt : std::max(flow.last, flow.ended);
    flow.suspect = flow.suspect || suspicion_.covers(first, end ? ns_of(*end) : now);
    if (auditor_ == nullptr || flow.open) continue;
    if (const auto audit = auditor_->result_of(flow.id)) {
      flow.audit = to_string(*audit);
      flow.suspect = flow.suspect && *audit != AuditResult::kEqual;
    }
  }
  if (filter.history && only == nullptr) add_kept(filter, all);
  return all;
}

void FlowsService::add_kept(const api::FlowFilter& filter, std::vector<api::FlowStatus>& flows) const {
  if (histories_ == nullptr || (filter.kind && filter.kind != "pod")) return;
  const auto rules = groups();
  const auto is_wanted = [&](const identity::PodLogs& pod) {
    return (!filter.ns || pod.ns == filter.ns) && (!filter.pod || pod.pod == filter.pod) &&
           (!filter.group || rules->group_of(pod.ns, pod.pod) == filter.group);
  };
  const auto captured = static_cast<std::ptrdiff_t>(flows.size());
  for (identity::PodLog& log : histories_->finder().pods(is_wanted)) {
    api::FlowStatus kept = kept_flow(std::move(log));
    if (std::ranges::binary_search(flows.begin(), flows.begin() + captured, kept.id, {},
                                   &api::FlowStatus::id))
      continue;
    kept.group = rules->group_of(*kept.ns, *kept.pod);
    flows.push_back(std::move(kept));
  }
  std::ranges::sort(flows, {}, &api::FlowStatus::id);
}

std::shared_ptr<const FlowsService::List> FlowsService::listed(const api::FlowFilter& filter,
                                                               std::uint64_t change) const {
  const auto now = ReaderWaker::Clock::now();
  const auto rules = groups();
  if (!listed_ || listed_->filter != filter || listed_->change < change || listed_->groups != rules ||
      now - listed_->made > kListLives)
    listed_ = Listed{filter, change, rules, now, std::make_shared<const List>(flows(filter))};
  return listed_->flows;
}

Result<std::unique_ptr<api::BodyReader>> FlowsService::read(const std::string& id,
                                                            const api::ReadOptions& options) {
  return RawReader::open(journal_, waker_, id, options);
}

bool FlowsService::is_open(const std::string& id) const {
  return std::ranges::any_of(journal_.streams_of(id), [](const flow::StreamView& stream) {
    return stream.name->capture == flow::Capture::kTaken && !stream.sums.ended;
  });
}

// Absent: the flow is captured, or nobody has seen it.
std::optional<Error> FlowsService::why_uncaptured(const std::string& id) const {
  const std::set<std::string> one{id};
  std::string outputs;
  for (const api::FlowStatus& flow : flows({}, &one))
    for (const api::StreamStatus& stream : flow.streams) {
      if (api::is_captured(stream)) return std::nullopt;
      outputs += (outputs.empty() ? "" : ", ") + stream.name + ": " + stream.capture;
    }
  if (outputs.empty()) return std::nullopt;
  return Error{"what " + in_quotes(id) + " writes is not captured (" + outputs + ")", {}, ENOTSUP};
}

void FlowsService::add_begun(const std::map<flow::StreamNo, std::uint64_t>& begun) {
  const std::scoped_lock lock(begun_mutex_);
  for (const auto& [stream, since] : begun) begun_.insert_or_assign(stream, since);
}

// 0: it has been captured for long enough.
std::uint64_t FlowsService::captured_since(const std::string& id) {
  const std::scoped_lock lock(begun_mutex_);
  const std::uint64_t now = wall_ns();
  std::erase_if(begun_, [now](const auto& one) { return one.second + LogReader::kOnItsWay < now; });
  std::uint64_t since = 0;
  for (const auto& [number, time] : begun_)
    if (const auto stream = journal_.stream(number); stream && stream->name && stream->name->flow == id)
      since = std::max(since, time);
  return since;
}

// containerd reads lines as Go's bufio.Reader.ReadLine() does (internal/cri/io/logger.go); conmon and Docker keep each byte. The
// journal forgets a stream, and the store has noted whose it was. If nobody knows it, containerd is the likeliest.
bool FlowsService::drops_returns(const std::string& id) const {
  if (!id.starts_with("pod/")) return false;
  const auto drops = [](std::string_view runtime) {
    return runtime == identity::runtime_name(identity::Runtime::kContainerd);
  };
  for (const flow::StreamView& stream : journal_.streams_of(id))
    if (const auto runtime = parse_labels(stream.name->identity).runtime) return drops(*runtime);
  const auto stored = store_.summary(id);
  return !stored || stored->runtime.empty() || drops(stored->runtime);
}

// However far the store is behind the journal, no bytes are older than the flow's first ones.
CapturedTimes FlowsService::captured(const std::string& id) {
  CapturedTimes times{.since = captured_since(id)};
  const auto untaken = journal_.untaken_since();
  if (!untaken) return times;
  for (const flow::StreamView& stream : journal_.streams_of(id))
    if (stream.sums.first != 0)
      times.untaken = std::min(times.untaken, std::max(*untaken, stream.sums.first));
  return times;
}

Result<std::unique_ptr<api::BodyReader>> FlowsService::log(const std::string& id,
                                                           const api::LogReadOptions& options) {
  std::unique_ptr<Form> form;  // text
  const bool is_schedulers = id.starts_with(flow::kDerivedFlows) || is_scheduler(id);
  if (options.json) form = std::make_unique<JsonForm>(options);
  if (options.otel) form = std::make_unique<OtelForm>(id, options, is_schedulers);
  return open_log(id, options, std::move(form), flow::Followers::Hurry::kYes);
}

Result<std::unique_ptr<LogReader>> FlowsService::open_log(const std::string& id,
                                                          const api::LogReadOptions& options,
                                                          std::unique_ptr<Form> form,
                                                          flow::Followers::Hurry hurry) {
  const CapturedTimes captured = options.follow ? this->captured(id) : CapturedTimes{};
  std::optional<Error> refusal;
  if (!store_.find(id)) {
    // The flow may have had to make room for others before it wrote anything.
    if (is_open(id)) store_.expect(id);
    refusal = why_uncaptured(id);
  }
  // The flow may write on, and an end would say that it has ended.
  if (refusal && options.follow) {
    refusal->hint =
        "it cannot be followed; read it without -f (follow=true) to see what its runtime has kept";
    return std::unexpected(std::move(*refusal));
  }
  auto reader = LogReader::open(store_, waker_, id, options, histories_, std::move(form), captured, hurry,
                                {.journal = &journal_, .drops_returns = drops_returns(id)});
  if (refusal && !reader && reader.error().code == ENOENT) {
    refusal->hint = "its runtime has not kept anything of it on this node, either";
    return std::unexpected(std::move(*refusal));
  }
  return reader;
}

Result<std::unique_ptr<api::BodyReader>> FlowsService::tap(std::uint32_t pid,
                                                           const api::ReadOptions& options) {
  if (taps_ == nullptr)
    return fail("processes cannot be tapped here: the kernel does not tell what they write to",
                "flowtap status says what is missing");
  FTAP_TRY_ASSIGN(tap, taps_->open(pid, options.outputs));
  api::ReadOptions from_now = options;
  from_now.from_now = true;
  return RawReader::open(journal_, waker_, std::move(tap.streams), from_now, std::move(tap.process),
                         tap.release);
}

}  // namespace flowtap
