#include "stats/compat/compat.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace flowtap::stats::compat {
namespace {

struct Named {
  std::string_view name;
  Exporter exporter;
};
constexpr std::array kExporters{Named{"cadvisor", Exporter::kCADVISOR}, Named{"node", Exporter::kNODE},
                                Named{"kepler", Exporter::kKEPLER}, Named{"dcgm", Exporter::kDCGM}};

struct Row {
  Exporter exporter;
  std::string_view name;
  StatId stat;
  LabelMap labels;
  double scale;
};
constexpr std::array kRows{
#define FTAP_COMPAT(exporter, name, stat, labels, scale) \
  Row{Exporter::k##exporter, name, StatId::k##stat, LabelMap::k##labels, scale},
#include "stats/compat/compat.def"
#undef FTAP_COMPAT
};

double number(const Value& value) {
  const auto* count = std::get_if<std::uint64_t>(&value);
  return count != nullptr ? static_cast<double>(*count) : std::get<double>(value);
}

// Of several series with the same labels the sum.
class Samples {
 public:
  void add(const Row& row, const Series& series) {
    auto labels = labels_of(row.labels, series);
    if (!labels || histogram_in(series.value) != nullptr) return;
    const double value = number(series.value) * row.scale;
    if (row.labels == LabelMap::kKEPLER_POD || row.labels == LabelMap::kKEPLER_OLD_SYSTEM) {
      const auto [at, fresh] = places_.try_emplace(*labels, all_.size());
      if (!fresh) {
        all_[at->second].value += value;
        return;
      }
    }
    all_.push_back({.labels = std::move(*labels), .value = value});
  }
  [[nodiscard]] std::vector<Sample> take() { return std::move(all_); }
  [[nodiscard]] bool empty() const { return all_.empty(); }

 private:
  std::vector<Sample> all_;
  std::map<LabelPairs, std::size_t> places_;
};

}  // namespace

std::optional<std::vector<Exporter>> parse_exporters(std::string_view text) {
  std::vector<Exporter> all;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const auto* const known = std::ranges::find(kExporters, text.substr(0, comma), &Named::name);
    if (known == kExporters.end() || comma == text.size() - 1) return std::nullopt;
    if (std::ranges::find(all, known->exporter) == all.end()) all.push_back(known->exporter);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return all;
}

std::vector<Family> families(const Snapshot& snapshot, const std::vector<Exporter>& exporters) {
  std::multimap<StatId, std::size_t> wanted;  // rows
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (std::ranges::find(exporters, kRows.at(i).exporter) != exporters.end())
      wanted.emplace(kRows.at(i).stat, i);
  std::array<Samples, kRows.size()> found;  // by the first row of the name
  const auto first_of = [](std::size_t row) {
    const auto* const first = std::ranges::find(kRows, kRows.at(row).name, &Row::name);
    return static_cast<std::size_t>(first - kRows.begin());
  };
  for (const Series& series : snapshot.series) {
    const auto [begin, end] = wanted.equal_range(series.stat->id);
    for (auto at = begin; at != end; ++at) found.at(first_of(at->second)).add(kRows.at(at->second), series);
  }
  std::vector<Family> all;
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (found.at(i).empty()) continue;
    const Row& row = kRows.at(i);
    const Stat& from = stat(row.stat);
    all.push_back({.name = row.name, .help = from.help, .kind = from.kind, .samples = found.at(i).take()});
  }
  return all;
}

}  // namespace flowtap::stats::compat
