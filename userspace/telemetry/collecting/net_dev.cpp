#include "telemetry/collecting/net_dev.hpp"

#include <set>

#include "base/printable.hpp"
#include "telemetry/collecting/fields.hpp"

namespace flowtap::telemetry {

std::uint64_t for_each_net_device(
    std::string_view text, const std::function<void(const std::string& device, const NetNumbers&)>& take) {
  std::uint64_t bad = 0;
  std::set<std::string> seen;
  // Recognized by their place and not by their looks: a device may have almost any name.
  next_line(text);
  next_line(text);
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (line.empty()) continue;
    const auto colon = line.rfind(':');
    std::string_view head = line.substr(0, colon);
    const std::string_view device = next_word(head);
    line.remove_prefix(colon == std::string_view::npos ? line.size() : colon + 1);

    NetNumbers numbers{};
    bool good = !device.empty() && next_word(head).empty();
    for (std::uint64_t& number : numbers) {
      const auto read = whole_number(next_word(line));
      good = good && read;
      number = read.value_or(0);
    }
    std::string label = printable(device);
    if (good && seen.insert(label).second)
      take(label, numbers);
    else
      ++bad;
  }
  return bad;
}

}  // namespace flowtap::telemetry
