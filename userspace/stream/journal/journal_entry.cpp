#include "stream/journal/journal_entry.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace flowtap::flow {
namespace {

// The bodies as they stand in the file.
struct RawBytes {
  std::uint64_t stream;
  std::uint64_t offset;
  std::uint64_t time;
};
struct RawFileBytes {
  RawBytes bytes;
  std::uint64_t position;
};
struct RawStream {
  std::uint64_t stream;
  std::uint64_t inode;
  std::uint32_t device;
  std::uint32_t kind;
  std::uint32_t flow;  // sizes of the strings that follow
  std::uint32_t output;
  std::uint32_t identity;
  std::uint32_t capture;
};
struct RawState {
  std::uint64_t stream;
  std::uint64_t captured;
  std::uint64_t unwritten;
  std::uint64_t passed;
  std::uint64_t first;
  std::uint64_t last;
  std::uint32_t ended;
  std::uint32_t losses;  // counts that follow, one for each cause
};
struct RawEnd {
  std::uint64_t stream;
  std::uint64_t passed;
  std::uint64_t time;
  std::uint32_t losses;
  std::uint32_t zero;
};
struct RawPosition {
  std::uint64_t ring;
  std::uint64_t position;
};
struct RawMissed {
  std::uint64_t stream;
  std::uint64_t from;
  std::uint64_t to;
  std::uint64_t time;
};
static_assert(sizeof(RawBytes) == 24 && sizeof(RawFileBytes) == 32 && sizeof(RawStream) == 40 &&
              sizeof(RawState) == 56 && sizeof(RawEnd) == 32 && sizeof(RawPosition) == 16 &&
              sizeof(RawMissed) == 32);

constexpr auto kMostCapture = static_cast<std::uint32_t>(Capture::kElsewhere);

using Losses = std::array<std::uint64_t, FTAP_NR_LOSSES>;

/// Takes the T at the start of `bytes` off them.
template <typename T>
std::optional<T> take(std::span<const std::byte>& bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return value;
}

/// Causes that a newer build may have added are left out.
std::optional<Losses> take_losses(std::span<const std::byte> bytes, std::uint32_t count) {
  if (bytes.size() != std::size_t{count} * sizeof(std::uint64_t)) return std::nullopt;
  Losses losses{};
  std::memcpy(losses.data(), bytes.data(), std::min(bytes.size(), sizeof losses));
  return losses;
}

std::string take_text(std::span<const std::byte>& bytes, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(bytes.data()), size);
  bytes = bytes.subspan(size);
  return text;
}

void append(std::vector<std::byte>& out, const void* from, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(from);
  out.insert(out.end(), bytes, bytes + size);
}

/// Head and fixed part in one piece; `more` bytes of the body are to follow.
template <typename T>
void put_head(std::vector<std::byte>& out, EntryKind kind, const T& fixed, std::size_t more = 0) {
  struct {
    EntryHead head;
    T fixed;
  } raw{{static_cast<std::uint16_t>(kind), 0, static_cast<std::uint32_t>(sizeof(T) + more)}, fixed};
  static_assert(sizeof raw == sizeof(EntryHead) + sizeof(T));
  append(out, &raw, sizeof raw);
}

}  // namespace

std::optional<EntryView> EntryWalk::next() {
  auto rest = bytes_.subspan(at_);
  const auto head = take<EntryHead>(rest);
  if (!head || head->size > rest.size()) return std::nullopt;
  const EntryView view{static_cast<EntryKind>(head->kind), at_, sizeof *head + head->size,
                       rest.first(head->size)};
  at_ += view.size;
  return view;
}

std::optional<BytesEntry> bytes_entry(const EntryView& view) {
  auto body = view.body;
  const auto raw = take<RawBytes>(body);
  if (!raw || raw->stream == 0) return std::nullopt;
  std::uint64_t position = 0;
  if (view.kind == EntryKind::kFileBytes) {
    const auto at = take<std::uint64_t>(body);
    if (!at) return std::nullopt;
    position = *at;
  }
  if (body.empty() || raw->offset > std::numeric_limits<std::uint64_t>::max() - body.size())
    return std::nullopt;
  return BytesEntry{raw->stream, raw->offset, raw->time, position, body};
}

