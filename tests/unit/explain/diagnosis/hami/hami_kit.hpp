// What the tests of HAMi's log share: the lines of a pod with two containers and of a node with two cards.
#pragma once

#include <string>
#include <string_view>

#include "tests/unit/explain/diagnosis/kit.hpp"

namespace flowtap::diagnosis::test::hami {

inline constexpr std::string_view kBegin =
    R"("Starting schedule filter process" pod="p" uuid="u" namespace="ns")";
inline constexpr std::string_view kTwo =
    R"("Resource requirements collected" pod="ns/p" requests=[{"NVIDIA":{"Nums":1,"Type":"NVIDIA"}},{},{"NVIDIA":{"Nums":2}}])";
inline constexpr std::string_view kNode1 =
    R"("Node device added" nodeName="n1" deviceVendor="NVIDIA" nodeInfo={"ID":"n1","Node":{},"Devices":{"NVIDIA":[{"id":"A"},{"id":"B"}]}})";
inline constexpr std::string_view kOneFits =
    R"("device allocate success" pod="ns/p" allocate device={"NVIDIA":[{"Idx":1,"UUID":"B"}]})";

}  // namespace flowtap::diagnosis::test::hami
