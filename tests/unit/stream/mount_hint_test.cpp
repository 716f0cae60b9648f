#include "stream/capture/mount_hint.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>

namespace flowtap {
namespace {

TEST(MountHint, EachRefusalHasItsOwn) {
  std::set<std::string> hints;
  const std::initializer_list<int> known = {EPERM, ENODEV, ENOSPC, EBUSY};
  for (const int error : known) hints.insert(mount_hint(error, "bpf"));
  EXPECT_EQ(hints.size(), known.size());
  EXPECT_FALSE(hints.contains(""));
  EXPECT_EQ(mount_hint(EACCES, "bpf"), mount_hint(EPERM, "bpf"));
  EXPECT_TRUE(mount_hint(ENODEV, "tmpfs").contains("tmpfs"));
  EXPECT_TRUE(mount_hint(ENOSPC, "bpf").contains("fs.mount-max"));
  EXPECT_EQ(mount_hint(EIO, "bpf"), "") << "what it says of itself is enough";
}

}  // namespace
}  // namespace flowtap
