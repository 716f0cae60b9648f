#include "telemetry/workloads/layer_collector.hpp"

#include <algorithm>
#include <array>

#include "base/file.hpp"
#include "telemetry/collecting/kernel_file.hpp"
#include "telemetry/node/mounts.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

constexpr std::string_view kUpper = "upperdir=";

// The places of containerd, Docker, podman and CRI-O, and of distributions that bring their own.
constexpr std::array<std::string_view, 7> kStorage{
    "/var/lib/containerd", "/var/lib/docker", "/var/lib/containers",      "/var/lib/rancher",
    "/var/lib/k0s",        "/run/containerd", "/var/snap/microk8s/common"};

bool is_below(std::string_view path, std::string_view place) {
  while (place.ends_with('/')) place.remove_suffix(1);
  return !place.empty() && path.size() > place.size() && path.starts_with(place) && path[place.size()] == '/';
}

bool is_stored(std::string_view path, std::span<const std::string> configured) {
  const auto holds = [path](std::string_view place) { return is_below(path, place); };
  return !path.contains("/../") &&
         (std::ranges::any_of(kStorage, holds) || std::ranges::any_of(configured, holds));
}

}  // namespace

std::string upper_directory(std::string_view mountinfo, std::span<const std::string> configured) {
  for (const Mount& mount : parse_mounts(mountinfo).all) {
    if (mount.point != "/" || mount.type != "overlay") continue;
    std::string_view options = mount.options;
    while (!options.empty()) {
      const auto comma = options.find(',');
      const std::string_view option = options.substr(0, comma);
      options.remove_prefix(comma == std::string_view::npos ? options.size() : comma + 1);
      if (option.starts_with(kUpper) && is_stored(option.substr(kUpper.size()), configured))
        return std::string(option.substr(kUpper.size()));
    }
  }
  return {};
}

void LayerCollector::follow_board() {
  auto processes = board_->read();
  if (processes == processes_) return;
  processes_ = std::move(processes);
  std::erase_if(layers_, [this](const auto& entry) { return !processes_->contains(entry.first); });
  for (const auto& [name, pid] : *processes_)
    if (const auto [at, fresh] = layers_.try_emplace(name); fresh) at->second.labels = name.labels();
}

bool LayerCollector::begin_next(Clock::time_point now) {
  const auto next = std::ranges::min_element(layers_, {}, [](const auto& entry) { return entry.second.due; });
  if (next == layers_.end() || next->second.due > now) return false;
  next->second.due = now + kEvery;
  whose_ = next->first;
  // The process may have ended, or have a root of another kind: then there is nothing to tell.
  const auto text =
      read_file(proc_ + '/' + std::to_string(processes_->at(whose_)) + "/mountinfo", kMostKernelText);
  const std::string upper = text ? upper_directory(*text, storage_) : std::string();
  if (!upper.empty()) walk_.emplace(host_root_ + upper);
  return true;
}

void LayerCollector::finish(std::uint64_t& unread) {
  if (const auto at = layers_.find(whose_); at != layers_.end()) {
    at->second.size = walk_->size();
    unread += at->second.size ? 0 : 1;
  }
  walk_.reset();
}

void LayerCollector::collect(Collected& out, Clock::time_point now) {
  const auto end = Clock::now() + kSlice;
  follow_board();
  do {
    if (!walk_ && !begin_next(now)) break;
    if (walk_ && walk_->go_on(end)) finish(out.unread);
  } while (Clock::now() < end);
  for (const auto& [name, layer] : layers_) {
    if (!layer.size) continue;
    out.add(StatId::kWORKLOAD_FILESYSTEM_USAGE, layer.size->bytes, layer.labels);
    out.add(StatId::kWORKLOAD_FILESYSTEM_FILES, layer.size->files, layer.labels);
  }
}

}  // namespace flowtap::telemetry
