// Any bytes as any of a cgroup's files: there are values or a refusal. What is told is never negative, and only a limit is ever
// infinite. More text behind what was understood changes no key that this text does not have.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "telemetry/workloads/files/cgroup_values.hpp"

namespace {

using namespace flowtap::telemetry;

void check(const CgroupFile& file, std::string_view text) {
  CgroupValues out;
  if (!file.parse(text, out)) return;
  CgroupValues again;
  if (!file.parse(text, again) || again != out) std::abort();
  out.derive();
  const CgroupValues whole = out;
  for (const auto& gauge : out.gauges)
    if (gauge && !(*gauge >= 0)) std::abort();
  for (const auto limit : {CgroupGauge::kMemoryLimit, CgroupGauge::kSwapLimit, CgroupGauge::kTasksLimit,
                           CgroupGauge::kReservation})
    if (out[limit] == kUnlimited) out[limit].reset();
  for (const auto& gauge : out.gauges)
    if (gauge && !std::isfinite(*gauge)) std::abort();

  // No kernel of today writes this line into a file of lines.
  if (!text.ends_with('\n') || std::string_view(file.name).starts_with("pids.") || !text.contains(' '))
    return;
  CgroupValues more;
  if (file.parse(std::string(text) + "later_key 7\n", more)) {
    more.derive();
    if (more != whole) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const CgroupFile& file : cgroup_files()) check(file, text);
  for (const CgroupFile& file : cgroup_files_v1()) check(file, text);
  for (const CgroupFile& file : cgroup_files_cpuacct()) check(file, text);
  return 0;
}
