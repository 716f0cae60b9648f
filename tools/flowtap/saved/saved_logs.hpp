// Saved logs of schedulers, read into a store.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "explain/diagnosis/diagnosis_store.hpp"
#include "strangers.hpp"

namespace flowtap::cli {

/// What was in the files.
struct SavedRead {
  std::uint64_t lines = 0;
  std::uint64_t strange = 0;   ///< lines that belong to no record, and may not, and records of other programs
  std::uint64_t telling = 0;   ///< records that say something of a pod, or of cards
  std::uint64_t kubectl = 0;   ///< lines of its tables and descriptions
  std::uint64_t nameless = 0;  ///< events whose pod is not named
  std::uint64_t naming = 0;    ///< lines that name the pod that was asked for, whatever they say
  std::uint64_t quotations = 0;  ///< lines of others in which somebody quotes a record of kube-scheduler's
  bool quoted = false;  ///< its records stand amid words that anybody may have written, or have no header
  Strangers strangers;  ///< the lines and the records that say nothing
};

/// "-" is standard input. Pieces of one log are read as one, in the order of their times, and a record that stands in several
/// files counts once. Parts of a file that cannot be read are reported. An Error: nothing of a file can be read, and the files
/// after it were not read. `of`: the pod that is asked for, "ns/name", or empty.
[[nodiscard]] Result<SavedRead> read_saved_logs(const std::vector<std::string>& paths,
                                                diagnosis::DiagnosisStore& store, std::string_view of = {});

}  // namespace flowtap::cli
