// A bad row stops the build here, and the error names the rule that it breaks.
#include "stats/checks.hpp"

#include "stats/rows.hpp"

namespace flowtap::stats {

static_assert(check::names(kFamilies), "a metric or label name is not snake_case as Prometheus accepts it");
static_assert(check::helps(kFamilies, kStats),
              "a help text is empty, spans lines or does not end in a full stop");
static_assert(check::no_duplicate(kFamilies, kStats), "two families or two stats of one family are the same");
static_assert(check::no_empty_family(kFamilies, kStats), "a family has no stat");
static_assert(check::endings_and_units(kFamilies, kStats),
              "a counter must end in _total, nothing else may, and the unit must end the name");
static_assert(check::families_agree(kStats), "the stats of one family differ in kind or unit");
static_assert(check::labels_fit(kFamilies, kStats), "a row's label value does not fit its family's labels");
static_assert(sizeof(ftap_block) % FTAP_CACHE_LINE == 0);

}  // namespace flowtap::stats
