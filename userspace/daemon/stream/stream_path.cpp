#include "daemon/stream/stream_path.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_set>

#include "base/file.hpp"
#include "base/wall_clock.hpp"
#include "daemon/flows_mount.hpp"
#include "daemon/stream/bpffs.hpp"
#include "daemon/stream/flow_list.hpp"
#include "daemon/stream/followed_file.hpp"
#include "daemon/stream/relief.hpp"
#include "daemon/stream/running_containers.hpp"
#include "daemon/stream/v1_containers.hpp"

namespace flowtap {
namespace {

// Ahead of ordinary work: the longest wait for a CPU decides how much the ring has to hold.
constexpr int kNice = -10;

// Looking at every process of a large node takes some hundred milliseconds.
constexpr auto kV1Pause = std::chrono::minutes(5);

// Listed files are looked at within milliseconds; only a thread that hangs takes longer.
constexpr auto kFilesEnd = std::chrono::seconds(1);

// A file that is larger than what it is taken from can hold helps nobody.
constexpr std::uint64_t kMaxRecording = std::uint64_t{4} << 30U;

// A twelfth of the journal makes room at once, so that at least eleven twelfths are history. Less than a drain of the
// ring (1 MiB) would be a file for each batch; more would free much at once, and a start reads a segment whole.
constexpr std::uint64_t kSegmentsOfJournal = 12;
constexpr std::uint64_t kLeastSegment = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMostSegment = std::uint64_t{64} << 20U;

std::optional<kernel::LogBackend> chosen_backend(const std::string& name) {
  for (const kernel::LogBackend backend : {kernel::LogBackend::kSysExit, kernel::LogBackend::kFunctions})
    if (name == kernel::backend_name(backend)) return backend;
  return std::nullopt;
}

// Only there does a walk over the open files show those of every process; elsewhere each pipe would seem to have no reader.
bool sees_all_processes() {
  constexpr ino_t kInitialPidNamespace = 0xEFFFFFFC;  // PROC_PID_INIT_INO, linux/proc_ns.h
  struct stat space{};
  return ::stat("/proc/self/ns/pid", &space) == 0 && space.st_ino == kInitialPidNamespace;
}

flow::StreamNo next_stream(const flow::Journal& journal) {
  flow::StreamNo highest = 0;
  for (const flow::StreamView& stream : journal.streams()) highest = std::max(highest, stream.number);
  return highest + 1;
}

}  // namespace

Result<std::unique_ptr<StreamPath>> StreamPath::open(const Config& config) {
  std::unique_ptr<StreamPath> path(new StreamPath);
  FTAP_TRY_ASSIGN(mounted, mount_flows(config.state_dir, config.stream.flows_bytes));
  if (!mounted.warning.empty()) path->warnings_.push_back(mounted.warning);
  path->since_ = flows_since(mounted.path, std::chrono::system_clock::now());
  if (path->since_.is_new)
    spdlog::info(
        "stream: {} is new: of what was captured before, as before a reboot, nothing is left; logs begin "
        "with what "
        "the containers' runtimes have kept",
        mounted.path);
  path->journal_limit_ = config.stream.journal_bytes;
  path->host_root_ = config.host_root;
  FTAP_TRY_ASSIGN(journal, flow::Journal::open(
                               {.dir = mounted.path + "/.journal",
                                .max_bytes = config.stream.journal_bytes,
                                .segment_bytes = std::clamp(config.stream.journal_bytes / kSegmentsOfJournal,
                                                            kLeastSegment, kMostSegment)}));
  path->journal_ = std::move(journal);
  for (const std::string& said : path->journal_->replayed().said) path->warnings_.push_back(said);
  path->lines_ = LinePath::open(mounted.path, config.stream, *path->journal_);
  for (const std::string& said : path->lines_->store().said()) path->warnings_.push_back(said);
  FTAP_TRY_ASSIGN(namer, ContainerNamer::open(config.host_root));
  path->namer_ = std::move(namer);
  path->open_files();
  FTAP_TRY(path->open_kernel(config));
  path->slots_->ask(path->files_ ? &*path->files_ : nullptr);
  flow::ConsumerOptions options;
  options.followed = [&store = path->lines_->store()] { return store.followers() > 0; };
  path->consumer_ = std::make_unique<flow::LogConsumer>(*path->source_, *path->journal_, *path->slots_,
                                                        *path->namer_, options, &path->file_streams_);
  if (auto proc = identity::RootDir::open(config.host_root + "/proc")) path->proc_ = std::move(*proc);
  path->look_for_v1();
  return path;
}

void StreamPath::open_files() {
  Result<kernel::OpenFiles> files = fail("flowtapd is not in the node's own pid namespace (hostPID)");
  if (sees_all_processes()) files = kernel::OpenFiles::load();
  if (files)
    files_.emplace(std::move(*files));
  else
    warnings_.push_back("what ran before is not found, and no process can be tapped: " + files.error().what);
}

// Until there are some: once is enough to be told.
void StreamPath::look_for_v1() {
  if (!proc_ || Clock::now() < next_v1_look_) return;
  next_v1_look_ = Clock::now() + kV1Pause;
  const auto found = find_v1_containers(*proc_);
  if (!found || found->count == 0) return;
  warnings_.push_back(v1_warning(*found));
  proc_.reset();
}

std::vector<std::string> StreamPath::new_warnings() {
  const std::vector<std::string> fresh(warnings_.begin() + static_cast<std::ptrdiff_t>(told_),
                                       warnings_.end());
  told_ = warnings_.size();
  return fresh;
}

Status StreamPath::open_kernel(const Config& config) {
  const kernel::LogOptions options{
      .ring_bytes = std::bit_ceil(static_cast<std::uint32_t>(config.stream.ring_bytes)),
      .bpffs = bpffs_path(config),
      .first_stream = next_stream(*journal_),
      .backend = chosen_backend(config.stream.backend),
      .host_root = config.host_root,
      .before_attach = [this](kernel::LogStreams& streams) { mark_running(streams); }};
  if (const auto mounted = ensure_bpffs(options.bpffs); !mounted) warnings_.push_back(mounted.error().what);
  FTAP_TRY_ASSIGN(live, kernel::start_log_tap(options));
  live_.emplace(std::move(live));
  if (live_->unpinned())
    warnings_.push_back("capture ends when flowtapd ends, since nothing can be pinned: " +
                        live_->unpinned()->what);
  pinned_ = !live_->unpinned();
  const bool sees_node = config.host_root != "/" || sees_all_processes();
  if (pinned_ && sees_node && is_on_node(options.bpffs, config.host_root + "/proc") == false) {
    pinned_ = false;
    warnings_.push_back(
        "what is pinned goes with the mount namespace of flowtapd, since the BPF file system at " +
        options.bpffs + " is mounted there alone");
  }
  FTAP_TRY_ASSIGN(said, relieve_older(*live_, *journal_, *namer_));
  warnings_.insert(warnings_.end(), said.begin(), said.end());
  if (live_->left_over())
    warnings_.push_back("of what another build of flowtapd has pinned: " + live_->left_over()->what);
  FTAP_TRY_ASSIGN(ring, live_->ring());
  ring_ = ring.get();
  source_ = std::move(ring);
  // Capture is worth more than its recording, which is there already when a service is started again.
  if (!config.stream.record.empty())
    if (const Status recorded = record_to(config.stream.record); !recorded)
      warnings_.push_back("nothing is recorded: " + recorded.error().what);
  FTAP_TRY_ASSIGN(streams, live_->streams());
  slots_ = std::make_unique<StreamSlots>(std::move(streams));
  slots_->kernel().raise_next(options.first_stream);
  end_taps();
  end_orphans();
  return {};
}

Status StreamPath::record_to(const std::string& file) {
  FTAP_TRY_ASSIGN(boot, read_line("/proc/sys/kernel/random/boot_id"));
  const std::int64_t offset = flow::wall_offset();
  FTAP_TRY_ASSIGN(recorder, flow::RingRecorder::create(
                                file, {.wall_offset = offset, .boot_id = boot, .ring_id = source_->ring_id()},
                                kMaxRecording));
  auto recording = std::make_unique<flow::RecordingSource>(std::move(source_), std::move(recorder));
  recording_ = recording.get();
  source_ = std::move(recording);
  return {};
}

// Whoever read the taps of an earlier service that was killed is gone with it. What has no name yet is not known to be a
// tap's: a followed file gets its name later, and all else is let go.
void StreamPath::end_taps() {
  for (const flow::StreamSlot& slot : slots_->sweep()) {
    if (slot.cgroup != 0 || slot.rule != FTAP_RULE_CONTAINER) continue;
    const auto known = journal_->stream(slot.stream);
    if (known && known->name && !notes_of(*known)) (void)slots_->end(slot);
  }
}

// Streams that were open when an earlier service ended, and that no program knows any more: after a boot, or where
// nothing could be pinned.
void StreamPath::end_orphans() {
  std::unordered_set<flow::StreamNo> known;
  for (const flow::StreamSlot& slot : slots_->sweep()) known.insert(slot.stream);
  flow::Batch batch;
  for (const flow::StreamView& stream : journal_->streams())
    if (!stream.sums.ended && !known.contains(stream.number))
      batch.add(flow::EndEntry{stream.number, stream.sums.passed, wall_ns(), stream.sums.lost});
  if (!batch.empty()) (void)journal_->append(batch);
}

Status StreamPath::run(const Config::Stream::Sources& sources) {
  FTAP_TRY_ASSIGN(watch, FollowWatch::start());
  watch_ = std::move(watch);
  if (files_) taps_ = std::make_unique<ProcessTaps>(*live_, *files_, *slots_, *consumer_);
  FTAP_TRY_ASSIGN(history, RuntimeHistory::open(host_root_));
  history_ = std::move(history);
  refiller_ = std::make_unique<Refiller>(lines_->store(), *history_);
  auditor_ = std::make_unique<Auditor>(lines_->store(), *history_);
  service_ = std::make_unique<FlowsService>(*journal_, lines_->store(), *watch_, suspicion_, taps_.get(),
                                            history_.get(), auditor_.get());
  FTAP_TRY(lines_->start());
  find_running();
  open_sources(sources);
  thread_ = std::thread([this] { drain(); });
  return {};
}

void StreamPath::open_sources(const Config::Stream::Sources& sources) {
  if (!files_) return;
  auto listed = ListedProcesses::open(host_root_, *live_, *files_, *slots_, *consumer_);
  if (listed)
    listed_.emplace(std::move(*listed));
  else
    warnings_.push_back("listed units and processes are not captured: " + listed.error().what);
  auto files = FileSources::open(host_root_, *files_, *slots_, *journal_, file_streams_);
  if (!files) {
    warnings_.push_back("listed files are not followed: " + files.error().what);
    return;
  }
  file_sources_ = std::move(*files);
  set_sources(sources);
  file_sources_->start();
}

void StreamPath::set_sources(const Config::Stream::Sources& sources) {
  // Files first: what a listed process writes to one of them is that file's.
  if (file_sources_) file_sources_->set(sources.files);
  if (listed_) note_listing(listed_->set(sources.units, sources.processes));
}

void StreamPath::set_flow_rules(const std::vector<flow::GroupRule>& rules) {
  // They have been asked when the configuration was read.
  if (auto parsed = flow::GroupRules::parse(rules)) service_->set_groups(std::move(*parsed));
}

StreamPath::~StreamPath() {
  file_sources_.reset();
  stop_drain();
}

void StreamPath::stop_drain() {
  stop_ = true;
  if (source_) source_->interrupt();
  if (thread_.joinable()) thread_.join();
}

bool StreamPath::stop() {
  if (!file_sources_ || file_sources_->stop(kFilesEnd)) return true;
  stop_drain();
  lines_->stop();
  return false;
}

// Before anything enters what is known to run: a probe of a container that is older than the programs is no first process.
void StreamPath::mark_running(kernel::LogStreams& streams) const {
  const auto files = files_ ? files_->list() : Result<std::vector<kernel::OpenFile>>(fail("not seen"));
  if (!files) return;  // find_running() says so
  for (const flow::Enter& enter : find_running_containers(*files)) (void)streams.mark(enter.cgroup);
}

void StreamPath::find_running() {
  if (!files_) return;
  const auto files = files_->list();
  if (!files) {
    warnings_.push_back("what ran before was not found: " + files.error().what);
    return;
  }
  for (flow::Enter& enter : find_running_containers(*files)) {
    (void)slots_->kernel().mark(enter.cgroup);
    auto& [out, err] = enter.outputs;
    const bool one_place = out.device == err.device && out.inode == err.inode;
    for (flow::Enter::Output* output : {&out, &err}) {
      if (output->kind != FTAP_KIND_PIPE && output->kind != FTAP_KIND_TTY) continue;
      const std::uint32_t own = output == &out ? FTAP_STDOUT : FTAP_STDERR;
      const auto stream = slots_->kernel().open({.device = output->device,
                                                 .inode = output->inode,
                                                 .kind = output->kind,
                                                 .cgroup = enter.cgroup,
                                                 .pid = enter.pid,
                                                 .fds = one_place ? FTAP_STDOUT | FTAP_STDERR : own});
      if (stream) output->stream = *stream;
    }
    // Of what an earlier service followed, the journal has the name; what cannot be followed is listed all the same.
    const auto known = [this](const flow::Enter::Output& o) {
      const auto stream = journal_->stream(o.stream);
      return stream && stream->name;
    };
    if (!known(out) || !known(err)) consumer_->enter(std::move(enter));
  }
}

void StreamPath::drain() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-drain");
  ::setpriority(PRIO_PROCESS, 0, kNice);
  consumer_->run(stop_, failed_rounds_);
}

