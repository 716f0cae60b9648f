// The logs that runtimes keep themselves, for whoever reads or repairs flows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "identity/container_runs.hpp"
#include "identity/runtimes/runtime_file_finder.hpp"
#include "stream/lines/cri_line.hpp"
#include "stream/repair/history.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// Safe from any thread.
class Histories {
 public:
  /// `host_root` is where the node's file system is seen. `runs` knows which run of a container a flow has, and must outlive this;
  /// null: each container had one.
  [[nodiscard]] static Result<std::unique_ptr<Histories>> open(const std::string& host_root,
                                                               identity::StateDirectories where = {},
                                                               const identity::ContainerRuns* runs = nullptr);

  [[nodiscard]] const identity::RuntimeFileFinder& finder() const { return finder_; }
  /// The files of this flow, and when its run may have written. Absent: there are none, or nobody knows which lines are this run's.
  [[nodiscard]] std::optional<identity::RuntimeFilePlace> find(const std::string& flow) const;

  /// The lines before these beginnings. An Error with code ENOENT: the runtime has no file of this flow.
  [[nodiscard]] Result<std::unique_ptr<History>> open_log(const std::string& flow, SeamKeys keys) const;

  /// Whether it was noted that the runtime has nothing from before the flow. Ask this before its files are looked at again. A
  /// flow whose beginning has made room since is another matter.
  [[nodiscard]] bool is_whole(const flow::FlowStore::Flow& flow, flow::LogPosition begin) const;
  void note_whole(const flow::FlowStore::Flow& flow, flow::LogPosition begin);

  /// The time of the oldest line (ns since 1970) that the runtime had when all from before the flow was there. Nothing: that was not
  /// noted.
  [[nodiscard]] std::optional<std::uint64_t> oldest(const flow::FlowStore::Flow& flow) const;
  void note_oldest(const flow::FlowStore::Flow& flow, std::uint64_t time) const;

 private:
  Histories(identity::RootDir root, identity::StateDirectories where, const identity::ContainerRuns* runs)
      : finder_(std::move(root), std::move(where)), runs_(runs) {}

  static constexpr std::size_t kMostNoted = 8192;  // beyond this, all notes are dropped

  identity::RuntimeFileFinder finder_;
  const identity::ContainerRuns* runs_;  // may be null
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, flow::LogPosition> whole_;       // by the number of the flow
  mutable std::unordered_map<std::uint64_t, std::uint64_t> oldest_;  // the same
};

/// Gets the lines of an output, in order, and makes the key of what it begins with.
struct SeamBeginning {
  flow::SeamKey key;
  bool done = false;  ///< nothing is added any more

  void add(const flow::CriLine& line) {
    if (line.missing) done = done || !key.bytes.empty();
    if (line.missing && !done) key.missing_before += *line.missing;
    if (done || line.missing) return;
    if (key.bytes.empty()) key.time = line.time;
    key.bytes.append(line.text).append(line.full ? 1 : 0, '\n');
    done = key.bytes.size() >= flow::SeamKey::kEnough;
  }
};

/// The beginnings of a flow's outputs, between two positions of its log; `now` is the time of this moment, ns since 1970.
[[nodiscard]] Result<SeamKeys> seam_keys(const flow::FlowStore& store, const flow::FlowStore::Flow& flow,
                                         flow::LogPosition begin, flow::LogPosition end, std::uint64_t now);

}  // namespace flowtap
