// A journal that cannot be written: append says why, nothing else suffers, and it goes on when it can.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "tests/unit/stream/journal/journal_kit.hpp"
#include "tests/unit/stream/journal/tmpfs_dir.hpp"

namespace flowtap::flow {
namespace {

namespace fs = std::filesystem;

std::uint64_t failures(const Journal& journal, JournalFailure cause) {
  return journal.stats().failures.at(static_cast<std::size_t>(cause));
}

/// A real tmpfs that nobody else sees.
class JournalOnTmpfs : public ::testing::Test {
 protected:
  void mount(const std::string& options) {
    if (::unshare(CLONE_NEWNS) != 0) GTEST_SKIP() << "needs root for a mount of its own";
    ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    fs::create_directories(mount_);
    ASSERT_EQ(::mount("tmpfs", mount_.c_str(), "tmpfs", 0, options.c_str()), 0);
    mounted_ = true;
  }
  void TearDown() override {
    journal_.reset();
    if (mounted_) ::umount2(mount_.c_str(), MNT_DETACH);
  }
  /// Somebody else takes all the room there is.
  void fill() const {
    std::ofstream file(mount_ + "/others", std::ios::binary);
    const std::string block(4096, 'x');
    while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }
  Status append(std::uint64_t size) {
    batch_.clear();
    add(batch_, 1, at_, size);
    batch_.set_position("ring", at_ + size);
    at_ += size;
    return journal_->append(batch_);
  }

