// The flows of the node, for the API: what the journal knows of their streams, and the store of their lines.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "component/views/flow_views.hpp"
#include "identity/group_rules.hpp"
#include "stream/journal/journal.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// All streams that have a name, by their flow.
[[nodiscard]] std::map<std::string, std::vector<flow::StreamView>> streams_by_flow(
    const flow::Journal& journal);

/// Sorted by id; with `only`, no others than these. Flows whose streams the journal has forgotten are those that the store still has.
[[nodiscard]] std::vector<api::FlowStatus> list_flows(const flow::Journal& journal,
                                                      const flow::FlowStore& store,
                                                      const flow::GroupRules& groups,
                                                      const api::FlowFilter& filter,
                                                      const std::set<std::string>* only = nullptr);

}  // namespace flowtap
