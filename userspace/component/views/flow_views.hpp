// What a node shows of the stream path: the API reads these interfaces, and whoever captures implements them.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/body_reader.hpp"
#include "base/printable.hpp"
#include "base/result.hpp"

namespace flowtap::api {

/// The hint for a person who asks for a log that is not there.
inline constexpr const char* kFlowsHint =
    "flowtap flows lists the flows that are known; one that ended is kept until it is too old or its room is "
    "needed";

/// One output of a flow, and how its bytes are taken.
struct StreamStatus {
  std::string name;  ///< stdout, stderr, or both where a process has one place for the two
  /// How, in one word: pipe, file, tty, socket. Or why not: none (closed, or /dev/null: there is nothing), inherited (it
  /// was another flow's before, which has the bytes), uncaptured_pipe, _file, _tty, _socket, or uncaptured (a device, ...).
  std::string capture;
  std::uint64_t bytes = 0;
  std::uint64_t missing_bytes = 0;
  bool open = false;
  bool operator==(const StreamStatus&) const = default;
};

/// Whether the word means that its bytes are taken.
[[nodiscard]] inline bool is_captured(const StreamStatus& stream) {
  constexpr std::array<std::string_view, 4> kWords = {"pipe", "file", "tty", "socket"};
  return std::ranges::find(kWords, stream.capture) != kWords.end();
}

/// One member of /api/v1/flows. Members that do not apply or are not known are absent. It has many members, since it is
/// all that the API tells of a flow.
struct FlowStatus {
  /// Design section 3.3: pod/NS/POD/UID/CONTAINER/N, container/NAME-ID12, unit/NAME, proc/PID-START; of a container's later runs
  /// container/NAME-ID12@N
  std::string id;
  std::string kind;  ///< the first part of the id
  std::optional<std::string> ns;
  std::optional<std::string> pod;
  std::optional<std::string> uid;
  std::optional<std::string> container;
  std::optional<std::string> image;
  std::optional<std::string> runtime;
  std::optional<std::uint64_t> restart;
  std::optional<std::uint64_t> run;  ///< of a container that is in no pod: 1 for the first run that was seen
  std::optional<std::string> group;
  std::uint64_t bytes = 0;          ///< all bytes that passed, captured or not
  std::uint64_t missing_bytes = 0;  ///< of these, bytes that were not captured and not found elsewhere since
  std::uint64_t found_bytes = 0;    ///< of these, bytes that were not captured and were found elsewhere since
  /// How many lines its log has had so far, including those that have made room since and one that has not ended yet. A
  /// line that is stored in parts counts once, and a gap does not count.
  std::uint64_t lines = 0;
  /// Its source wrote before it was captured, and `bytes` and `lines` do not contain that: it has not been counted yet,
  /// or cannot be.
  bool more_before = false;
  /// The BPF programs missed events while it was written to, or its capture broke off while it was open, so bytes may
  /// be missing without being counted. Cleared
  /// once the flow has ended and was found equal to what its runtime has kept.
  bool suspect = false;
  /// Whether it was equal to what its runtime has kept, in a word of flowtap_flows_audited_total; absent: it has not ended, or was
  /// not compared yet.
  std::optional<std::string> audit;
  std::optional<std::chrono::system_clock::time_point> first;  ///< of the first bytes that are known
  std::optional<std::chrono::system_clock::time_point> last;
  /// When its last stream ended, which may be long after its last bytes. If it ended while no flowtapd ran, the time of its last
  /// bytes. Absent: it is open, or nobody knows.
  std::optional<std::chrono::system_clock::time_point> ended;
  bool open = false;
  std::vector<StreamStatus> streams;
  bool operator==(const FlowStatus&) const = default;
};

/// Every member that is given must match.
struct FlowFilter {
  std::optional<std::string> ns = {};
  std::optional<std::string> pod = {};
  std::optional<std::string> group = {};
  std::optional<std::string> kind = {};
  bool history = false;  ///< also containers of pods whose log only the runtime has kept
  bool operator==(const FlowFilter&) const = default;
};

enum class Outputs : std::uint8_t { kBoth, kStdout, kStderr };

/// Reads one flow's bytes.
using BodyReader = http::BodyReader;

struct ReadOptions {
  Outputs outputs = Outputs::kBoth;
  bool from_now = false;    ///< leave out what was captured before
  bool to_now = false;      ///< end (Piece::end) where the flow stands at this moment, whatever comes later
  bool lines = false;       ///< whole lines, and gaps as lines of their own, instead of the plain bytes
  bool timestamps = false;  ///< with `lines`: each has its time in front
};

/// How a flow's log is read: Kubernetes' own parameters (k8s.io/api core/v1, PodLogOptions), and ours.
struct LogReadOptions {
  Outputs outputs = Outputs::kBoth;
  bool follow = false;      ///< go on with what comes, to the flow's end
  bool timestamps = false;  ///< each line has its time in front
  bool json = false;        ///< as JSON, an object in each line
  bool otel = false;        ///< as log records of OpenTelemetry's, one in each line of JSON
  std::optional<std::uint64_t> tail_lines = {};  ///< only this many from the end; parts of long lines count
  bool whole_lines = false;  ///< for `tail_lines`, a line counts once, in however many parts it is stored
  std::optional<std::chrono::system_clock::time_point> since = {};  ///< leave out lines that are older
  std::optional<std::uint64_t> limit_bytes =
      {};  ///< end after this many, even within a line; `json`, `otel`: after the last whole object
  std::optional<bool> gaps = {};  ///< each gap is shown where it is; absent: to those who follow
};

[[nodiscard]] inline bool shows_gaps(const LogReadOptions& options) {
  return options.gaps.value_or(options.follow);
}

/// Bytes that passed and were not captured, by cause (bpf/abi/log.h).
struct LossStatus {
  std::uint64_t ring_full = 0;
  std::uint64_t fault = 0;
  std::uint64_t uncaptured = 0;
  std::uint64_t quiet = 0;
  std::uint64_t unread = 0;
  [[nodiscard]] std::uint64_t total() const { return ring_full + fault + uncaptured + quiet + unread; }
  bool operator==(const LossStatus&) const = default;
};

/// Streams whose names could not be kept in the kernel, by the reason, since flowtapd's start. A later flowtapd with
/// another state directory cannot tell whose they are.
struct UnkeptNames {
  std::uint64_t too_long = 0;
  std::uint64_t no_map = 0;
  std::uint64_t no_room = 0;
  [[nodiscard]] std::uint64_t total() const { return too_long + no_map + no_room; }
  bool operator==(const UnkeptNames&) const = default;
};

/// What became of bytes that were not captured. It counts the flows that are kept, and those that made room since
/// flowtapd's start.
struct RecoveryStatus {
  std::uint64_t found = 0;    ///< again, in the files of the runtimes
  std::uint64_t sought = 0;   ///< are being looked for
  std::uint64_t missing = 0;  ///< for good
  bool operator==(const RecoveryStatus&) const = default;
};

/// The journal, which keeps bytes over a restart.
struct JournalStatus {
  std::uint64_t bytes = 0;
  std::uint64_t limit = 0;  ///< bytes
  std::uint64_t segments = 0;
  std::uint64_t write_errors = 0;
  std::uint64_t torn = 0;  ///< records at the end of a segment that a crash cut off
  bool operator==(const JournalStatus&) const = default;
};

/// A source that is listed and present but not captured.
struct RefusedSource {
  std::string name;
  std::string why;
  bool operator==(const RefusedSource&) const = default;
};

/// A pattern of the configuration that nothing can ever fit.
struct IdlePattern {
  std::string key;  ///< of the configuration, such as stream.schedulers
  std::string pattern;
  std::string why;
  bool operator==(const IdlePattern&) const = default;
};

/// `stream.schedulers: "file//tmp/x.log" can fit nothing: WHY`
[[nodiscard]] inline std::string sentence_of(const IdlePattern& idle) {
  return idle.key + ": " + in_quotes(idle.pattern) + " can fit nothing: " + idle.why;
}

/// The sources that the configuration lists.
struct SourcesStatus {
  std::vector<std::string> not_found;  ///< listed, and not there
  std::vector<RefusedSource> refused;
  std::uint64_t lost_files = 0;  ///< files that were removed before they could be opened
  std::uint64_t filled_bytes =
      0;  ///< of files: bytes that the tap could not see and that were read from the file
  std::vector<IdlePattern> idle_patterns;
  bool operator==(const SourcesStatus&) const = default;
};

/// The stream path's part of /api/v1/status, as plain values. It has many members, since it is all that the part tells.
struct StreamStatusReport {
  std::optional<std::string> backend;  ///< fexit or sys_exit; absent while none is attached
  std::string reason;                  ///< why this one, or why none
  bool pinned = false;                 ///< capture goes on while flowtapd is away
  /// The pins go with the last process of flowtapd's mount namespace, and there are other processes in that namespace.
  bool pinned_in_namespace = false;
  std::uint64_t ring_bytes = 0;
  std::optional<std::uint64_t> ring_waiting;  ///< bytes that are not drained yet
  LossStatus lost_bytes;
  RecoveryStatus recovery;
  std::vector<std::string>
      differing;  ///< ids of flows that differ from what their runtime has kept; some of them, if many do
  std::uint64_t lost_events = 0;  ///< records other than bytes that found no room
  std::uint64_t no_slot = 0;      ///< streams that were not registered because every slot was taken
  /// Runs of the programs that the kernel skipped and that no second program made up for; every flow of that time may
  /// lack bytes.
  std::optional<std::uint64_t> recursion_misses;
  UnkeptNames unkept_names;
  std::optional<JournalStatus> journal;
  std::uint64_t open_flows = 0;
  std::uint64_t ended_flows = 0;
  std::optional<std::chrono::system_clock::time_point> flows_since;  ///< earlier output is not kept here
  std::uint64_t open_streams = 0;
  std::uint64_t taps = 0;
  SourcesStatus sources;
  bool operator==(const StreamStatusReport&) const = default;
};

/// Reports flows as they come. Used by one thread.
class FlowListReader {
 public:
  FlowListReader() = default;
  FlowListReader(const FlowListReader&) = delete;
  FlowListReader& operator=(const FlowListReader&) = delete;
  virtual ~FlowListReader() = default;

