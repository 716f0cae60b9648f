#include "identity/resolver.hpp"

#include <utility>

#include "identity/flow_id.hpp"
#include "identity/proc_identity.hpp"
#include "identity/runtimes/pod_logs.hpp"

namespace flowtap::identity {
namespace {

// A pod's container is complete only with its log file: that has the restart count.
bool complete(const ContainerIdentity& who) {
  if (who.ns && !who.sandbox) return who.container_name && who.pod && who.pod_uid && who.restart;
  return who.runtime != Runtime::kPodman || who.container_name;
}

}  // namespace

std::optional<std::string> Answer::flow_id() const {
  std::string id;
  if (container)
    id = identity::flow_id(*container);
  else if (unit)
    id = unit_flow_id(*unit);
  else
    return std::nullopt;
  if (nested) return inner_flow_id(id, nested->id);
  return user_unit ? inner_flow_id(id, *user_unit) : id;
}

Resolver::Resolver(const RootDir& root, const RootDir& proc, StateDirectories where, std::size_t most,
                   const RootDir* cgroups)
    : root_(root),
      proc_(proc),
      cgroups_(cgroups),
      finder_(root, std::move(where)),
      containers_(most),
      sandboxes_(most) {}

std::optional<std::string> Resolver::path_of_process(const Sighting& s) const {
  // The open directory stays that of one process, dead or not.
  const auto dir = proc_.below(std::to_string(s.pid));
  if (!dir) return std::nullopt;
  if (s.start) {
    const auto text = dir->read("stat", kProcStatLimit);
    const auto stat = text ? parse_proc_stat(*text) : std::unexpected(text.error());
    if (!stat || stat->start != *s.start) return std::nullopt;
  }
  const auto text = dir->read("cgroup", kProcCgroupLimit);
  if (!text) return std::nullopt;
  auto path = parse_proc_cgroup(*text);
  // A path that leads out of our own cgroup namespace cannot be found in our hierarchy.
  if (!path || !s.cgroup_id || cgroups_ == nullptr || path->starts_with("/..")) return path;
  return up_to_cgroup(*path, s);
}

// The process may be in a cgroup below by now: systemd in a container moves itself.
std::optional<std::string> Resolver::up_to_cgroup(const std::string& path, const Sighting& s) const {
  const auto inode = cgroups_->inode(path);
  // A cgroup that is gone by now tells nothing; then we must know by other means that the process is the same.
  if (!inode) return s.start ? std::optional(path) : std::nullopt;
  if (*inode == *s.cgroup_id) return path;
  for (std::string_view part = path; part.size() > 1; part = part.substr(0, part.rfind('/'))) {
    if (s.cgroup.empty() || !part.ends_with("/" + s.cgroup)) continue;
    std::string above(part);
    const auto theirs = cgroups_->inode(above);
    if (theirs && *theirs == *s.cgroup_id) return above;
  }
  return std::nullopt;
}

std::optional<std::string> Resolver::path_of(const Sighting& s) const {
  std::optional<std::string> path = s.cgroup_path;
  if (!path && s.pid > 0) path = path_of_process(s);
  // The process may have moved since; then the event's names are right.
  if (path && (s.cgroup.empty() || path->ends_with("/" + s.cgroup))) return path;
  return std::nullopt;
}

std::optional<Bundle> Resolver::find(const std::string& id, std::optional<Runtime> hint) {
  auto found = finder_.find(id, hint);
  if (!found) {
    ++counts_.unreadable;
    last_error_ = std::move(found).error();
    return std::nullopt;
  }
  return std::move(*found);
}

std::string Resolver::log_directory(const Bundle& bundle) {
  if (bundle.log_directory) return *bundle.log_directory;
  if (bundle.sandbox_id) {
    if (const Sandbox* known = sandboxes_.get(*bundle.sandbox_id)) return known->log_directory;
    const auto sandbox = find(*bundle.sandbox_id, bundle.who.runtime);
    // This keeps a container from leading to another pod's directory by the id in its bundle.
    if (sandbox && sandbox->log_directory && sandbox->who.sandbox && sandbox->who.ns == bundle.who.ns &&
        sandbox->who.pod == bundle.who.pod) {
      sandboxes_.put(*bundle.sandbox_id, Sandbox{*sandbox->log_directory});
      return *sandbox->log_directory;
    }
  }
  const std::string name =
      bundle.who.ns.value_or("") + "_" + bundle.who.pod.value_or("") + "_" + bundle.who.pod_uid.value_or("");
  return parse_pod_log_directory(name) ? "/var/log/pods/" + name : std::string();
}

void Resolver::add_log(const Bundle& bundle, ContainerIdentity& who) {
  if (who.runtime != Runtime::kContainerd || who.format != LogFormat::kCri) return;
  const std::string directory = log_directory(bundle);
  if (directory.empty() || who.sandbox || !who.container_name) return;
  const auto newest = newest_log(root_, directory, *who.container_name);
  if (!newest || !*newest) return;
  who.restart = (*newest)->restart;
  who.log_path = (*newest)->path;
}

bool Resolver::take_link(const std::string& id, ContainerIdentity& who) {
  auto found = find_container_link(root_, id);
  if (!found || !*found) return false;
  ContainerLink& link = **found;
  if (who.pod_uid && *who.pod_uid != link.pod.uid) return false;
  who.ns = std::move(link.pod.ns);
  who.pod = std::move(link.pod.pod);
  who.pod_uid = std::move(link.pod.uid);
  who.container_name = std::move(link.container);
  who.restart = link.restart;
  who.log_path = std::move(link.log_path);
  who.format = who.runtime == Runtime::kDocker ? LogFormat::kDockerJson : LogFormat::kCri;
  return true;
}

// An id may be used again (containerd's clients choose it), its cgroup's inode not.
std::string Resolver::key_of(const std::string& id, const Sighting& sighting) {
  return sighting.cgroup_id ? id + '/' + std::to_string(*sighting.cgroup_id) : id;
}

void Resolver::take_container(const CgroupContainer& seen, const std::string& key, Answer& answer) {
  const auto same_pod = [&seen](const ContainerIdentity& who) {
    return !seen.pod_uid || !who.pod_uid || *seen.pod_uid == *who.pod_uid;
  };
  if (const ContainerIdentity* known = containers_.get(key); known != nullptr && same_pod(*known)) {
    ++counts_.hits;
    answer.container = *known;
    answer.certainty = Certainty::kComplete;
    return;
  }
  ContainerIdentity who;
  auto bundle = find(seen.id, seen.runtime);
  if (bundle && same_pod(bundle->who)) {
    who = bundle->who;
    if (!who.pod_uid) who.pod_uid = seen.pod_uid;
    add_log(*bundle, who);
    ++counts_.found;
  } else {
    who.container_id = seen.id;
    who.runtime = seen.runtime;
    who.pod_uid = seen.pod_uid;
    if (take_link(seen.id, who)) {
      ++counts_.from_links;
    } else {
      ++counts_.absent;
      answer.container = std::move(who);
      answer.certainty = Certainty::kPartial;
      return;
    }
  }
  answer.certainty = complete(who) ? Certainty::kComplete : Certainty::kPartial;
  if (answer.certainty == Certainty::kComplete) containers_.put(key, who);
  answer.container = std::move(who);
}

namespace {

// For a process that was found running it stands only in its path.
std::string cgroup_name(const Sighting& sighting, const std::optional<std::string>& path) {
  if (!sighting.cgroup.empty() || !path) return sighting.cgroup;
  return path->substr(path->rfind('/') + 1);
}

// The path up to the first name behind `from` that contains `id`.
std::optional<std::string> up_to(std::string_view path, std::string_view id, std::size_t from = 0) {
  const auto at = path.find(id, from);
  if (id.empty() || at == std::string_view::npos) return std::nullopt;
  return std::string(path.substr(0, path.find('/', at)));
}

}  // namespace

// A container's first process may be in a cgroup below the container's own, where its runtime or an init system made one.
void Resolver::take_cgroups(const std::optional<std::string>& path, const Sighting& s, Answer& answer) const {
  const auto id_of = [&](const std::optional<std::string>& own) -> std::optional<std::uint64_t> {
    if (!own) return std::nullopt;
    if (own == path && s.cgroup_id) return s.cgroup_id;
    if (cgroups_ == nullptr) return std::nullopt;
    const auto inode = cgroups_->inode(*own);
    return inode ? std::optional(*inode) : std::nullopt;
  };
  const auto own = path && answer.container ? up_to(*path, answer.container->container_id) : std::nullopt;
  if (answer.container) answer.cgroup = id_of(own);
  if (answer.container && !answer.nested && !answer.cgroup) answer.cgroup = s.cgroup_id;
  if (path && answer.nested)
    answer.nested_cgroup = id_of(up_to(*path, answer.nested->id, own ? own->size() : 0));
}

Answer Resolver::resolve(const Sighting& sighting) {
  const std::optional<std::string> path = path_of(sighting);
  CgroupPlace place = parse_cgroup_path(path ? *path : joined({sighting.parent, sighting.cgroup}));
  Answer answer;
  answer.whole_path = path.has_value();
  const bool is_container = !place.containers.empty();
  // A name that was chosen in a container is not an id of ours.
  answer.unproven =
      (!path && sighting.users_names && is_container) || (sighting.nested && !is_container && !place.unit);
  if (answer.unproven || (!path && sighting.users_names)) return answer;
  answer.certainty = Certainty::kComplete;
  if (const CgroupContainer* nested = place.nested())
    answer.nested = *nested;
  else if (const std::string name = cgroup_name(sighting, path); sighting.nested && is_container &&
                                                                 is_file_name(name) &&
                                                                 !name.contains(place.containers.front().id))
    answer.nested = CgroupContainer{.id = name, .runtime = {}, .pod_uid = {}};
  if (const CgroupContainer* ours = place.ours()) {
    take_container(*ours, key_of(ours->id, sighting), answer);
    take_cgroups(path, sighting, answer);
    return answer;
  }
  if (place.unit || !is_file_name(sighting.cgroup)) {
    answer.unit = std::move(place.unit);
    answer.user_unit = std::move(place.user_unit);
    take_cgroups(path, sighting, answer);
    return answer;
  }
  // containerd's clients choose id and cgroup freely. Outside of any unit only root makes cgroups, and a real
  // container's bundle existed before its first exec, so no bundle means no container.
  const CgroupContainer guess{.id = sighting.cgroup, .runtime = Runtime::kContainerd, .pod_uid = {}};
  const std::string key = key_of(guess.id, sighting);
  if (containers_.get(key) != nullptr || find(guess.id, guess.runtime)) {
    take_container(guess, key, answer);
    take_cgroups(path, sighting, answer);
  }
  return answer;
}

}  // namespace flowtap::identity
