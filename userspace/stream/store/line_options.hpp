// What becomes lines and flows, and how much of it is kept.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace flowtap {

/// A size that is chosen at the start: fit_memory() puts a figure in its place.
inline constexpr std::uint64_t kAutoSize = 0;

/// Plain values. The configuration's row stream.NAME or stream.schedulers.NAME says what each means and what it accepts.
struct LineOptions {
  std::uint64_t flows_bytes = kAutoSize;    ///< of the tmpfs
  std::uint64_t journal_bytes = kAutoSize;  ///< at most max_journal_bytes() of flows_bytes
  /// How the flows' lines are kept in what the journal leaves of flows_bytes.
  struct Flows {
    std::uint64_t flow_bytes = std::uint64_t{10} << 20U;
    std::uint64_t max_flows = 4096;
    std::chrono::milliseconds max_age = std::chrono::hours(12);
    std::chrono::milliseconds flush_idle{1000};
    std::uint64_t max_buffers = 1024;
    std::uint64_t buffer_bytes = std::uint64_t{64} << 10U;
    std::uint64_t buffers_bytes = std::uint64_t{8} << 20U;
    bool operator==(const Flows&) const = default;
  } flows;
  /// Whose output is a scheduler's log, and what is made of it.
  struct Schedulers {
    std::vector<std::string> logs{"pod/kube-system/kube-scheduler-*/kube-scheduler",
                                  "pod/openshift-kube-scheduler/openshift-kube-scheduler-*/kube-scheduler",
                                  "pod/openshift-numaresources/secondary-scheduler-*/secondary-scheduler",
                                  "pod/scheduler-plugins/scheduler-plugins-scheduler-*/*",
                                  "pod/kube-system/hami-scheduler-*/*",
                                  "pod/hami-system/hami-scheduler-*/*"};
    std::vector<std::string> keys{"logID", "pod", "object", "podName", "pod name"};
    std::string main_log = "off";
    std::uint64_t main_log_verbosity = 2;
    std::uint64_t main_log_bytes = std::uint64_t{10} << 20U;  ///< of one file
    std::uint64_t main_log_files = 5;
    bool operator==(const Schedulers&) const = default;
  } schedulers;
  bool operator==(const LineOptions&) const = default;
};

/// The most that the journal may take of a tmpfs of this size. A removed segment keeps its memory as long as a reader has it
/// open, and a tmpfs counts whole pages. A journal that leaves no room for that meets a full file system before it makes room
/// itself.
[[nodiscard]] constexpr std::uint64_t max_journal_bytes(std::uint64_t flows_bytes) {
  return flows_bytes / 4 * 3;
}

}  // namespace flowtap
