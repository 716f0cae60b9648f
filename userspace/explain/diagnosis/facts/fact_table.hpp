// A scheduler as a table: which of its messages is which fact, and where in the record the values of the fact stand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "explain/diagnosis/facts/fact.hpp"

namespace flowtap::diagnosis {

struct FactRow {
  enum class Form : std::uint8_t {
    kMessage,  ///< a structured message, as it is quoted
    kText      ///< the beginning of a free text
  };
  struct Key {
    std::string_view key;
    Field field = Field::kUid;
  };

  Form form = Form::kMessage;
  const Scheduler* scheduler = nullptr;  ///< the row's, once it stands among others' (schedulers.hpp)
  FactKind kind = FactKind::kAttempt;
  std::string_view message = {};
  std::array<Key, 7> keys = {};  ///< a value of the record under this key is this field
  std::string_view with = {};    ///< the record has this key, with this value if one is given
  std::string_view value = {};
  std::string_view without = {};  ///< the record does not have this key
  std::string_view apart = {};    ///< the key whose value the pattern takes apart; empty: all of the text
  std::string_view pattern = {};  ///< see text_pattern.hpp
  std::string_view says =
      {};  ///< the reason, if no key has one; for a phase the summary, for a cell what it has
  std::uint8_t weight = 0;
  bool ends = false;  ///< after this row, no later row of the same message counts
};

/// The field that a name in a pattern stands for; null for "" and for other names.
[[nodiscard]] const Field* field_named(std::string_view name);

}  // namespace flowtap::diagnosis
