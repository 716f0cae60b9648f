#include "stream/stream_path.hpp"

#include <algorithm>
#include <map>

#include "base/flow_run.hpp"
#include "base/wall_clock.hpp"
#include "identity/flow_labels.hpp"
#include "stream/memory_limit.hpp"
#include "stream/reading/flow_list.hpp"

namespace flowtap {
namespace {

// Counts the flows of the journal, and those that only the store still has.
void count_flows(const flow::Journal& journal, const std::vector<flow::FlowSummary>& stored,
                 api::StreamStatusReport& report) {
  std::map<std::string, bool> flows;  // whether they are open
  for (const auto& [id, streams] : streams_by_flow(journal))
    flows[id] = std::ranges::any_of(streams, [](const auto& stream) { return !stream.sums.ended; });
  for (const flow::FlowSummary& flow : stored) flows.try_emplace(flow.id, flow.open);
  for (const auto& [id, open] : flows) ++(open ? report.open_flows : report.ended_flows);
}

// Gaps of flows that are made of others' lines are the others' gaps, too.
api::RecoveryStatus recovery(const std::vector<flow::FlowSummary>& flows, const flow::StoreStats& store) {
  api::RecoveryStatus all{.found = store.gone_refilled, .sought = 0, .missing = store.gone_missing};
  for (const flow::FlowSummary& flow : flows) {
    if (flow.derived) continue;
    all.found += flow.refilled;
    (flow.sought ? all.sought : all.missing) += flow.missing;
  }
  return all;
}

// A stream that the journal does not know by then has had nothing to be known by.
constexpr std::uint64_t kUnknownStream = std::uint64_t{600} * 1'000'000'000;  // ns

// Flows that differ, in a status.
constexpr std::size_t kMostNamed = 8;

}  // namespace

std::string bpffs_path(const StreamOptions& options, const std::string& host_root) {
  return options.bpffs.empty() ? host_root + "/sys/fs/bpf" : options.bpffs;
}

Result<std::unique_ptr<StreamPath>> StreamPath::open(const StreamOptions& options, const StreamPlaces& places,
                                                     std::shared_ptr<NamedContainers> named,
                                                     flow::WrittenBy written_by) {
  std::unique_ptr<StreamPath> path(new StreamPath(places.host_root, options.runtimes, std::move(named)));
  auto& warnings = path->warnings_;
  FTAP_TRY_ASSIGN(directory, FlowsDirectory::open(places.state_dir, options.lines, places.mounts, warnings));
  flow::Journal& journal = path->directory_.emplace(std::move(directory)).journal();
  std::uint64_t given_up = journal.give_up(places.give_up);
  path->lines_ = LinePath::open(path->directory_->place(), options.lines, journal, std::move(written_by));
  flow::FlowStore& store = path->lines_->store();
  for (const std::string& said : store.said()) warnings.push_back(path->directory_->shown(said));
  given_up += store.give_up(places.give_up - std::min(given_up, places.give_up));
  if (given_up != 0)
    warnings.push_back(mib(given_up) +
                       " of what was captured earlier made room, so that there is memory to start with");
  path->learn_runs();
  FTAP_TRY_ASSIGN(namer, ContainerNamer::open(places.host_root, options.runtimes, path->named_));
  path->namer_ = std::move(namer);
  FTAP_TRY_ASSIGN(tap, LogTap::open({.backend = options.backend,
                                     .ring_bytes = options.ring_bytes,
                                     .bpffs = bpffs_path(options, places.host_root),
                                     .record = options.record,
                                     .host_root = places.host_root},
                                    journal, *path->lines_, *path->namer_, warnings));
  path->tap_ = std::move(tap);
  path->losses_ = std::make_unique<StreamLosses>(path->tap_->slots());
  path->lines_->know_losses(
      [losses = path->losses_.get()](flow::StreamNo stream) { return losses->of(stream); });
  path->drain_ = std::make_unique<Drain>(path->tap_->source(), journal, path->tap_->slots(), *path->namer_,
                                         [&store] { return store.followers() > 0; });
  path->learn_runs();  // also those whose names another state directory had, and were kept in the kernel
  path->v1_search_.emplace(places.host_root);
  if (auto warning = path->v1_search_->look_around()) warnings.push_back(std::move(*warning));
  return path;
}

Status StreamPath::run(const SourceOptions& sources) {
  FTAP_TRY_ASSIGN(waker, ReaderWaker::start());
  waker_ = std::move(waker);
  flow::Journal& journal = directory_->journal();
  sources_ = std::make_unique<Sources>(SourceKit{.host_root = host_root_,
                                                 .live = tap_->live(),
                                                 .files = tap_->files(),
                                                 .slots = tap_->slots(),
                                                 .journal = journal,
                                                 .consumer = drain_->consumer(),
                                                 .streams = drain_->files()});
  FTAP_TRY_ASSIGN(repair, Repair::open(host_root_, runtimes_, named_->runs(), lines_->store()));
  repair_ = std::move(repair);
  service_ = std::make_unique<FlowsService>(
      journal, lines_->store(), *waker_, repair_->suspicion(), sources_->taps(), &repair_->histories(),
      &repair_->auditor(), [this](const std::string& flow) { return lines_->is_scheduler(flow); });
  unseen_ = std::make_unique<UnseenContainers>(tap_->files(), tap_->slots(), journal, drain_->consumer(),
                                               [this](const UnseenContainers::Begun& begun) {
                                                 service_->add_begun(begun);
                                                 begun_.insert(begun.begin(), begun.end());
                                               });
  FTAP_TRY(lines_->start());
  if (const Status found = unseen_->find(); !found)
    warnings_.push_back("processes that were running before were not found: " + found.error().what);
  sources_->run(sources, warnings_);
  drain_->start();
  return {};
}

void StreamPath::set_flow_rules(const std::vector<flow::GroupRule>& rules) {
  // The rules were checked when the configuration was read.
  if (auto parsed = flow::GroupRules::parse(rules)) service_->set_groups(std::move(*parsed));
}

// What brings bytes ends first. Then the stages end, in the order that the header gives.
StreamPath::~StreamPath() {
  if (sources_) sources_->end_files();
  if (drain_) drain_->stop();
  if (lines_) lines_->stop();  // its thread asks the tap what was lost
}

bool StreamPath::stop() {
  if (!sources_ || sources_->stop()) return true;
  drain_->stop();
  lines_->stop();
  return false;
}

std::string StreamPath::how() const {
  std::string text = tap_->how();
  if (const Status& found = directory_->found(); !found) text += "; " + found.error().what;
  for (const std::string& warning : warnings_) text += "; " + warning;
  return text;
}

std::vector<std::string> StreamPath::new_warnings() {
  const std::vector<std::string> fresh(warnings_.begin() + static_cast<std::ptrdiff_t>(told_),
                                       warnings_.end());
  told_ = warnings_.size();
  return fresh;
}

void StreamPath::look_around(ReadErrors& errors) {
  if (auto warning = v1_search_->look_around()) warnings_.push_back(std::move(*warning));
  directory_->look_around();
  errors[kLines] += lines_->take_failures();
  drain_->look_around(errors);
  tap_->look_around(errors, warnings_);
  // If the state of the programs cannot be read, exec_misses() stays as it was. Missing slots are known without it.
  sources_->look_around(unseen_->look_around(tap_->exec_misses()));
  repair_->suspicion().look(tap_->count_misses(), wall_ns());
  count_before();
  forget_runs();
}

// What only the store has began before the first of its lines, if it was captured from its beginning. The runtime may have dated a
// part of that line a little earlier.
void StreamPath::learn_runs() {
  constexpr std::uint64_t kClocks = 20'000'000;  // ns
  identity::ContainerRuns& runs = named_->runs();
  const auto streams = streams_by_flow(directory_->journal());
  for (const auto& [id, of] : streams) {
    if (!has_runs(id)) continue;
    const FlowLabels labels = parse_labels(of.front().name->identity);
    runs.learn(id, {.cgroup = labels.cgroup.value_or(0), .started = labels.started.value_or(0)});
  }
  for (const flow::FlowSummary& flow : lines_->store().flows()) {
    if (!has_runs(flow.id) || streams.contains(flow.id)) continue;
    const bool is_whole = flow.before.state == flow::Before::State::kNone;
    runs.learn(flow.id, {.cgroup = 0, .started = is_whole ? flow.first - std::min(flow.first, kClocks) : 0});
  }
}

void StreamPath::forget_runs() {
  constexpr std::uint64_t kNamed =
      std::uint64_t{600} * 1'000'000'000;  // ns, by which the journal has its names
  if (named_->runs().size() < most_runs_) return;
  const auto streams = streams_by_flow(directory_->journal());
  const auto is_there = [&](const std::string& id) {
    return streams.contains(id) || lines_->store().find(id) != nullptr;
  };
  named_->runs().forget(is_there, wall_ns() - kNamed);
  most_runs_ = std::max(kMostRuns, 2 * named_->runs().size());
}

void StreamPath::count_before() {
  std::erase_if(begun_, [this](const auto& begun) {
    const auto stream = directory_->journal().stream(begun.first);
    if (!stream) return begun.second + kUnknownStream < wall_ns();
    if (!stream->name) return false;
    if (stream->name->capture != flow::Capture::kTaken) return true;
    if (!lines_->store().find(stream->name->flow)) return stream->sums.ended;
    repair_->before().add(stream->name->flow, begun.second);
    return true;
  });
}

api::StreamStatusReport StreamPath::report() const {
  api::StreamStatusReport report;
  tap_->report(report);
  drain_->report(report);
  directory_->report(report);
  const auto flows = lines_->store().flows();
  count_flows(directory_->journal(), flows, report);
  report.recovery = recovery(flows, lines_->store().stats());
  report.differing = repair_->auditor().differing(kMostNamed);
  sources_->report(report);
  return report;
}

void StreamPath::append_samples(std::vector<stats::Series>& out,
                                const api::StreamStatusReport& status) const {
  tap_->append_samples(out, status);
  drain_->append_samples(out, status);
  using stats::StatId;
  out.push_back({&stats::stat(StatId::kFLOWS), {"open"}, static_cast<double>(status.open_flows)});
  out.push_back({&stats::stat(StatId::kFLOWS), {"ended"}, static_cast<double>(status.ended_flows)});
  const api::RecoveryStatus& of = status.recovery;
  for (const auto& [state, bytes] :
       {std::pair{"found", of.found}, std::pair{"sought", of.sought}, std::pair{"missing", of.missing}})
    out.push_back({&stats::stat(StatId::kFLOW_LOST), {state}, static_cast<double>(bytes)});
  lines_->append_samples(out);
  repair_->append_samples(out);
  directory_->append_samples(out);
}

}  // namespace flowtap