std::string bpffs_path(const Config& config) {
  return config.stream.bpffs.empty() ? config.host_root + "/sys/fs/bpf" : config.stream.bpffs;
}

std::string StreamPath::how() const {
  std::string text =
      fmt::format("every container's output, through {}", kernel::backend_name(live_->backend()));
  // Its events are system calls' ends. Containers write into pipes, whose readers it sees.
  if (live_->backend() == kernel::LogBackend::kSysExit)
    text += "; what io_uring writes to tapped files, terminals and sockets is not seen";
  if (live_->taken_over()) text += "; taken over from the flowtapd before";
  for (const std::string& warning : warnings_) text += "; " + warning;
  return text;
}

void StreamPath::note_listing(const Status& listed) {
  if (!listed) spdlog::warn("stream: listed units and processes: {}", listed.error().what);
}

void StreamPath::look_at_recording() {
  const auto why = recording_ != nullptr ? recording_->cut_short() : std::nullopt;
  if (!why) return;
  warnings_.push_back("the recording is cut short: " + *why);
  recording_ = nullptr;  // once is enough to be told
}

void StreamPath::look_around(ReadErrors& errors) {
  look_for_v1();
  look_at_recording();
  if (listed_) note_listing(listed_->look(taps_ && taps_->take_released()));
  const std::uint64_t drain_errors = consumer_->counts().drain_errors;
  errors["log_lines"] += lines_->take_failures();
  errors["log_ring"] += failed_rounds_.exchange(0) + drain_errors - drain_errors_;
  drain_errors_ = drain_errors;
  programs_.clear();
  std::uint64_t misses = 0;
  for (const auto& program : live_->program_stats(false)) {
    if (!program) {
      ++errors["bpf_program"];
      continue;
    }
    api::ProgramStatus& status = programs_.emplace_back();
    status.name = program->name;
    status.attached = true;
    status.run_count = program->runs;
    status.recursion_misses = program->recursion_misses;
    misses += program->recursion_misses;
  }
  suspicion_.look(misses, wall_ns());
}

