#include "scheds/fifo/fifo.hpp"

#include "fifo.skel.h"
#include "kernel/libbpf_messages.hpp"
#include "scheds/lib/struct_ops.hpp"

namespace flowtap::scheds {
namespace {

constexpr std::string_view kName = "fifo";

struct SkeletonDeleter {
  void operator()(fifo_bpf* skeleton) const noexcept { fifo_bpf::destroy(skeleton); }
};
using Skeleton = std::unique_ptr<fifo_bpf, SkeletonDeleter>;

class Fifo final : public Scheduler {
 public:
  Fifo(Skeleton skeleton, Attached attached)
      : skeleton_(std::move(skeleton)), attached_(std::move(attached)) {}

  std::string_view name() const override { return kName; }
  Result<std::unique_ptr<stats::SlotSource>> slots() const override { return read_slots(skeleton_->obj); }
  std::optional<Exit> exited() const override { return attached_.exited(); }

 private:
  Skeleton skeleton_;
  Attached attached_;
};

}  // namespace

Result<std::unique_ptr<Scheduler>> start_fifo(const StartOptions& options) {
  FTAP_TRY(check_sched_ext(options.sysfs));
  const kernel::LibbpfMessages messages;
  Skeleton skeleton(fifo_bpf::open());
  if (!skeleton) return std::unexpected(load_refusal(kName, errno));
  FTAP_TRY(prepare_maps(skeleton->obj, options));
  if (const auto sequence = hotplug_sequence(options.sysfs))
    skeleton->struct_ops.fifo->hotplug_seq = *sequence;
  set_longest_wait(options, skeleton->struct_ops.fifo->timeout_ms);
  FTAP_TRY(tell_of_taken_cpus(skeleton->obj, skeleton->struct_ops.fifo->cpu_release));
  if (const int err = fifo_bpf::load(skeleton.get()); err != 0)
    return std::unexpected(load_refusal(kName, -err));
  FTAP_TRY_ASSIGN(attached, Attached::attach(skeleton->obj, skeleton->maps.fifo, options));
  return std::make_unique<Fifo>(std::move(skeleton), std::move(attached));
}

}  // namespace flowtap::scheds
