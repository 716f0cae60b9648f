#include "tools/bench/load/powercap_tree.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <utility>

namespace flowtap::bench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto kStep = 100ms;
// The counters have this many digits for an hour, so each value can be written over the one before.
constexpr std::uint64_t kBegin = 100'000'000'000;

struct ZoneRow {
  std::string_view place;
  std::string_view name;
  std::uint64_t uj_per_ms;  // mW
};
constexpr std::array kZones{
    ZoneRow{"intel-rapl:0", "package-0", 40'000}, ZoneRow{"intel-rapl:0:0", "core", 25'000},
    ZoneRow{"intel-rapl:0:1", "dram", 8'000},     ZoneRow{"intel-rapl:1", "package-1", 44'000},
    ZoneRow{"intel-rapl:1:0", "core", 27'000},    ZoneRow{"intel-rapl:1:1", "dram", 9'000},
};

// A directory of links to everything in `from` except `without`.
void link_all(const fs::path& from, const fs::path& to, std::string_view without) {
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(from))
    if (entry.path().filename() != without) fs::create_symlink(entry.path(), to / entry.path().filename());
}

}  // namespace

Result<PowercapTree> PowercapTree::make(const test::ScratchRoot& root) {
  const fs::path sys = root.file("sys");
  try {
    fs::remove(sys);
    link_all("/sys", sys, "class");
    link_all("/sys/class", sys / "class", "powercap");
    std::vector<Zone> zones;
    for (const ZoneRow& row : kZones) {
      const std::string zone = "sys/class/powercap/" + std::string(row.place);
      fs::create_directories(root.file(zone));
      root.write(zone + "/name", std::string(row.name) + "\n");
      root.write(zone + "/max_energy_range_uj", "262143328850\n");
      const std::string energy = root.write(zone + "/energy_uj", std::to_string(kBegin) + "\n");
      zones.push_back({Fd(::open(energy.c_str(), O_WRONLY | O_CLOEXEC)), row.uj_per_ms});
      if (!zones.back().energy.valid()) return fail_errno(errno, "cannot write " + energy);
    }
    return PowercapTree(std::move(zones));
  } catch (const std::exception& e) {
    return fail(std::string("cannot make a powercap tree: ") + e.what());
  }
}

PowercapTree::PowercapTree(std::vector<Zone> zones)
    : counts_([zones = std::move(zones)](const std::stop_token& done) {
        const auto begin = std::chrono::steady_clock::now();
        while (!done.stop_requested()) {
          const auto ms =
              std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
          for (const Zone& zone : zones) {
            const std::string text =
                std::to_string(kBegin + static_cast<std::uint64_t>(ms.count()) * zone.uj_per_ms) + "\n";
            [[maybe_unused]] const auto n = ::pwrite(zone.energy.get(), text.data(), text.size(), 0);
          }
          std::this_thread::sleep_for(kStep);
        }
      }) {}

}  // namespace flowtap::bench
