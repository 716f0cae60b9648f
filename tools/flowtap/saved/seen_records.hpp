// Which records were read, so that one which stands in two files counts once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "stream/lines/whole_records.hpp"

namespace flowtap::cli {

/// What klog writes before a message: time, thread and place in the program. Empty: JSON has no place of its own for them.
[[nodiscard]] std::string_view header_of(const flow::WholeRecord& record);

class SeenRecords {
 public:
  /// Hashes that are remembered at most, two for each record; the table then has 128 MiB.
  static constexpr std::size_t kMost = std::size_t{1} << 23U;

  /// The number of the log in which the record stood before. Nothing: it did not, and `log` has it now. What a capture has put behind
  /// the record makes no other one of it.
  [[nodiscard]] std::optional<std::uint16_t> add(const flow::WholeRecord& record, std::uint16_t log);
  /// Whether a record with the same header was added: one that was cut has nothing more to say.
  [[nodiscard]] bool has_header_of(const flow::WholeRecord& record) const;
  /// Records that were too many to be remembered.
  [[nodiscard]] std::uint64_t forgotten() const { return forgotten_; }

 private:
  [[nodiscard]] std::size_t place_of(std::uint64_t hash) const;
  void put(std::uint64_t hash, std::uint16_t log);

  std::vector<std::uint64_t> slots_;  // a hash, and in its low 16 bits the log's number; 0: free
  std::size_t used_ = 0;
  std::uint64_t forgotten_ = 0;
};

}  // namespace flowtap::cli
