// A log whose beginning has made room in the store: the journal has it, or the runtime's file, or its length is told.
#include "stream/reading/earlier_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>

#include "base/rfc3339.hpp"
#include "stream/reading/log_reader.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/unit/stream/store/pipeline_kit.hpp"

namespace flowtap {
namespace {

using api::LogReadOptions;

constexpr std::uint64_t kSecond = 1'000'000'000;
const std::string kPodUid = "4c9f1974-5c46-44c2-b42f-3bbf0e98eef9";
const std::string kPodFlow = "pod/shop/web-0/" + kPodUid + "/app/0";

std::chrono::system_clock::time_point at_second(std::uint64_t n) {
  return std::chrono::system_clock::time_point(std::chrono::seconds(n));
}

std::string numbered(std::uint64_t n) {
  return "line " + std::to_string(n) + "\n";
}
std::string numbered(std::uint64_t from, std::uint64_t to) {
  std::string all;
  for (std::uint64_t n = from; n < to; ++n) all += numbered(n);
  return all;
}
std::string made_room(std::uint64_t bytes) {
  return "[flowtap: " + std::to_string(bytes) +
         " bytes are missing here: they had to make room for newer ones]\n";
}

class EarlierLinesTest : public testing::Test {
 protected:
  EarlierLinesTest() {
    std::filesystem::create_directory(dir_ / "flows");
    options_.dir = dir_ / "flows";
    options_.flow_bytes = std::uint64_t{16} << 10U;
    open();
  }
  void open(std::uint64_t journal_bytes = std::uint64_t{8} << 20U) {
    pipeline_.reset(), store_.reset(), journal_.reset();
    journal_ = flow::open_journal(dir_ / "journal", journal_bytes);
    store_ = flow::FlowStore::open(options_);
    pipeline_ = std::make_unique<flow::Pipeline>(*journal_, *store_, journal_bytes);
    pipeline_->replay(1);
  }

  // The n-th line has the time of n seconds. Every tenth is standard error's.
  void write(std::uint64_t from, std::uint64_t to, const std::string& id = kPodFlow) {
    flow::Batch batch;
    for (flow::StreamNo stream : {flow::StreamNo{1}, flow::StreamNo{2}})
      if (from == 0)
        batch.add(flow::StreamEntry{
            stream, {.flow = id, .output = stream == 1 ? "stdout" : "stderr", .identity = {}}});
    for (std::uint64_t n = from; n < to; ++n) {
      const std::string text = numbered(n);
      std::uint64_t& at = at_[n % 10 == 3 ? 1 : 0];
      batch.add(flow::BytesEntry{n % 10 == 3 ? flow::StreamNo{2} : flow::StreamNo{1}, at,
                                 (n + late_) * kSecond, 0, flow::as_bytes(text)});
      at += text.size();
      if (n % 100 == 99 || n + 1 == to) append(batch);
    }
  }
  void append(flow::Batch& batch) {
    ASSERT_TRUE(journal_->append(batch));
    batch.clear();
    while (pipeline_->take(flow::Pipeline::Clock::now(), 1)) continue;
    store_->flush(flow::FlowStore::Clock::now(), 1, true);
  }
  // The bytes of another flow, so that the journal makes room.
  void flood(std::size_t bytes, std::uint64_t time = 5000) {
    flow::Batch batch;
    batch.add(flow::StreamEntry{9, {.flow = "unit/flood", .output = "stdout", .identity = {}}});
    const std::string block(4095, 'x');
    for (std::size_t had = 0; had < bytes; had += 4096, flooded_ += 4096) {
      const std::string text = block + "\n";
      batch.add(flow::BytesEntry{9, flooded_, time * kSecond, 0, flow::as_bytes(text)});
      append(batch);
    }
  }
  // The runtime has these lines. It dates each a moment after it was captured.
  void keep(std::uint64_t from, std::uint64_t to) {
    std::string text;
    for (std::uint64_t n = from; n < to; ++n)
      text += rfc3339_nano(at_second(n) + std::chrono::microseconds(50)) +
              (n % 10 == 3 ? " stderr F " : " stdout F ") + numbered(n);
    tree_.file("var/log/pods/shop_web-0_" + kPodUid + "/app/0.log", text);
  }

