// The layout of a recording's file.
#pragma once

#include <array>
#include <cstdint>

namespace flowtap::flow {

constexpr std::array<char, 8> kRecordingMagic{'F', 'T', 'A', 'P', 'R', 'E', 'C', '\n'};
constexpr std::uint32_t kRecordingVersion = 1;

struct RawRecordingHeader {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t size;  // of this header
  std::int64_t wall_offset;
  std::array<char, 40> boot_id;
  std::array<char, 128> ring_id;
};
static_assert(sizeof(RawRecordingHeader) == 192);

/// Before each record.
struct RawRecordLength {
  std::uint32_t bytes;
};

}  // namespace flowtap::flow
