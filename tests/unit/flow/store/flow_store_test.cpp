// What is added to a flow is read back, from the store and from its file, within the bounds.
#include "flow/store/flow_store.hpp"

#include <sched.h>
#include <sys/mount.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "tests/unit/flow/store/store_kit.hpp"
#include "tests/unit/flow/tmpfs_dir.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;
using Clock = FlowStore::Clock;
using Lines = std::vector<std::string>;

// For this process alone.
bool mount_tmpfs(const std::string& dir, const char* options) {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", dir.c_str(), "tmpfs", 0, options) == 0;
}

class FlowStoreTest : public testing::Test {
 protected:
  FlowStoreTest() { options_.dir = (dir_ / "flows"), std::filesystem::create_directory(options_.dir); }

  FlowStore& open() {
    store_.reset();
    store_ = FlowStore::open(options_);
    EXPECT_TRUE(store_->said().empty());
    return *store_;
  }
  void flush(bool all = true, Clock::time_point now = {}, std::uint64_t wall = 0) {
    store_->flush(now, wall, all);
  }
  [[nodiscard]] std::string file(const std::string& flow) const { return file_of(options_.dir, flow); }
  [[nodiscard]] Lines lines(const std::string& flow) const { return lines_of(log_of(*store_, flow, 37)); }
  [[nodiscard]] std::uint64_t evicted(Eviction reason) const {
    return store_->stats().evicted_bytes.at(static_cast<std::size_t>(reason));
  }
  [[nodiscard]] std::uint64_t evicted_flows(Eviction reason) const {
    return store_->stats().evicted_flows.at(static_cast<std::size_t>(reason));
  }

  TmpfsDir dir_;
  StoreOptions options_;
  std::unique_ptr<FlowStore> store_;
};

