// bpf/logtap.bpf.c from opened to live, or live at once where an earlier process has left it pinned. A live build of
// another layout is relieved: see LogLive::relieve().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/log/log_generation.hpp"
#include "kernel/log/log_hooks.hpp"
#include "kernel/log/log_older.hpp"
#include "kernel/log/log_pins.hpp"
#include "kernel/log/log_streams.hpp"
#include "kernel/log/open_files.hpp"
#include "kernel/program_stats.hpp"
#include "kernel/records/record.hpp"
#include "kernel/ring_reader.hpp"

struct bpf_object;
struct bpf_program;
struct logtap_bpf;

namespace flowtap::kernel {

/// How bytes are seen. See bpf/logtap.bpf.c.
enum class LogBackend {
  kSysExit,    ///< at the tracepoint of all system calls
  kFunctions,  ///< at the ends of the kernel's own functions (fexit)
};
[[nodiscard]] std::string_view backend_name(LogBackend backend);

/// A tap that is taken over keeps its own ring, backend and programs; from another build's tap only the backend stays.
struct LogOptions {
  std::uint32_t ring_bytes = 64U << 20U;                     ///< a power of two, at least a page
  std::string bpffs = "/sys/fs/bpf";                         ///< where to pin; empty: nowhere
  flow::StreamNo first_stream = 1;                           ///< greater than every number used before
  std::optional<LogBackend> backend = LogBackend::kSysExit;  ///< nothing: it is chosen, see LogLive::why()
  std::string host_root = "/";                               ///< where debugfs is looked for
  std::optional<bool> seconds =
      {};  ///< whether functions get two programs; nothing: only where tasks may be preempted in one
  /// Called when everything is loaded and nothing is attached: it marks what has been entered before. Not called for a
  /// take-over.
  std::function<void(LogStreams&)> before_attach = {};
};

/// Whether functions get a second program.
[[nodiscard]] bool wants_seconds(const LogOptions& options);

struct LogSkeletonDeleter {
  void operator()(logtap_bpf* skeleton) const noexcept;
};
using LogSkeleton = std::unique_ptr<logtap_bpf, LogSkeletonDeleter>;

/// A stream that went on in this build's tables under a number of its own.
struct Relieved {
  LogStream before;           ///< what the other build's slot says once its programs are at rest
  flow::StreamNo number = 0;  ///< 0: it has ended, or this build could not go on with it
  std::string why;            ///< empty: it has ended
};

/// The programs tap the node as long as this lives, and longer where they are pinned.
class LogLive {
 public:
  /// The one reader of the ring.
  [[nodiscard]] Result<std::unique_ptr<RingReader>> ring() const {
    return RingReader::open(generation_.maps.ring.get());
  }
  /// May be called more than once, and may outlive this object.
  [[nodiscard]] Result<LogStreams> streams() const { return LogStreams::map(generation_.maps); }

  /// Whether an earlier process had left this running: the ring holds what was captured since then.
  [[nodiscard]] bool taken_over() const { return taken_over_; }
  /// Why capture ends with this process; absent: it does not.
  [[nodiscard]] const std::optional<Error>& unpinned() const { return unpinned_; }
  /// Pins again what somebody has removed, where it could be pinned at the start. True: something was removed, and is there
  /// again. An Error: capture ends with this process.
  [[nodiscard]] Result<bool> keep_pinned() const;
  /// Why the pins of another build are lost or still there; absent: nothing of that kind happened.
  [[nodiscard]] const std::optional<Error>& left_over() const { return left_over_; }
  [[nodiscard]] LogBackend backend() const;
  /// Why this backend was chosen.
  [[nodiscard]] const std::string& why() const { return why_; }

  /// Whether this backend sees what is written to this file; ENOTSUP: it does not.
  [[nodiscard]] Status check_file(const OpenFile& file) const;

  /// Whether each function has a second program, which handles what is kept from the first.
  [[nodiscard]] bool has_seconds() const;

  /// Builds of other layouts that have streams or a ring which somebody has to go on with, the oldest first. Their
  /// programs capture as before until relieve().
  [[nodiscard]] std::vector<LogOlder>& older() { return older_; }

  /// Leads all events here, and goes on with the streams of older(). Each byte is captured by exactly one of the two
  /// builds. When it returns, no program of theirs runs any more and their rings have all that will ever be in them. It
  /// can be repeated when it fails or the process dies meanwhile.
  [[nodiscard]] Result<std::vector<Relieved>> relieve();
  /// Unpins what older() had, once that is in the journal.
  void forget_older();

  /// The names of the attached programs, in the order of program_stats().
  [[nodiscard]] std::vector<std::string> program_names() const;
  /// One per program; one whose state cannot be read is an Error.
  [[nodiscard]] std::vector<Result<ProgramStats>> program_stats(bool run_stats) const;

 private:
  friend class LogLoaded;
  friend class LogStart;
  LogLive() = default;
  [[nodiscard]] Status attach(const bpf_object* object, const bpf_program* program, const std::string& hook);
  [[nodiscard]] std::vector<Relieved> go_on_with(const LogOlder& older, LogStreams& ours);

  LogGeneration generation_;
  std::vector<LogHook> hooks_;
  std::vector<LogOlder> older_;
  std::optional<LogPins> pins_;
  std::optional<LogPins> pinned_;  // where it is pinned; absent: nowhere
  std::string why_;
  bool taken_over_ = false;
  std::optional<Error> unpinned_;
  std::optional<Error> left_over_;
};

/// Verified and in the kernel, but not attached.
class LogLoaded {
 public:
  [[nodiscard]] Result<LogStreams> streams() const { return LogStreams::map(generation_.maps); }
  /// Attaches the hooks that did not exist before.
  [[nodiscard]] Result<LogLive> attach() &&;

 private:
  friend class LogOpened;
  friend class LogStart;
  LogLoaded(LogSkeleton skeleton, LogGeneration generation)
      : skeleton_(std::move(skeleton)), generation_(std::move(generation)) {}

  LogSkeleton skeleton_;
  LogGeneration generation_;
};

/// Parsed and sized; the kernel knows nothing yet.
class LogOpened {
 public:
  /// @param hooks  that are attached already: only their handlers are loaded
  /// @param notes  the map of notes of the build that attached them (bpf/lib/log/second.bpf.h); -1: there is none
  [[nodiscard]] static Result<LogOpened> open(const LogOptions& options,
                                              const std::vector<LogHook>& hooks = {}, int notes = -1);
  [[nodiscard]] Result<LogLoaded> load() &&;

 private:
  LogOpened(LogSkeleton skeleton, flow::StreamNo first) : skeleton_(std::move(skeleton)), first_(first) {}

  LogSkeleton skeleton_;
  flow::StreamNo first_;
};

/// Takes over what is pinned, or loads, attaches and pins. If it cannot pin, it does not fail: see LogLive::unpinned().
/// If a build of another layout has pinned something, it goes on with that: see LogLive::older().
[[nodiscard]] Result<LogLive> start_log_tap(const LogOptions& options);

struct Detached {
  bool found = false;         ///< something was pinned
  std::uint64_t waiting = 0;  ///< bytes of records that waited in the rings, and went with them
};
/// Ends the capture that has its pins there: removes what builds of any layout have pinned. Without a BPF file system
/// nothing is pinned. An error where it cannot look at something or cannot remove it.
[[nodiscard]] Result<Detached> detach_log_tap(const std::string& bpffs);

}  // namespace flowtap::kernel
