// Whatever the tap told of followed files, and in whatever order, the journal has each byte once.
#include "tests/unit/stream/journal/file_streams_kit.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

TEST_F(FileStreamsTest, WhatTheTapTellsIsTheFile) {
  add(1);
  round({tap_.write("one "), tap_.write("two ")});
  round({tap_.write("three")});
  EXPECT_EQ(text(1), "one two three");
  EXPECT_EQ(files_.counts().filled, 0U);
}

TEST_F(FileStreamsTest, WhatStoodThereBeforeIsReadFirst) {
  tap_.unseen("there before ");
  add(1, {.tapped_from = 13});
  round();
  EXPECT_EQ(text(1), "there before ");
  round({tap_.write("and after")});
  EXPECT_EQ(text(1), "there before and after");
}

TEST_F(FileStreamsTest, AFileIsFollowedFromWhereItIsTold) {
  tap_.unseen("there before ");
  add(1, {.position = 13, .tapped_from = 13});
  round();
  EXPECT_EQ(text(1), "");
  round({tap_.write("and after")});
  EXPECT_EQ(text(1), "and after");
}

TEST_F(FileStreamsTest, WhatWasReadBeforeItsRecordCameComesOnce) {
  add(1);
  round({tap_.write("one ")});
  const Bytes late = tap_.write("two ");
  const Bytes early = tap_.write("three ");
  round({early});  // the file has both
  EXPECT_EQ(text(1), "one two three ");
  round({late});
  round({tap_.write("four")});
  EXPECT_EQ(text(1), "one two three four");
  // The same holds for what is read at the beginning while its record is on its way.
  next_.unseen("x");
  add(2, {.tapped_from = 1});
  const Bytes first = next_.write("first ");
  round();
  round({first, next_.write("second")});
  EXPECT_EQ(text(2), "xfirst second");
}

TEST_F(FileStreamsTest, AWriteUnderWayWhenItWasTappedComesOnce) {
  const Bytes under_way = tap_.write("under way ");
  add(1, {.position = 10, .tapped_from = 10});  // it was in the file already
  round();
  round({under_way, tap_.write("after")});
  EXPECT_EQ(text(1), "after");
}

TEST_F(FileStreamsTest, AWriteUnderWayMayBeLargeAndItsRecordsLate) {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  std::vector<Bytes> records;
  for (int i = 0; i < 48; ++i) {
    const std::string line = std::to_string(i);
    records.push_back(tap_.write(std::string(kPiece - 1 - line.size(), 'x') + line + "\n"));
  }
  const std::string all = tap_.disk.text;
  tap_.disk.text.resize(all.size() / 3 * 2);
  add(1, {.tapped_from = tap_.disk.text.size()});
  round();
  tap_.disk.text = all.substr(0, tap_.disk.text.size() + kPiece + 5);
  look();
  now_ += 1h;
  tap_.disk.text = all;
  for (const Bytes& record : records) round({record}, true, 1h);
  round({tap_.write("after")});
  EXPECT_TRUE(text(1) == all + "after") << text(1).size() - all.size();
  EXPECT_EQ(files_.counts().missing, 0U);
}

TEST_F(FileStreamsTest, TheFirstWriteMayBeInTheFileLongBeforeItsRecordComes) {
  add(1);
  const Bytes slow = tap_.write("a write that takes long\n");
  tap_.disk.text.resize(9);
  look();
  EXPECT_EQ(text(1), "a write t");
  now_ += 1h;
  tap_.disk.text = "a write that takes long\n";
  round({slow}, true, 1h);
  round({tap_.write("after")});
  EXPECT_EQ(text(1), "a write that takes long\nafter");
  EXPECT_EQ(files_.counts().missing, 0U);
}

// A report that is written over by one that is as long, or longer: by then no write that was under way can still be told of.
TEST_F(FileStreamsTest, AFileThatIsWrittenAnewByTheFirstRecordOfItComesAgain) {
  tap_.unseen("a report\n");
  add(1, {.tapped_from = 9});
  round();
  for (const char* report : {"another.\n", "a third one, longer\n"}) {
    now_ += 1h;
    tap_.disk.text.clear();
    round({tap_.write(report)});
  }
  EXPECT_EQ(text(1), "a report\nanother.\na third one, longer\n");
}

TEST_F(FileStreamsTest, AFileThatIsWrittenAnewBeforeTheFirstRecordIsNoWriteUnderWay) {
  tap_.unseen("there before ");
  add(1, {.tapped_from = 13});
  round();
  tap_.disk.text.clear();
  round({tap_.write("anew")});
  EXPECT_EQ(text(1), "there before anew");
  // Nor is what comes long after the first record.
  round({tap_.write(" and on")});
  now_ += 5s;
  tap_.disk.text.clear();
  round({tap_.write("a third time, and longer")});
  EXPECT_EQ(text(1), "there before anew and ona third time, and longer");
}

TEST_F(FileStreamsTest, WhatTheTapCouldNotSeeIsReadFromTheFile) {
  add(1);
  round({tap_.write("seen ")});
  (void)tap_.write("lost in a full ring ");
  (void)tap_.unseen("through io_uring ");
  round({tap_.write("seen ")});
  EXPECT_EQ(text(1), "seen lost in a full ring through io_uring seen ");
  for (int i = 0; i < 40; ++i) round({tap_.write("x")});  // long enough for this to become the file's step
  const std::uint64_t filled = files_.counts().filled;
  round({tap_.write("y")});
  EXPECT_EQ(files_.counts().filled, filled) << "and the tap is believed again";
  EXPECT_EQ(text(1), tap_.disk.text);
  EXPECT_EQ(journal_->stream(1)->sums.missing(), 0U);
}

