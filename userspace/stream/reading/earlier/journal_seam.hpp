// Where a runtime's file ends within what the journal has, so that a reader of both gets each byte once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "stream/journal/journal.hpp"
#include "stream/reading/earlier/journal_lines.hpp"
#include "stream/repair/history.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// What a reader has got of an output from the runtime's file.
struct HistoryRead {
  std::uint64_t bytes = 0;
  std::uint64_t captured = 0;  ///< of them, bytes that are not older than the capture
  std::uint64_t last = 0;      ///< time of the last line, ns since 1970
  bool replaced = false;       ///< some may stand for bytes that were not UTF-8, which the runtime replaces
};

/// Finds the journal's oldest bytes in the file, and so knows which ones the file's last line has. Used by one thread.
class JournalSeam {
 public:
  /// Nothing: the journal reaches no further back than the store, or the two cannot be counted against each other.
  [[nodiscard]] static std::optional<JournalSeam> find(const flow::Journal& journal, const std::string& flow,
                                                       const flow::FlowStore::Standing& standing);

  /// Where the journal's bytes begin. History has to be opened with it.
  [[nodiscard]] const SeamKeys& keys() const { return keys_; }
  /// Reads about `budget` bytes of this history. False: call it again.
  [[nodiscard]] bool step(History& history, std::size_t budget);
  /// How many bytes of each output the file has reached, by what a reader has got of them. Nothing: it is not known for sure.
  [[nodiscard]] std::optional<OfOutputs> reached(const std::array<HistoryRead, 2>& read) const;

 private:
  JournalSeam() = default;

  OfOutputs begins_{};  // of the outputs' bytes, those that the journal has given up
  SeamKeys keys_;
  OfOutputs before_{};  // bytes that the file has before these
  std::array<bool, 2> found_{};
};

}  // namespace flowtap