std::optional<StreamEntry> stream_entry(const EntryView& view) {
  auto body = view.body;
  const auto raw = take<RawStream>(body);
  if (!raw || raw->stream == 0 || raw->kind > FTAP_KIND_OTHER) return std::nullopt;
  if (body.size() != std::uint64_t{raw->flow} + raw->output + raw->identity) return std::nullopt;
  StreamEntry entry{raw->stream, {}};
  entry.name.flow = take_text(body, raw->flow);
  entry.name.output = take_text(body, raw->output);
  entry.name.identity = take_text(body, raw->identity);
  entry.name.inode = raw->inode;
  entry.name.device = raw->device;
  entry.name.kind = static_cast<ftap_log_kind>(raw->kind);
  // A value that a newer build may have added does not say that the bytes are taken.
  entry.name.capture = raw->capture <= kMostCapture ? static_cast<Capture>(raw->capture) : Capture::kNot;
  return entry;
}

std::optional<StateEntry> state_entry(const EntryView& view) {
  auto body = view.body;
  const auto raw = take<RawState>(body);
  if (!raw || raw->stream == 0 || raw->ended > 1) return std::nullopt;
  const auto lost = take_losses(body, raw->losses);
  if (!lost) return std::nullopt;
  return StateEntry{
      raw->stream,
      {raw->captured, raw->unwritten, raw->passed, raw->first, raw->last, raw->ended == 1, *lost}};
}

std::optional<EndEntry> end_entry(const EntryView& view) {
  auto body = view.body;
  const auto raw = take<RawEnd>(body);
  if (!raw || raw->stream == 0) return std::nullopt;
  const auto lost = take_losses(body, raw->losses);
  if (!lost) return std::nullopt;
  return EndEntry{raw->stream, raw->passed, raw->time, *lost};
}

std::optional<PositionEntry> position_entry(const EntryView& view) {
  auto body = view.body;
  const auto raw = take<RawPosition>(body);
  if (!raw || !body.empty()) return std::nullopt;
  return PositionEntry{raw->ring, raw->position};
}

std::optional<MissedEntry> missed_entry(const EntryView& view) {
  auto body = view.body;
  const auto raw = take<RawMissed>(body);
  if (!raw || raw->stream == 0 || raw->from > raw->to || !body.empty()) return std::nullopt;
  return MissedEntry{raw->stream, raw->from, raw->to, raw->time};
}

void put(std::vector<std::byte>& out, const BytesEntry& entry) {
  const RawBytes raw{entry.stream, entry.offset, entry.time};
  if (entry.position == 0)
    put_head(out, EntryKind::kBytes, raw, entry.bytes.size());
  else
    put_head(out, EntryKind::kFileBytes, RawFileBytes{raw, entry.position}, entry.bytes.size());
  out.insert(out.end(), entry.bytes.begin(), entry.bytes.end());
}

void put(std::vector<std::byte>& out, const StreamEntry& entry) {
  const StreamName& name = entry.name;
  const auto size = [](const std::string& text) { return static_cast<std::uint32_t>(text.size()); };
  put_head(
      out, EntryKind::kStream,
      RawStream{entry.stream, name.inode, name.device, static_cast<std::uint32_t>(name.kind), size(name.flow),
                size(name.output), size(name.identity), static_cast<std::uint32_t>(name.capture)},
      name.flow.size() + name.output.size() + name.identity.size());
  for (const auto* text : {&name.flow, &name.output, &name.identity}) append(out, text->data(), text->size());
}

void put(std::vector<std::byte>& out, const StateEntry& entry) {
  const StreamSums& sums = entry.sums;
  put_head(out, EntryKind::kState,
           RawState{entry.stream, sums.captured, sums.unwritten, sums.passed, sums.first, sums.last,
                    sums.ended ? 1U : 0U, FTAP_NR_LOSSES},
           sizeof sums.lost);
  append(out, sums.lost.data(), sizeof sums.lost);
}

void put(std::vector<std::byte>& out, const EndEntry& entry) {
  put_head(out, EntryKind::kEnd, RawEnd{entry.stream, entry.passed, entry.time, FTAP_NR_LOSSES, 0},
           sizeof entry.lost);
  append(out, entry.lost.data(), sizeof entry.lost);
}

void put(std::vector<std::byte>& out, const PositionEntry& entry) {
  put_head(out, EntryKind::kPosition, RawPosition{entry.ring, entry.position});
}

void put(std::vector<std::byte>& out, const MissedEntry& entry) {
  put_head(out, EntryKind::kMissed, RawMissed{entry.stream, entry.from, entry.to, entry.time});
}

std::uint64_t ring_hash(std::string_view ring_id) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : ring_id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace flowtap::flow
