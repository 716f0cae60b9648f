// The names by which people ask for a container or a service.
#include "component/views/called.hpp"

#include <gtest/gtest.h>

namespace flowtap::api {
namespace {

TEST(Called, ByTheNamesThatPeopleUse) {
  constexpr const char* kFlow = "container/my-batch-1f8bb19be14c";
  constexpr Called kBatch{.container = "my-batch", .id = "1f8bb19be14c66666666", .unit = {}, .flow = kFlow};
  for (const char* const name : {"my-batch", "1f8bb19be14c66666666", "1f8bb19be14c", "1f8bb1", kFlow}) {
    EXPECT_TRUE(is_called(kBatch, name)) << name;
    EXPECT_TRUE(is_flow_called(kFlow, name)) << name;
  }
  for (const char* const name : {"", "my", "batch", "1f8b", "1f8bb2", "my-batch.service", "unit/my-batch"}) {
    EXPECT_FALSE(is_called(kBatch, name)) << name;
    EXPECT_FALSE(is_flow_called(kFlow, name)) << name;
  }
  EXPECT_TRUE(is_flow_called("container/1f8bb19be14c66666666", "1f8bb19be14c"));
  constexpr const char* kSecond = "container/my-batch-1f8bb19be14c@2";
  constexpr Called kAgain{.container = "my-batch", .id = "1f8bb19be14c66666666", .unit = {}, .flow = kSecond};
  for (const char* const name : {"my-batch", "1f8bb19be14c", "1f8bb1", kFlow, kSecond}) {
    EXPECT_TRUE(is_called(kAgain, name)) << name;
    EXPECT_TRUE(is_flow_called(kSecond, name)) << name;
  }
  EXPECT_FALSE(is_called(kBatch, kSecond) || is_flow_called(kFlow, kSecond)) << "one run is not all";
  constexpr Called kNginx{.container = {}, .id = {}, .unit = "nginx.service", .flow = "unit/nginx.service"};
  for (const char* const name : {"nginx", "nginx.service", "unit/nginx.service"}) {
    EXPECT_TRUE(is_called(kNginx, name)) << name;
    EXPECT_TRUE(is_flow_called("unit/nginx.service", name)) << name;
  }
  EXPECT_FALSE(is_called(kNginx, ".service") || is_called(kNginx, "nginx."));
  EXPECT_FALSE(is_flow_called("pod/shop/nginx/u/app/0", "nginx"));
}

}  // namespace
}  // namespace flowtap::api
