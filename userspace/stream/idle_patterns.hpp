// Patterns of the configuration that nothing can ever fit, as their writer did not mean it: a scheduler's file that is not among
// the files that are followed, a name that no pod can have.
#pragma once

#include <string>
#include <vector>

#include "component/views/flow_views.hpp"
#include "identity/patterns/group_rules.hpp"
#include "stream/sources/source_options.hpp"
#include "stream/store/line_options.hpp"
#include "stream/stream_options.hpp"

namespace flowtap {

/// They are in the order of the configuration; the lists have passed its rules. A pattern that matches nothing now but
/// may match something later is not among them.
[[nodiscard]] std::vector<api::IdlePattern> idle_patterns(const LineOptions::Schedulers& schedulers,
                                                          const SourceOptions& sources,
                                                          const std::vector<flow::GroupRule>& rules);

/// That nothing is captured of what the configuration lists, since the stream path is off; empty: it is on, or nothing is listed.
[[nodiscard]] std::string idle_lists(const StreamOptions& options);

}  // namespace flowtap
