// What the index of flows keeps beside their lines, and the index that earlier builds wrote.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash/crc32c.hpp"
#include "tests/unit/stream/journal/tmpfs_dir.hpp"
#include "tests/unit/stream/store/store_kit.hpp"

namespace flowtap::flow {
namespace {

// To a reader, parts of lines are one line. Another stream's part does not go on with a part from before a start, but the same
// stream's does.
TEST(FlowIndex, AmidALineOverAStart) {
  for (const StreamNo next : {StreamNo{1}, StreamNo{2}}) {
    const TmpfsDir dir;
    const std::string flow = std::string(kDerivedFlows) + "main";
    auto store = FlowStore::open({.dir = dir / ""});
    const auto add = [&](StreamNo stream, const LineView& line) {
      FlowStore::Writing writing(*store, {});
      writing.add(*writing.flow(flow), stream, "stderr", line);
    };
    add(2, {"older", true, 0, 6, 1});
    add(1, {"begin", false, 0, 5, 1});
    store->flush({}, 1, true);
    store = FlowStore::open({.dir = dir / ""});
    add(2, {"older", true, 0, 6, 1});  // the journal tells it again
    if (next == 1)
      add(1, {" end", true, 5, 10, 2});
    else
      add(2, {"other", true, 6, 12, 2});
    EXPECT_EQ(lines_of(log_of(*store, flow)),
              next == 1 ? (std::vector<std::string>{"2:older", "2:begin~", "2: end"})
                        : (std::vector<std::string>{"2:older", "2:begin~", "2:", "2:other"}));
  }
}

/// The index as earlier builds wrote it: 2 did not know whose line a file ends amid, 3 how much has made room, 4 how many lines
/// people see, and 5 which runtime's container it was.
struct OlderBuild {
  char magic;
  std::size_t state;  // bytes
};
// An index with each of its rows changed.
template <typename Change>
std::string changed_index(std::string_view index, Change&& change) {
  constexpr std::size_t kMagic = 8;
  std::string older(index.substr(0, kMagic));
  for (std::string_view rest = index.substr(kMagic); !rest.empty();) {
    std::uint32_t size = 0;
    rest.copy(reinterpret_cast<char*>(&size), sizeof(size));
    std::string row(rest.substr(2 * sizeof(size), size));
    rest.remove_prefix(2 * sizeof(size) + size);
    change(row);
    for (const std::uint32_t word :
         {static_cast<std::uint32_t>(row.size()), crc32c(0, std::as_bytes(std::span(row)))})
      older.append(reinterpret_cast<const char*>(&word), sizeof(word));
    older += row;
  }
  return older;
}
std::string older_index(std::string_view index, const OlderBuild& build) {
  constexpr std::size_t kState = 176;
  std::string older =
      changed_index(index, [&](std::string& row) { row.erase(build.state, kState - build.state); });
  older[7] = build.magic;
  return older;
}

// It was known, and told nowhere. Its place has passed.
TEST(FlowIndex, ABreakThatAnEarlierBuildKnewIsNotToldLate) {
  constexpr std::size_t kFlags = 128;  // of a row, and one of them says that breaks are told
  constexpr char kTells = 8;
  const TmpfsDir dir;
  auto store = FlowStore::open({.dir = dir / ""});
  Writer(*store, "f", 1).say("one"), Writer(*store, "g", 3).say("one");
  {
    FlowStore::Writing writing(*store, {});
    writing.set_broke_off(*writing.flow("f"));
  }
  store->flush({}, 1, true);
  store.reset();
  const std::string path = dir / ".index";
  std::string index;
  {
    std::ifstream in(path, std::ios::binary);
    index = {std::istreambuf_iterator<char>(in), {}};
  }
  std::ofstream(path, std::ios::binary | std::ios::trunc) << changed_index(
      index, [](std::string& row) { row[kFlags] = static_cast<char>(row[kFlags] & ~kTells); });
  for (int start = 0; start < 2; ++start) {
    store = FlowStore::open({.dir = dir / ""});
    {
      FlowStore::Writing writing(*store, {});
      EXPECT_FALSE(writing.add_break(*writing.flow("f"), 1, "stdout", 5));
      EXPECT_EQ(writing.add_break(*writing.flow("f"), 2, "stdout", 5), start == 0) << "a later one";
      EXPECT_EQ(writing.add_break(*writing.flow("g"), 3, "stdout", 5), start == 0) << "none was known";
    }
    store->flush({}, 1, true);
  }
}

class OlderIndex : public testing::TestWithParam<OlderBuild> {
 protected:
  // Makes the index that is there an older build's.
  void make_older() const {
    std::string index;
    {
      std::ifstream in(path_, std::ios::binary);
      index = {std::istreambuf_iterator<char>(in), {}};
    }
    ASSERT_GT(index.size(), 8U);
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << older_index(index, GetParam());
  }

