#include "identity/runtimes/runtime_file_finder.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <string_view>
#include <utility>

#include "identity/flow_id.hpp"

namespace flowtap::identity {
namespace {

constexpr const char* kPods = "var/log/pods";
// Every pod of the node, including those that are gone and still have files.
constexpr std::size_t kMostPods = 65536;
constexpr std::size_t kMostNames = 4096;
// Directories in containers/storage that have a directory for each container.
constexpr std::array<std::string_view, 4> kStored = {"overlay-containers", "vfs-containers",
                                                     "btrfs-containers", "zfs-containers"};

std::vector<std::string> names_in(const RootDir& root, const std::string& path, std::size_t most) {
  return root.list(path, most).value_or(std::vector<std::string>());
}

std::chrono::system_clock::time_point changed(const RootDir& dir, const std::string& name) {
  const auto fd = dir.open_plain(name, O_PATH | O_NOFOLLOW);
  struct stat status{};
  if (!fd || ::fstat(fd->get(), &status) != 0) return {};
  return std::chrono::system_clock::time_point(std::chrono::seconds(status.st_mtim.tv_sec) +
                                               std::chrono::nanoseconds(status.st_mtim.tv_nsec));
}

}  // namespace

std::optional<RuntimeFilePlace> RuntimeFileFinder::find(const std::string& flow) const {
  const auto id = flow_id_components(run_of_flow(flow).first);
  if (!id) return std::nullopt;
  if (id->size() == 6 && id->front() == "pod") return find_pod(*id);
  // A container inside a container has its files there.
  if (id->size() != 2 || id->front() != "container") return std::nullopt;
  const std::string& name = id->back();
  return find_container(name.substr(name.rfind('-') + 1));
}

// pod/NS/POD/UID/CONTAINER/N. kubelet's names contain no "_" and no "/", so this checks them before it makes a path of
// them.
std::optional<RuntimeFilePlace> RuntimeFileFinder::find_pod(const std::vector<std::string>& id) const {
  const std::string pod = id[1] + "_" + id[2] + "_" + id[3];
  std::string file = id[5] + ".log";
  if (!parse_pod_log_directory(pod) || !is_file_name(id[4]) || !is_file_name(file) ||
      !restart_of_log_file(file))
    return std::nullopt;
  const auto pods = root_.below(kPods);
  if (!pods) return std::nullopt;
  // A pod that may write there (a hostPath) can make links, and must not read with them.
  auto dir = pods->plain_below(joined({pod, id[4]}));
  if (!dir) return std::nullopt;
  if (const auto target = dir->link(file)) return find_linked(id, *target);
  return RuntimeFilePlace{std::move(*dir), std::move(file), LogFormat::kCri};
}

// cri-dockerd links to Docker's own file. The link is believed if Docker says that the file belongs to that pod's
// container.
std::optional<RuntimeFilePlace> RuntimeFileFinder::find_linked(const std::vector<std::string>& id,
                                                               const std::string& target) const {
  constexpr std::string_view kSuffix = "-json.log";
  const std::string name = target.substr(target.rfind('/') + 1);
  if (!name.ends_with(kSuffix)) return std::nullopt;
  const auto bundle = finder_.find(name.substr(0, name.size() - kSuffix.size()), Runtime::kDocker);
  if (!bundle || !*bundle) return std::nullopt;
  const ContainerIdentity& who = (*bundle)->who;
  if (who.ns != id[1] || who.pod != id[2] || who.pod_uid != id[3] || who.container_name != id[4])
    return std::nullopt;
  return open(who);
}

std::optional<RuntimeFilePlace> RuntimeFileFinder::find_container(const std::string& start) const {
  if (start.size() < kShortId || !is_file_name(start)) return std::nullopt;
  const auto find_in = [&](const std::string& directory, Runtime runtime) -> std::optional<RuntimeFilePlace> {
    for (const std::string& name : names_in(root_, directory, kMostPods)) {
      if (!name.starts_with(start)) continue;
      const auto bundle = finder_.find(name, runtime);
      if (bundle && *bundle) return open((*bundle)->who);
    }
    return std::nullopt;
  };
  for (const std::string& docker : where_.docker)
    if (auto found = find_in(docker + "/containers", Runtime::kDocker)) return found;
  for (const std::string& storage : where_.storage)
    for (const std::string_view stored : kStored)
      if (auto found = find_in(joined({storage, stored}), Runtime::kPodman)) return found;
  return std::nullopt;
}

// The runtime says where; only root can write in its directories.
std::optional<RuntimeFilePlace> RuntimeFileFinder::open(const ContainerIdentity& who) const {
  if (!who.log_path || who.format == LogFormat::kNone) return std::nullopt;
  const std::size_t slash = who.log_path->rfind('/');
  std::string base = who.log_path->substr(slash + 1);
  if (slash == std::string::npos || !is_file_name(base)) return std::nullopt;
  auto dir = root_.below(who.log_path->substr(0, slash));
  if (!dir) return std::nullopt;
  return RuntimeFilePlace{std::move(*dir), std::move(base), who.format};
}

std::vector<PodLog> RuntimeFileFinder::pods(const std::function<bool(const PodLogs&)>& is_wanted) const {
  std::vector<PodLog> found;
  const auto pods = root_.below(kPods);
  if (!pods) return found;
  for (const std::string& name : names_in(*pods, ".", kMostPods)) {
    const auto logs = parse_pod_log_directory(name);
    if (!logs || !is_wanted(*logs)) continue;
    const auto dir = pods->plain_below(name);
    if (!dir) continue;
    for (const std::string& container : names_in(*dir, ".", kMostNames)) {
      const auto files = dir->plain_below(container);
      if (!files) continue;
      for (const std::string& file : names_in(*files, ".", kMostNames))
        if (const auto restart = restart_of_log_file(file))
          found.push_back({*logs, container, *restart, changed(*pods, name)});
    }
  }
  return found;
}

}  // namespace flowtap::identity
