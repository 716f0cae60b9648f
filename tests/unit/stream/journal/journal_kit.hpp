// What the journal's tests share: streams whose content is a function of the place, and a check that a reader gets
// exactly that.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "stream/journal/journal.hpp"

namespace flowtap::flow {

/// The byte at `offset` of `stream`.
inline char content(StreamNo stream, std::uint64_t offset) {
  std::uint64_t x = (stream * 0x9E3779B97F4A7C15U) ^ (offset * 0xC2B2AE3D27D4EB4FU);
  x ^= x >> 29U;
  return static_cast<char>((x * 0xBF58476D1CE4E5B9U) >> 56U);
}

inline std::string content(StreamNo stream, std::uint64_t offset, std::uint64_t size) {
  std::string text(size, '\0');
  for (std::uint64_t i = 0; i < size; ++i) text[i] = content(stream, offset + i);
  return text;
}

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

inline StreamName name_of(StreamNo stream) {
  const std::string number = std::to_string(stream);
  return {"pod/ns/pod-" + number + "/uid/app/0",
          stream % 2 == 0 ? "stderr" : "stdout",
          "{\"n\":" + number + "}",
          1000 + stream,
          13,
          FTAP_KIND_PIPE};
}

/// Adds [offset, offset + size) of the stream's content.
inline void add(Batch& batch, StreamNo stream, std::uint64_t offset, std::uint64_t size,
                std::uint64_t time = 1) {
  const std::string text = content(stream, offset, size);
  batch.add(BytesEntry{stream, offset, time, 0, as_bytes(text)});
}

inline std::unique_ptr<Journal> open_journal(const std::string& dir, std::uint64_t max = 1U << 20U,
                                             std::uint64_t segment = 1U << 16U) {
  return Journal::open({dir, max, segment, 32'768}).value();
}

/// A stream as its reader sees it: each gap is one "<cause length>" in the list, bytes between them are one text.
struct Seen {
  std::vector<Piece> gaps;
  std::uint64_t bytes = 0;
  std::uint64_t end = 0;  // where the reader stands
  bool ended = false;
  bool wrong = false;  // bytes that are not the stream's content, or not where they should be
};

/// Reads a stream to its end, `limit` bytes at a time, and compares each byte with content().
inline Seen read_all(const Journal& journal, StreamNo stream, std::uint64_t limit = 4096) {
  Seen seen;
  while (true) {
    const auto reading = journal.read(stream, seen.end, limit);
    if (!reading) {
      ADD_FAILURE() << reading.error().what;
      return seen;
    }
    for (const Piece& piece : reading->pieces) {
      if (piece.offset != seen.end || piece.length == 0) seen.wrong = true;
      if (piece.gap) {
        seen.gaps.push_back(piece);
      } else {
        seen.bytes += piece.length;
        if (reading->text(piece) != content(stream, piece.offset, piece.length)) seen.wrong = true;
      }
      if (!piece.may_come) seen.end = piece.offset + piece.length;
    }
    seen.ended = reading->ended;
    if (reading->next.front().next != seen.end) seen.wrong = true;
    if (reading->pieces.empty() || reading->pieces.back().may_come) return seen;
  }
}

/// Expects [0, size) without a gap.
inline void expect_whole(const Journal& journal, StreamNo stream, std::uint64_t size) {
  const Seen seen = read_all(journal, stream);
  EXPECT_FALSE(seen.wrong) << "stream " << stream;
  EXPECT_TRUE(seen.gaps.empty()) << "stream " << stream;
  EXPECT_EQ(seen.bytes, size) << "stream " << stream;
}

}  // namespace flowtap::flow
