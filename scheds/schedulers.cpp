#include "scheds/schedulers.hpp"

#include <algorithm>
#include <array>

#include "scheds/domain/domain.hpp"
#include "scheds/fifo/fifo.hpp"

namespace flowtap::scheds {
namespace {

struct Row {
  std::string_view name;
  Result<std::unique_ptr<Scheduler>> (*start)(const StartOptions&);
};

constexpr std::array<Row, kSchedulerNames.size()> kRows = {{
    {"domain", start_domain},
    {"fifo", start_fifo},
}};
static_assert(std::ranges::equal(kRows, kSchedulerNames, {}, &Row::name));

}  // namespace

Result<std::unique_ptr<Scheduler>> start_scheduler(std::string_view name, const StartOptions& options) {
  const auto* const row = std::ranges::find(kRows, name, &Row::name);
  if (row != kRows.end()) return row->start(options);
  std::string known;
  for (const std::string_view each : kSchedulerNames) known.append(known.empty() ? "" : ", ").append(each);
  return fail("there is no scheduler '" + std::string(name) + "'", "the schedulers are: " + known);
}

}  // namespace flowtap::scheds
