#include "stream/repair/first_line.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "stream/lines/cri_line.hpp"
#include "stream/lines/output_index.hpp"

namespace flowtap {
namespace {

// An output that has said nothing by then is taken for one that begins with a gap, if the flow has any.
constexpr std::size_t kFirstLooked = std::size_t{64} << 10U;

}  // namespace

std::optional<std::uint64_t> first_line_time(const flow::FlowStore& store, const flow::FlowSummary& summary) {
  const auto flow = store.find(summary.id);
  const auto bounds = flow ? store.bounds(*flow) : std::nullopt;
  if (!bounds || !bounds->from_start) return std::nullopt;
  const auto part = store.read(*flow, bounds->begin, kFirstLooked);
  if (!part || part->from != bounds->begin) return std::nullopt;
  std::uint64_t first = summary.first;
  std::array<bool, 2> heard{};
  const auto has_heard_both = [&heard] { return heard[0] && heard[1]; };
  std::string_view rest = part->text;
  for (std::size_t newline = 0; !has_heard_both() && (newline = rest.find('\n')) != std::string_view::npos;
       rest.remove_prefix(newline + 1)) {
    const auto line = flow::parse_cri_line(rest.substr(0, newline));
    if (!line) return std::nullopt;
    if (std::exchange(heard.at(flow::output_index(line->output)), true)) continue;
    if (line->missing || line->approximate) return std::nullopt;
    first = std::min(first, line->time);
  }
  const bool has_gaps = summary.missing != 0 || summary.refilled != 0 || summary.broke_off;
  const bool has_heard_all = has_heard_both() || part->next == bounds->end;
  return has_gaps && !has_heard_all ? std::nullopt : std::optional(first);
}

}  // namespace flowtap
