// Any bytes as a record of the ring: an error, or a record that reads back as itself.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kernel/records/record.hpp"

using namespace flowtap::flow;

namespace {

bool same(const Record& a, const Record& b) {
  if (a.time != b.time || a.what.index() != b.what.index()) return false;
  if (const auto* bytes = std::get_if<Bytes>(&a.what)) {
    const auto& other = std::get<Bytes>(b.what);
    return bytes->stream == other.stream && bytes->offset == other.offset &&
           bytes->position == other.position && std::ranges::equal(bytes->bytes, other.bytes);
  }
  if (const auto* enter = std::get_if<Enter>(&a.what)) return *enter == std::get<Enter>(b.what);
  if (const auto* end = std::get_if<End>(&a.what)) return *end == std::get<End>(b.what);
  return std::get<CgroupGone>(a.what) == std::get<CgroupGone>(b.what);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The copy has exactly this size, so that a read behind it is seen.
  const std::vector<std::uint8_t> copy(data, data + size);
  const auto record = parse_record(std::as_bytes(std::span(copy)));
  if (!record) return 0;
  std::vector<std::byte> raw;
  render_record(*record, raw);
  const auto again = parse_record(raw);
  if (!again || !same(*record, *again)) std::abort();
  return 0;
}
