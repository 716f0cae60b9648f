#include "collector_name.hpp"

#include <algorithm>
#include <array>

namespace flowtap::cli {
namespace {

/// How a collector sets a line out.
struct Shape {
  std::string_view
      line;  ///< the member that has the line, or a list of lines; empty: its names are no one else's
  bool needs_container =
      false;  ///< it always writes one, and a pod without it is a field that was taken out of the line
};
// In the order of kShapes.
enum ShapeName : std::uint8_t {
  kKubernetes,
  kOtel,
  kGoogle,
  kLoki,
  kLogcli,
  kStern,
  kAzure,
  kCloudWatch,
  kJournal,
  kShapeCount
};
constexpr std::array kShapes = {
    Shape{},                    // Fluent Bit, Fluentd, Vector, Filebeat
    Shape{},                    // OpenTelemetry
    Shape{},                    // Google Cloud
    Shape{"values"},            // an answer of Loki's
    Shape{"line"},              // logcli
    Shape{"message", true},     // stern
    Shape{"LogMessage", true},  // Azure's ContainerLogV2
    Shape{},                    // CloudWatch
    Shape{"MESSAGE"},           // journalctl
};
static_assert(kShapes.size() == kShapeCount);

// Where there are no pods, what is most like each: a journal's machine, unit and container, or a log stream.
enum class PartName : std::uint8_t { kNamespace, kPod, kContainer };
struct Member {
  ShapeName shape;
  PartName part;
  std::string_view path;
};
// What klog writes of a pod has its namespace and a slash, and so is no name.
constexpr std::array kMembers = {
    Member{kKubernetes, PartName::kNamespace, "kubernetes.namespace_name"},
    Member{kKubernetes, PartName::kNamespace, "kubernetes.pod_namespace"},
    Member{kKubernetes, PartName::kNamespace, "kubernetes.namespace"},
    Member{kKubernetes, PartName::kPod, "kubernetes.pod_name"},
    Member{kKubernetes, PartName::kPod, "kubernetes.pod.name"},
    Member{kKubernetes, PartName::kContainer, "kubernetes.container_name"},
    Member{kKubernetes, PartName::kContainer, "kubernetes.container.name"},
    Member{kOtel, PartName::kNamespace, "resource.attributes.k8s.namespace.name"},
    Member{kOtel, PartName::kPod, "resource.attributes.k8s.pod.name"},
    Member{kOtel, PartName::kContainer, "resource.attributes.k8s.container.name"},
    Member{kGoogle, PartName::kNamespace, "resource.labels.namespace_name"},
    Member{kGoogle, PartName::kPod, "resource.labels.pod_name"},
    Member{kGoogle, PartName::kContainer, "resource.labels.container_name"},
    Member{kLoki, PartName::kNamespace, "stream.namespace"},
    Member{kLoki, PartName::kPod, "stream.pod"},
    Member{kLoki, PartName::kContainer, "stream.container"},
    Member{kLogcli, PartName::kNamespace, "labels.namespace"},
    Member{kLogcli, PartName::kPod, "labels.pod"},
    Member{kLogcli, PartName::kContainer, "labels.container"},
    Member{kStern, PartName::kNamespace, "namespace"},
    Member{kStern, PartName::kPod, "podName"},
    Member{kStern, PartName::kContainer, "containerName"},
    Member{kAzure, PartName::kNamespace, "PodNamespace"},
    Member{kAzure, PartName::kPod, "PodName"},
    Member{kAzure, PartName::kContainer, "ContainerName"},
    Member{kCloudWatch, PartName::kPod, "logStreamName"},
    Member{kCloudWatch, PartName::kPod, "logStream"},
    Member{kCloudWatch, PartName::kPod, "@logStream"},
    Member{kJournal, PartName::kNamespace, "_HOSTNAME"},
    Member{kJournal, PartName::kPod, "_SYSTEMD_UNIT"},
    Member{kJournal, PartName::kContainer, "CONTAINER_NAME"},
};

// A log stream may be called by anything; all others are labels of DNS.
bool may_be_name(const Member& row, std::string_view text) {
  constexpr std::size_t kLongestStream = 512;
  constexpr std::size_t kLongestName = 253;
  const bool of_dns = row.shape != kCloudWatch && row.shape != kJournal;
  const auto is_its = [of_dns](char c) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    return of_dns ? plain : c > ' ' && c <= '~';
  };
  return !text.empty() && text.size() <= (of_dns ? kLongestName : kLongestStream) &&
         std::ranges::all_of(text, is_its);
}

void add_members(CollectorName& name, const boost::json::object& object, const std::string& above,
                 std::size_t deep) {
  for (const auto& [key, value] : object) {
    if (above.empty()) name.note(key);
    const std::string path = above.empty() ? std::string(key) : above + '.' + std::string(key);
    if (value.is_string()) name.add(path, value.get_string());
    if (!value.is_object()) continue;
    if (path == CollectorName::kKept) add_members(name, value.get_object(), {}, deep);
    if (deep > 1) add_members(name, value.get_object(), path, deep - 1);
  }
}

}  // namespace

void CollectorName::note(std::string_view key) {
  for (std::size_t i = 0; i < kShapes.size(); ++i)
    if (key == kShapes.at(i).line) noted_ |= 1U << i;
}

void CollectorName::add(std::string_view path, std::string_view text) {
  const auto* const row = std::ranges::find(kMembers, path, &Member::path);
  if (row == kMembers.end() || !may_be_name(*row, text)) return;
  const auto same = [row](const Part& part) {
    return kMembers.at(part.row).shape == row->shape && kMembers.at(part.row).part == row->part;
  };
  if (std::ranges::none_of(parts_, same))
    parts_.push_back({.row = static_cast<std::size_t>(row - kMembers.begin()), .text = std::string(text)});
}

void CollectorName::add(const CollectorName& kept) {
  noted_ |= kept.noted_;
  for (const Part& part : kept.parts_) add(kMembers.at(part.row).path, part.text);
}

std::string CollectorName::text() const {
  for (std::size_t i = 0; i < kShapes.size() && !parts_.empty(); ++i) {
    const Shape& shape = kShapes.at(i);
    if (!shape.line.empty() && (noted_ & (1U << i)) == 0) continue;
    std::array<std::string_view, 3> found;
    for (const Part& part : parts_) {
      const Member& row = kMembers.at(part.row);
      if (row.shape == i) found.at(static_cast<std::size_t>(row.part)) = part.text;
    }
    const auto& [ns, pod, container] = found;
    if (pod.empty() || (container.empty() && shape.needs_container)) continue;
    return std::string(ns).append(1, '\n').append(pod).append(1, '\n').append(container);
  }
  return {};
}

std::string collector_name(const boost::json::object& object) {
  CollectorName name;
  add_members(name, object, {}, CollectorName::kDeepest);
  return name.text();
}

}  // namespace flowtap::cli
