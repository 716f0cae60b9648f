#include "base/file.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace flowtap {
namespace {

class File : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(dir_); }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::string write(const std::string& text) {
    const std::string path = dir_ + "/file";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::string dir_ = ::testing::TempDir() + "/flowtap-file-" + std::to_string(::getpid());
};

TEST_F(File, ReadsAllOfIt) {
  const std::string text(100'000, 'x');
  EXPECT_EQ(read_file(write(text)).value(), text);
}

TEST_F(File, RefusesMoreThanTheLimitInsteadOfCutting) {
  const auto path = write("12345");
  EXPECT_TRUE(read_file(path, 5));
  EXPECT_FALSE(read_file(path, 4));
}

TEST_F(File, LineHasNoWhiteSpaceAtItsEnd) {
  EXPECT_EQ(read_line(write("0-1 \n")).value(), "0-1");
  EXPECT_EQ(read_line(write("\n")).value(), "");
}

TEST_F(File, ErrorsNameThePathAndTheReason) {
  const auto missing = read_file(dir_ + "/none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ENOENT);
  EXPECT_NE(missing.error().what.find(dir_ + "/none"), std::string::npos);
  EXPECT_FALSE(read_file(dir_)) << "a directory is no file";
}

}  // namespace
}  // namespace flowtap
