#include "telemetry/devices/amd_sysfs.hpp"

#include "base/file.hpp"
#include "telemetry/collecting/fields.hpp"
#include "telemetry/energy/attribute.hpp"

namespace flowtap::telemetry {
namespace {

std::string unique_id(const DrmCard& card) {
  std::uint64_t unasked = 0;  // not counted: APUs and older cards have none
  return read_label(card.device + "/unique_id", unasked).value_or("");
}

// Lines such as "ue: 0" and "ce: 3": uncorrected and corrected memory errors since the driver was loaded.
void read_memory_errors(const DrmCard& card, DeviceValues& out, std::uint64_t& unread) {
  constexpr std::size_t kPage = 4096;
  const auto text = read_file(card.device + "/ras/umc_err_count", kPage);
  if (!text) return;  // a card without RAS
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = next_line(rest);
    const std::string_view kind = next_word(line);
    if (kind != "ue:" && kind != "ce:") continue;
    if (const auto count = whole_number(next_word(line)))
      out.ecc.push_back({kind == "ue:" ? "uncorrected" : "corrected", *count});
    else
      ++unread;
  }
}

void read_amd(const DrmCard& card, DeviceValues& out, std::uint64_t& unread) {
  const std::string& at = card.device;
  out.utilization = read_percent(at + "/gpu_busy_percent", unread);
  out.memory_utilization = read_percent(at + "/mem_busy_percent", unread);
  out.memory_total = read_number(at + "/mem_info_vram_total", unread);
  out.memory_used = read_number(at + "/mem_info_vram_used", unread);
  if (out.memory_total && out.memory_used && *out.memory_used <= *out.memory_total)
    out.memory_free = *out.memory_total - *out.memory_used;
  out.pcie_replays = read_number(at + "/pcie_replay_count", unread);
  read_memory_errors(card, out, unread);
}

}  // namespace

CardKind amd_cards() {
  return {.source = "amdgpu",
          .collector = "devices_amd",
          .vendor = "amd",
          .pci_id = "0x1002",
          .uuid = &unique_id,
          .read = &read_amd};
}

}  // namespace flowtap::telemetry
