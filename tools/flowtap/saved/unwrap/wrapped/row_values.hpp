// Rows of CSV whose record has a value of several lines, each of which has a row of its own, with another container's rows between them.
// Nothing in a row but its other columns tells whose value it goes on with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::cli {

class RowValues {
 public:
  using Take = std::function<void(std::string_view line, bool full, std::uint64_t time)>;

  /// Gives `take` the line. The rows of other containers that stand between those of a value come behind it.
  void add(std::string_view line, bool full, std::uint64_t time, const Take& take);
  /// No more lines come.
  void finish(const Take& take);

 private:
  /// What the field that has the scheduler's line has.
  enum class What : std::uint8_t { kRecord, kRest, kEnd };
  struct Row {
    What what = What::kRecord;
    bool opens = false;               // a value
    std::vector<std::string> others;  // what the other columns have, as their log tells it
  };
  struct Held {
    std::string line;
    bool full = true;
    std::uint64_t time = 0;
    std::vector<std::string> others = {};
  };
  /// The value that has begun.
  struct Open {
    char between = ',';
    std::size_t column = 0;  // of the record
    Row row;
  };
  enum class Whose : std::uint8_t { kItsOwn, kAnothers, kNobodys };

  [[nodiscard]] static std::optional<Open> opened_by(std::string_view line);
  [[nodiscard]] std::optional<Row> row_of(std::string_view line) const;
  [[nodiscard]] Whose whose(const Row& row) const;
  [[nodiscard]] bool take_row(std::string_view line, bool full, std::uint64_t time, const Take& take);
  void give_held(const Take& take);

  std::optional<Open> open_;
  std::deque<Held> held_;  // rows of others
};

}  // namespace flowtap::cli
