#include "telemetry/node/pressure.hpp"

#include <array>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/collecting/kernel_file.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

struct File {
  const char* name;
  std::optional<StatId> some, full;
};
// "full" of cpu means nothing for a whole node, and is written as 0 all the same (Documentation/accounting/psi.rst).
constexpr std::array kFiles{
    File{"cpu", StatId::kNODE_PRESSURE_CPU_WAITING, std::nullopt},
    File{"memory", StatId::kNODE_PRESSURE_MEMORY_WAITING, StatId::kNODE_PRESSURE_MEMORY_STALLED},
    File{"io", StatId::kNODE_PRESSURE_IO_WAITING, StatId::kNODE_PRESSURE_IO_STALLED},
    File{"irq", std::nullopt, StatId::kNODE_PRESSURE_IRQ_STALLED},
};

std::optional<std::uint64_t> total(std::string_view line) {
  constexpr std::string_view kKey = "total=";
  for (auto word = next_word(line); !word.empty(); word = next_word(line))
    if (word.starts_with(kKey)) return whole_number(word.substr(kKey.size()));
  return std::nullopt;
}

}  // namespace

void parse_pressure(std::string_view text, std::optional<StatId> some, std::optional<StatId> full,
                    Collected& out) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view kind = next_word(line);
    if (kind != "some" && kind != "full") continue;
    std::optional<StatId>& row = kind == "some" ? some : full;
    if (!row) continue;
    if (const auto microseconds = total(line))
      out.add(*row, static_cast<double>(*microseconds) / 1e6);
    else
      ++out.unread;
    row.reset();  // each once
  }
}

void PressureCollector::collect(Collected& out) {
  for (const File& file : kFiles)
    if (const auto text = read_kernel_file_if_there(folder_ + file.name, out))
      parse_pressure(*text, file.some, file.full, out);
}

}  // namespace flowtap::telemetry
