// What an answer does not have because the logs that it is from do not tell it. Of what they hold, never by what level they should be.
#pragma once

#include <string>
#include <vector>

#include "diagnosis/diagnosis.hpp"

namespace flowtap::diagnosis {

/// Of HAMi's attempt, `told`: some line says why a card does not do. A sentence each.
[[nodiscard]] std::vector<std::string> lacks_cards(const Diagnosis& diagnosis, bool told);

/// Of an attempt of which more was said than is kept.
[[nodiscard]] std::string lacks_room();

/// Of an answer in which kube-scheduler counts nodes that nobody names.
[[nodiscard]] std::vector<std::string> lacks_nodes(const Diagnosis& diagnosis);

}  // namespace flowtap::diagnosis
