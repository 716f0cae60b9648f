// Any bytes as what a scheduler says of itself: metadata in the first line, an answer in the second. What comes of it is bounded,
// and made of names and finite numbers.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "count/scx_totals.hpp"
#include "count/scx_values.hpp"

using namespace flowtap;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = text.substr(0, text.find('\n'));
  const auto meta = parse_scx_answer(line);
  const auto answer = parse_scx_answer(text.substr(std::min(size, line.size() + 1)));
  if (!meta) return 0;
  const auto schema = ScxSchema::parse(*meta);
  if (!schema || !answer) return 0;
  const auto got = schema->values(*answer);
  if (!got) return 0;
  if (got->values.size() > 4096) std::abort();
  for (const ScxValue& v : got->values)
    if (v.stat.empty() || v.stat.starts_with('.') || v.member.size() > 128 || !std::isfinite(v.value))
      std::abort();
  ScxTotals totals;
  totals.note("rusty", 1, false, got->values);
  if (totals.shown() + totals.refused() != got->values.size()) std::abort();
  return 0;
}
