#include "stream/lines/klog/verbosity.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "stream/lines/klog/klog_pairs.hpp"

namespace flowtap::flow {
namespace {

using Program = Verbosity::Program;

struct Row {
  std::string_view message;  // as it is quoted; for free text, its beginning
  Program program;
  Level level;
  std::string_view key;  // the record must have it; empty: any record fits
};

constexpr Row kMessages[] = {
#define V_MESSAGE(program, level, message) {message, Program::program, level, {}},
#define V_KEYED(program, level, message, key) {message, Program::program, level, key},
#define V_TEXT(program, level, message)
#include "stream/lines/klog/verbosity.def"
#undef V_MESSAGE
#undef V_KEYED
#undef V_TEXT
};

constexpr Row kTexts[] = {
#define V_MESSAGE(program, level, message)
#define V_KEYED(program, level, message, key)
#define V_TEXT(program, level, message) {message, Program::program, level, {}},
#include "stream/lines/klog/verbosity.def"
#undef V_MESSAGE
#undef V_KEYED
#undef V_TEXT
};

// Sorted by message, the newest version last.
const std::vector<Row>& sorted_messages() {
  static const std::vector<Row> kRows = [] {
    std::vector<Row> rows(std::begin(kMessages), std::end(kMessages));
    std::ranges::stable_sort(rows, {}, &Row::message);
    return rows;
  }();
  return kRows;
}

bool has_key(const KlogRecord& record, std::string_view key) {
  KlogPairs pairs(record);
  for (KlogPair pair; pairs.next(pair);)
    if (pair.key == key) return true;
  return false;
}

std::optional<Level> level_member(const KlogRecord& record) {
  std::optional<Level> level;
  KlogPairs pairs(record);
  for (KlogPair pair; pairs.next(pair);) {
    if (pair.key != "v" || pair.kind != KlogPair::Kind::kJson) continue;
    unsigned value = 0;
    const auto [end, error] =
        std::from_chars(pair.value.data(), pair.value.data() + pair.value.size(), value);
    // The first `v` is klog's own. The program's keys come after it, and one may have the same name.
    if (error == std::errc{} && !level) level = static_cast<Level>(std::min(value, kUnknownLevel - 1U));
  }
  return level;
}

// Orders the rows that fit: a row with a key that the record has comes first, then the program's own, then the newest.
int rank(const Row& row, std::optional<Program> program) {
  return (row.key.empty() ? 0 : 2) + (row.program == program ? 1 : 0);
}

}  // namespace

Level Verbosity::of(const KlogRecord& record) {
  if (record.form == KlogForm::kJson) return level_member(record).value_or(0);
  if (record.severity != KlogSeverity::kInfo) return 0;
  if (const auto level = of_text(record)) return *level;
  ++unknown_;
  return kUnknownLevel;
}

std::optional<Level> Verbosity::of_text(const KlogRecord& record) {
  const Row* best = nullptr;
  bool one_program = true;
  const auto consider = [&](const Row& row) {
    if (best != nullptr && row.program != best->program) one_program = false;
    if (best == nullptr || rank(row, program_) >= rank(*best, program_)) best = &row;
  };
  if (record.structured) {
    for (const Row& row : std::ranges::equal_range(sorted_messages(), record.message, {}, &Row::message))
      if (row.key.empty() || has_key(record, row.key)) consider(row);
  } else {
    for (const Row& row : kTexts)
      if (record.message.starts_with(row.message)) consider(row);
  }
  if (best == nullptr) return std::nullopt;
  // kube-scheduler's messages do not tell the program, since the NUMA-aware scheduler has them too.
  if (one_program && best->program != Program::kKube) program_ = best->program;
  return best->level;
}

}  // namespace flowtap::flow
