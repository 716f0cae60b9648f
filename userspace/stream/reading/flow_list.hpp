// The flows of the node, for the API: their streams as the journal knows them, and their lines as the store has them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "component/views/flow_views.hpp"
#include "identity/patterns/group_rules.hpp"
#include "stream/journal/journal.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// All streams that have a name, by their flow.
[[nodiscard]] std::map<std::string, std::vector<flow::StreamView>> streams_by_flow(
    const flow::Journal& journal);

/// Sorted by id; with `only`, no others than these. It also lists flows that only the store still has, when the journal has
/// forgotten their streams.
[[nodiscard]] std::vector<api::FlowStatus> list_flows(const flow::Journal& journal,
                                                      const flow::FlowStore& store,
                                                      const flow::GroupRules& groups,
                                                      const api::FlowFilter& filter,
                                                      const std::set<std::string>* only = nullptr);

/// The Error for a client that asks for a flow that is not in the list. Its code is ENOENT.
[[nodiscard]] std::unexpected<Error> unknown_flow(const std::string& flow);

}  // namespace flowtap
