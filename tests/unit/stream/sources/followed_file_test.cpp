// Which files may be read, and what is remembered of them.
#include "stream/sources/files/followed_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

class OpenLogFile : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(dir_ / "log") << "text"; }
  [[nodiscard]] Result<OpenedFile> open(const std::string& path) const {
    auto walk = PathWalk::open(dir_ / ".");
    if (!walk) throw std::runtime_error(walk.error().what);
    return open_log_file(*walk, path);
  }

  test::TempDir dir_;
};

TEST_F(OpenLogFile, IsKnownAgainAndReadAtAnyPlace) {
  const auto file = open("/log");
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_EQ(file->size, 4U);
  EXPECT_EQ(open("/log")->identity, file->identity);
  std::ofstream(dir_ / "other") << "text";
  EXPECT_NE(open("/other")->identity, file->identity);
  const FollowedFile content(file->fd, "/log", file->identity.born, 1, 2);
  EXPECT_EQ(content.size(), 4U);
  std::array<std::byte, 8> bytes{};
  EXPECT_EQ(content.read(1, bytes), 3U);
  EXPECT_EQ(std::to_integer<char>(bytes[0]), 'e');
  EXPECT_EQ(content.read(9, bytes), 0U);
  const FollowedFile gone(nullptr, "/log", 0, 1, 2);
  EXPECT_FALSE(gone.size());
  EXPECT_EQ(gone.read(0, bytes), 0U);
}

TEST_F(OpenLogFile, SaysWhatWasWritten) {
  constexpr std::uint64_t kFar = std::uint64_t{1} << 40U;
  std::filesystem::resize_file(dir_ / "log", kFar);
  const auto file = open("/log");
  ASSERT_TRUE(file) << file.error().what;
  const FollowedFile content(file->fd, "/log", 0, 1, 2);
  const auto first = content.written(1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->begin, 1U);
  EXPECT_LE(first->end, 1U << 20U) << "a block";
  EXPECT_FALSE(content.written(first->end)) << "nothing behind";
  std::ofstream(dir_ / "log", std::ios::app) << "end";
  const auto last = content.written(first->end);
  ASSERT_TRUE(last);
  EXPECT_GT(last->begin, kFar - (1U << 20U));
  EXPECT_EQ(last->end, kFar + 3);
  EXPECT_FALSE(content.written(last->end));
}

TEST_F(OpenLogFile, NothingButARegularFile) {
  EXPECT_EQ(open("/none").error().code, ENOENT);
  ASSERT_EQ(::mkfifo((dir_ / "fifo").c_str(), 0600), 0);
  EXPECT_FALSE(open("/fifo")) << "and without waiting for a writer";
  ASSERT_EQ(::mkdir((dir_ / "directory").c_str(), 0700), 0);
  EXPECT_FALSE(open("/directory"));
}

TEST(FileNotes, AreReadBack) {
  const FileNotes notes{"/var/log/\"x\" \\ ä.log", 1'700'000'000'123'456'789, {-12, 34}};
  EXPECT_EQ(parse_notes(render_notes(notes)), notes);
  const FileNotes unknown{"/x", 0, {5, std::nullopt}};
  EXPECT_EQ(parse_notes(render_notes(unknown)), unknown);
  for (const char* text : {"", "{}", "[]", R"({"path":1,"born":2,"base":3})", R"({"path":"/x","born":2})",
                           R"({"path":"/x","born":2,"base":"3"})", R"({"path":"/x","born":2,"base":1e300})"})
    EXPECT_FALSE(parse_notes(text)) << text;
}

}  // namespace
}  // namespace flowtap
