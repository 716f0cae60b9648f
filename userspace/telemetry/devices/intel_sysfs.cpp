#include "telemetry/devices/intel_sysfs.hpp"

#include "telemetry/energy/attribute.hpp"

namespace flowtap::telemetry {
namespace {

constexpr std::uint64_t kMostMegahertz = 100'000;
constexpr double kMega = 1e6;

std::string no_uuid(const DrmCard& /*card*/) {
  return {};
}

// The clock of the first graphics engine: in xe, in i915, and in i915 before Linux 5.18. 0: it sleeps.
void read_intel(const DrmCard& card, DeviceValues& out, std::uint64_t& unread) {
  for (const std::string& file : {card.device + "/tile0/gt0/freq0/act_freq",
                                  card.card + "/gt/gt0/rps_act_freq_mhz", card.card + "/gt_act_freq_mhz"}) {
    const auto megahertz = read_number(file, unread);
    if (!megahertz) continue;
    if (*megahertz <= kMostMegahertz)
      out.hertz.push_back({"graphics", static_cast<double>(*megahertz) * kMega});
    else
      ++unread;
    return;
  }
}

}  // namespace

CardKind intel_cards() {
  return {.source = "intel",
          .collector = "devices_intel",
          .vendor = "intel",
          .pci_id = "0x8086",
          .uuid = &no_uuid,
          .read = &read_intel};
}

}  // namespace flowtap::telemetry
