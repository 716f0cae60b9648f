// The columns of kubectl's tables of events, taken by their words: pasted text loses its spaces, and some columns may be empty.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/trimmed.hpp"

namespace flowtap::cli {

/// A column that may stand between an event's object and its message.
enum class KubeColumn : std::uint8_t { kSubobject, kSource, kCount };

/// A row that is taken apart from both ends. Does not own its text.
class KubeColumns {
 public:
  static constexpr std::string_view kSpace = " \t\r";

  explicit KubeColumns(std::string_view row) : rest_(trimmed(row, kSpace)), begin_(rest_.data()) {}

  /// Takes the first word; empty: there is none.
  std::string_view word();
  /// Takes "48s", or "48s (x150 over 11m)". False: there is no age.
  bool take_age();
  /// The age that was taken, the first one of two; max: it is not said.
  [[nodiscard]] std::chrono::seconds age() const { return age_; }
  /// How often it was said, by "(x150 over 11m)" or by the column of a wide table; 1: neither says it.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Takes "default-scheduler", or "default-scheduler, node-1"; returns the component, "default-scheduler".
  std::string_view take_source();
  /// Takes "spec.containers{main}", if it is there.
  void take_subobject();
  /// Takes what the column has; returns a source's component.
  std::string_view take(KubeColumn column);
  /// Takes what `-o wide` has behind the message: an age, a count, and the event's own name, if that begins so. False: nothing is
  /// taken.
  bool take_end(std::string_view name_begins);

  /// What another tool has put behind the message.
  struct Behind {
    std::size_t count = 0;  ///< of columns
    std::size_t at = 0;     ///< where the first one of them begins in the heading
  };
  /// Of a heading whose message was taken.
  [[nodiscard]] Behind behind() const;
  /// Takes what these columns have in the row.
  void take_behind(const Behind& columns);

  /// What was not taken yet.
  [[nodiscard]] std::string_view rest() const { return rest_; }
  /// Whether these words come first.
  [[nodiscard]] bool begins_with(std::initializer_list<std::string_view> words) const;

 private:
  std::string_view last_word();

  [[nodiscard]] std::size_t place() const { return static_cast<std::size_t>(rest_.data() - begin_); }

  std::string_view rest_;
  const char* begin_;  // of the row
  std::uint64_t count_ = 1;
  std::chrono::seconds age_ = std::chrono::seconds::max();
};

}  // namespace flowtap::cli