api::StreamStatusReport StreamPath::report() const {
  const flow::ConsumerCounts counts = consumer_->counts();
  const flow::JournalStats journal = journal_->stats();
  api::StreamStatusReport report;
  report.backend = kernel::backend_name(live_->backend());
  report.reason = live_->why();
  report.pinned = pinned_;
  report.ring_bytes = ring_->capacity();
  report.ring_waiting = ring_->backlog();
  report.lost_bytes = {.ring_full = counts.lost[FTAP_LOSS_RING_FULL],
                       .fault = counts.lost[FTAP_LOSS_FAULT],
                       .uncaptured = counts.lost[FTAP_LOSS_UNCAPTURED],
                       .quiet = counts.lost[FTAP_LOSS_QUIET]};
  report.lost_events = slots_->kernel().lost_events();
  report.no_slot = slots_->kernel().no_slot();
  std::uint64_t write_errors = 0;
  for (const std::uint64_t failures : journal.failures) write_errors += failures;
  report.journal = api::JournalStatus{.bytes = journal.held_bytes,
                                      .limit = journal_limit_,
                                      .segments = journal.segments,
                                      .write_errors = write_errors,
                                      .torn = journal_->replayed().torn_bytes};
  std::map<std::string, bool> flows;  // whether they are open
  for (const auto& [id, streams] : streams_by_flow(*journal_))
    flows[id] = std::ranges::any_of(streams, [](const auto& stream) { return !stream.sums.ended; });
  for (const flow::FlowSummary& flow : lines_->store().flows()) flows.try_emplace(flow.id, flow.open);
  for (const auto& [id, open] : flows) ++(open ? report.open_flows : report.ended_flows);
  report.flows_since = since_.time;
  report.open_streams = counts.open_streams;
  report.taps = taps_ ? taps_->count() : 0;
  if (file_sources_) {
    FileSources::Told told = file_sources_->told();
    report.sources.not_found = std::move(told.not_found);
    report.sources.refused = std::move(told.refused);
    report.sources.lost_files = told.lost_files;
  }
  if (listed_) {
    std::ranges::copy(listed_->not_found(), std::back_inserter(report.sources.not_found));
    std::ranges::copy(listed_->refused(), std::back_inserter(report.sources.refused));
  }
  report.sources.filled_bytes = file_streams_.counts().filled;
  for (const api::ProgramStatus& program : programs_)
    if (program.recursion_misses)
      report.recursion_misses = report.recursion_misses.value_or(0) + *program.recursion_misses;
  return report;
}

}  // namespace flowtap
