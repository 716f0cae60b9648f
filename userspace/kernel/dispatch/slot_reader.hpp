// Reads and resets the per-CPU slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/map_view.hpp"
#include "stats/slot_source.hpp"

namespace flowtap::kernel {

/// Exchanges every counter with 0 and adds what was there to `sums`, which has as many elements as each
/// block.
///
/// The exchange is atomic towards the atomic adds of BPF: an add is either in what is taken or in what stays, never in
/// both or neither. (Looking up and then writing 0 would not be: adds in between vanish, or the old value comes back.)
/// A counter that shows 0 is left alone, which spares the other CPU's cache line.
void take_slots(std::span<std::uint64_t> block, std::span<std::uint64_t> sums);

/// The slots of all possible CPUs, including those that are offline now: what they counted before they went is taken.
class SlotReader final : public stats::SlotSource {
 public:
  explicit SlotReader(MapView<ftap_block> blocks) : blocks_(std::move(blocks)) {}
  void take(stats::SlotCounts& counts) override;

 private:
  MapView<ftap_block> blocks_;
};

}  // namespace flowtap::kernel
