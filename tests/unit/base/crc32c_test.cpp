// The checksum, by the CPU and without it.
#include "base/hash/crc32c.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flowtap::flow {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(Crc32c, IsThatOfTheRfc) {
  EXPECT_EQ(crc32c(0, bytes_of("123456789")), 0xe3069283U);
  EXPECT_EQ(crc32c(0, bytes_of(std::string(32, '\0'))), 0x8a9136aaU);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(0, bytes_of(std::string(32, '\xff'))), 0x62a8ab43U);
  EXPECT_EQ(crc32c(0, {}), 0U);
}

TEST(Crc32c, GoesOnAndIsTheSameWithoutTheInstruction) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(crc32c(0, bytes_of(text)), crc32c_portable(0, bytes_of(text)));
    const std::string half = text.substr(0, text.size() / 3);
    EXPECT_EQ(crc32c(crc32c(0, bytes_of(half)), bytes_of(text.substr(half.size()))),
              crc32c(0, bytes_of(text)));
    text += static_cast<char>(i * 37);
  }
}

}  // namespace
}  // namespace flowtap::flow
