// The memory that the log tap's programs and this process share: the slots of the streams, and the control word.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "bpf/abi/log.h"
#include "kernel/log/log_generation.hpp"
#include "kernel/map_view.hpp"
#include "kernel/name_map.hpp"
#include "kernel/records/record.hpp"

namespace flowtap::kernel {

/// A place to tap that the programs did not find themselves.
struct LogTarget {
  std::uint32_t device = 0;  ///< as the kernel has it: major << 20 | minor
  std::uint64_t inode = 0;
  ftap_log_kind kind = FTAP_KIND_PIPE;
  std::uint64_t cgroup = 0;
  std::uint32_t pid = 0;
  std::uint32_t fds = 0;     ///< FTAP_STDOUT | FTAP_STDERR
  std::uint64_t object = 0;  ///< as ftap_stream has it; 0: the programs find it out
  ftap_log_rule rule = FTAP_RULE_CONTAINER;
  std::uint64_t start_time = 0;  ///< of the process, ns on CLOCK_BOOTTIME
};

/// One run of a listed process, with all that it has started: the pid and start (ns on CLOCK_BOOTTIME) that its streams
/// bear.
struct LogRun {
  std::uint32_t pid = 0;
  std::uint64_t start_time = 0;
  auto operator<=>(const LogRun&) const = default;
};

/// A process that belongs to a run.
struct LogMember {
  LogRun run;
  std::uint64_t start_time = 0;  ///< of the process, ns on CLOCK_BOOTTIME; 0: not known
  bool operator==(const LogMember&) const = default;
};

/// Whether the process has ended; true also for one that nobody has waited for yet.
[[nodiscard]] bool has_ended(std::uint32_t pid);

/// An executable as the programs know it.
struct LogExecutable {
  std::uint32_t device = 0;
  std::uint64_t inode = 0;
  auto operator<=>(const LogExecutable&) const = default;
};

/// A members map, of this build or another.
[[nodiscard]] std::map<std::uint32_t, LogMember> read_members(int map);

/// Writes the control word by which programs know that somebody drains their ring.
void beat_control(ftap_log_control& control);

/// A stream as its slot shows it now.
struct LogStream {
  flow::StreamNo stream = 0;
  std::uint32_t slot = 0;
  ftap_stream_state state = FTAP_STREAM_FREE;
  LogTarget target;
  std::uint64_t passed = 0;  ///< bytes, captured or not
  std::array<std::uint64_t, FTAP_NR_LOSSES> lost{};
  std::uint64_t last = 0;     ///< ns on CLOCK_MONOTONIC of the last bytes, 0: none
  std::uint64_t written = 0;  ///< to a pipe, at least, as processes saw that have ended; 0: not known
};

/// All accesses are atomic, so any thread may use it while the programs run.
class LogStreams {
 public:
  [[nodiscard]] static Result<LogStreams> map(const LogMaps& maps);

  /// Taps the target from now on. A target that is tapped already keeps its stream, whose number is returned. File
  /// systems give a deleted file's number to the next one at once, and only the programs see the difference (they end
  /// the old stream when the new file is written to). So a caller that knows that the old file is gone ends its stream
  /// first.
  [[nodiscard]] Result<flow::StreamNo> open(const LogTarget& target);

  /// Whether one of those to whom a listed stream belongs may still write there. Always true for other streams, and for
  /// pipes (what they hold is read later).
  [[nodiscard]] bool has_owner(const LogTarget& target) const;

  /// The processes that belong to runs, by pid. The programs add what these start, and remove a process when it ends.
  [[nodiscard]] std::map<std::uint32_t, LogMember> members() const { return read_members(members_.get()); }
  /// Adds a process that began earlier. False: it belongs to a run already, or has ended. open() adds the run's own
  /// process.
  [[nodiscard]] bool join(std::uint32_t pid, const LogRun& run);
  /// Removes a process if its entry is still the one that members() gave: the programs may miss the end of a process,
  /// and its run would never end.
  void leave(std::uint32_t pid, const LogMember& member);

