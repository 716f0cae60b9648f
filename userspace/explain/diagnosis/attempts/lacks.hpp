// What an answer lacks because its logs do not tell it. It is decided by what the logs hold, never by the level that they should
// have.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/diagnosis.hpp"
#include "explain/diagnosis/facts/schedulers.hpp"

namespace flowtap::diagnosis {

/// For an attempt of a scheduler that names cards. `told`: some line says why a card does not do. One sentence each.
[[nodiscard]] std::vector<std::string> lacks_cards(const Diagnosis& diagnosis, const Scheduler& by,
                                                   bool told);

/// For an attempt of a scheduler that names containers. `named`: the log says which containers the pod has. `untold`:
/// the log does not say all that they were given. One sentence each.
[[nodiscard]] std::vector<std::string> lacks_containers(const Diagnosis& diagnosis, const Scheduler& by,
                                                        bool named, bool untold);

/// For an attempt of a scheduler that names NUMA cells: what is missing of nodes that fit, if it says something about others, and
/// of nodes that fail by their cells; `without` of these have no cells. One sentence each.
[[nodiscard]] std::vector<std::string> lacks_cells(const Diagnosis& diagnosis, const Scheduler& by,
                                                   std::size_t without);

/// For an attempt in which an extender was passed over; `error` says why it could not be asked.
[[nodiscard]] std::string lacks_extender(std::string_view error);

/// For an attempt about which the logs said more than flowtap keeps.
[[nodiscard]] std::string lacks_room();

/// For an attempt whose verdict has only its beginning in the log, or of whose verdict flowtap keeps only the beginning.
[[nodiscard]] std::string lacks_rest(bool by_flowtap);

/// For an answer that counts nodes without naming them, or without saying their reason. `by` is what the scheduler is called that
/// counts them; empty: nobody says.
[[nodiscard]] std::vector<std::string> lacks_nodes(const Diagnosis& diagnosis, std::string_view by);

}  // namespace flowtap::diagnosis
