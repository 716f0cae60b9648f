// How the stream path comes to be: what needs the rights that are dropped then.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "base/file.hpp"
#include "base/wall_clock.hpp"
#include "stream/capture/bpffs.hpp"
#include "stream/capture/relief.hpp"
#include "stream/flows_mount.hpp"
#include "stream/reading/flow_list.hpp"
#include "stream/sources/running_containers.hpp"
#include "stream/stream_path.hpp"

namespace flowtap {
namespace {

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

std::string bpffs_path(const StreamOptions& options, const std::string& host_root) {
  return options.bpffs.empty() ? host_root + "/sys/fs/bpf" : options.bpffs;
}

Result<std::unique_ptr<StreamPath>> StreamPath::open(const StreamOptions& options, const StreamPlaces& places,
                                                     std::shared_ptr<NamedContainers> named,
                                                     flow::WrittenBy written_by) {
  std::unique_ptr<StreamPath> path(new StreamPath);
  FTAP_TRY_ASSIGN(mounted, mount_flows(places.state_dir, {.bytes = options.lines.flows_bytes,
                                                          .flows = options.lines.flows.max_flows}));
  if (!mounted.warning.empty()) path->warnings_.push_back(mounted.warning);
  path->since_ = flows_since(mounted.path, std::chrono::system_clock::now());
  if (path->since_.is_new)
    spdlog::info(
        "stream: {} is new: nothing is left of what was captured earlier, such as before a reboot; logs "
        "begin with what the containers' runtimes have kept",
        mounted.path);
  path->journal_limit_ = options.lines.journal_bytes;
  path->host_root_ = places.host_root;
  path->runtimes_ = options.runtimes;
  FTAP_TRY_ASSIGN(journal, flow::Journal::open(
                               {.dir = mounted.path + "/.journal",
                                .max_bytes = options.lines.journal_bytes,
                                .segment_bytes = std::clamp(options.lines.journal_bytes / kSegmentsOfJournal,
                                                            kLeastSegment, kMostSegment)}));
  path->journal_ = std::move(journal);
  for (const std::string& said : path->journal_->replayed().said) path->warnings_.push_back(said);
  path->lines_ = LinePath::open(mounted.path, options.lines, *path->journal_, std::move(written_by));
  for (const std::string& said : path->lines_->store().said()) path->warnings_.push_back(said);
  FTAP_TRY_ASSIGN(namer, ContainerNamer::open(places.host_root, options.runtimes, std::move(named)));
  path->namer_ = std::move(namer);
  path->open_files();
  FTAP_TRY(path->open_kernel(options));
  path->slots_->ask(path->files_ ? &*path->files_ : nullptr);
  flow::ConsumerOptions consumer;
  consumer.followed = [&store = path->lines_->store()] { return store.followers() > 0; };
  path->consumer_ = std::make_unique<flow::LogConsumer>(*path->source_, *path->journal_, *path->slots_,
                                                        *path->namer_, consumer, &path->file_streams_);
  if (auto proc = identity::RootDir::open(places.host_root + "/proc")) path->proc_ = std::move(*proc);
  path->look_for_v1();
  return path;
}

void StreamPath::open_files() {
  Result<kernel::OpenFiles> files = fail("flowtapd is not in the node's own pid namespace (hostPID)");
  if (sees_all_processes()) files = kernel::OpenFiles::load();
  if (files)
    files_.emplace(std::move(*files));
  else
    warnings_.push_back("processes that were running before are not found, and no process can be tapped: " +
                        files.error().what);
}

Status StreamPath::open_kernel(const StreamOptions& options) {
  const kernel::LogOptions tap{
      .ring_bytes = std::bit_ceil(static_cast<std::uint32_t>(options.ring_bytes)),
      .bpffs = bpffs_path(options, host_root_),
      .first_stream = next_stream(*journal_),
      .backend = chosen_backend(options.backend),
      .host_root = host_root_,
      .before_attach = [this](kernel::LogStreams& streams) { mark_running(streams); }};
  if (const auto mounted = ensure_bpffs(tap.bpffs); !mounted) warnings_.push_back(mounted.error().what);
  FTAP_TRY_ASSIGN(live, kernel::start_log_tap(tap));
  live_.emplace(std::move(live));
  if (live_->unpinned())
    warnings_.push_back("capture ends when flowtapd ends, since nothing can be pinned: " +
                        live_->unpinned()->what);
  pinned_ = !live_->unpinned();
  const bool sees_node = host_root_ != "/" || sees_all_processes();
  if (pinned_ && sees_node && is_on_node(tap.bpffs, host_root_ + "/proc") == false) {
    pinned_ = false;
    warnings_.push_back(
        "what is pinned ends with the mount namespace of flowtapd, since the BPF file system at " +
        tap.bpffs + " is mounted only there");
  }
  FTAP_TRY_ASSIGN(said, relieve());
  warnings_.insert(warnings_.end(), said.begin(), said.end());
  if (live_->left_over())
    warnings_.push_back("what another build of flowtapd has pinned: " + live_->left_over()->what);
  FTAP_TRY_ASSIGN(ring, live_->ring());
  ring_ = ring.get();
  warn_of_taken_over(tap);
  source_ = std::move(ring);
  // Capture is worth more than its recording, which is there already when a service is started again.
  if (!options.record.empty())
    if (const Status recorded = record_to(options.record); !recorded)
      warnings_.push_back("nothing is recorded: " + recorded.error().what);
  FTAP_TRY_ASSIGN(streams, live_->streams());
  slots_ = std::make_unique<StreamSlots>(std::move(streams));
  slots_->kernel().raise_next(tap.first_stream);
  end_taps();
  end_orphans();
  return {};
}

// An older ring may hold more than the journal: what it gives has to be taken meanwhile. Threads that begin now have rights that who
// reads what containers write is not to keep.
Result<std::vector<std::string>> StreamPath::relieve() {
  if (!live_->older().empty()) FTAP_TRY(lines_->start());
  auto said = relieve_older(*live_, *journal_, *namer_);
  lines_->halt();
  return said;
}

// What goes on from before keeps what it was begun with.
void StreamPath::warn_of_taken_over(const kernel::LogOptions& options) {
  constexpr const char* kHowToEnd =
      "; flowtapd --detach ends what is pinned, and the next start takes what is configured";
  if (options.backend && live_->backend() != *options.backend)
    warnings_.push_back(fmt::format("the backend is still {}, not {}{}",
                                    kernel::backend_name(live_->backend()),
                                    kernel::backend_name(*options.backend), kHowToEnd));
  if (ring_->capacity() != options.ring_bytes)
    warnings_.push_back(fmt::format("the ring still has {} bytes, not {}{}", ring_->capacity(),
                                    options.ring_bytes, kHowToEnd));
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
  // Of a ring that the next start drains, those streams are not at their end.
  if (!live_->older().empty()) return;
  std::unordered_set<flow::StreamNo> known;
  for (const flow::StreamSlot& slot : slots_->sweep()) known.insert(slot.stream);
  flow::Batch batch;
  for (const flow::StreamView& stream : journal_->streams())
    if (!stream.sums.ended && !known.contains(stream.number))
      batch.add(flow::EndEntry{stream.number, stream.sums.passed, wall_ns(), stream.sums.lost});
  if (!batch.empty()) (void)journal_->append(batch);
}

// Before anything enters what is known to run: a probe of a container that is older than the programs is no first process.
void StreamPath::mark_running(kernel::LogStreams& streams) const {
  const auto files = files_ ? files_->list() : Result<std::vector<kernel::OpenFile>>(fail("not seen"));
  if (!files) return;  // find_running() says so
  for (const RunningContainer& one : find_running_containers(*files))
    (void)streams.mark(one.cgroup, one.mounts);
}

}  // namespace flowtap
