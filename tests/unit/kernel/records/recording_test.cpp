// A recording gives back what passed, each record once, whatever became of the file.
#include "kernel/records/recording.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "kernel/records/scripted_source.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap::flow {
namespace {

using List = std::vector<std::string>;
constexpr std::uint64_t kRoomy = 1U << 20U;
const RecordingHeader kHeader{-12345, "0a1b2c3d-0000-1111-2222-333344445555", "live/ring"};

List drain(RecordSource& source, std::size_t limit, bool commit) {
  List seen;
  const auto end = source.drain(limit, [&](std::span<const std::byte> raw) {
    seen.emplace_back(reinterpret_cast<const char*>(raw.data()), raw.size());
  });
  if (commit) source.commit(end.value());
  return seen;
}

List all_of(RecordSource& source, std::size_t limit = 1) {
  List all;
  while (source.wait(std::chrono::milliseconds(0))) {
    List some = drain(source, limit, true);
    if (some.empty()) break;  // looking shows a torn end
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

void push(ScriptedSource& source, const std::string& text) {
  const auto raw = std::as_bytes(std::span(text));
  source.push_raw({raw.begin(), raw.end()});
}

class Recording : public ::testing::Test {
 protected:
  RecordingSource& record(std::uint64_t max_bytes = kRoomy) {
    auto script = std::make_unique<ScriptedSource>("live/ring");
    script_ = script.get();
    recording_ = std::make_unique<RecordingSource>(std::move(script),
                                                   RingRecorder::create(path_, kHeader, max_bytes).value());
    return *recording_;
  }

  test::TempDir dir_;
  std::string path_ = dir_ / "ring";
  ScriptedSource* script_ = nullptr;
  std::unique_ptr<RecordingSource> recording_;
};

TEST_F(Recording, GivesBackWhatPassed) {
  auto& source = record();
  const List records{"one", std::string(100'000, 'x'), std::string("\0\n", 2), "last"};
  for (const auto& text : records) push(*script_, text);
  EXPECT_EQ(source.head(), script_->head());
  EXPECT_GT(source.head(), source.position()) << "all of it still waits";
  std::size_t seen = 0;
  EXPECT_EQ(source.look_ahead(source.position(), [&seen](auto) { ++seen; }).value(), source.head());
  EXPECT_EQ(seen, records.size()) << "nothing of that is recorded yet";
  EXPECT_EQ(all_of(source), records) << "recording changes nothing";
  const auto replay = ReplaySource::open(path_).value();
  EXPECT_EQ(replay->header(), kHeader);
  EXPECT_NE(replay->ring_id(), source.ring_id());
  EXPECT_EQ(all_of(*replay), records);
  EXPECT_EQ(replay->torn(), 0U);
  EXPECT_EQ(source.counts().records, 4U);
  EXPECT_EQ(source.counts().bytes, std::filesystem::file_size(path_));
}

TEST_F(Recording, WhatIsDrainedAgainIsRecordedOnce) {
  auto& source = record();
  List records;
  for (int i = 0; i < 10; ++i) push(*script_, records.emplace_back("r" + std::to_string(i)));
  RingPosition third = 0;
  third = source.drain(5, [](auto) {}).value();      // r0 r1 r2
  EXPECT_EQ(drain(source, 100, false).size(), 10U);  // all of them, with those three again
  source.commit(third);
  EXPECT_EQ(drain(source, 5, true).front(), "r3");
  push(*script_, records.emplace_back("r10"));
  EXPECT_EQ(drain(source, 100, true).back(), "r10");
  EXPECT_EQ(all_of(*ReplaySource::open(path_).value()), records);
}

TEST_F(Recording, StopsAtItsLimitAndCountsWhatItLeftOut) {
  auto& source = record(192 + 2 * (4 + 10));
  EXPECT_FALSE(source.cut_short());
  const List records{std::string(10, 'a'), std::string(11, 'b'), "c"};
  for (const auto& text : records) push(*script_, text);
  EXPECT_EQ(all_of(source), records) << "capture goes on";
  EXPECT_EQ(all_of(*ReplaySource::open(path_).value()), (List{records[0]}));
  EXPECT_EQ(source.counts().left_out, 2U);
  EXPECT_EQ(source.cut_short(), "it has reached its limit of 220 bytes");
  EXPECT_LE(std::filesystem::file_size(path_), 192U + 2 * 14);
}

/// While it lives, no file of this process may grow beyond `bytes`. The kernel itself gives EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit low{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &low);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(Recording, AFailingFileStopsNothing) {
  auto& source = record();
  push(*script_, "before");
  EXPECT_EQ(all_of(source), (List{"before"}));
  EXPECT_FALSE(source.cut_short());
  const auto size = std::filesystem::file_size(path_);
  {
    const FileSizeLimit limit(size + 6);  // the length and half of the record
    push(*script_, "during");
    EXPECT_EQ(all_of(source), (List{"during"}));
  }
  push(*script_, "after");
  EXPECT_EQ(all_of(source), (List{"after"}));
  EXPECT_EQ(source.counts().errors, 1U);
  EXPECT_EQ(source.counts().left_out, 2U);
  EXPECT_NE(source.counts().last_error.find("File too large"), std::string::npos)
      << source.counts().last_error;
  EXPECT_EQ(source.cut_short(), source.counts().last_error);
  EXPECT_EQ(std::filesystem::file_size(path_), size);
  EXPECT_EQ(all_of(*ReplaySource::open(path_).value()), (List{"before"}));
}

TEST_F(Recording, AFileThatIsRemovedIsTold) {
  auto& source = record();
  push(*script_, "before");
  EXPECT_EQ(all_of(source), (List{"before"}));
  EXPECT_FALSE(source.cut_short());
  std::filesystem::remove(path_);
  push(*script_, "after");
  EXPECT_EQ(all_of(source), (List{"after"})) << "it stops nothing";
  EXPECT_EQ(source.cut_short(), "its file was removed");
  EXPECT_EQ(source.counts().left_out, 1U);
}

TEST_F(Recording, ATornEndIsLeftOutAndCounted) {
  auto& source = record();
  push(*script_, "first");
  push(*script_, "second");
  all_of(source);
  const auto size = std::filesystem::file_size(path_);
  for (std::uint64_t cut = 1; cut <= 6 + 4 - 1; ++cut) {
    std::filesystem::resize_file(path_, size - cut);
    const auto replay = ReplaySource::open(path_).value();
    EXPECT_EQ(all_of(*replay), (List{"first"}));
    EXPECT_EQ(replay->torn(), 10 - cut);
    EXPECT_FALSE(replay->wait(std::chrono::milliseconds(0)));
  }
}

TEST_F(Recording, OtherFilesAreRefused) {
  EXPECT_FALSE(ReplaySource::open(path_));
  EXPECT_FALSE(ReplaySource::open("/dev/null"));
  std::ofstream(path_) << "something else";
  EXPECT_FALSE(ReplaySource::open(path_));
  std::filesystem::remove(path_);
  record();
  EXPECT_FALSE(RingRecorder::create(path_, kHeader, kRoomy)) << "nothing is written over";
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(8);
  file.put(2);
  file.close();
  EXPECT_FALSE(ReplaySource::open(path_)) << "another version";
}

}  // namespace
}  // namespace flowtap::flow
