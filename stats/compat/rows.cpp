#include "stats/compat/rows.hpp"

#include <array>
#include <cmath>

namespace flowtap::stats::compat {
namespace {

constexpr std::array kRows{
#define FTAP_COMPAT(exporter, name, stat, labels, scale) \
  Row{Exporter::k##exporter, name, StatId::k##stat, LabelMap::k##labels, Tells::kValue, scale, {}},
#define FTAP_COMPAT_FIXED(exporter, name, stat, labels, value, help) \
  Row{Exporter::k##exporter, name, StatId::k##stat, LabelMap::k##labels, Tells::kFixed, value, help},
#define FTAP_COMPAT_SEEN(exporter, name, stat, labels, help) \
  Row{Exporter::k##exporter, name, StatId::k##stat, LabelMap::k##labels, Tells::kSeen, 1, help},
#define FTAP_COMPAT_LESS(exporter, name, stat, labels, less)                                  \
  Row{Exporter::k##exporter, name, StatId::k##stat, LabelMap::k##labels, Tells::kLess, 1, {}, \
      StatId::k##less},
#include "stats/compat/compat.def"
#undef FTAP_COMPAT
#undef FTAP_COMPAT_FIXED
#undef FTAP_COMPAT_SEEN
#undef FTAP_COMPAT_LESS
};

}  // namespace

std::span<const Row> rows() {
  return kRows;
}

double number(const Value& value) {
  const auto* count = std::get_if<std::uint64_t>(&value);
  return count != nullptr ? static_cast<double>(*count) : std::get<double>(value);
}

std::uint64_t millionths(const Series& series, const Row& row) {
  return static_cast<std::uint64_t>(std::llround(number(series.value) * row.scale * 1e6));
}

}  // namespace flowtap::stats::compat
