// The units and executables that the configuration lists: told to the programs in the kernel, and found where they run
// already.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "component/views/flow_views.hpp"
#include "kernel/log/log_programs.hpp"
#include "kernel/log/open_files.hpp"
#include "stream/journal/consumer/log_consumer.hpp"
#include "stream/sources/files/path_walk.hpp"
#include "stream/sources/listed_executables.hpp"
#include "stream/sources/stream_slots.hpp"

namespace flowtap {

/// Used by one thread, which waits for no file system that may hang.
class ListedProcesses {
 public:
  /// All must outlive it. `host_root` is where the node's file system is seen, with its /proc.
  [[nodiscard]] static Result<ListedProcesses> open(const std::string& host_root, const kernel::LogLive& live,
                                                    const kernel::OpenFiles& files, StreamSlots& slots,
                                                    flow::LogConsumer& consumer);

  /// Captures these from now on, and no others; what runs already is captured from now on.
  [[nodiscard]] Status set(const std::vector<std::string>& units,
                           const std::vector<std::string>& executables);

  /// Finds executables that were replaced, and what is there by now. `again`: also finds processes that run without being
  /// captured, since a tap of their output was released, there was no slot for them, or their exec was missed. To be called every
  /// second or so.
  [[nodiscard]] Status look(bool again);

  /// Listed names for which nothing is there.
  [[nodiscard]] std::vector<std::string> not_found() const;
  /// Listed executables that are there and are not captured.
  [[nodiscard]] std::vector<api::RefusedSource> refused() const { return executables_.refused(); }

 private:
  ListedProcesses(PathWalk walk, std::string proc, std::string cgroups, std::uint32_t mounts,
                  const kernel::LogLive& live, const kernel::OpenFiles& files, StreamSlots& slots,
                  flow::LogConsumer& consumer)
      : proc_(std::move(proc)),
        cgroups_(std::move(cgroups)),
        mounts_(mounts),
        live_(&live),
        files_(&files),
        slots_(&slots),
        consumer_(&consumer),
        executables_(std::move(walk), [&files](int fd) { return files.own_file(fd); }) {}

  void find_units();
  [[nodiscard]] Status capture_running();
  [[nodiscard]] bool is_seen(const kernel::OpenFile& output) const;
  [[nodiscard]] std::optional<ftap_log_rule> rule_of(const kernel::OpenFile& output) const;

  std::string proc_;
  std::string cgroups_;   // where the v2 hierarchy is mounted; empty: nowhere
  std::uint32_t mounts_;  // the node's own mount namespace
  const kernel::LogLive* live_;
  const kernel::OpenFiles* files_;
  StreamSlots* slots_;
  flow::LogConsumer* consumer_;
  std::map<std::string, std::map<std::uint64_t, std::string>> units_;  // name → ids of its cgroups
  ListedExecutables executables_;
  unsigned looks_ = 0;
  bool no_slot_ = false;  // there was none for some of what runs
};

}  // namespace flowtap
