// Any bytes as two answers of a daemon about its workloads, a newline between them: what is read is sorted and finite, and what
// `flowtap top --pods` makes of it stays on its screen and steers no terminal.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/json/workloads_json.hpp"
#include "tools/flowtap/top/pod_columns.hpp"
#include "tools/flowtap/top/pods_screen.hpp"

using namespace flowtap;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view line = text.substr(0, text.find('\n'));
  const auto before = api::workloads_from_json(line);
  const auto now = api::workloads_from_json(text.substr(std::min(size, line.size() + 1)));
  if (!now) return 0;
  const api::WorkloadReading* last = nullptr;
  for (const api::WorkloadReading& workload : now->workloads) {
    if (last != nullptr && !(last->key < workload.key)) std::abort();
    for (const auto& [name, value] : workload.values)
      if (!std::isfinite(value)) std::abort();
    last = &workload;
  }
  cli::PodInterval interval =
      cli::pod_interval(before ? &*before : nullptr, *now, {.containers = size % 2 == 0});
  const std::size_t sorted = size % 6;
  cli::sort_rows(interval.rows, sorted);
  const cli::ScreenSize screen{.rows = 1 + size % 7, .columns = 1 + size % 90};
  const auto lines = cli::pods_screen(interval, sorted, "", screen, {.color = false, .utf8 = true});
  if (lines.size() > screen.rows) std::abort();
  for (const std::string& shown : lines)
    if (cli::columns(shown) > screen.columns || shown.contains('\x1b')) std::abort();
  if (cli::pods_json(interval).contains('\n')) std::abort();
  return 0;
}
