#include "stats/compat/compat.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <span>

#include "stats/compat/machine.hpp"
#include "stats/compat/rows.hpp"

namespace flowtap::stats::compat {
namespace {

struct Named {
  std::string_view name;
  Exporter exporter;
};
constexpr std::array kExporters{Named{"cadvisor", Exporter::kCADVISOR}, Named{"node", Exporter::kNODE},
                                Named{"kepler", Exporter::kKEPLER}, Named{"dcgm", Exporter::kDCGM}};

bool has(const std::vector<Exporter>& exporters, Exporter one) {
  return std::ranges::find(exporters, one) != exporters.end();
}

// The values that rows take off, by the labels of their series.
class Subtrahends {
 public:
  Subtrahends(const Snapshot& snapshot, std::span<const Row> table) {
    std::set<StatId> wanted;
    for (const Row& row : table)
      if (row.tells == Tells::kLess) wanted.insert(row.less);
    for (const Series& series : snapshot.series)
      if (wanted.contains(series.stat->id))
        values_.emplace(key(series.stat->id, series), number(series.value));
  }
  [[nodiscard]] std::optional<double> of(StatId stat, const Series& series) const {
    const auto at = values_.find(key(stat, series));
    return at == values_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  using Key = std::pair<StatId, std::vector<std::string>>;
  static Key key(StatId stat, const Series& series) {
    return {stat, std::vector<std::string>(series.labels.begin(), series.labels.end())};
  }
  std::map<Key, double> values_;
};

// The samples of one name.
class Samples {
 public:
  Samples(const Snapshot& snapshot, const Surroundings& around, const Subtrahends& subtrahends,
          const Past& past)
      : seen_(std::chrono::duration<double>(snapshot.time.time_since_epoch()).count()),
        around_(around),
        subtrahends_(subtrahends),
        past_(past) {}

  void add(const Row& row, const Series& series) {
    auto labels = labels_of(row.labels, series, around_);
    if (!labels || histogram_in(series.value) != nullptr) return;
    if (is_sum(row.labels))
      sum(row, series, std::move(*labels));
    else if (const auto value = value_of(row, series))
      all_.push_back({.labels = std::move(*labels), .value = *value});
  }
  [[nodiscard]] std::vector<Sample> take() {
    for (auto& [labels, sum] : sums_)
      all_.push_back({.labels = labels, .value = static_cast<double>(sum) / 1e6});
    return std::move(all_);
  }
  [[nodiscard]] bool empty() const { return all_.empty() && sums_.empty(); }

 private:
  [[nodiscard]] std::optional<double> value_of(const Row& row, const Series& series) const {
    switch (row.tells) {
      case Tells::kValue:
        break;
      case Tells::kLess: {
        const auto less = subtrahends_.of(row.less, series);
        return less ? std::optional(number(series.value) - *less) : std::nullopt;
      }
      case Tells::kFixed:
        return row.scale;
      case Tells::kSeen:
        return seen_;
    }
    return number(series.value) * row.scale;
  }
  void sum(const Row& row, const Series& series, LabelPairs labels) {
    const auto [at, fresh] = sums_.try_emplace(std::move(labels), 0);
    at->second += millionths(series, row);
    if (!fresh) return;
    const auto ended = past_.ended.find(std::pair(row.name, at->first));
    if (ended != past_.ended.end()) at->second += ended->second;
  }

  double seen_;
  const Surroundings& around_;
  const Subtrahends& subtrahends_;
  const Past& past_;
  std::vector<Sample> all_;
  std::map<LabelPairs, std::uint64_t> sums_;
};

}  // namespace

std::optional<std::vector<Exporter>> parse_exporters(std::string_view text) {
  std::vector<Exporter> all;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const auto* const known = std::ranges::find(kExporters, text.substr(0, comma), &Named::name);
    if (known == kExporters.end() || comma == text.size() - 1) return std::nullopt;
    if (!has(all, known->exporter)) all.push_back(known->exporter);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return all;
}

std::vector<Family> families(const Snapshot& snapshot, const std::vector<Exporter>& exporters,
                             const Past& past) {
  const auto table = rows();
  const Surroundings around(snapshot, past.host, past.instances);
  const Subtrahends subtrahends(snapshot, table);
  std::multimap<StatId, std::size_t> wanted;  // rows
  std::vector<std::size_t> first_of(table.size());
  std::vector<Samples> found;  // in the order of each name's first row
  for (std::size_t i = 0; i < table.size(); ++i) {
    first_of[i] = i > 0 && table[i].name == table[i - 1].name ? first_of[i - 1] : i;
    found.emplace_back(snapshot, around, subtrahends, past);
    if (has(exporters, table[i].exporter)) wanted.emplace(table[i].stat, i);
  }
  const auto take = [&](const Series& series, bool for_compat) {
    const auto [begin, end] = wanted.equal_range(series.stat->id);
    for (auto at = begin; at != end; ++at) {
      const Row& row = table[at->second];
      if (!for_compat || row.exporter == Exporter::kCADVISOR) found[first_of[at->second]].add(row, series);
    }
  };
  for (const Series& series : snapshot.series) take(series, false);
  for (const Series& series : snapshot.for_compat) take(series, true);
  std::vector<Family> all;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (found[i].empty()) continue;
    const Row& row = table[i];
    const Stat& from = stat(row.stat);
    all.push_back({.name = row.name,
                   .help = row.help.empty() ? from.help : row.help,
                   .kind = row.tells == Tells::kValue ? from.kind : Kind::kGauge,
                   .samples = found[i].take()});
  }
  if (has(exporters, Exporter::kCADVISOR)) append_machine(snapshot, around.machine(), all);
  if (has(exporters, Exporter::kKEPLER)) all.insert(all.end(), past.made.begin(), past.made.end());
  return all;
}

}  // namespace flowtap::stats::compat