  std::unique_ptr<LogReader> reader(const LogReadOptions& options, const std::string& id = kPodFlow) {
    auto reader = LogReader::open(*store_, *waker_, id, options, history_.get(), nullptr, {},
                                  flow::Followers::Hurry::kYes,
                                  {.journal = journal_.get(), .drops_returns = drops_returns_});
    if (!reader) ADD_FAILURE() << reader.error().what;
    if (!reader) return nullptr;
    for (auto done = (*reader)->prepare(); !done || !*done; done = (*reader)->prepare())
      EXPECT_TRUE(done) << done.error().what;
    return std::move(*reader);
  }
  // All that can be read now; "|" where the log ends.
  static std::string drain(LogReader& reader) {
    std::string all;
    std::uint64_t missing = 0;
    const auto known = reader.missing_bytes();
    while (true) {
      const auto piece = reader.read(1000);
      EXPECT_TRUE(piece) << piece.error().what;
      if (!piece) return all;
      all += piece->bytes;
      missing += piece->missing_before;
      if (piece->end) {
        EXPECT_EQ(missing, known.value_or(missing)) << "as it was said before";
        return all + "|";
      }
      if (piece->bytes.empty() && !piece->again) return all;
    }
  }
  std::string log(const LogReadOptions& options = {.gaps = true}, const std::string& id = kPodFlow) {
    const auto opened = reader(options, id);
    return opened ? drain(*opened) : "";
  }
  [[nodiscard]] std::uint64_t stored_lines() const {
    const auto bounds = store_->bounds(*store_->find(kPodFlow));
    return bounds->lines - bounds->lines_before;
  }

