#include "stats/backends/spectatord_base.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/files/temp_dir.hpp"

namespace flowtap::stats {
namespace {

const BaseValues kValues{{"U:a,k=v:", 0}, {"C:b:", std::numeric_limits<std::uint64_t>::max()}};

TEST(SpectatordBase, WhatIsWrittenReadsBack) {
  EXPECT_EQ(parse_base(format_base(kValues)).value(), kValues);
  EXPECT_EQ(parse_base(format_base({})).value(), BaseValues{});
  const flowtap::test::TempDir dir;
  const std::string path = dir / "base";
  ASSERT_TRUE(write_base(path, kValues));
  EXPECT_EQ(read_base(path).value(), kValues);
  ASSERT_TRUE(write_base(path, {}));
  EXPECT_EQ(read_base(path).value(), BaseValues{});
  EXPECT_EQ(std::remove(path.c_str()), 0);
  EXPECT_EQ(read_base(path).value(), BaseValues{});  // the first start
}

TEST(SpectatordBase, EveryCutAndEveryFlippedBitIsFound) {
  const std::string good = format_base(kValues);
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_FALSE(parse_base(good.substr(0, i))) << i;
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ (1U << bit));
      EXPECT_FALSE(parse_base(bad)) << i << " " << bit;
    }
  }
  EXPECT_FALSE(parse_base(good + "1 x\n"));
}

TEST(SpectatordBase, WhatCannotBeReadIsAnError) {
  const flowtap::test::TempDir dir;
  EXPECT_FALSE(read_base(dir / "."));  // a directory
  EXPECT_FALSE(write_base(dir / "none/none", kValues));
}

}  // namespace
}  // namespace flowtap::stats
