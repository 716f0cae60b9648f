// Followed files that are cut off, have holes or are gone.
#include "tests/unit/stream/journal/file_streams_kit.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

TEST_F(FileStreamsTest, TruncatedSoonAfterItWasTapped) {
  tap_.unseen("there before ");
  add(1, {.position = 13, .tapped_from = 13});
  round();
  tap_.disk.text.clear();
  round({tap_.write("after")});
  EXPECT_EQ(text(1), "after");
}

TEST_F(FileStreamsTest, TruncatedByWhoeverRotates) {
  add(1);
  round({tap_.write("before ")});
  const Bytes last = tap_.write("last ");
  tap_.disk.text.clear();
  round({last, tap_.write("after ")});
  EXPECT_EQ(text(1), "before last after ");
  tap_.disk.text.clear();
  look();
  round({tap_.write("once more")});
  EXPECT_EQ(text(1), "before last after once more");
  EXPECT_EQ(journal_->stream(1)->sums.missing(), 0U);
}

TEST_F(FileStreamsTest, TruncatedUnderAWriterThatKeepsItsPosition) {
  add(1);
  round({tap_.write("before ")});
  tap_.disk.text.assign(7, '\0');  // the file has a hole there
  round({tap_.write("after ")});
  EXPECT_EQ(text(1), "before after ");
  tap_.disk.text.clear();
  look();
  tap_.disk.text.assign(13, '\0');
  round({tap_.write("later")});
  EXPECT_EQ(text(1), "before after later");
}

TEST_F(FileStreamsTest, TruncatedBehindTheTapsBackUnderAWriterThatKeepsItsPosition) {
  for (const std::size_t block : {std::size_t{0}, std::size_t{8}}) {
    tap_.disk.block = block;
    const std::string before = block == 0 ? "" : text(1);
    if (block == 0) add(1);
    const std::size_t at = tap_.disk.text.size();
    round({tap_.write("a text that was told of ")});
    tap_.disk.text.clear();
    look();
    tap_.disk.put(at + 24, "and one that was not ");
    look();
    EXPECT_EQ(text(1), before + "a text that was told of and one that was not ");
    EXPECT_EQ(journal_->stream(1)->sums.missing(), 0U);
  }
}

TEST_F(FileStreamsTest, AHoleIsNoneOfItsBytes) {
  tap_.disk.block = 8;
  add(1);
  round({tap_.write("seen ")});
  tap_.disk.put(100, "unseen ");
  look();
  EXPECT_EQ(text(1), "seen unseen ");
  round({tap_.write_at(1003, "told of ")});
  round({tap_.write("and on")});
  EXPECT_EQ(text(1), "seen unseen told of and on");
  EXPECT_EQ(journal_->stream(1)->sums.missing(), 0U);
  EXPECT_EQ(files_.counts().missing, 0U);
}

TEST_F(FileStreamsTest, AHoleAtTheEndIsRoomForWhatComes) {
  tap_.disk.block = 8;
  tap_.disk.text.assign(1000, '\0');
  add(1, {.tapped_from = 1000});
  round();
  look();
  EXPECT_EQ(text(1), "");
  now_ += 2s;
  round({tap_.write_at(0, "told of ")});
  round({tap_.write_at(8, "so ")});
  look();
  round({tap_.write_at(11, "too ")});
  look();
  EXPECT_EQ(text(1), "told of so too ");
  tap_.disk.put(15, "and not ");
  look();
  EXPECT_EQ(text(1), "told of so too and not ");
  files_.end(1);
  round();
  EXPECT_TRUE(journal_->stream(1)->sums.ended);
  EXPECT_EQ(journal_->stream(1)->sums.missing(), 0U);
}

TEST_F(FileStreamsTest, OfWhatWasPunchedOutTheRecordStays) {
  tap_.disk.block = 8;
  add(1);
  round({tap_.write("12345678")});
  (void)tap_.unseen("unseen..");
  const Bytes record = tap_.write("told of.");
  tap_.disk.put(8, std::string(16, '\0'));
  round({record});
  EXPECT_EQ(text(1), "12345678told of.");
}

TEST_F(FileStreamsTest, WhatWasCutOffUnseenIsMissing) {
  add(1);
  round({tap_.write("seen ")});
  (void)tap_.write("counted alone ");
  tap_.disk.text.clear();
  round({tap_.write("after")});
  EXPECT_EQ(text(1), "seen (14 missing)after");
  EXPECT_EQ(journal_->stream(1)->sums.missing(), 14U);
  EXPECT_EQ(files_.counts().missing, 14U);
}

TEST_F(FileStreamsTest, OfAFileThatIsGoneTheRecordsStay) {
  add(1);
  round({tap_.write("seen ")});
  (void)tap_.write("lost ");
  tap_.disk.gone = true;
  round({tap_.write("after")});
  EXPECT_EQ(text(1), "seen (5 missing)after");
}

}  // namespace
}  // namespace flowtap::flow
