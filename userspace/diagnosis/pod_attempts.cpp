#include "diagnosis/pod_attempts.hpp"

#include <algorithm>
#include <iterator>

namespace flowtap::diagnosis {
namespace {

// Two words on one phase: the later one, and where they say the same the device-aware scheduler's sentence, which says more.
PhaseVerdict of_both(const PhaseVerdict& device, const flow::KlogTime& said, const PhaseVerdict& generic,
                     const flow::KlogTime& said_too) {
  if (device.verdict == generic.verdict) return device.summary.empty() ? generic : device;
  if (device.verdict == Verdict::kNone) return generic;
  if (generic.verdict == Verdict::kNone) return device;
  return flow::is_earlier(said_too, said) ? device : generic;
}

std::vector<NodeVerdict> of_both(std::vector<NodeVerdict> device, std::vector<NodeVerdict> generic) {
  std::vector<NodeVerdict> out;
  // Of equal names the first range's are taken.
  std::ranges::set_union(std::make_move_iterator(device.begin()), std::make_move_iterator(device.end()),
                         std::make_move_iterator(generic.begin()), std::make_move_iterator(generic.end()),
                         std::back_inserter(out), {}, &NodeVerdict::name, &NodeVerdict::name);
  return out;
}

}  // namespace

Diagnosis PodAttempts::diagnosis() const {
  const Attempt& generic = attempts_.at(static_cast<std::size_t>(Scheduler::kKube));
  const Attempt& device = attempts_.at(static_cast<std::size_t>(Scheduler::kHami));
  if (device.empty()) return generic.diagnosis();
  if (generic.empty()) return device.diagnosis();
  if (!device.uid().empty() && !generic.uid().empty() && device.uid() != generic.uid())
    return flow::is_earlier(device.last(), generic.last()) ? generic.diagnosis() : device.diagnosis();
  if (flow::is_earlier(device.first(), generic.since())) return generic.diagnosis();
  if (generic.closed() && flow::is_earlier(generic.last(), device.first())) return device.diagnosis();

  Diagnosis out = generic.diagnosis();
  Diagnosis other = device.diagnosis();
  if (out.uid.empty()) out.uid = other.uid;
  if (!other.node.empty()) out.node = std::move(other.node);
  out.filter = of_both(other.filter, device.filter().time, out.filter, generic.filter().time);
  out.bind = of_both(other.bind, device.bind().time, out.bind, generic.bind().time);
  out.nodes = of_both(std::move(other.nodes), std::move(out.nodes));
  out.decide();
  return out;
}

}  // namespace flowtap::diagnosis
