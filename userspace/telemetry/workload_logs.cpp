#include "telemetry/workload_logs.hpp"

#include "identity/flow_id.hpp"
#include "telemetry/cgroup_names.hpp"

namespace flowtap {
namespace {

using stats::StatId;
using telemetry::WorkloadKind;
using telemetry::WorkloadName;

// "NAME-ID12", or only an id, which contains no '-'.
std::string container_name(std::string_view component) {
  const auto dash = component.rfind('-');
  const std::string_view name = component.substr(0, dash == std::string_view::npos ? kShortId : dash);
  const auto decoded = identity::flow_id_components(name);
  return decoded ? decoded->front() : std::string();
}

}  // namespace

std::optional<WorkloadName> workload_of(const std::string& flow) {
  const auto parts = identity::flow_id_components(flow);
  if (!parts || parts->size() < 2) return std::nullopt;
  const std::string& kind = parts->front();
  if (kind == "pod" && parts->size() >= 6)
    return WorkloadName{.kind = WorkloadKind::kPod,
                        .ns = parts->at(1),
                        .pod = parts->at(2),
                        .container = parts->at(4),
                        .workload = std::string(telemetry::controller_of(parts->at(2)))};
  if (kind == "container") {
    const std::string_view behind = std::string_view(flow).substr(kind.size() + 1);
    return WorkloadName{.kind = WorkloadKind::kContainer,
                        .ns = {},
                        .pod = {},
                        .container = container_name(behind.substr(0, behind.find('/'))),
                        .workload = {}};
  }
  if (kind == "unit")
    return WorkloadName{
        .kind = WorkloadKind::kUnit, .ns = {}, .pod = {}, .container = {}, .workload = parts->at(1)};
  return std::nullopt;
}

std::shared_ptr<flow::Written> WorkloadLogs::written_by(const std::string& flow) {
  auto name = workload_of(flow);
  if (!name) return nullptr;
  const std::scoped_lock lock(mutex_);
  if (workloads_.size() >= kMost && !workloads_.contains(*name)) *name = {};
  return workloads_[*name].written;
}

void WorkloadLogs::append_samples(std::vector<stats::Series>& out, Clock::time_point now,
                                  std::chrono::milliseconds keep) {
  const std::scoped_lock lock(mutex_);
  for (auto& [name, entry] : workloads_)
    if (entry.written.use_count() > 1) entry.last = now;  // only written_by() hands out more of it
  std::erase_if(workloads_, [&](const auto& entry) { return now - entry.second.last > keep; });
  for (const auto& [name, entry] : workloads_) {
    const auto one = [&out, labels = name.labels()](StatId id, const std::atomic<std::uint64_t>& count) {
      out.push_back({&stats::stat(id), labels, count.load(std::memory_order_relaxed)});
    };
    one(StatId::kWORKLOAD_LOG_BYTES, entry.written->bytes);
    one(StatId::kWORKLOAD_LOG_LINES, entry.written->lines);
    one(StatId::kWORKLOAD_LOG_MISSING, entry.written->missing);
  }
}

}  // namespace flowtap
