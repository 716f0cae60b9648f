// What the stream path is told to do.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "identity/patterns/group_rules.hpp"
#include "identity/runtimes/state_directories.hpp"
#include "stream/sources/source_options.hpp"
#include "stream/store/line_options.hpp"

namespace flowtap {

class MountKeeper;

/// Plain values. The configuration's row stream.NAME says what each one means and accepts.
struct StreamOptions {
  bool enabled = true;
  std::string backend = "auto";
  std::uint64_t ring_bytes = kAutoSize;
  LineOptions lines;
  identity::StateDirectories runtimes;  ///< in HOST_ROOT
  std::string bpffs;                    ///< empty: HOST_ROOT/sys/fs/bpf
  std::string record;                   ///< empty: nothing is recorded
  // SIGHUP may change these two; those above hold until a restart.
  std::vector<flow::GroupRule> flow_rules;
  SourceOptions sources;
  bool operator==(const StreamOptions&) const = default;
};

/// Where the stream path finds the node and keeps what it captures.
struct StreamPlaces {
  std::string host_root = "/";
  std::string state_dir;
  Result<std::shared_ptr<MountKeeper>> mounts;  ///< keeps DIR/flows, or why nobody does
  /// How much of what was captured earlier has to make room first, so that there is memory to start with.
  std::uint64_t give_up = 0;
};

}  // namespace flowtap
