// File systems that are full, read-only or gone, and what is left after a kill or damage.
#include "stream/store/flow_store.hpp"

#include <sched.h>
#include <sys/mount.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "tests/unit/stream/store/store_fixture.hpp"

namespace flowtap::flow {
namespace {

using Clock = FlowStore::Clock;

// Mounts it for this process alone.
bool mount_tmpfs(const std::string& dir, const char* options) {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", dir.c_str(), "tmpfs", 0, options) == 0;
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
  // The process may also have been killed before the index had it.
  std::ofstream(name + ".new") << "half of it";
  open();
  EXPECT_EQ(lines("one"), left);
  EXPECT_FALSE(std::filesystem::exists(name + ".new"));
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

TEST_F(FlowStoreTest, FilesThatSomebodyRemovesAreMadeAnew) {
  Writer one(open(), "one", 1);
  one.say("a");
  flush();
  const std::size_t size = file("one").size();
  std::filesystem::remove_all(options_.dir);
  EXPECT_EQ(lines("one"), Lines{});
  one.say("b");
  flush();
  EXPECT_EQ(lines_of(file("one")), Lines{"b"}) << "and the directory, too";
  EXPECT_EQ(evicted(Eviction::kFile), size);
  EXPECT_EQ(store_->stats().write_errors + store_->stats().index_errors, 0U);
  one.say("c");
  flush();
  EXPECT_EQ(lines_of(file("one")), (Lines{"b", "c"}));
  EXPECT_EQ(lines("one"), (Lines{"b", "c"}));
  EXPECT_EQ(store_->stats().last_error, "");
  open();
  EXPECT_EQ(lines("one"), (Lines{"b", "c"}));
  EXPECT_EQ(evicted(Eviction::kFile), 0U);
  const std::size_t rest = file("one").size();
  store_.reset();
  std::filesystem::resize_file(options_.dir + "/" + flow_file_name("one"), rest - 1);
  open();
  EXPECT_EQ(lines("one"), Lines{});
  EXPECT_EQ(evicted(Eviction::kFile), rest) << "nobody can tell which of its lines are whole";
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

// The mount is the test's own and too small: nothing stops, and what is left is the newest.
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
  // There is no journal here, so nearly all of the room is the flow's. The older half of it goes at a time.
  EXPECT_GT(log_of(*store_, "one").size(), 12'000U);
  EXPECT_GT(evicted(Eviction::kStoreBytes), 0U);
  EXPECT_EQ(lines_of(file("one")), left);
  store_.reset();
  ::umount2(small.c_str(), MNT_DETACH);
}

// Lines for which no inode is left wait in memory. Halving another flow's log would not free an inode; removing it does.
TEST_F(FlowStoreTest, WithoutInodesNoLogIsHalved) {
  const std::string small = dir_ / "small";
  std::filesystem::create_directory(small);
  // The inodes are for the root, the index and three flows.
  if (!mount_tmpfs(small, "size=4m,nr_inodes=5")) GTEST_SKIP() << "only root may mount";
  options_.dir = small;
  Writer large(open(), "large", 1);
  Lines all;
  for (int i = 0; i < 5000; ++i) large.say(all.emplace_back(std::to_string(i)));
  Writer other(*store_, "other", 2);
  other.say("x");
  flush();
  ASSERT_EQ(store_->stats().write_errors, 0U);
  Writer third(*store_, "third", 3);
  Writer fourth(*store_, "fourth", 4);
  third.say("y"), fourth.say("z");
  flush();
  const auto in_files = [&] { return lines_of(file("third")).size() + lines_of(file("fourth")).size(); };
  EXPECT_EQ(in_files(), 1U);
  EXPECT_GT(store_->stats().write_errors, 0U);
  EXPECT_EQ(lines("large"), all);
  EXPECT_EQ(evicted(Eviction::kStoreBytes), 0U);
  EXPECT_EQ(lines("third"), Lines{"y"});
  EXPECT_EQ(lines("fourth"), Lines{"z"});
  other.end(1);
  flush();
  EXPECT_FALSE(store_->find("other"));
  EXPECT_EQ(in_files(), 2U) << "the one that waited has its place";
  EXPECT_EQ(lines("large"), all);
  store_.reset();
  ::umount2(small.c_str(), MNT_DETACH);
}

// If there is no room for another file, the one that is being read is written over.
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
