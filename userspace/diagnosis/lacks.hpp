// What an answer does not have because the logs that it is from do not tell it. Of what they hold, never by what level they should be.
#pragma once

#include <string>
#include <vector>

#include "diagnosis/diagnosis.hpp"

namespace flowtap::diagnosis {

/// Of HAMi's attempt, `told`: some line says why a card does not do. A sentence each.
[[nodiscard]] std::vector<std::string> lacks_cards(const Diagnosis& diagnosis, bool told);

/// Of HAMi's attempt, `named`: which containers the pod has is said. A sentence each.
[[nodiscard]] std::vector<std::string> lacks_containers(const Diagnosis& diagnosis, bool named);

/// Of an attempt in which the NUMA-aware scheduler has a word on some nodes, as far as it has none on others that fit.
[[nodiscard]] std::vector<std::string> lacks_cells(const Diagnosis& diagnosis);

/// Of an attempt of which more was said than is kept.
[[nodiscard]] std::string lacks_room();

/// Of an answer in which kube-scheduler counts nodes that nobody names, or that nobody says the reason of.
[[nodiscard]] std::vector<std::string> lacks_nodes(const Diagnosis& diagnosis);

}  // namespace flowtap::diagnosis
