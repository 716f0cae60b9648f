// Any bytes as a record of klog: what is found in it lies in it, in order, and is the record when put together again. If it is
// cut anywhere, it is read on to the same. The first byte says where it is cut.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stream/lines/klog/klog_pairs.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/unit/stream/lines/klog_render.hpp"

using namespace flowtap::flow;
using flowtap::fuzz::require;

namespace {

bool lies_in(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

bool same(const KlogPair& a, const KlogPair& b) {
  return a.key == b.key && a.kind == b.kind && a.value == b.value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The copy has exactly this size, so that a read behind it is seen.
  const std::vector<char> copy(data + 1, data + size);
  const std::string_view text(copy.data(), copy.size());
  const auto record = parse_klog_record(text);
  require(record.has_value() == begins_klog_record(text));
  if (!record) return 0;
  require(lies_in(record->body, text) && record->pairs <= record->body.size());
  if (!record->message.empty()) require(lies_in(record->message, record->body));

  if (record->form == KlogForm::kText) require(test::rendered_body(*record) == record->body);

  std::vector<KlogPair> whole;
  KlogPairs pairs(*record);
  std::string buffer;
  for (KlogPair pair; pairs.next(pair);) {
    require(lies_in(pair.key, record->body) && lies_in(pair.value, record->body));
    if (!whole.empty()) require(pair.key.data() > whole.back().value.data());
    // What the program had is no longer than its written form, except for characters beyond ASCII.
    const std::string_view value = klog_text(pair, buffer);
    require(value.size() <= 2 * pair.value.size() && value == klog_value(pair));
    if (const auto object = klog_object(pair))
      require(object->name.size() + object->ns.size() <= pair.value.size());
    whole.push_back(pair);
  }

  const std::size_t cut = record->pairs + data[0] % (record->body.size() - record->pairs + 1);
  KlogPairs first(record->form, record->body.substr(0, cut), record->pairs, true);
  std::size_t i = 0;
  for (KlogPair pair; first.next(pair); ++i) require(i < whole.size() && same(pair, whole[i]));
  if (!first.cut()) return 0;
  KlogPairs rest(record->form, record->body, first.at());
  for (KlogPair pair; rest.next(pair); ++i) {
    if (i >= whole.size() || !same(pair, whole[i])) {
      // Only a bracket that was never closed is looked at again.
      require(text.find_first_of("{[") != std::string_view::npos);
      return 0;
    }
  }
  require(i == whole.size());
  return 0;
}
