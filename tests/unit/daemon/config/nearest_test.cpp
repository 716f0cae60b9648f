// The "did you mean" of the configuration.
#include "daemon/config/nearest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace flowtap {
namespace {

TEST(Nearest, FindsWhatWasMeant) {
  constexpr std::array<std::string_view, 3> kKnown = {"cycle", "log_level", "host_root"};
  EXPECT_EQ(nearest("cycel", kKnown), "cycle");
  EXPECT_EQ(nearest("Log-Level", kKnown), "log_level");
  EXPECT_EQ(nearest("hostroot", kKnown), "host_root");
  EXPECT_EQ(nearest("state", kKnown), "");
  EXPECT_EQ(nearest("", kKnown), "");
  EXPECT_EQ(nearest(std::string(100'000, 'c'), kKnown), "");
}

}  // namespace
}  // namespace flowtap