TEST_F(FlowStoreTest, ReadsTheSameFromMemoryAndFile) {
  Writer out(open(), "pod/a", 1);
  Writer err(*store_, "pod/a", 2, "stderr");
  out.say("one");
  err.say("two");
  const Lines wanted{"one", "2:two"};
  EXPECT_EQ(lines("pod/a"), wanted);
  EXPECT_EQ(file("pod/a"), "");
  flush();
  EXPECT_EQ(lines("pod/a"), wanted);
  EXPECT_EQ(file("pod/a"), log_of(*store_, "pod/a"));
  out.say("three");
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "2:two", "three"}));
  EXPECT_EQ(lines_of(file("pod/a")), wanted);
  const auto summary = store_->summary("pod/a");
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->lines, 3U);
  EXPECT_EQ(summary->first, 1'000'000'000U);
  EXPECT_EQ(summary->last, 2'000'000'000U);
  EXPECT_TRUE(summary->open);
}

TEST_F(FlowStoreTest, WritesWhatIsMuchOrHasWaited) {
  options_.buffer_bytes = 1000;
  options_.idle = 1s;
  Writer small(open(), "small", 1);
  Writer large(*store_, "large", 2);
  const Clock::time_point now{};
  small.say("x", now);
  for (int i = 0; i < 30; ++i) large.say("0123456789", now);
  EXPECT_EQ(store_->next_flush(), now + 1s);
  flush(false, now + 999ms);
  EXPECT_EQ(file("small"), "");
  EXPECT_EQ(lines_of(file("large")).size(), 30U);
  flush(false, now + 1s);
  EXPECT_EQ(lines_of(file("small")), Lines{"x"});
  EXPECT_EQ(store_->next_flush(), Clock::time_point::max());
}

TEST_F(FlowStoreTest, TooManyBuffersAreAllWritten) {
  options_.buffers = 3;
  open();
  std::vector<Writer> writers;
  for (StreamNo i = 1; i <= 4; ++i) writers.emplace_back(*store_, "flow" + std::to_string(i), i).say("x");
  flush(false);
  for (StreamNo i = 1; i <= 4; ++i) EXPECT_EQ(lines_of(file("flow" + std::to_string(i))), Lines{"x"});
  options_.buffers = 1024;
  options_.buffers_bytes = 100;
  Writer one(open(), "one", 9);
  one.say("12345");
  flush(false);
  EXPECT_EQ(file("one"), "");
  one.say(std::string(100, 'x'));
  flush(false);
  EXPECT_EQ(lines_of(file("one")).size(), 2U);
}

TEST_F(FlowStoreTest, AStartGoesOnWhereTheOneBeforeStood) {
  Writer one(open(), "one", 1);
  one.say("first");
  flush();
  one.say("second");  // not written
  {
    // Killed: the file has more than the index says.
    std::ofstream more(options_.dir + "/one.log", std::ios::app);
    more << "half a li";
  }
  open();
  EXPECT_EQ(lines("one"), Lines{"first"});
  EXPECT_EQ(lines_of(file("one")), Lines{"first"});
  // The journal's lines again, cut otherwise.
  {
    FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow("one");
    EXPECT_EQ(flow->log.position_of(1), 6U);
    EXPECT_EQ(flow->log.position_of(2), std::nullopt);
    writing.add(*flow, 1, "stdout", {"first", true, 0, 6, 1});
    writing.add(*flow, 1, "stdout", {"second", true, 6, 13, 2'000'000'000});
  }
  EXPECT_EQ(lines("one"), (Lines{"first", "second"}));
  EXPECT_EQ(store_->summary("one")->lines, 2U);
  flush();
  EXPECT_EQ(file("one"), log_of(*store_, "one"));
  open();
  EXPECT_EQ(lines("one"), (Lines{"first", "second"}));
  EXPECT_EQ(store_->summary("one")->first, 1'000'000'000U);
  store_->end_orphans(5);
  EXPECT_FALSE(store_->summary("one")->open);
}

TEST_F(FlowStoreTest, OfALineOnlyWhatIsNew) {
  open();
  FlowStore::Writing writing(*store_, {});
  const auto flow = writing.flow("one");
  writing.add(*flow, 1, "stdout", {"abcdef", false, 0, 6, 1});
  writing.add(*flow, 1, "stdout", {"defghi", true, 3, 10, 1});
  writing.add_gap(*flow, 1, "stdout", 15, 1);
  writing.add_gap(*flow, 1, "stdout", 15, 1);
  LogPart part;
  FilePart none;
  flow->log.read(0, 1000, part, none);
  EXPECT_EQ(lines_of(part.text), (Lines{"abcdef~", "ghi", "<5>"}));
  EXPECT_EQ(flow->log.missing(), 5U);
}

// What is left is exactly the newest, whole lines, and at least half of what may be.
TEST_F(FlowStoreTest, AFlowHasItsBound) {
  options_.flow_bytes = 10'000;
  Writer one(open(), "one", 1);
  Lines all;
  for (int i = 0; i < 2000; ++i) {
    all.push_back("line " + std::to_string(i));
    one.say(all.back());
    if (i % 7 == 0) flush();
    if (i % 100 != 0) continue;
    const Lines left = lines("one");
    ASSERT_TRUE(left.size() <= all.size() && std::equal(left.rbegin(), left.rend(), all.rbegin())) << i;
    EXPECT_LE(file("one").size(), options_.flow_bytes);
    if (i >= 300) {
      EXPECT_GE(log_of(*store_, "one").size(), options_.flow_bytes / 2 - 100);
    }
  }
  flush();
  EXPECT_EQ(lines_of(file("one")), lines("one"));
  EXPECT_GT(evicted(Eviction::kFlowBytes), 0U);
  EXPECT_EQ(store_->summary("one")->lines, 2000U);
  // Whoever reads on from long ago is told how many lines it missed.
  const auto ref = store_->find("one");
  const auto part = store_->read(*ref, 0, 100);
  ASSERT_TRUE(part);
  EXPECT_GT(part->from, 0U);
  EXPECT_EQ(part->lines_before + lines("one").size(), 2000U);
  EXPECT_EQ(part->from, evicted(Eviction::kFlowBytes));
  const Lines left = lines("one");
  open();
  EXPECT_EQ(lines("one"), left);
  EXPECT_EQ(store_->read(*store_->find("one"), 0, 100)->lines_before, part->lines_before);
}

TEST_F(FlowStoreTest, KilledBeforeTheNewFileHadItsName) {
  options_.flow_bytes = 1000;
  Writer one(open(), "one", 1);
  for (int i = 0; i < 40; ++i) one.say(std::to_string(i)), flush();
  const Lines left = lines("one");
  const std::string name = options_.dir + "/one.log";
  std::filesystem::rename(name, name + ".new");
  std::ofstream(name) << "what stood there before\n";
  open();
  EXPECT_EQ(lines("one"), left);
  EXPECT_EQ(lines_of(file("one")), left);
  // And before the index had it.
  std::ofstream(name + ".new") << "half of it";
  open();
  EXPECT_EQ(lines("one"), left);
  EXPECT_FALSE(std::filesystem::exists(name + ".new"));
}

TEST_F(FlowStoreTest, MoreThanTheBoundInOneFlush) {
  options_.flow_bytes = 10'000;
  Writer one(open(), "one", 1);
  one.say("before");
  flush();
  Lines all{"before"};
  for (int i = 0; i < 1000; ++i) {
    all.push_back("line " + std::to_string(i));
    one.say(all.back());
  }
  flush();
  const Lines left = lines("one");
  EXPECT_TRUE(left.size() < all.size() && std::equal(left.rbegin(), left.rend(), all.rbegin()));
  EXPECT_LE(file("one").size(), options_.flow_bytes / 2);
  EXPECT_GT(file("one").size(), options_.flow_bytes / 2 - 100);
}

TEST_F(FlowStoreTest, EndedFlowsMakeRoomFirst) {
  options_.store_bytes = 41'000;
  open();
  std::vector<Writer> writers;
  for (StreamNo i = 1; i <= 5; ++i) {
    Writer& writer = writers.emplace_back(*store_, "flow" + std::to_string(i), i);
    for (int line = 0; line < 100; ++line) writer.say(std::string(20, 'x'));
  }
  writers[3].end(7);
  writers[1].end(8);
  flush();
  EXPECT_LE(store_->stats().file_bytes, options_.store_bytes);
  EXPECT_EQ(store_->stats().flows, 5U);
  Writer more(*store_, "more", 9);
  for (int line = 0; line < 100; ++line) more.say(std::string(20, 'x'));
  flush();
  EXPECT_FALSE(store_->find("flow4")) << "it ended first";
  EXPECT_TRUE(store_->find("flow2"));
  EXPECT_EQ(file("flow4"), "");
  EXPECT_EQ(evicted_flows(Eviction::kStoreBytes), 1U);
  EXPECT_LE(store_->stats().file_bytes, options_.store_bytes);
}

TEST_F(FlowStoreTest, WhoWritesMostPays) {
  options_.store_bytes = 40'000;
  options_.flow_bytes = 1'000'000;
  Writer quiet(open(), "quiet", 1);
  Writer loud(*store_, "loud", 2);
  quiet.say("at the beginning");
  Lines all;
  for (int i = 0; i < 3000; ++i) {
    all.push_back(std::to_string(i));
    loud.say(all.back());
    if (i % 50 == 0) flush();
  }
  flush();
  EXPECT_EQ(lines("quiet"), Lines{"at the beginning"});
  const Lines left = lines("loud");
  EXPECT_TRUE(left.size() < all.size() && std::equal(left.rbegin(), left.rend(), all.rbegin()));
  EXPECT_GT(left.size(), 250U);
  EXPECT_LE(store_->stats().file_bytes, options_.store_bytes);
  std::uint64_t on_disk = 0;
  for (const auto& entry : std::filesystem::directory_iterator(options_.dir))
    if (entry.path().filename() != ".index") on_disk += (entry.file_size() + 4095) / 4096 * 4096;
  EXPECT_EQ(store_->stats().file_bytes, on_disk);
}

TEST_F(FlowStoreTest, SoManyFlowsAndNoMore) {
  options_.flows = 3;
  open();
  std::vector<Writer> writers;
  for (StreamNo i = 1; i <= 3; ++i) writers.emplace_back(*store_, "flow" + std::to_string(i), i).say("x");
  writers[2].end(5);
  flush();
  EXPECT_EQ(store_->stats().flows, 3U);
  writers[0].say("y");
  writers.emplace_back(*store_, "flow4", 4).say("x");
  flush();
  EXPECT_FALSE(store_->find("flow3")) << "it has ended";
  writers.emplace_back(*store_, "flow5", 5).say("x"), writers.back().say("y");
  flush();
  EXPECT_FALSE(store_->find("flow2") && store_->find("flow4")) << "one of those that were silent for longest";
  EXPECT_TRUE(store_->find("flow1"));
  EXPECT_TRUE(store_->find("flow5"));
  EXPECT_EQ(evicted_flows(Eviction::kFlows), 2U);
}

TEST_F(FlowStoreTest, EndedFlowsAreKeptForTheirAge) {
  options_.age = 10s;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  Writer one(open(), "one", 1);
  Writer other(*store_, "other", 2);
  one.say("x"), other.say("y");
  one.end(100 * kSecond);
  flush(true, {}, 110 * kSecond);
  EXPECT_EQ(lines("one"), Lines{"x"});
  flush(true, {}, 111 * kSecond);
  EXPECT_FALSE(store_->find("one"));
  EXPECT_TRUE(store_->find("other"));
  EXPECT_EQ(evicted_flows(Eviction::kAge), 1U);
  open();
  EXPECT_FALSE(store_->find("one")) << "the index knows";
  EXPECT_TRUE(store_->find("other"));
}

// Also where nothing is written that would make anybody flush.
TEST_F(FlowStoreTest, TheNextThatBecomesTooOldIsAReasonToFlush) {
  options_.age = 10s;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  Writer one(open(), "one", 1);
  Writer other(*store_, "other", 2);
  one.say("x"), other.say("y");
  flush(true, {}, 100 * kSecond);
  EXPECT_EQ(store_->next_flush(), Clock::time_point::max()) << "none has ended";
  one.end(100 * kSecond);
  other.end(103 * kSecond);
  flush(true, {}, 100 * kSecond + kSecond / 2);
  EXPECT_EQ(store_->next_flush(), Clock::time_point(500ms)) << "a look each second is enough";
  flush(true, {}, 104 * kSecond);
  EXPECT_EQ(store_->next_flush(), Clock::time_point(6s + 1ns));
  flush(true, {}, 110 * kSecond + 1);
  EXPECT_FALSE(store_->find("one"));
  EXPECT_EQ(store_->next_flush(), Clock::time_point(3s));
  open();
  EXPECT_EQ(store_->next_flush(), Clock::time_point()) << "it may have become so meanwhile";
  flush(true, {}, 120 * kSecond);
  EXPECT_FALSE(store_->find("other"));
  EXPECT_EQ(store_->next_flush(), Clock::time_point::max());
}

TEST_F(FlowStoreTest, FollowersAreTold) {
  Writer one(open(), "one", 1);
  Writer other(*store_, "other", 2);
  one.say("a"), other.say("b");
  const auto follower = store_->follow(*store_->find("one"));
  EXPECT_EQ(store_->followers(), 1U);
  bool called = false;
  const auto told = [&] {
    follower->once([&called] { called = true; });
    return std::exchange(called, false);
  };
  EXPECT_FALSE(told());
  other.say("c");
  EXPECT_FALSE(told());
  one.say("d"), one.say("e");
  EXPECT_TRUE(told());
  EXPECT_FALSE(told());
  one.end(5);
  EXPECT_TRUE(told());
  EXPECT_TRUE(store_->read(*store_->find("one"), 0, 1000)->ended);
}

// An index that cannot be written for a while is behind, and then whole again.
TEST_F(FlowStoreTest, WhatTheIndexDidNotGetItGetsLater) {
  Writer one(open(), "one", 1);
  Writer other(*store_, "other", 2);
  one.say("a"), other.say("b");
  flush();
  const std::string index = options_.dir + "/.index";
  std::filesystem::remove(index);
  std::filesystem::create_directory(index);
  std::filesystem::create_directory(index + "/full");
  one.say("c");
  flush();
  EXPECT_GT(store_->stats().index_errors, 0U);
  EXPECT_NE(store_->next_flush(), Clock::time_point::max());
  std::filesystem::remove_all(index);
  flush();
  EXPECT_EQ(store_->next_flush(), Clock::time_point::max());
  open();
  EXPECT_EQ(lines("one"), (Lines{"a", "c"}));
  EXPECT_EQ(lines("other"), Lines{"b"});
}

TEST_F(FlowStoreTest, OfStreamsThatAreForgottenOnlyTheSumIsKept) {
  Writer one(open(), "one", 1);
  Writer other(*store_, "one", 2);
  one.say("abc"), other.say("de");
  store_->keep_streams({2});
  EXPECT_EQ(store_->find("one")->log.position_of(1), std::nullopt);
  EXPECT_EQ(store_->summary("one")->bytes, 7U);
  other.say("f");
  flush();
  open();
  EXPECT_EQ(store_->summary("one")->bytes, 9U);
  EXPECT_EQ(lines("one"), (Lines{"abc", "de", "f"}));
}

TEST_F(FlowStoreTest, FilesThatSomebodyRemovesAreMadeAnew) {
  Writer one(open(), "one", 1);
  one.say("a");
  flush();
  std::filesystem::remove_all(options_.dir);
  EXPECT_EQ(lines("one"), Lines{});
  one.say("b");
  flush();
  EXPECT_GT(store_->stats().write_errors, 0U) << "there is no directory";
  EXPECT_EQ(lines("one"), Lines{"b"});
  std::filesystem::create_directory(options_.dir);
  one.say("c");
  flush();
  EXPECT_EQ(lines_of(file("one")), (Lines{"b", "c"}));
  EXPECT_EQ(lines("one"), (Lines{"b", "c"}));
  EXPECT_EQ(store_->stats().last_error, "");
  open();
  EXPECT_EQ(lines("one"), (Lines{"b", "c"}));
}

TEST_F(FlowStoreTest, ADamagedIndexCostsTheFlowsBefore) {
  Writer one(open(), "one", 1);
  one.say("a");
  flush();
  {
    std::ofstream index(options_.dir + "/.index", std::ios::binary);
    index << "something else";
  }
  store_ = FlowStore::open(options_);
  EXPECT_EQ(store_->said().size(), 1U);
  EXPECT_EQ(store_->stats().flows, 0U);
  EXPECT_EQ(file("one"), "") << "nobody would ever remove it";
  Writer again(*store_, "one", 1);
  again.say("b");
  flush();
  open();
  EXPECT_EQ(lines("one"), Lines{"b"});
}

TEST_F(FlowStoreTest, ARenamedFlowKeepsItsLines) {
  Writer one(open(), "before", 1);
  one.say("a");
  flush();
  one.say("b");
  {
    FlowStore::Writing writing(*store_, {});
    EXPECT_EQ(writing.rename(writing.flow("before"), "after")->log.id(), "after");
  }
  EXPECT_FALSE(store_->find("before"));
  EXPECT_EQ(lines("after"), (Lines{"a", "b"}));
  flush();
  EXPECT_EQ(lines_of(file("after")), (Lines{"a", "b"}));
  EXPECT_EQ(file("before"), "");
  open();
  EXPECT_FALSE(store_->find("before"));
  EXPECT_EQ(lines("after"), (Lines{"a", "b"}));
}

// A mount of its own that is too small: nothing stops, and what is left is the newest.
TEST_F(FlowStoreTest, AFullFileSystemCostsTheOldest) {
  const std::string small = dir_ / "small";
  std::filesystem::create_directory(small);
  if (!mount_tmpfs(small, "size=64k")) GTEST_SKIP() << "only root may mount";
  options_.dir = small;
  Writer one(open(), "one", 1);
  Writer other(*store_, "other", 2);
  Lines all;
  for (int i = 0; i < 5000; ++i) {
    all.push_back(std::to_string(i));
    one.say(all.back());
    if (i % 10 == 0) other.say("x");
    if (i % 100 != 0) continue;
    flush();
    if (evicted(Eviction::kStoreBytes) > 0) {
      EXPECT_GT(log_of(*store_, "one").size(), 9'000U) << "half of it goes, not all";
    }
  }
  flush();
  const Lines left = lines("one");
  EXPECT_TRUE(left.size() < all.size() && std::equal(left.rbegin(), left.rend(), all.rbegin()));
  // The journal is not here, so nearly all of it is the flow's: no less than the older half goes at a time.
  EXPECT_GT(log_of(*store_, "one").size(), 12'000U);
  EXPECT_GT(evicted(Eviction::kStoreBytes), 0U);
  EXPECT_EQ(lines_of(file("one")), left);
  store_.reset();
  ::umount2(small.c_str(), MNT_DETACH);
}

// Where there is no room for another file, the one that is being read is written over.
TEST_F(FlowStoreTest, WhoReadsAFileThatIsWrittenOverGetsWholeLines) {
  options_.flow_bytes = 8000;
  Writer one(open(), "one", 1);
  std::filesystem::create_directories(options_.dir + "/" + flow_file_name("one") + ".tmp/taken");
  one.say("0");
  const auto flow = store_->find("one");
  std::atomic<bool> done = false;
  std::uint64_t wrong = 0;
  std::jthread reader([&] {
    while (!done) {
      const auto part = store_->read(*flow, 0, 1000).value();
      const Lines some = lines_of(part.text);
      wrong += !some.empty() && some.front() == std::to_string(part.lines_before) ? 0 : 1;
    }
  });
  for (int i = 1; i < 100'000; ++i) {
    one.say(std::to_string(i));
    if (i % 20 == 0) flush();
  }
  done = true;
  reader.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(evicted(Eviction::kFlowBytes), 0U);
}

TEST_F(FlowStoreTest, OnAReadOnlyFileSystemWhatIsWrittenStays) {
  const std::string dir = dir_ / "mounted";
  std::filesystem::create_directory(dir);
  if (!mount_tmpfs(dir, nullptr)) GTEST_SKIP() << "only root may mount";
  options_.dir = dir;
  Writer one(open(), "one", 1);
  one.say("before");
  flush();
  ASSERT_EQ(::mount(nullptr, dir.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  one.say("meanwhile");
  flush();
  EXPECT_GT(store_->stats().write_errors, 0U);
  EXPECT_EQ(lines("one"), (Lines{"before", "meanwhile"}));
  ASSERT_EQ(::mount(nullptr, dir.c_str(), nullptr, MS_REMOUNT, nullptr), 0);
  flush();
  EXPECT_EQ(lines_of(file("one")), (Lines{"before", "meanwhile"}));
  store_.reset();
  ::umount2(dir.c_str(), MNT_DETACH);
}

TEST_F(FlowStoreTest, AReadOnlyFileSystemCostsWhatMemoryCannotHold) {
  const std::string dir = dir_ / "mounted";
  std::filesystem::create_directory(dir);
  if (!mount_tmpfs(dir, nullptr)) GTEST_SKIP() << "only root may mount";
  options_.dir = dir;
  options_.buffer_bytes = 2000;
  options_.buffers_bytes = 100'000;
  Writer one(open(), "one", 1);
  one.say("before");
  flush();
  ASSERT_EQ(::mount(nullptr, dir.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  Lines all;
  for (int i = 0; i < 3000; ++i) {
    all.push_back(std::to_string(i));
    one.say(all.back());
    if (i % 20 == 0) flush();
  }
  EXPECT_GT(store_->stats().write_errors, 0U);
  EXPECT_NE(store_->stats().last_error, "");
  EXPECT_LE(store_->stats().buffered_bytes, 5 * options_.buffer_bytes);
  {
    std::vector<Writer> many;
    for (StreamNo i = 10; i < 200; ++i) {
      many.emplace_back(*store_, "flow" + std::to_string(i), i).say(std::string(900, 'x'));
      many.back().say(std::string(900, 'x'));
    }
    flush();
    EXPECT_LE(store_->stats().buffered_bytes, options_.buffers_bytes) << "all of them together";
  }
  EXPECT_GT(evicted(Eviction::kUnwritable), 0U);
  ASSERT_EQ(::mount(nullptr, dir.c_str(), nullptr, MS_REMOUNT, nullptr), 0);
  flush();
  EXPECT_EQ(store_->stats().last_error, "");
  const Lines left = lines("one");
  EXPECT_TRUE(left.size() < all.size() && std::equal(left.rbegin(), left.rend(), all.rbegin()));
  EXPECT_GT(left.size(), 5U);
  EXPECT_EQ(lines_of(file("one")), left);
  store_.reset();
  ::umount2(dir.c_str(), MNT_DETACH);
}

}  // namespace
}  // namespace flowtap::flow
