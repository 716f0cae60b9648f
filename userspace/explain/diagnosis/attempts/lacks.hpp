// What an answer does not have because the logs that it is from do not tell it. Of what they hold, never by what level they should be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/diagnosis.hpp"
#include "explain/diagnosis/facts/schedulers.hpp"

namespace flowtap::diagnosis {

/// Of the attempt of one that names cards, `told`: some line says why a card does not do. A sentence each.
[[nodiscard]] std::vector<std::string> lacks_cards(const Diagnosis& diagnosis, const Scheduler& by,
                                                   bool told);

/// Of the attempt of one that names containers, `named`: which ones the pod has is said; `untold`: not all that was given to them is. A
/// sentence each.
[[nodiscard]] std::vector<std::string> lacks_containers(const Diagnosis& diagnosis, const Scheduler& by,
                                                        bool named, bool untold);

/// Of the attempt of one that names NUMA cells: of nodes that fit, where it has a word on others, and of those that fail by their cells,
/// of which `without` have none. A sentence each.
[[nodiscard]] std::vector<std::string> lacks_cells(const Diagnosis& diagnosis, const Scheduler& by,
                                                   std::size_t without);

/// Of an attempt of which more was said than is kept.
[[nodiscard]] std::string lacks_room();

/// Of an answer in which nodes are counted that nobody names, or that nobody says the reason of; `by`: who counts them.
[[nodiscard]] std::vector<std::string> lacks_nodes(const Diagnosis& diagnosis, std::string_view by);

}  // namespace flowtap::diagnosis