TEST_F(FileStreamsTest, WhatTheTapNeverTellsOfIsFoundByLooking) {
  add(1);
  round({tap_.write("seen ")});
  (void)tap_.unseen("through io_uring");
  look();
  EXPECT_EQ(text(1), "seen through io_uring");
  look();
  round({tap_.write(" seen")});
  EXPECT_EQ(text(1), "seen through io_uring seen");
}

TEST_F(FileStreamsTest, WhatGrowsAllTheWhileIsReadAllTheSame) {
  add(1);
  std::string all;
  for (int i = 0; i < 20; ++i) {
    all += std::to_string(i) + " never told of\n";
    (void)tap_.unseen(std::to_string(i) + " never told of\n");
    look(1);
  }
  const std::string read = text(1);
  EXPECT_TRUE(all.starts_with(read));
  EXPECT_GT(read.size(), all.size() / 2);
  look();
  EXPECT_EQ(text(1), all);
}

TEST_F(FileStreamsTest, CutOffAndGrowingBehindTheTapsBack) {
  add(1);
  round({tap_.write("a long text that was told of\n")});
  tap_.disk.text.clear();
  for (const char* word : {"new ", "and ", "more "}) {
    (void)tap_.unseen(word);
    look(1);
  }
  look();
  EXPECT_EQ(text(1), "a long text that was told of\nnew and more ");
}

TEST_F(FileStreamsTest, WritersThatOvertookOneAnother) {
  // Two threads share a descriptor: what stands behind the call may be the other one's position.
  add(1);
  round({tap_.write("begin ")});
  std::vector<Bytes> records;
  for (const char* word : {"first ", "second ", "third "}) records.push_back(tap_.write(word));
  for (const std::size_t i : {0U, 1U})
    records[i].position = records[i + 1].position + records[i + 1].bytes.size() - records[i].bytes.size();
  round(records);
  round({tap_.write("end")});
  EXPECT_EQ(text(1), "begin first second third end");
  Bytes a = tap_.write(" a");
  Bytes b = tap_.write(" b");
  std::swap(a.offset, b.offset);
  round({b, a});
  EXPECT_EQ(text(1), "begin first second third end a b");
}

TEST_F(FileStreamsTest, WritersThatOvertookOneAnotherAndSeemToBeInStep) {
  // "b" comes first and is read with "a"; "a" comes late and seems to stand behind "b", where "c" stands.
  add(1);
  round({tap_.write("begin ")});
  std::vector<Bytes> records;
  for (const char* word : {"aaa ", "bbb ", "ccc "}) records.push_back(tap_.write(word));
  std::swap(records[0].offset, records[1].offset);
  const std::uint64_t end = tap_.disk.text.size();
  tap_.disk.text.resize(end - 4);  // "c" is not written yet
  round({records[1]});
  tap_.disk.text += "ccc ";
  records[0].position = end - 4;
  round({records[0]});
  round({records[2], tap_.write("end")});
  EXPECT_EQ(text(1), "begin aaa bbb ccc end");
}

TEST_F(FileStreamsTest, MuchIsReadInManyRounds) {
  add(1);
  round({tap_.write("begin ")});
  for (int i = 0; i < 10; ++i) (void)tap_.write(std::string(1'000'000, 'x'));
  round({tap_.write("middle ")});
  EXPECT_TRUE(behind_);
  EXPECT_LE(text(1).size(), 3U << 20U);
  round({tap_.write("end")});
  for (int i = 0; i < 20 && behind_; ++i) round();
  EXPECT_TRUE(text(1) == tap_.disk.text);
  round({tap_.write(" and on")});
  EXPECT_TRUE(text(1) == tap_.disk.text);
}

TEST_F(FileStreamsTest, ANewFileWaitsForTheRestOfTheOld) {
  add(1);
  round({tap_.write("old ")});
  (void)tap_.unseen("rest of the old ");
  add(2);
  round({next_.write("new ")});
  std::vector<StreamCursor> from{{1, 0}, {2, 0}};
  EXPECT_EQ(journal_->read(from, 1000).bytes, "old rest of the old new ");
  round({next_.write("and on")});
  EXPECT_EQ(journal_->read(from, 1000).bytes, "old rest of the old new and on");
}

TEST_F(FileStreamsTest, ItsEndIsTheFilesEnd) {
  add(1);
  round({tap_.write("seen ")});
  (void)tap_.unseen("unseen");
  files_.end(1);
  round();
  EXPECT_EQ(text(1), "seen unseen");
  const auto sums = journal_->stream(1)->sums;
  EXPECT_TRUE(sums.ended);
  EXPECT_EQ(sums.passed, 11U);
  EXPECT_TRUE(files_.owns(1)) << "until its slot is free";
  files_.forget(1);
  EXPECT_FALSE(files_.owns(1));
}

TEST_F(FileStreamsTest, ARestartGoesOnWhereTheJournalEnds) {
  tap_.unseen("before the tap ");
  add(1, {.position = 15, .tapped_from = 15});
  round({tap_.write("one ")});
  const Bytes last = tap_.write("two ");
  look();
  // The journal has it, and the ring gives it again, with what came meanwhile.
  FileStreams again;
  const FilePlace place = places_.back();
  const std::uint64_t passed = journal_->stream(1)->sums.passed;
  again.add({{.stream = 1,
              .offset = passed,
              .position = static_cast<std::uint64_t>(place.base + static_cast<std::int64_t>(passed)),
              .step = place.step},
             "file/log",
             std::make_unique<ScriptedContent>(tap_.disk, places_)});
  again.begin_round(batch_);
  again.take(last, time(), batch_);
  again.take(tap_.write("three"), time(), batch_);
  (void)again.read_on(true, time(), batch_);
  append();
  EXPECT_EQ(text(1), "one two three");
}

}  // namespace
}  // namespace flowtap::flow
