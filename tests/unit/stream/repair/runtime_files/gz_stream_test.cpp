// gzip as it should be, and as a crash leaves it.
#include "stream/repair/runtime_files/gz_stream.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/content.hpp"
#include "tests/unit/stream/repair/runtime_files/files_kit.hpp"
#include "tests/unit/stream/repair/runtime_files/runtime_kit.hpp"

namespace flowtap::flow {
namespace {

struct Unzipped {
  std::string bytes;
  std::string error;
};

class GzStreamTest : public testing::Test {
 protected:
  Unzipped unzip(std::size_t piece = 1000) const {
    const Fd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    GzStream stream(fd.get(), "x.gz");
    Unzipped out;
    std::string into(piece, '\0');
    while (true) {
      const auto n = stream.read(std::as_writable_bytes(std::span(into)));
      if (!n) {
        out.error = n.error().what;
        EXPECT_FALSE(stream.read(std::as_writable_bytes(std::span(into)))) << "it stays broken";
        return out;
      }
      EXPECT_LE(*n, piece);
      if (*n == 0) return out;
      out.bytes.append(into, 0, *n);
    }
  }

  TmpfsDir dir_;
  std::string path_ = dir_ / "x.gz";
  std::string text_ = golden_runtime_file("k8s-file.log");
};

TEST_F(GzStreamTest, GivesWhatWasWritten) {
  write_gz(path_, text_);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}, text_.size(), 2 * text_.size()}) {
    EXPECT_EQ(unzip(piece).bytes, text_);
    EXPECT_EQ(unzip(piece).error, "");
  }
  write_gz(path_, "");
  write_gz(path_, text_);
  EXPECT_EQ(unzip().bytes, text_ + text_) << "members, one behind the other";
}

TEST_F(GzStreamTest, ExpandsNoMoreThanThereIsRoomFor) {
  write_gz(path_, std::string(std::size_t{64} << 20U, '\0'));
  ASSERT_LT(test::content(path_).size(), 100'000U);
  EXPECT_EQ(unzip(65'536).bytes.size(), std::size_t{64} << 20U);
}

TEST_F(GzStreamTest, WhatIsCutGivesItsBeginningAndSaysSo) {
  write_gz(path_, text_);
  const std::string whole = test::content(path_);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
    write_file(path_, whole.substr(0, size));
    const Unzipped cut = unzip();
    EXPECT_TRUE(text_.starts_with(cut.bytes)) << size;
    EXPECT_NE(cut.error, "") << size;
    EXPECT_TRUE(cut.bytes == text_ || size + 8 < whole.size()) << "all but the checksum is there";
  }
}

TEST_F(GzStreamTest, WhatIsNoGzipIsSaid) {
  write_file(path_, text_);
  EXPECT_EQ(unzip().bytes, "");
  EXPECT_NE(unzip().error, "");
  ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
  write_gz(path_, text_);
  write_file(path_, "behind it");
  EXPECT_EQ(unzip().bytes, text_);
  EXPECT_NE(unzip().error, "");
}

TEST_F(GzStreamTest, AFlippedBitIsSaid) {
  write_gz(path_, text_);
  const std::string whole = test::content(path_);
  for (std::size_t at = 10; at < whole.size(); ++at) {  // behind the header, whose name and time mean nothing
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 4);
    ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
    write_file(path_, broken);
    EXPECT_NE(unzip().error, "") << at;
  }
}

}  // namespace
}  // namespace flowtap::flow
