#include "stats/reference.hpp"

#include <fmt/format.h>

#include "stats/snapshot.hpp"
#include "stats/table.hpp"

namespace flowtap::stats {
namespace {

std::string_view counter_name(CountedBy by) {
  switch (by) {
    case CountedBy::kTracing:
      return "As the tracing programs see every dispatch, whatever scheduler made it:";
    case CountedBy::kScheduler:
      return "As our own sched_ext schedulers (`scheds/`) count their dispatches themselves:";
    case CountedBy::kFlowtapd:
      return "As flowtapd counts:";
    case CountedBy::kMachine:
      return "As the machine counts:";
  }
  return {};
}

void append_labels(std::string& page, const Family& f) {
  std::optional<CountedBy> by;
  bool several = false;
  for (const Stat& s : all_stats())
    if (s.family == f.id) several = several || s.counted_by != first_stat(f.id).counted_by;
  for (const Stat& s : all_stats()) {
    if (s.family != f.id) continue;
    if (by != s.counted_by) {
      if (several) page += fmt::format("\n{}\n", counter_name(s.counted_by));
      page +=
          fmt::format("\n| `{}` | meaning |\n|---|---|\n", label_key(f.labels, label_count(f.labels) - 1));
      by = s.counted_by;
    }
    page += fmt::format("| `{}` | {} |\n", s.label.value_or(""), s.help);
  }
}

void append_family(std::string& page, const Family& f) {
  const Stat& first = first_stat(f.id);
  page += fmt::format("\n## `{}`\n\n{}{}{}", f.name, kind_name(first.kind),
                      first.unit == Unit::kNone ? "" : ", ", unit_name(first.unit));
  for (std::size_t i = 0; i < label_count(f.labels); ++i)
    page += fmt::format("{}`{}`", i == 0 ? "; labels " : ", ", label_key(f.labels, i));
  page += fmt::format(".\n\n{}\n", f.help);
  if (first.kind == Kind::kHistogram) {
    page += fmt::format(
        "\nBuckets: powers of {} nanoseconds, `le` from {:g} to {:g}.\n", first.coarse ? "four" : "two",
        histogram_edge(first.coarse ? FTAP_COARSE_FIRST : 0, first.widened),
        histogram_edge(first.coarse ? FTAP_COARSE_LAST : FTAP_HIST_BUCKETS - 1, first.widened));
  }
  if (first.label) append_labels(page, f);
}

}  // namespace

std::string reference_page() {
  std::string page =
      "# Metrics\n\n"
      "Generated from `stats/*.def` by `ninja stats_reference`; a test compares it with the table.\n\n"
      "Counters begin at 0 when flowtapd starts, except those of the machine and its containers, which the "
      "kernel\n"
      "keeps. A value that could not be read is absent and counted in `flowtap_read_errors_total`.\n";
  for (const Family& f : families()) append_family(page, f);
  return page;
}

}  // namespace flowtap::stats
