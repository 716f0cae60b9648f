// What another build of the log tap, whatever its layout, still has in the kernel: to be drained, and its streams to be
// taken over. It is read by its own description (records tell their sizes, maps their layout); only the control word
// has its place and meaning for ever.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernel/log/log_generation.hpp"
#include "kernel/log/log_streams.hpp"
#include "kernel/map_layout.hpp"
#include "kernel/ring_reader.hpp"

namespace flowtap::kernel {

/// A cgroup that a container's first process has entered; see LogStreams::mark().
struct LogMark {
  std::uint64_t cgroup = 0;
  std::uint32_t mounts = 0;
};

class LogOlder {
 public:
  [[nodiscard]] static Result<LogOlder> open(const LogPins& pins, const std::string& layout);

  [[nodiscard]] const LogGeneration& generation() const { return generation_; }
  [[nodiscard]] Result<std::unique_ptr<RingReader>> ring() const {
    return RingReader::open(generation_.maps.ring.get());
  }

  /// Like LogStreams::sweep(), without the streams that were dropped.
  [[nodiscard]] std::vector<LogStream> sweep() const;
  /// As LogStreams::names(); a build that kept no names has none.
  [[nodiscard]] NameMap names() const { return NameMap(generation_.maps.names.get()); }
  /// The number of its next stream.
  [[nodiscard]] flow::StreamNo next_stream() const { return control_.elements().front().next_stream; }

  /// The cgroups that something has entered, as its programs know them. Builds that did not note the mounts give none.
  [[nodiscard]] std::vector<LogMark> marks() const;

  /// Like LogStreams::members(); empty for a build that had no members.
  [[nodiscard]] std::map<std::uint32_t, LogMember> members() const;

  /// Nobody wants this stream any more: sweep() leaves it out.
  void drop(flow::StreamNo stream) { dropped_.insert(stream); }
  void beat() { beat_control(control_.elements().front()); }
  /// From now on its programs do nothing: this build goes on with all its streams.
  void mute();
  [[nodiscard]] bool is_muted() const;
  [[nodiscard]] const ftap_log_control& control() const { return control_.elements().front(); }

 private:
  LogOlder(std::string layout, LogGeneration generation, MapLayout slots)
      : layout_(std::move(layout)), generation_(std::move(generation)), slots_(std::move(slots)) {}
  [[nodiscard]] LogStream read(const std::byte* slot, std::uint32_t index) const;

  std::string layout_;
  LogGeneration generation_;
  MapLayout slots_;
  Mapping streams_;
  MapView<ftap_log_control> control_;
  std::set<flow::StreamNo> dropped_;
};

}  // namespace flowtap::kernel
