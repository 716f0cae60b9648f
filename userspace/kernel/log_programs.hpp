// bpf/logtap.bpf.c from opened to live; or live at once, where an earlier process has left it pinned.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/record.hpp"
#include "kernel/log_pins.hpp"
#include "kernel/log_streams.hpp"
#include "kernel/program_stats.hpp"
#include "kernel/ring_reader.hpp"

struct bpf_program;
struct logtap_bpf;

namespace flowtap::kernel {

/// How bytes are seen. See bpf/logtap.bpf.c.
enum class LogBackend {
  kSysExit,    ///< at the tracepoint of all system calls
  kFunctions,  ///< at the ends of the kernel's own functions (fexit)
};
[[nodiscard]] std::string_view backend_name(LogBackend backend);

/// What is taken over keeps its own ring and backend.
struct LogOptions {
  std::uint32_t ring_bytes = 64U << 20U;  ///< a power of two, at least a page
  std::string bpffs = "/sys/fs/bpf";      ///< where to pin; empty: nowhere
  flow::StreamNo first_stream = 1;        ///< greater than every number used before
  LogBackend backend = LogBackend::kSysExit;
};

struct LogSkeletonDeleter {
  void operator()(logtap_bpf* skeleton) const noexcept;
};
using LogSkeleton = std::unique_ptr<logtap_bpf, LogSkeletonDeleter>;

/// A program that is attached as long as its link is held here or pinned.
struct LogProgram {
  std::string name;
  Fd link;
  Fd program;  ///< invalid: taken over, and this process may not open it
};

/// The programs tap the node as long as this lives, and on after that where they are pinned.
class LogLive {
 public:
  /// The one reader of the ring.
  [[nodiscard]] Result<std::unique_ptr<RingReader>> ring() const {
    return RingReader::open(maps_.ring.get());
  }
  /// May be called more than once, and may outlive this object.
  [[nodiscard]] Result<LogStreams> streams() const { return LogStreams::map(maps_); }

  /// Whether an earlier process had left this running: the ring holds what was captured since.
  [[nodiscard]] bool taken_over() const { return taken_over_; }
  /// Why capture ends with this process; absent: it does not.
  [[nodiscard]] const std::optional<Error>& unpinned() const { return unpinned_; }
  /// Why what a build of another layout has pinned is still there; absent: nothing of that kind is.
  [[nodiscard]] const std::optional<Error>& left_over() const { return left_over_; }
  [[nodiscard]] LogBackend backend() const;

  /// One per program; one whose state cannot be read is an Error.
  [[nodiscard]] std::vector<Result<ProgramStats>> program_stats(bool run_stats) const;

 private:
  friend class LogLoaded;
  friend Result<LogLive> start_log_tap(const LogOptions& options);
  LogLive() = default;
  [[nodiscard]] static Result<LogLive> take_over(std::vector<Pin> pins);
  [[nodiscard]] Status attach(const bpf_program* program);
  [[nodiscard]] Status pin(const LogPins& pins) const;
  void replace_others(const LogPins& pins);

  LogMaps maps_;
  std::vector<LogProgram> programs_;
  bool taken_over_ = false;
  std::optional<Error> unpinned_;
  std::optional<Error> left_over_;
};

/// Verified and in the kernel, not attached.
class LogLoaded {
 public:
  [[nodiscard]] Result<LogStreams> streams() const { return LogStreams::map(maps_); }
  [[nodiscard]] Result<LogLive> attach() &&;

 private:
  friend class LogOpened;
  LogLoaded(LogSkeleton skeleton, LogMaps maps) : skeleton_(std::move(skeleton)), maps_(std::move(maps)) {}

  LogSkeleton skeleton_;
  LogMaps maps_;
};

/// Parsed and sized; the kernel knows nothing yet.
class LogOpened {
 public:
  [[nodiscard]] static Result<LogOpened> open(const LogOptions& options);
  [[nodiscard]] Result<LogLoaded> load() &&;

 private:
  LogOpened(LogSkeleton skeleton, flow::StreamNo first) : skeleton_(std::move(skeleton)), first_(first) {}

  LogSkeleton skeleton_;
  flow::StreamNo first_;
};

/// Takes over what is pinned, or loads, attaches and pins. That it cannot pin is no failure: see LogLive::unpinned().
[[nodiscard]] Result<LogLive> start_log_tap(const LogOptions& options);

/// Ends all capture of the node: removes what builds of any layout have pinned. Where no BPF file system is, nothing is
/// pinned; what cannot be looked at or removed is an error.
[[nodiscard]] Status detach_log_tap(const std::string& bpffs);

}  // namespace flowtap::kernel
