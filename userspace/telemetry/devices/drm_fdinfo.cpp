#include "telemetry/devices/drm_fdinfo.hpp"

#include <algorithm>
#include <limits>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/devices/printable_label.hpp"

namespace flowtap::telemetry {
namespace {

constexpr std::size_t kMostKinds = 32;
constexpr std::uint64_t kMostCapacity = 1024;

// What follows `prefix` in `key`; empty where the key does not begin with it.
std::string_view behind(std::string_view key, std::string_view prefix) {
  return key.starts_with(prefix) ? key.substr(prefix.size()) : std::string_view();
}

// "192 KiB", "5 ns" or "7"; absent if the unit is unknown.
std::optional<std::uint64_t> number_with_unit(std::string_view text) {
  const auto number = whole_number(next_word(text));
  const std::string_view unit = next_word(text);
  std::uint64_t factor = 0;
  if (unit.empty() || unit == "ns") factor = 1;
  if (unit == "KiB") factor = std::uint64_t{1} << 10U;
  if (unit == "MiB") factor = std::uint64_t{1} << 20U;
  if (!number || factor == 0 || *number > std::numeric_limits<std::uint64_t>::max() / factor)
    return std::nullopt;
  return *number * factor;
}

template <typename Value>
Value* kind_of(std::map<std::string, Value, std::less<>>& all, std::string_view kind) {
  if (const auto at = all.find(kind); at != all.end()) return &at->second;
  return all.size() < kMostKinds ? &all[std::string(kind)] : nullptr;
}

// True: the key was an engine's.
bool take_engine(std::string_view key, std::uint64_t number, DrmClient& client) {
  struct Form {
    std::string_view prefix;
    std::optional<std::uint64_t> DrmEngine::* field;
  };
  // The longer prefixes come first: no kind may be named "capacity-...".
  if (const auto kind = behind(key, "drm-engine-capacity-"); !kind.empty()) {
    if (DrmEngine* const engine = kind_of(client.engines, kind))
      engine->capacity = std::clamp<std::uint64_t>(number, 1, kMostCapacity);
    return true;
  }
  for (const Form& form : {Form{"drm-engine-", &DrmEngine::busy_ns}, Form{"drm-cycles-", &DrmEngine::cycles},
                           Form{"drm-total-cycles-", &DrmEngine::total_cycles}}) {
    const auto kind = behind(key, form.prefix);
    if (kind.empty()) continue;
    if (DrmEngine* const engine = kind_of(client.engines, kind)) engine->*form.field = number;
    return true;
  }
  return false;
}

void take_memory(std::string_view key, std::uint64_t number, DrmClient& client) {
  // drm-memory- is what older drivers call resident.
  for (const std::string_view prefix : {"drm-total-", "drm-resident-", "drm-memory-"}) {
    const auto kind = behind(key, prefix);
    if (kind.empty()) continue;
    DrmMemory* const memory = kind_of(client.memories, kind);
    if (memory == nullptr) return;
    (prefix == "drm-total-" ? memory->total : memory->resident) = number;
  }
}

bool on_device(std::string_view memory) {
  return memory.starts_with("vram") || memory.starts_with("local");
}

}  // namespace

std::optional<std::uint64_t> DrmClient::own_memory() const {
  std::optional<std::uint64_t> sum;
  for (const auto& [kind, memory] : memories) {
    const auto bytes = memory.resident ? memory.resident : memory.total;
    if (!on_device(kind) || !bytes) continue;
    const std::uint64_t before = sum.value_or(0);
    sum = before > std::numeric_limits<std::uint64_t>::max() - *bytes ? before : before + *bytes;
  }
  return sum;
}

std::optional<DrmClient> parse_drm_fdinfo(std::string_view text) {
  DrmClient client;
  bool told = false;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !line.starts_with("drm-")) continue;
    const std::string_view key = line.substr(0, colon);
    std::string_view value = line.substr(colon + 1);
    if (key == "drm-driver") {
      client.driver = printable_label(next_word(value));
    } else if (key == "drm-pdev") {
      client.device = printable_label(next_word(value));
    } else if (const auto number = number_with_unit(value)) {
      if (key == "drm-client-id") {
        client.id = *number;
        told = true;
      } else if (!take_engine(key, *number, client)) {
        take_memory(key, *number, client);
      }
    }
  }
  if (client.driver.empty() || !told) return std::nullopt;
  return client;
}

std::optional<double> engine_ratio(const DrmEngine& before, const DrmEngine& now, std::uint64_t ns) {
  const auto part = [&](std::uint64_t busy, std::uint64_t all) {
    const double ratio =
        static_cast<double>(busy) / (static_cast<double>(all) * static_cast<double>(now.capacity));
    return std::optional(std::min(1.0, ratio));
  };
  if (now.busy_ns && before.busy_ns && *now.busy_ns >= *before.busy_ns && ns > 0)
    return part(*now.busy_ns - *before.busy_ns, ns);
  if (now.cycles && before.cycles && now.total_cycles && before.total_cycles &&
      *now.cycles >= *before.cycles && *now.total_cycles > *before.total_cycles)
    return part(*now.cycles - *before.cycles, *now.total_cycles - *before.total_cycles);
  return std::nullopt;
}

}  // namespace flowtap::telemetry
