#include "base/node/cpu_list.hpp"

#include <gtest/gtest.h>

namespace flowtap {
namespace {

using List = std::vector<unsigned>;

TEST(CpuList, ReadsWhatTheKernelWrites) {
  EXPECT_EQ(parse_cpu_list("0\n").value(), (List{0}));
  EXPECT_EQ(parse_cpu_list("0-3,7,9-10\n").value(), (List{0, 1, 2, 3, 7, 9, 10}));
  EXPECT_EQ(parse_cpu_list("\n").value(), List{}) << "a node without CPUs";
  EXPECT_EQ(parse_cpu_list("3,1-3").value(), (List{1, 2, 3}));
  EXPECT_EQ(parse_cpu_list("65535").value(), (List{65535}));
}

TEST(CpuList, RefusesEverythingElse) {
  for (const auto* bad :
       {"-1", "1-", "3-1", "a", "1,,2", "1,", ",1", "65536", "0-70000", "99999999999999999999", "1 2", "0x3"})
    EXPECT_FALSE(parse_cpu_list(bad)) << bad;
}

TEST(CpuList, IsBounded) {
  std::string many = "0-65535";
  for (int i = 0; i < 1000; ++i) many += ",0-65535";
  EXPECT_FALSE(parse_cpu_list(many));
}

}  // namespace
}  // namespace flowtap
