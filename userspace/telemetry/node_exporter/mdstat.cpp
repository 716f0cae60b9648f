#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/node_exporter/drives.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

using stats::compat::PageKind;

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size()))
    ++count;
  return count;
}

// The two numbers of "[2/1]" or "(16775552/195310144)".
struct Fraction {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};
std::optional<Fraction> fraction_in(std::string_view text, char open, char close) {
  for (auto at = text.find(open); at != std::string_view::npos; at = text.find(open, at + 1)) {
    const auto end = text.find(close, at);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = text.substr(at + 1, end - at - 1);
    const auto slash = inside.find('/');
    if (slash == std::string_view::npos) continue;
    const auto first = whole_number(inside.substr(0, slash));
    const auto second = whole_number(inside.substr(slash + 1));
    if (first && second) return Fraction{*first, *second};
  }
  return std::nullopt;
}

struct Array {
  std::string name;
  std::string_view state;
  double required = 0, active = 0, failed = 0, spare = 0, blocks = 0, synced = 0;
};

// The states that node_exporter tells, in its words.
constexpr std::array<std::string_view, 5> kArrayStates{"active", "check", "inactive", "recovering", "resync"};

void add_array(const Array& array, stats::compat::Page& out) {
  const auto add = [&](const char* name, const char* help, stats::compat::LabelPairs more, double value) {
    more.insert(more.begin(), {"device", array.name});
    out.add("node_md_" + std::string(name), PageKind::kGauge, help, std::move(more), value);
  };
  add("blocks", "Blocks of the array.", {}, array.blocks);
  add("blocks_synced", "Blocks of the array that are in sync.", {}, array.synced);
  add("disks_required", "Disks that the array should have.", {}, array.required);
  for (const auto& [state, count] : {std::pair("active", array.active), std::pair("failed", array.failed),
                                     std::pair("spare", array.spare)})
    add("disks", "Disks of the array, by state.", {{"state", state}}, count);
  for (const std::string_view state : kArrayStates)
    add("state", "Whether the array is in this state.", {{"state", std::string(state)}},
        state == array.state ? 1 : 0);
}

// The line below the array's: how many blocks, and how many of its disks are there.
bool read_size(std::string_view head, std::string_view line, Array& array) {
  std::string_view words = line;
  const auto blocks = whole_number(next_word(words));
  if (!blocks) return false;
  array.blocks = array.synced = static_cast<double>(*blocks);
  if (head.contains("raid0") || head.contains("linear")) {
    array.required = array.active = static_cast<double>(count_of(head, "["));
  } else if (array.state != "inactive") {
    const auto disks = fraction_in(line, '[', ']');
    if (!disks) return false;
    array.required = static_cast<double>(disks->first);
    array.active = static_cast<double>(disks->second);
  }
  return true;
}

// "recovery", "resync" and "check" tell how far they are, or that they wait (PENDING, DELAYED).
bool read_progress(std::string_view line, Array& array) {
  if (line.contains("recovery"))
    array.state = "recovering";
  else if (line.contains("check"))
    array.state = "check";
  else
    array.state = "resync";
  if (line.contains("PENDING") || line.contains("DELAYED")) {
    array.synced = 0;
    return true;
  }
  const auto done = fraction_in(line, '(', ')');
  if (done) array.synced = static_cast<double>(done->first);
  return done.has_value();
}

}  // namespace

bool parse_mdstat(std::string_view text, stats::compat::Page& out) {
  bool good = true;
  while (!text.empty()) {
    const std::string_view head = next_line(text);
    if (head.empty() || head.front() == ' ' || head.front() == '\t' || head.starts_with("Personalities") ||
        head.starts_with("unused"))
      continue;
    std::string_view words = head;
    Array array{.name = std::string(next_word(words)), .state = {}};
    next_word(words);  // ":"
    array.state = next_word(words);
    array.failed = static_cast<double>(count_of(head, "(F)"));
    array.spare = static_cast<double>(count_of(head, "(S)"));
    bool known = !array.state.empty() && read_size(head, next_line(text), array);
    std::string_view rest = text;
    while (known && (rest.starts_with(' ') || rest.starts_with('\t'))) {
      const std::string_view line = next_line(rest);
      if (line.contains("recovery") || line.contains("resync") || line.contains("check")) {
        known = read_progress(line, array);
        break;
      }
    }
    good = good && known;
    if (known) add_array(array, out);
  }
  return good;
}

}  // namespace flowtap::telemetry::node_exporter