  /// The number of the target's stream; nothing: the target is not tapped.
  [[nodiscard]] std::optional<flow::StreamNo> find(const LogTarget& target) const;

  /// Ends a stream without waiting for the programs to see its end: there is no END record, and its slot shows ENDED. A
  /// system call under way may still add to it. If it is not open, nothing happens.
  [[nodiscard]] Status end(const LogStream& stream);
  /// The same for a pipe that nobody can read any more: what was written (`stream.written`) and has not passed counts as passed, and
  /// as lost (FTAP_LOSS_UNREAD).
  [[nodiscard]] Status abandon(const LogStream& stream);

  /// Says that at least so many bytes were written to the target's pipe since its stream began; `written` of its slot becomes no less.
  void note_written(const LogTarget& target, std::uint64_t written);

  /// Makes the slot of an ended stream free for others. To be called no sooner than a second after the stream was seen
  /// to have ended, when no program can be using it any more, and after its end is in the journal.
  void free(const LogStream& stream);

  /// What userspace knows of a stream beside its slot. It goes with the slot.
  [[nodiscard]] const NameMap& names() const { return names_; }

  /// All streams that are open, or have ended and were not freed. They show which records were lost: an open stream
  /// that nobody has heard of, and one that has ended although the ring, read to its end since, had no END.
  [[nodiscard]] std::vector<LogStream> sweep() const;

  /// Tells the programs that the ring was drained; without that they stop capturing after FTAP_LOG_QUIET_NS.
  void beat();
  /// Says whether records wake the ring's reader.
  void wake(bool on);
  /// Says whether the programs do nothing.
  void mute(bool on);
  /// A number that no stream of the programs gets.
  [[nodiscard]] flow::StreamNo take_number();
  /// Raises the number of the next stream to at least this.
  void raise_next(flow::StreamNo floor);

  /// Something has entered this cgroup already, so what comes later is not the container's first process. `mounts` is
  /// the number of that process's mount namespace, as in stat() of /proc/PID/ns/mnt; 0: not known.
  [[nodiscard]] Status mark(std::uint64_t cgroup, std::uint32_t mounts = 0);

  /// From now on the programs register what enters systemd's cgroups with these names, and no others. Names longer than
  /// FTAP_CGROUP_NAME - 1 are refused.
  [[nodiscard]] Status list_units(const std::vector<std::string>& names);
  /// The same for the processes of these executables in this mount namespace, a number as in stat() of
  /// /proc/PID/ns/mnt.
  [[nodiscard]] Status list_executables(const std::vector<LogExecutable>& executables, std::uint32_t mounts);
  /// Adds what an older build has listed, as far as its maps have today's form.
  void take_lists(const LogMaps& older);

  /// Adds what an older build's programs have counted: the counts below are of all builds since the first was attached.
  void add_counts(const ftap_log_control& older);
  [[nodiscard]] std::uint64_t lost_events() const;  ///< records other than bytes that found no room
  [[nodiscard]] std::uint64_t no_slot() const;      ///< streams that found no slot
  [[nodiscard]] std::uint64_t rescued()
      const;  ///< events kept from the first program that the second handled
  [[nodiscard]] std::uint64_t unsure()
      const;  ///< events that perhaps no program handled, beside what the kernel counts

 private:
  LogStreams() = default;
  [[nodiscard]] ftap_log_control& control() const { return control_.elements().front(); }
  [[nodiscard]] __u32& filter_of(const LogTarget& target) const;
  [[nodiscard]] Result<std::uint32_t> claim(flow::StreamNo number);
  [[nodiscard]] Status end(const LogStream& stream, std::uint64_t written);

  MapView<ftap_stream> streams_;
  MapView<ftap_log_control> control_;
  MapView<ftap_filter_line> filter_;
  Fd targets_;
  Fd marks_;
  Fd units_;
  Fd exes_;
  Fd members_;
  NameMap names_;
};

}  // namespace flowtap::kernel
