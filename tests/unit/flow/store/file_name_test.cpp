#include "flow/store/file_name.hpp"

#include <gtest/gtest.h>

#include <set>

namespace flowtap::flow {
namespace {

TEST(FlowFileName, AsTheContractSays) {
  EXPECT_EQ(flow_file_name("pod/ns/web-0/82a9c79c-7b82/app/0"), "pod__ns__web-0__82a9c79c-7b82__app__0.log");
  EXPECT_EQ(flow_file_name("file//var/log/a_b c.log"), "file____var__log__a%5Fb%20c.log.log");
  EXPECT_EQ(flow_file_name("x\n\xff%"), "x%0A%FF%25.log");
}

TEST(FlowFileName, NoneIsHiddenOrLeadsElsewhere) {
  for (const std::string id : {"", ".", "..", "../../etc/passwd", ".index", "/"}) {
    const std::string name = flow_file_name(id);
    EXPECT_EQ(name.find('/'), std::string::npos);
    EXPECT_FALSE(name.starts_with('.')) << name;
    EXPECT_TRUE(name.ends_with(kFlowSuffix));
    EXPECT_LE(name.size(), 200U);
  }
}

TEST(FlowFileName, NoTwoAreAlike) {
  std::set<std::string> names;
  std::set<std::string> ids;
  const std::string alphabet = "a/_%.2F";
  for (const char a : alphabet)
    for (const char b : alphabet)
      for (const char c : alphabet)
        for (const char d : alphabet) ids.insert({a, b, c, d});
  for (std::size_t size = 150; size < 400; size += 7) {
    ids.insert(std::string(size, 'a'));
    ids.insert(std::string(size, 'a') + "b");
    ids.insert(std::string(size, '/'));
    ids.insert("b" + std::string(size, 'a'));
  }
  for (const std::string& id : ids) {
    const std::string name = flow_file_name(id);
    EXPECT_LE(name.size(), 200U);
    EXPECT_TRUE(names.insert(name).second) << id;
  }
}

}  // namespace
}  // namespace flowtap::flow