  flow::TmpfsDir dir_;
  test::FileTree tree_;
  flow::StoreOptions options_;
  std::unique_ptr<flow::Journal> journal_;
  std::unique_ptr<flow::FlowStore> store_;
  std::unique_ptr<flow::Pipeline> pipeline_;
  std::unique_ptr<ReaderWaker> waker_ = std::move(*ReaderWaker::start());
  std::unique_ptr<Histories> history_ = std::move(*Histories::open(tree_.root()));
  std::array<std::uint64_t, 2> at_{};
  std::uint64_t flooded_ = 0;
  std::uint64_t late_ = 0;  // seconds that lines are later than their numbers say
  bool drops_returns_ = false;
};

TEST_F(EarlierLinesTest, AreTheJournalsWhereTheStoreHasMadeRoom) {
  write(0, 5000);
  ASSERT_LT(stored_lines(), 1000U);
  EXPECT_EQ(log(), numbered(0, 5000) + "|");
  EXPECT_EQ(reader({})->missing_bytes(), 0U);
  for (const std::uint64_t n : {1U, 100U, 999U, 4999U, 5000U, 6000U})
    EXPECT_EQ(log({.tail_lines = n}), numbered(5000 - std::min<std::uint64_t>(n, 5000), 5000) + "|") << n;
  EXPECT_EQ(log({.since = at_second(1234)}), numbered(1234, 5000) + "|");
  EXPECT_EQ(log({.limit_bytes = 10}), numbered(0, 10).substr(0, 10) + "|");
  EXPECT_TRUE(log({.timestamps = true}).starts_with("1970-01-01T00:00:00.000000000Z line 0\n"));
  std::string err;
  for (std::uint64_t n = 3; n < 5000; n += 10) err += numbered(n);
  EXPECT_EQ(log({.outputs = api::Outputs::kStderr}), err + "|");
}

TEST_F(EarlierLinesTest, AreFollowedByWhatComes) {
  write(0, 3000);
  const auto follower = reader({.follow = true});
  const auto tail = reader({.follow = true, .tail_lines = 2000});
  EXPECT_EQ(drain(*follower), numbered(0, 3000));
  write(3000, 3100);
  EXPECT_EQ(drain(*follower), numbered(3000, 3100));
  EXPECT_EQ(drain(*tail), numbered(1000, 3100));
  open();
  EXPECT_EQ(log(), numbered(0, 3100) + "|") << "after a start, too";
}

// The flow makes room again and again while somebody reads what it had.
TEST_F(EarlierLinesTest, AreReadWhileTheStoreMakesRoom) {
  write(0, 3000);
  const auto whole = reader({});
  write(3000, 6000);
  EXPECT_EQ(drain(*whole), numbered(0, 3000) + "|");
}

TEST_F(EarlierLinesTest, WhatNobodyHasAnyMoreIsAGapAtTheBeginning) {
  open(std::uint64_t{1} << 20U);
  write(0, 5000);
  const std::string wanted = numbered(0, 5000);
  ASSERT_EQ(log(), wanted + "|");
  flood(std::size_t{2} << 20U);
  const std::uint64_t left = stored_lines();
  const std::string rest = numbered(5000 - left, 5000);
  EXPECT_EQ(log(), made_room(wanted.size() - rest.size()) + rest + "|");
  EXPECT_EQ(log({}), rest + "|");
  EXPECT_EQ(reader({})->missing_bytes(), wanted.size() - rest.size());
  EXPECT_EQ(log({.tail_lines = left}), rest + "|");
  EXPECT_EQ(log({.since = at_second(4999)}), numbered(4999) + "|");
  EXPECT_TRUE(log({.outputs = api::Outputs::kStderr, .gaps = true})
                  .starts_with("[flowtap: " + std::to_string(wanted.size() - rest.size()) +
                               " bytes of stdout and stderr are missing here: they had to make room"));
  open(std::uint64_t{1} << 20U);
  EXPECT_EQ(log(), made_room(wanted.size() - rest.size()) + rest + "|") << "after a start, too";
}

// Each output has lost as many bytes as its gap says.
TEST_F(EarlierLinesTest, WhatTheJournalHasLostIsAGapInEachOutput) {
  open(std::uint64_t{1} << 20U);
  options_.flow_bytes = std::uint64_t{8} << 10U;
  open(std::uint64_t{1} << 20U);
  for (std::uint64_t n = 0; n < 60'000; n += 1000) write(n, n + 1000);
  for (const bool err : {false, true}) {
    SCOPED_TRACE(err);
    std::string wanted;
    for (std::uint64_t n = 0; n < 60'000; ++n)
      if ((n % 10 == 3) == err) wanted += numbered(n);
    const std::string got =
        log({.outputs = err ? api::Outputs::kStderr : api::Outputs::kStdout, .gaps = true});
    const std::string mark = "[flowtap: ";
    ASSERT_TRUE(got.starts_with(mark)) << got.substr(0, 200);
    const std::size_t missing = std::stoull(got.substr(mark.size()));
    EXPECT_GT(missing, 0U);
    EXPECT_TRUE(got.starts_with(made_room(missing)));
    const std::string rest = got.substr(made_room(missing).size());
    EXPECT_EQ(rest, wanted.substr(missing) + "|");
    EXPECT_GT(rest.size(), std::size_t{4} << 10U) << "what the journal has is served";
  }
}

TEST_F(EarlierLinesTest, AreTheRuntimesWhereItReachesFurtherBack) {
  // It ran before flowtapd came.
  {
    flow::Batch batch;
    for (flow::StreamNo stream : {flow::StreamNo{1}, flow::StreamNo{2}})
      batch.add(flow::StreamEntry{
          stream, {.flow = kPodFlow, .output = stream == 1 ? "stdout" : "stderr", .identity = {}}});
    append(batch);
  }
  write(500, 4000);
  keep(0, 4000);
  EXPECT_EQ(log(), numbered(0, 4000) + "|");
  EXPECT_EQ(log({.tail_lines = 3800}), numbered(200, 4000) + "|");
  // Its file has been rotated away up to there, and the journal has more.
  keep(3000, 4000);
  EXPECT_EQ(log(), numbered(500, 4000) + "|");
}

TEST_F(EarlierLinesTest, WhatTheRuntimeHasLostAsWellIsAGap) {
  open(std::uint64_t{1} << 20U);
  write(0, 5000);
  flood(std::size_t{2} << 20U);
  keep(0, 5000);
  EXPECT_EQ(log(), numbered(0, 5000) + "|");
  keep(2000, 5000);
  EXPECT_EQ(log(), made_room(numbered(0, 2000).size()) + numbered(2000, 5000) + "|");
  EXPECT_EQ(reader({})->missing_bytes(), numbered(0, 2000).size());
}

// The store has bounds for all flows together, too.
TEST_F(EarlierLinesTest, OfAFlowThatTheStoreHasRemoved) {
  options_.flows = 1;
  open();
  write(0, 100);
  flood(1);
  ASSERT_FALSE(store_->find(kPodFlow));
  store_->expect(kPodFlow);  // as the service does for a flow that is open
  EXPECT_EQ(log(), numbered(0, 100) + "|");
  const auto follower = reader({.follow = true});
  EXPECT_EQ(drain(*follower), numbered(0, 100));
  late_ = 10'000;
  write(100, 110);
  EXPECT_EQ(drain(*follower), numbered(100, 110));
  flood(1, 20'000);
  ASSERT_FALSE(store_->find(kPodFlow));
  late_ = 30'000;
  write(110, 120);
  EXPECT_EQ(log(), numbered(0, 120) + "|") << "it was made again";
  flow::Batch batch;
  for (flow::StreamNo stream : {flow::StreamNo{1}, flow::StreamNo{2}})
    batch.add(flow::EndEntry{stream, at_[stream - 1], 31'000 * kSecond, {}});
  append(batch);
  flood(1, 40'000);
  ASSERT_FALSE(store_->find(kPodFlow));
  EXPECT_EQ(log(), numbered(0, 120) + "|") << "and has ended";
  EXPECT_EQ(log({.tail_lines = 5}), numbered(115, 120) + "|");
}

// The journal's gaps are where they are, with their causes.
TEST_F(EarlierLinesTest, GapsOfTheJournal) {
  write(0, 1000);
  at_[0] += 70;
  write(1000, 2000);
  // Bytes that have been overtaken are waited for.
  while (pipeline_->take(flow::Pipeline::Clock::now() + std::chrono::seconds(5), 1)) continue;
  store_->flush(flow::FlowStore::Clock::now(), 1, true);
  ASSERT_LT(stored_lines(), 900U);
  EXPECT_EQ(log({.gaps = true}),
            numbered(0, 1000) + "[flowtap: 70 bytes are missing here]\n" + numbered(1000, 2000) + "|");
  EXPECT_EQ(reader({})->missing_bytes(), 70U);
  EXPECT_EQ(log({.tail_lines = 1001, .gaps = true}),
            "[flowtap: 70 bytes are missing here]\n" + numbered(1000, 2000) + "|");
  EXPECT_EQ(log({.tail_lines = 1000}), numbered(1000, 2000) + "|");
  keep(0, 2000);
  EXPECT_EQ(log().find("missing"), std::string::npos) << "the runtime has them";
}

// containerd drops "\r" before a newline. So does the log, from wherever it is read; a "\r" elsewhere stays.
TEST_F(EarlierLinesTest, ReturnsBeforeNewlinesAreWhereTheRuntimeHasThem) {
  drops_returns_ = true;
  open(std::uint64_t{1} << 20U);
  const std::string begin(flow::kMaxLine - 1, 'x');
  const std::vector<std::pair<std::string, std::string>> written{
      {"win\r\n", "stdout F win\n"},
      {"\r\n", "stdout F \n"},
      {"a\rb\r\r\n", "stdout F a\rb\r\n"},
      {begin + "\r\n", "stdout P " + begin + "\n#stdout F \n"},
      {begin + "\ry\n", "stdout P " + begin + "\n#stdout F \ry\n"},
      {"plain\n", "stdout F plain\n"}};
  std::string kept;
  std::string wanted;
  std::uint64_t at = 0;
  flow::Batch batch;
  batch.add(flow::StreamEntry{1, {.flow = kPodFlow, .output = "stdout", .identity = {}}});
  for (const auto& [bytes, cri] : written) {
    batch.add(flow::BytesEntry{1, at, (++at) * kSecond, 0, flow::as_bytes(bytes)});
    at += bytes.size() - 1;
    const std::string time = rfc3339_nano(at_second(1) + std::chrono::nanoseconds(at) * kSecond) + " ";
    std::string lines = time + cri;
    if (const std::size_t next = lines.find('#'); next != std::string::npos) lines.replace(next, 1, time);
    kept += lines;
    wanted += bytes;
    if (wanted.ends_with("\r\n")) wanted.erase(wanted.size() - 2, 1);
  }
  append(batch);
  EXPECT_EQ(log(), wanted + "|") << "from the store";
  tree_.file("var/log/pods/shop_web-0_" + kPodUid + "/app/0.log", kept);
  EXPECT_EQ(log(), wanted + "|");
  std::string more;
  for (int i = 0; i < 3000; ++i) more += "more\r\n";
  batch.add(flow::BytesEntry{1, at, 9000 * kSecond, 0, flow::as_bytes(more)});
  append(batch);
  std::string rest;
  for (int i = 0; i < 3000; ++i) rest += "more\n";
  EXPECT_EQ(log(), wanted + rest + "|") << "from the journal";
  EXPECT_EQ(log({.tail_lines = 3001}), "plain\n" + rest + "|");
  flood(std::size_t{2} << 20U);
  EXPECT_TRUE(log({}).starts_with(wanted)) << "from the runtime's file";
  drops_returns_ = false;
  EXPECT_TRUE(log().ends_with("more\r\n|")) << "another runtime keeps it";
}

}  // namespace
}  // namespace flowtap