  TmpfsDir dir_;
  std::string path_ = dir_ / ".index";
};

TEST_P(OlderIndex, IsGoneOnWith) {
  auto store = FlowStore::open({.dir = dir_ / ""});
  Writer a(*store, "a", 1);
  a.say("one"), a.say("two");
  Writer b(*store, "b", 2);
  b.say("three");
  store->flush({}, 1, true);
  store.reset();
  make_older();
  for (int start = 0; start < 2; ++start) {
    store = FlowStore::open({.dir = dir_ / ""});
    EXPECT_TRUE(store->said().empty());
    EXPECT_EQ(lines_of(log_of(*store, "a")), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(store->find("a")->log.position_of(1), 8U);
    EXPECT_EQ(store->find("b")->log.position_of(2), 6U);
    EXPECT_EQ(store->summary("a")->lines, 2U);
    EXPECT_EQ(store->summary("a")->before, Before());
    EXPECT_EQ(store->summary("b")->open(), start == 0) << "what was written behind an older build's is read";
    Writer(*store, "b", 2).end(10 + static_cast<std::uint64_t>(start));
    store->flush({}, 1, true);
    EXPECT_FALSE(store->summary("b")->open());
  }
}

// Builds before 4 did not note how much has made room; the file says it. How many "\r" were among that is known since 6.
TEST_P(OlderIndex, TellsHowMuchHasMadeRoom) {
  const StoreOptions options{.dir = dir_ / "", .flow_bytes = std::uint64_t{16} << 10U};
  auto store = FlowStore::open(options);
  Writer a(*store, "a", 1);
  for (int n = 0; n < 2000; ++n) a.say("line " + std::to_string(n) + "\r");
  Writer(*store, "b", 2).say("all of it");
  store->flush({}, 1, true);
  const auto bounds = [&store](const std::string& flow) { return *store->bounds(*store->find(flow)); };
  const auto before = bounds("a");
  ASSERT_GT(before.made_room, 0U);
  EXPECT_EQ(before.made_room_returns, before.lines_before);
  store.reset();
  make_older();
  store = FlowStore::open(options);
  EXPECT_EQ(bounds("a").made_room, before.made_room);
  EXPECT_EQ(bounds("a").made_room_returns, std::nullopt);
  EXPECT_EQ(bounds("b").made_room, 0U);
  EXPECT_EQ(bounds("b").made_room_returns, 0U);
}

INSTANTIATE_TEST_SUITE_P(FlowIndex, OlderIndex,
                         testing::Values(OlderBuild{'\2', 96}, OlderBuild{'\3', 112}, OlderBuild{'\4', 120},
                                         OlderBuild{'\5', 152}));

TEST(FlowIndex, WhoseContainerItIs) {
  const TmpfsDir dir;
  const StoreOptions options{.dir = dir / "", .flow_bytes = std::uint64_t{16} << 10U};
  auto store = FlowStore::open(options);
  Writer a(*store, "a", 1);
  Writer b(*store, "b", 2);
  a.say("one"), b.say("two");
  {
    FlowStore::Writing writing(*store, {});
    writing.set_runtime(*writing.flow("a"), "cri-o");
  }
  store->flush({}, 1, true);
  store = FlowStore::open(options);
  EXPECT_EQ(store->summary("a")->runtime, "cri-o");
  EXPECT_EQ(store->summary("b")->runtime, "");
  EXPECT_EQ(lines_of(log_of(*store, "a")), std::vector<std::string>{"one"});
}

// Outputs that were silent when the count began speak while it lasts: each line counts once, whoever has it.
TEST(FlowIndex, WhatIsWrittenWhileTheLinesBeforeAreCountedIsCountedOnce) {
  const TmpfsDir dir;
  auto store = FlowStore::open({.dir = dir / ""});
  {
    FlowStore::Writing writing(*store, {});
    writing.add(*writing.flow("f"), 1, "stdout", {"the rest", true, 0, 9, 1});
    writing.add(*writing.flow("f"), 1, "stdout", {"another", true, 9, 17, 2});
  }
  store->set_before("f", {.state = Before::State::kCounted, .bytes = 30, .lines = 5}, {true, true});
  const auto lines = [&] { return store->summary("f")->before.lines + store->summary("f")->lines; };
  EXPECT_EQ(lines(), 6U) << "the rest belongs to one of the five";
  store->flush({}, 1, true);
  store = FlowStore::open({.dir = dir / ""});
  {
    FlowStore::Writing writing(*store, {});
    writing.add(*writing.flow("f"), 2, "stderr", {"the rest", true, 0, 9, 3});
  }
  EXPECT_EQ(lines(), 6U) << "stderr goes on with its line, over a start, too";
  {
    FlowStore::Writing writing(*store, {});
    writing.add_gap(*writing.flow("g"), 1, "stdout", 10, 1);
    writing.add(*writing.flow("g"), 1, "stdout", {"behind", true, 10, 17, 1});
  }
  store->set_before("g", {.state = Before::State::kCounted, .bytes = 30, .lines = 5}, {true, false});
  EXPECT_EQ(store->summary("g")->before.lines + store->summary("g")->lines, 6U) << "a gap ends a line";
}

// Lines as people see them, and what was written before, over a start amid a long line of each output.
TEST(FlowIndex, LinesThatPeopleSeeOverAStart) {
  const TmpfsDir dir;
  auto store = FlowStore::open({.dir = dir / ""});
  const auto add = [&](StreamNo stream, const char* output, const LineView& line) {
    FlowStore::Writing writing(*store, {});
    writing.add(*writing.flow("f"), stream, output, line);
  };
  add(1, "stdout", {"one", true, 0, 4, 1});
  add(1, "stdout", {"tw", false, 4, 6, 1});
  add(2, "stderr", {"thr", false, 0, 3, 1});
  EXPECT_EQ(store->summary("f")->lines, 3U) << "one that has not ended is a line";
  EXPECT_EQ(store->stats().lines, 3U);
  const Before before{.state = Before::State::kCounted, .bytes = 70, .lines = 7};
  store->set_before("f", before);
  store->set_before("f", {.state = Before::State::kUncounted});
  store->flush({}, 1, true);
  store = FlowStore::open({.dir = dir / ""});
  EXPECT_EQ(store->summary("f")->before, before);
  add(1, "stdout", {"o", true, 6, 8, 2});
  add(2, "stderr", {"ee", false, 3, 5, 2});
  EXPECT_EQ(store->summary("f")->lines, 3U);
  {
    FlowStore::Writing writing(*store, {});
    writing.add_gap(*writing.flow("f"), 2, "stderr", 10, 3);
  }
  EXPECT_EQ(store->summary("f")->lines, 3U) << "a gap is no line";
  add(2, "stderr", {"four", true, 10, 15, 3});
  EXPECT_EQ(store->summary("f")->lines, 4U);
  EXPECT_EQ(store->find("f")->log.lines(), 7U) << "of the format";
}

}  // namespace
}  // namespace flowtap::flow