  struct Some {
    std::vector<FlowStatus> flows;
    bool more = false;  ///< the next ones are there already
  };
  /// First come all flows that there are. Then come flows that are new, ended, went on after an end or got another group since
  /// they were reported, and whose log can be read. At most this many come at a time, as nobody knows when the next ones are
  /// asked for. As long as there are more, they come in the order of their ids. Does not wait.
  [[nodiscard]] virtual Some take(std::size_t most) = 0;
  /// Like BodyReader::when_more().
  virtual void when_more(std::function<void()> wake) = 0;
};

/// Called from the API's thread at any time; answers from memory and tmpfs. The beginning of a log comes from the
/// runtime's files, in small pieces, and a FlowFilter's history from their names.
class FlowsView {
 public:
  FlowsView() = default;
  FlowsView(const FlowsView&) = delete;
  FlowsView& operator=(const FlowsView&) = delete;
  virtual ~FlowsView() = default;

  /// Sorted by id.
  [[nodiscard]] virtual std::vector<FlowStatus> flows(const FlowFilter& filter) const = 0;

  /// Reports changes of flows() from now on.
  [[nodiscard]] virtual Result<std::unique_ptr<FlowListReader>> list_reader(const FlowFilter& filter) = 0;

  /// An Error with code ENOENT: this flow is not known.
  [[nodiscard]] virtual Result<std::unique_ptr<BodyReader>> read(const std::string& id,
                                                                 const ReadOptions& options) = 0;

  /// The lines of a flow, also of one that only the runtime has kept. Error codes: ENOENT this flow is not known,
  /// ENOTSUP its output is not captured, so it cannot be followed, or there is nothing to read at all.
  [[nodiscard]] virtual Result<std::unique_ptr<BodyReader>> log(const std::string& id,
                                                                const LogReadOptions& options) = 0;

  /// Follows what a running process writes, from now until the reader is gone. Error codes: ESRCH there is no such process,
  /// EACCES flowtapd may not look at its outputs, ENOTSUP its output cannot be captured (the sentence says what it is), EMFILE there are too many taps. If both outputs lead
  /// to one place, its bytes belong to kStdout, and kStderr is ENOTSUP: a client that follows both must not see them twice.
  [[nodiscard]] virtual Result<std::unique_ptr<BodyReader>> tap(std::uint32_t pid,
                                                                const ReadOptions& options) = 0;
};

}  // namespace flowtap::api
