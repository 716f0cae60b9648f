#include "stream/stream_path.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/node/on_host.hpp"
#include "base/wall_clock.hpp"
#include "base/with_hint.hpp"
#include "stream/memory/memory_limit.hpp"
#include "stream/reading/flow_list.hpp"

namespace flowtap {
namespace {

// Counts the flows of the journal, and those that only the store still has.
void count_flows(const flow::Journal& journal, const std::vector<flow::FlowSummary>& stored,
                 api::StreamStatusReport& report) {
  std::map<std::string, bool> flows;  // whether they are open
  for (const auto& [id, streams] : streams_by_flow(journal))
    flows[id] = std::ranges::any_of(streams, [](const auto& stream) { return !stream.sums.ended; });
  for (const flow::FlowSummary& flow : stored) flows.try_emplace(flow.id, flow.open());
  for (const auto& [id, open] : flows) ++(open ? report.open_flows : report.ended_flows);
}

// Gaps of flows that are made of others' lines are the others' gaps, too.
api::RecoveryStatus recovery(const std::vector<flow::FlowSummary>& flows, const flow::StoreStats& store) {
  api::RecoveryStatus all{.found = store.gone.refilled, .sought = 0, .missing = store.gone.missing};
  for (const flow::FlowSummary& flow : flows) {
    if (flow.derived) continue;
    all.found += flow.refilled;
    (flow.sought ? all.sought : all.missing) += flow.missing;
  }
  return all;
}

// Flows that differ, in a status.
constexpr std::size_t kMostNamed = 8;

}  // namespace

std::string bpffs_path(const StreamOptions& options, const std::string& host_root) {
  return options.bpffs.empty() ? on_host(host_root, "/sys/fs/bpf") : options.bpffs;
}

Result<std::unique_ptr<StreamPath>> StreamPath::open(const StreamOptions& options, const StreamPlaces& places,
                                                     std::shared_ptr<NamedContainers> named,
                                                     flow::WrittenBy written_by) {
  std::unique_ptr<StreamPath> path(new StreamPath({places.host_root, options.runtimes}, named));
  auto& warnings = path->warnings_.all;
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
  path->runs_.learn(journal, store);
  FTAP_TRY_ASSIGN(namer, ContainerNamer::open(places.host_root, options.runtimes, std::move(named)));
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
  path->drain_ = std::make_unique<Drain>(
      path->tap_->source(), journal, path->tap_->slots(), *path->namer_,
      [&store] { return store.followers() > 0; }, [&tap = *path->tap_] { return tap.outlives(); });
  path->v1_search_.emplace(places.host_root);
  if (auto warning = path->v1_search_->look_around()) warnings.push_back(std::move(*warning));
  return path;
}

Status StreamPath::run(const SourceOptions& sources) {
  FTAP_TRY_ASSIGN(waker, ReaderWaker::start());
  waker_ = std::move(waker);
  flow::Journal& journal = directory_->journal();
  sources_ = std::make_unique<Sources>(SourceKit{.host_root = node_.host_root,
                                                 .live = tap_->live(),
                                                 .files = tap_->files(),
                                                 .slots = tap_->slots(),
                                                 .journal = journal,
                                                 .consumer = drain_->consumer(),
                                                 .streams = drain_->files()});
  FTAP_TRY_ASSIGN(repair,
                  Repair::open(node_.host_root, node_.runtimes, runs_.all(), journal, lines_->store()));
  repair_ = std::move(repair);
  service_ = std::make_unique<FlowsService>(
      journal, lines_->store(), *waker_, repair_->suspicion(), sources_->taps(), &repair_->histories(),
      &repair_->auditor(), [this](const std::string& flow) { return lines_->is_scheduler(flow); },
      &repair_->begun());
  unseen_ = std::make_unique<UnseenContainers>(tap_->files(), tap_->slots(), journal, drain_->consumer(),
                                               [this](const UnseenContainers::Begun& begun) {
                                                 service_->add_begun(begun);
                                                 repair_->add_begun(begun);
                                               });
  FTAP_TRY(lines_->start());
  if (const Status found = unseen_->find(); !found)
    warnings_.all.push_back("processes that were running before were not found: " + found.error().what);
  sources_->run(sources, warnings_.all);
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
  if (const Status& room = directory_->room(); !room) text += "; " + with_hint(room.error());
  for (const std::string& warning : warnings_.all) text += "; " + warning;
  return text;
}

std::vector<std::string> StreamPath::new_warnings() {
  const auto told = static_cast<std::ptrdiff_t>(std::exchange(warnings_.told, warnings_.all.size()));
  return {warnings_.all.begin() + told, warnings_.all.end()};
}

void StreamPath::look_around(ReadErrors& errors) {
  if (auto warning = v1_search_->look_around()) warnings_.all.push_back(std::move(*warning));
  directory_->look_around();
  errors[kLines] += lines_->take_failures();
  drain_->look_around(errors);
  tap_->look_around(errors, warnings_.all);
  // If the state of the programs cannot be read, exec_misses() stays as it was. Missing slots are known without it.
  sources_->look_around(unseen_->look_around(tap_->exec_misses()));
  repair_->suspicion().look(tap_->count_misses(), wall_ns());
  repair_->look_for_begun();
  runs_.forget(directory_->journal(), lines_->store());
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