  TmpfsDir root_;
  std::string mount_ = root_ / "mount";
  std::string dir_ = mount_ + "/journal";
  bool mounted_ = false;
  std::unique_ptr<Journal> journal_;
  Batch batch_;
  std::uint64_t at_ = 0;
};

TEST_F(JournalOnTmpfs, SmallerThanItsBoundTheOldestGo) {
  mount("size=128k");
  if (!mounted_) return;
  journal_ = open_journal(dir_, 1U << 20U, 16U << 10U);
  for (int i = 0; i < 2000; ++i) {
    const auto done = append(1000);
    ASSERT_TRUE(done) << done.error().what;
    ASSERT_EQ(journal_->read(1, at_ - 1000, 1000)->bytes, content(1, at_ - 1000, 1000));
  }
  EXPECT_GT(journal_->stats().evicted_segments, 50U);
  for (int start = 0; start < 2; ++start) {
    const Seen seen = read_all(*journal_, 1);
    EXPECT_FALSE(seen.wrong);
    EXPECT_EQ(seen.end, at_);
    EXPECT_GT(seen.bytes, 64U << 10U);
    EXPECT_EQ(journal_->stream(1)->sums.captured, at_);
    EXPECT_EQ(journal_->stream(1)->sums.missing(), 0U);
    EXPECT_EQ(journal_->position_of("ring"), at_);
    journal_ = open_journal(dir_, 1U << 20U, 16U << 10U);
    EXPECT_EQ(journal_->replayed().torn_bytes + journal_->replayed().damaged_bytes, 0U);
  }
}

TEST_F(JournalOnTmpfs, FullOfOtherThingsItFailsAndComesBack) {
  mount("size=256k");
  if (!mounted_) return;
  journal_ = open_journal(dir_, 1U << 20U, 16U << 10U);
  ASSERT_TRUE(append(30'000));
  fill();
  int failed = 0;
  for (int i = 0; i < 100; ++i) {
    const auto done = append(40'000);
    if (done) {
      fill();  // what it gave up is taken too
      continue;
    }
    ++failed;
    ASSERT_EQ(done.error().code, ENOSPC);
  }
  EXPECT_GE(failed, 90);
  EXPECT_EQ(failures(*journal_, JournalFailure::kNoSpace), static_cast<std::uint64_t>(failed));
  EXPECT_FALSE(journal_->stats().last_error.empty());
  const auto during = journal_->stream(1).value();
  EXPECT_EQ(during.sums.captured, at_) << "they were captured";
  EXPECT_EQ(during.sums.missing(), 0U);
  EXPECT_EQ(during.sums.unwritten, 40'000U * static_cast<unsigned>(failed));
  Seen seen = read_all(*journal_, 1);
  EXPECT_FALSE(seen.wrong);
  ASSERT_FALSE(seen.gaps.empty());
  EXPECT_EQ(seen.gaps.back().gap, MissingCause::kUnwritten);
  EXPECT_EQ(seen.end, at_);

  fs::remove(mount_ + "/others");
  ASSERT_TRUE(append(100));
  EXPECT_TRUE(journal_->stats().last_error.empty());
  const auto sums = journal_->stream(1)->sums;
  journal_ = open_journal(dir_, 1U << 20U, 16U << 10U);
  EXPECT_EQ(journal_->stream(1)->sums, sums) << "the sums are whole again";
  EXPECT_EQ(journal_->position_of("ring"), at_);
  EXPECT_EQ(journal_->read(1, at_ - 100, 100)->bytes, content(1, at_ - 100, 100));
}

// Otherwise the batch in hand would cost bytes that nobody has taken yet.
TEST_F(JournalOnTmpfs, WhatNobodyHasTakenMakesNoRoom) {
  mount("size=256k");
  if (!mounted_) return;
  journal_ = open_journal(dir_, 1U << 20U, 16U << 10U);
  journal_->taken({});
  ASSERT_TRUE(append(5'000));
  EXPECT_GT(journal_->untaken(), 5'000U);
  fill();
  const auto done = append(9'000);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ENOSPC);
  const auto first = journal_->tail({}, 1U << 20U);
  ASSERT_TRUE(first);
  EXPECT_GT(first->entries.size(), 5'000U);
  journal_->taken(first->next);
  EXPECT_EQ(journal_->untaken(), 0U);
  EXPECT_GT(journal_->take_unwritten(first->next).size(), 9'000U);
  EXPECT_TRUE(append(3'000)) << "what was taken makes room";
}

TEST_F(JournalOnTmpfs, WithoutInodesTheOldestGo) {
  mount("size=1m,nr_inodes=5");  // the root, the directory, three segments
  if (!mounted_) return;
  journal_ = open_journal(dir_, 512U << 10U, 4096);
  for (int i = 0; i < 100; ++i) {
    const auto done = append(1000);
    ASSERT_TRUE(done) << done.error().what;
  }
  EXPECT_LE(journal_->stats().segments, 3U);
  EXPECT_EQ(journal_->stream(1)->sums.captured, at_);
}

TEST_F(JournalOnTmpfs, ReadOnlyItIsSaidAndTriedAgain) {
  mount("size=1m");
  if (!mounted_) return;
  ASSERT_EQ(::mount(nullptr, mount_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  journal_ = open_journal(dir_, 1U << 20U, 16U << 10U);
  EXPECT_FALSE(append(10));
  EXPECT_FALSE(append(10));
  EXPECT_EQ(failures(*journal_, JournalFailure::kReadOnly), 2U) << journal_->stats().last_error;
  ASSERT_EQ(::mount(nullptr, mount_.c_str(), nullptr, MS_REMOUNT, nullptr), 0);
  EXPECT_TRUE(append(10));
  EXPECT_EQ(journal_->stream(1)->sums.unwritten, 20U);
}

/// A journal without a mount of its own.
class JournalUnderAttack : public ::testing::Test {
 protected:
  TmpfsDir root_;
  std::string dir_ = root_ / "journal";
  std::unique_ptr<Journal> journal_ = open_journal(dir_);
  Batch batch_;
};

TEST_F(JournalUnderAttack, ItsDirectoryMayGo) {
  batch_.add(StreamEntry{1, name_of(1)});
  add(batch_, 1, 0, 100);
  batch_.add(StreamEntry{2, name_of(2)});
  add(batch_, 2, 0, 50);
  batch_.set_position("ring", 1);
  ASSERT_TRUE(journal_->append(batch_));
  fs::remove_all(dir_);
  batch_.clear();
  add(batch_, 1, 100, 10);
  batch_.set_position("ring", 2);
  ASSERT_TRUE(journal_->append(batch_)) << "a file that is unlinked would take it, and lose it";
  EXPECT_EQ(journal_->stats().removed_under_us, 1U);
  expect_whole(*journal_, 1, 110);  // the file that is open is still read
  journal_ = open_journal(dir_);
  EXPECT_EQ(journal_->position_of("ring"), 2U);
  EXPECT_EQ(journal_->stream(1)->sums.captured, 110U);
  EXPECT_EQ(*journal_->stream(1)->name, name_of(1));
  EXPECT_EQ(journal_->stream(2)->sums.captured, 50U) << "also of streams that are silent";
  EXPECT_EQ(*journal_->stream(2)->name, name_of(2));
}

TEST_F(JournalUnderAttack, ItsParentMayGo) {
  add(batch_, 1, 0, 100);
  ASSERT_TRUE(journal_->append(batch_));
  journal_.reset();
  const fs::path parent = fs::path(dir_).parent_path();
  fs::remove_all(parent);
  journal_ = open_journal(dir_);
  std::ofstream(parent) << "something else is in its place";
  EXPECT_FALSE(journal_->append(batch_));
  EXPECT_EQ(failures(*journal_, JournalFailure::kGone), 1U);
  fs::remove(parent);
  batch_.clear();
  add(batch_, 1, 100, 5);
  EXPECT_TRUE(journal_->append(batch_)) << "it is made anew";
  EXPECT_EQ(journal_->stream(1)->sums, (StreamSums{105, 100, 105, 1, 1, false, {}}));
}

TEST_F(JournalUnderAttack, ForeignFilesWithItsNamesAreLeftAlone) {
  fs::create_directories(dir_);
  for (int i = 1; i < 4; ++i)
    std::ofstream(dir_ + "/" + Segment::file_name(static_cast<std::uint32_t>(i))) << "mine";
  add(batch_, 1, 0, 100);
  EXPECT_TRUE(journal_->append(batch_));
  EXPECT_EQ(fs::file_size(dir_ + "/00000001.seg"), 4U);
  expect_whole(*journal_, 1, 100);
}

TEST_F(JournalUnderAttack, ABatchTooLargeIsRefusedAndCounted) {
  add(batch_, 1, 0, 10);
  ASSERT_TRUE(journal_->append(batch_));
  const std::string text(700'000, 'x');
  batch_.clear();
  batch_.add(BytesEntry{1, 10, 1, 0, as_bytes(text)});
  EXPECT_FALSE(journal_->append(batch_));
  EXPECT_EQ(failures(*journal_, JournalFailure::kTooLarge), 1U);
  EXPECT_EQ(journal_->stream(1)->sums.unwritten, 700'000U);
  batch_.clear();
  add(batch_, 2, 0, 1);
  ASSERT_TRUE(journal_->append(batch_));
  const auto sums = journal_->stream(1)->sums;
  EXPECT_EQ(sums.captured, 700'010U);
  journal_ = open_journal(dir_);
  ASSERT_TRUE(journal_->stream(1));
  EXPECT_EQ(journal_->stream(1)->sums, sums) << "what was not written is still counted after a start";
}

TEST_F(JournalUnderAttack, StreamsThatEndWhileNothingIsWrittenAreBounded) {
  fs::create_directories(root_ / "");
  std::ofstream(root_ / "journal") << "a file where the directory should be";
  for (StreamNo stream = 1; stream <= 100'000; ++stream) {
    batch_.clear();
    add(batch_, stream, 0, 5);
    batch_.add(EndEntry{stream, 5, 1, {}});
    ASSERT_FALSE(journal_->append(batch_));
  }
  EXPECT_LE(journal_->stats().streams, 32'768U);
  EXPECT_TRUE(journal_->stream(100'000));
}

}  // namespace
}  // namespace flowtap::flow
