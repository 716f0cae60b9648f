// Any bytes as a journal's segments: a start reads them, what is read is consistent, the journal can be appended to, and
// a second start finds what the first one left.
//
// The first byte chooses: as a segment's file; behind a good head; as the entries of a batch that is whole, so that the
// checksum does not keep the fuzzer out; the same in two segments.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/hash/crc32c.hpp"
#include "stream/journal/journal.hpp"

using namespace flowtap::flow;
namespace fs = std::filesystem;

namespace {

using Raw = std::vector<std::byte>;

void append(Raw& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

Raw segment_head(std::uint32_t number) {
  RawSegmentHead head{kSegmentMagic, kJournalVersion, sizeof head, number, 0};
  const auto bytes = std::as_bytes(std::span(&head, 1));
  head.crc = crc32c(0, bytes.first(offsetof(RawSegmentHead, crc)));
  return {bytes.begin(), bytes.end()};
}

void put_batch(Raw& out, std::uint64_t number, std::span<const std::byte> entries) {
  const std::array parts{entries};
  append(out, batch_head(number, parts));
  append(out, entries);
}

void write(const fs::path& path, const Raw& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void check(const Journal& journal) {
  for (const StreamView& view : journal.streams()) {
    std::vector<StreamCursor> cursor{{view.number, 0}};
    std::uint64_t bytes = 0;
    for (int round = 0;; ++round) {
      if (round > 100'000) std::abort();
      const auto reading = journal.read(cursor, 777);
      std::uint64_t next = cursor[0].next;
      for (const Piece& piece : reading.pieces) {
        if (piece.offset != next || piece.length == 0) std::abort();
        next += piece.length;
        if (reading.text(piece).size() != (piece.gap ? 0 : piece.length)) std::abort();
        if (piece.gap == MissingCause::kUnreadable) std::abort();
        if (!piece.gap) bytes += piece.length;
      }
      if (reading.pieces.empty()) break;
      cursor[0].next = next;  // over NotYet gaps too
    }
    if (bytes != view.held) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 65536) return 0;
  static const std::string kDir = [] {
    std::string dir = "/dev/shm/flowtap-fuzz-XXXXXX";
    if (::mkdtemp(dir.data()) == nullptr) std::abort();
    return dir;
  }();
  for (const auto& entry : fs::directory_iterator(kDir)) fs::remove(entry.path());
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  Raw file;
  if (data[0] % 4 > 0) file = segment_head(1);
  if (data[0] % 4 < 2)
    append(file, bytes);
  else
    put_batch(file, 1, bytes.first(data[0] % 4 == 2 ? bytes.size() : bytes.size() / 2));
  write(kDir + "/00000001.seg", file);
  if (data[0] % 4 == 3) {
    Raw second = segment_head(2);
    put_batch(second, 2, bytes.subspan(bytes.size() / 2));
    write(kDir + "/00000002.seg", second);
  }

  const JournalOptions options{kDir, 1U << 18U, 1U << 14U, 100};
  auto journal = Journal::open(options).value();
  check(*journal);
  Batch batch;
  const std::string text = "hello";
  batch.add(BytesEntry{1, 1U << 20U, 1, 0, std::as_bytes(std::span(text))});
  batch.set_position("ring", 5);
  for (int i = 0; i < 3; ++i)
    if (!journal->append(batch)) std::abort();
  check(*journal);
  const auto before = journal->stream(1).value();
  journal = Journal::open(options).value();
  if (journal->replayed().torn_bytes != 0) std::abort();
  check(*journal);
  if (journal->stream(1)->sums != before.sums || journal->position_of("ring") < 5U) std::abort();
  return 0;
}
