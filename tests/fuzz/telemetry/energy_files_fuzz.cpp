// Any files as powercap's zones and hwmon's chips, and any others a second later: readings are fit for labels, within their range
// and the same when read again, and a node's energy is none that no machine could have used.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "telemetry/energy/hwmon.hpp"
#include "telemetry/energy/node_total.hpp"
#include "telemetry/energy/powercap.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace {

using namespace flowtap::telemetry;
using flowtap::fuzz::require;
namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 64;

bool is_fit(std::string_view text) {
  constexpr std::string_view kOthers = "-_.:/";
  for (const char c : text)
    if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && !kOthers.contains(c))
      return false;
  return !text.empty();
}

// It lies below the class directory, and not too deep.
bool is_place(std::string_view path) {
  if (!is_fit(path) || path.size() > 200 || path.contains("..") || path.contains("//") || path.ends_with('/'))
    return false;
  return path.starts_with("powercap/") || path.starts_with("hwmon/");
}

// Each one is a line with its path and then its text, up to a line "==". A '+' before the path says: it is there in the second
// look.
struct File {
  std::string_view path;
  std::string_view text;
  bool later;
};
std::vector<File> files_in(std::string_view text) {
  constexpr std::string_view kEnd = "\n==\n";
  std::vector<File> files;
  while (!text.empty() && files.size() < kMostFiles) {
    const auto end = text.find(kEnd);
    std::string_view file = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + kEnd.size());
    const bool later = file.starts_with('+');
    if (later) file.remove_prefix(1);
    const auto line = file.find('\n');
    if (line == std::string_view::npos || !is_place(file.substr(0, line))) continue;
    files.push_back({file.substr(0, line), file.substr(line + 1), later});
  }
  return files;
}

void write(const std::string& root, const std::vector<File>& files, bool later) {
  std::error_code taken;  // a file may stand where a directory should, or a directory where a file should
  for (const File& file : files) {
    if (file.later && !later) continue;
    const fs::path path = fs::path(root) / "class" / file.path;
    fs::create_directories(path.parent_path(), taken);
    std::ofstream(path, std::ios::binary) << file.text;
  }
}

void look_at(const EnergyReadings& read, std::uint64_t unread, std::size_t files) {
  require(read.counters.size() + read.powers.size() <= files && read.lacking.size() <= unread);
  require(unread <= 4 * files + 2);
  for (const EnergyReading& counter : read.counters) {
    require(is_fit(counter.part) && (counter.range == 0 || counter.uj <= counter.range));
    if (counter.range != 0) require(energy_modulus(counter.range).uj >= counter.range);
  }
  for (const PowerReading& power : read.powers)
    require(is_fit(meter_part(power)) && power.uw < 1'000'000'000'000);
  for (const LackingPart& part : read.lacking) require(is_fit(part.part));
}

using Reader = EnergyReadings (*)(const std::string&, std::uint64_t&);

EnergyReadings read_twice(Reader reader, const std::string& root, std::size_t files) {
  std::uint64_t unread = 0;
  EnergyReadings read = reader(root, unread);
  look_at(read, unread, files);
  std::uint64_t again = 0;
  const EnergyReadings same = reader(root, again);
  require(again == unread && same.counters.size() == read.counters.size() &&
          same.powers.size() == read.powers.size() && same.lacking.size() == read.lacking.size());
  for (std::size_t i = 0; i < same.counters.size(); ++i)
    require(same.counters[i].uj == read.counters[i].uj && same.counters[i].part == read.counters[i].part);
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto files = files_in({reinterpret_cast<const char*>(data), size});
  const flowtap::test::TempDir directory;
  const std::string root = directory / "sys";
  EnergyParts parts;
  NodeTotal total;
  EnergyClock::time_point now{std::chrono::hours(1)};
  std::uint64_t unread = 0;
  for (const bool later : {false, true, true}) {
    now += std::chrono::seconds(1);
    write(root, files, later);
    EnergyReadings zones = read_twice(read_powercap, root, files.size());
    EnergyReadings sensors = read_twice(read_hwmon, root, files.size());
    zones.at = sensors.at = now;
    parts.begin();
    parts.add(zones, unread);
    parts.add(sensors, unread);
    std::uint64_t uj = 0;
    for (const EnergyPart& part : parts.read_now()) {
      require(part.step.known || part.step.uj == 0);
      uj += part.step.uj;
    }
    const auto node = total.add(parts.read_now(), now, zones.lacking);
    if (node) require(*node <= uj && total.devices_room().value_or(0) <= *node);
    require(total.missing() <= 2 * files.size());
  }
  require(unread == 0);
  return 0;
}
