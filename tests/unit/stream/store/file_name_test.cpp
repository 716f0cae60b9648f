#include "stream/store/file_name.hpp"

#include <gtest/gtest.h>

namespace flowtap::flow {
namespace {

TEST(FlowFile, NamesAreTheIdsInOneComponent) {
  EXPECT_EQ(flow_file_name("pod/shop/web-0/u-1/web/3"), "pod__shop__web-0__u-1__web__3.log");
  EXPECT_EQ(flow_file_name("container/a_b-0123"), "container__a%5Fb-0123.log");
  EXPECT_EQ(flow_file_name("unit/a@b.service"), "unit__a%40b.service.log");
  EXPECT_EQ(flow_file_name(std::string(200, 'a')), std::string(200, 'a') + ".log");
}

TEST(FlowFile, LongNamesAreCutAndHashed) {
  const std::string id = "container/" + std::string(300, 'a');
  const std::string name = flow_file_name(id);
  EXPECT_EQ(name.size(), 160U + 1 + 32 + 4);
  EXPECT_TRUE(name.starts_with("container__aaa"));
  EXPECT_EQ(name[160], '~');
  EXPECT_NE(name, flow_file_name(id + "a"));
  EXPECT_NE(name, flow_file_name(name.substr(0, name.size() - 4))) << "a short id that looks like a cut one";
}

}  // namespace
}  // namespace flowtap::flow
