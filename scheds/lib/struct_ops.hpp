// What the loaders of our schedulers have in common: one object with one sched_ext_ops, from opened to attached.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "kernel/map_view.hpp"
#include "scheds/lib/scheduler.hpp"

struct bpf_link;
struct bpf_map;
struct bpf_object;
struct bpf_program;

namespace flowtap::scheds {

/// Fails with a sentence and a hint where the kernel has no sched_ext, or where another sched_ext scheduler runs.
[[nodiscard]] Status check_sched_ext(const std::string& sysfs);

/// The value for sched_ext_ops.hotplug_seq, to be set before load: the kernel then refuses the scheduler if CPUs come
/// or go between now and its start. Absent where the kernel does not tell.
[[nodiscard]] std::optional<std::uint64_t> hotplug_sequence(const std::string& sysfs);

/// Sizes the maps of bpf/lib and scheds/lib for this machine. To be called between open and load.
[[nodiscard]] Status prepare_maps(bpf_object* object, const StartOptions& options);

/// Puts StartOptions::longest_wait into sched_ext_ops.timeout_ms. To be called between open and load.
void set_longest_wait(const StartOptions& options, std::uint32_t& timeout_ms);

/// Chooses how the scheduler hears that a task of a higher class takes a CPU (taken.bpf.h); `release` is
/// sched_ext_ops.cpu_release. To be called between open and load.
[[nodiscard]] Status tell_of_taken_cpus(bpf_object* object, bpf_program*& release);

/// Turns a refusal to load into a sentence and a hint.
[[nodiscard]] Error load_refusal(std::string_view name, int err);

struct LinkDeleter {
  void operator()(bpf_link* link) const noexcept;
};

/// An attached sched_ext_ops. It is unregistered together with this object.
class Attached {
 public:
  /// Attaches `ops` of the loaded `object`. The scheduler runs the machine's tasks when this returns.
  [[nodiscard]] static Result<Attached> attach(bpf_object* object, bpf_map* ops, const StartOptions& options);

  [[nodiscard]] std::optional<Exit> exited() const;

 private:
  using Link = std::unique_ptr<bpf_link, LinkDeleter>;

  Attached(Link link, Link taken, kernel::MapView<ftap_exit> exits)
      : exits_(std::move(exits)), taken_(std::move(taken)), link_(std::move(link)) {}

  kernel::MapView<ftap_exit> exits_;
  Link taken_;  // only where a tracing program does this
  Link link_;
};

/// The object's slots, one block per possible CPU.
[[nodiscard]] Result<std::unique_ptr<stats::SlotSource>> read_slots(bpf_object* object);

}  // namespace flowtap::scheds
