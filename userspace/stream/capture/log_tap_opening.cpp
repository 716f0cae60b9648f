// How the log tap is opened: everything that needs the rights that are dropped afterwards.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "base/node/kernel_release.hpp"
#include "base/node/on_host.hpp"
#include "base/wall_clock.hpp"
#include "base/with_hint.hpp"
#include "stream/capture/bpffs.hpp"
#include "stream/capture/log_tap.hpp"
#include "stream/capture/relief.hpp"
#include "stream/journal/consumer/log_consumer.hpp"
#include "stream/sources/files/followed_file.hpp"
#include "stream/sources/running_containers.hpp"

namespace flowtap {
namespace {

// A recording that is larger than its ring can be helps nobody.
constexpr std::uint64_t kMaxRecording = std::uint64_t{4} << 30U;

std::optional<kernel::LogBackend> chosen_backend(const std::string& name) {
  for (const kernel::LogBackend backend : {kernel::LogBackend::kSysExit, kernel::LogBackend::kFunctions})
    if (name == kernel::backend_name(backend)) return backend;
  return std::nullopt;
}

// A walk over the open files shows those of every process only in the node's own pid namespace. In any other, each pipe would
// seem to have no reader.
bool sees_all_processes() {
  constexpr ino_t kInitialPidNamespace = 0xEFFFFFFC;  // PROC_PID_INIT_INO, linux/proc_ns.h
  struct stat space{};
  return ::stat("/proc/self/ns/pid", &space) == 0 && space.st_ino == kInitialPidNamespace;
}

// Greater than what the journal knows, and than what any other journal knows: programs that are loaded anew number their streams from
// the time on (in us since 1970), since another state directory may have streams of the programs before them. There are fewer streams
// than microseconds.
flow::StreamNo next_stream(const flow::Journal& journal) {
  flow::StreamNo highest = wall_ns() / 1000;
  for (const flow::StreamView& stream : journal.streams()) highest = std::max(highest, stream.number);
  return highest + 1;
}

}  // namespace

Result<std::unique_ptr<LogTap>> LogTap::open(const LogTapOptions& options, flow::Journal& journal,
                                             LinePath& lines, flow::Namer& namer,
                                             std::vector<std::string>& warnings) {
  std::unique_ptr<LogTap> tap(new LogTap);
  tap->open_files(warnings);
  FTAP_TRY(tap->open_kernel(options, journal, lines, namer, warnings));
  tap->slots_->ask(tap->files());
  return tap;
}

void LogTap::open_files(std::vector<std::string>& warnings) {
  Result<kernel::OpenFiles> files = fail("flowtapd is not in the node's own pid namespace (hostPID)");
  if (sees_all_processes()) files = kernel::OpenFiles::load();
  if (files)
    files_.emplace(std::move(*files));
  else
    warnings.push_back("processes that were running before are not found, and no process can be tapped: " +
                       with_hint(files.error()));
}

Status LogTap::open_kernel(const LogTapOptions& options, flow::Journal& journal, LinePath& lines,
                           flow::Namer& namer, std::vector<std::string>& warnings) {
  const kernel::LogOptions tap{
      .ring_bytes = std::bit_ceil(static_cast<std::uint32_t>(options.ring_bytes)),
      .bpffs = options.bpffs,
      .first_stream = next_stream(journal),
      .backend = chosen_backend(options.backend),
      .host_root = options.host_root,
      .before_attach = [this](kernel::LogStreams& streams) { mark_running(streams); }};
  if (const auto mounted = ensure_bpffs(tap.bpffs); !mounted) warnings.push_back(with_hint(mounted.error()));
  FTAP_TRY_ASSIGN(live, kernel::start_log_tap(tap));
  live_.emplace(std::move(live));
  see_what_is_pinned(tap, warnings);
  FTAP_TRY_ASSIGN(said, relieve(journal, lines, namer));
  warnings.insert(warnings.end(), said.begin(), said.end());
  if (live_->left_over())
    warnings.push_back("what another build of flowtapd has pinned: " + with_hint(*live_->left_over()));
  FTAP_TRY_ASSIGN(ring, live_->ring());
  ring_ = ring.get();
  warn_of_taken_over(tap, warnings);
  if (flow::was_drained_elsewhere(*ring, journal))
    spdlog::warn(
        "stream: a flowtapd with another state directory, or with this one before it was emptied, has "
        "captured some of what "
        "runs, or the journal could not be written; what is not here is told as missing");
  source_ = std::move(ring);
  // Capture is worth more than its recording. The recording's file is there already when a service is started again.
  if (!options.record.empty())
    if (const Status recorded = record_to(options.record); !recorded)
      warnings.push_back("nothing is recorded: " + with_hint(recorded.error()));
  FTAP_TRY_ASSIGN(streams, live_->streams());
  slots_ = std::make_unique<StreamSlots>(std::move(streams));
  slots_->kernel().raise_next(tap.first_stream);
  end_taps(journal);
  end_orphans(journal);
  return {};
}

void LogTap::see_what_is_pinned(const kernel::LogOptions& tap, std::vector<std::string>& warnings) {
  if (live_->unpinned())
    warnings.push_back("capture ends when flowtapd ends, since nothing can be pinned: " +
                       with_hint(*live_->unpinned()));
  outlive_ = !live_->unpinned();
  const bool sees_node = tap.host_root != "/" || sees_all_processes();
  if (outlive_ && sees_node && is_on_node(tap.bpffs, on_host(tap.host_root, "/proc")) == false) {
    pinned_in_namespace_ = shares_mounts(on_host(tap.host_root, "/proc")).value_or(false);
    outlive_ = pinned_in_namespace_;
    warnings.push_back(
        "what is pinned ends with the mount namespace of flowtapd, since the BPF file system at " +
        tap.bpffs + " is mounted only there");
  }
}

// An older ring may hold more than the journal, so the lines' thread has to take what it gives at the same time. A thread that
// begins now has all rights. A thread that reads what containers write must not keep them, so this one ends again.
Result<std::vector<std::string>> LogTap::relieve(flow::Journal& journal, LinePath& lines,
                                                 flow::Namer& namer) {
  if (!live_->older().empty()) FTAP_TRY(lines.start());
  auto said = relieve_older(*live_, journal, namer);
  lines.halt();
  return said;
}

// What is taken over keeps the settings that it was begun with.
void LogTap::warn_of_taken_over(const kernel::LogOptions& options, std::vector<std::string>& warnings) const {
  constexpr const char* kHowToEnd =
      "; flowtapd --detach ends what is pinned, and the next start takes what is configured";
  if (options.backend && live_->backend() != *options.backend)
    warnings.push_back(fmt::format("the backend is still {}, not {}{}",
                                   kernel::backend_name(live_->backend()),
                                   kernel::backend_name(*options.backend), kHowToEnd));
  if (ring_->capacity() != options.ring_bytes)
    warnings.push_back(fmt::format("the ring still has {} bytes, not {}{}", ring_->capacity(),
                                   options.ring_bytes, kHowToEnd));
}

Status LogTap::record_to(const std::string& file) {
  FTAP_TRY_ASSIGN(boot, boot_id());
  const std::int64_t offset = flow::wall_offset();
  FTAP_TRY_ASSIGN(recorder, flow::RingRecorder::create(
                                file, {.wall_offset = offset, .boot_id = boot, .ring_id = source_->ring_id()},
                                kMaxRecording));
  auto recording = std::make_unique<flow::RecordingSource>(std::move(source_), std::move(recorder));
  recording_ = recording.get();
  source_ = std::move(recording);
  return {};
}

// The readers of an earlier service's taps went with it when it was killed. A stream without a name is not known to be a tap's:
// a followed file gets its name later, and anything else is let go.
void LogTap::end_taps(const flow::Journal& journal) {
  for (const flow::StreamSlot& slot : slots_->sweep()) {
    if (slot.cgroup != 0 || slot.rule != FTAP_RULE_CONTAINER) continue;
    const auto known = journal.stream(slot.stream);
    if (known && known->name && !notes_of(*known)) (void)slots_->end(slot);
  }
}

// Ends the streams that were open when an earlier service ended, and that no program knows any more. There are some after a boot,
// after --detach, or if nothing could be pinned.
void LogTap::end_orphans(flow::Journal& journal) {
  // The next start drains what is left in an older ring, so these streams are not at their end yet.
  if (!live_->older().empty()) return;
  std::unordered_set<flow::StreamNo> known;
  for (const flow::StreamSlot& slot : slots_->sweep()) known.insert(slot.stream);
  flow::Batch batch;
  for (const flow::StreamView& stream : journal.streams()) {
    if (stream.sums.ended || known.contains(stream.number)) continue;
    const std::uint64_t passed = stream.sums.passed;
    // A followed file has kept what was written meanwhile. Of all else nobody knows how much that was.
    if (!notes_of(stream)) batch.add(flow::MissedEntry{stream.number, passed, passed, wall_ns()});
    batch.add(flow::EndEntry{stream.number, passed, wall_ns(), stream.sums.lost});
  }
  if (!batch.empty()) (void)journal.append(batch);
}

// Marks what is known to run before anything can enter it: a probe of a container that is older than the programs is not its
// first process.
void LogTap::mark_running(kernel::LogStreams& streams) const {
  const auto files = files_ ? files_->list() : Result<std::vector<kernel::OpenFile>>(fail("not seen"));
  if (!files) return;  // UnseenContainers says so
  for (const RunningContainer& one : find_running_containers(*files))
    (void)streams.mark(one.cgroup, one.mounts);
}

}  // namespace flowtap
