#include "base/directory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

class DirectoryNames : public testing::Test {
 protected:
  [[nodiscard]] Result<std::vector<std::string>> names(std::size_t most) const {
    return directory_names(Fd(::open((dir_ / ".").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), most, "it");
  }

  test::TempDir dir_;
};

TEST_F(DirectoryNames, AreAllButTheDots) {
  EXPECT_EQ(names(0), std::vector<std::string>());
  for (const char* name : {"b", "a", ".hidden"}) Fd(::open((dir_ / name).c_str(), O_CREAT | O_WRONLY, 0600));
  auto found = names(3);
  ASSERT_TRUE(found);
  std::ranges::sort(*found);
  EXPECT_EQ(*found, (std::vector<std::string>{".hidden", "a", "b"}));
}

TEST_F(DirectoryNames, AreNoPartOfThem) {
  for (const char* name : {"b", "a"}) Fd(::open((dir_ / name).c_str(), O_CREAT | O_WRONLY, 0600));
  const auto found = names(1);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "it holds more than 1 names");
}

TEST_F(DirectoryNames, OfNoDirectoryAreAnErrorAndTheDescriptorIsClosed) {
  const int file = ::open((dir_ / "file").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  const auto found = directory_names(Fd(file), 9, "it");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ENOTDIR);
  EXPECT_EQ(::fcntl(file, F_GETFD), -1);
}

}  // namespace
}  // namespace flowtap
