// A scheduler as a table: which of its messages is which fact, and where in the record the fact's values stand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "explain/diagnosis/facts/fact.hpp"

namespace flowtap::diagnosis {

struct FactRow {
  enum class Form : std::uint8_t {
    kMessage,  ///< a structured message as it is quoted
    kText      ///< what a free text begins with
  };
  struct Key {
    std::string_view key;
    Field field = Field::kUid;
  };

  Form form = Form::kMessage;
  const Scheduler* scheduler = nullptr;  ///< whose row it is, once it stands among others' (schedulers.hpp)
  FactKind kind = FactKind::kAttempt;
  std::string_view message = {};
  std::array<Key, 7> keys = {};  ///< a value of the record under this key is this field
  std::string_view with = {};    ///< the record has this key, with this value where one is given
  std::string_view value = {};
  std::string_view without = {};  ///< the record does not have this key
  std::string_view apart = {};    ///< the key whose value the pattern takes apart; of free text all of it
  std::string_view pattern = {};  ///< text_pattern.hpp
  std::string_view says =
      {};  ///< the reason, where no key has one; of a phase its summary, of a cell what it has
  std::uint8_t weight = 0;
  bool ends = false;  ///< no row of this message behind it counts
};

/// What a name in a pattern is; nothing for "" and names that are no field's.
[[nodiscard]] const Field* field_named(std::string_view name);

}  // namespace flowtap::diagnosis
