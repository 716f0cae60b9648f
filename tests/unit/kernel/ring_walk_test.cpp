#include "kernel/ring_walk.hpp"

#include <gtest/gtest.h>
#include <linux/bpf.h>

#include <cstring>
#include <string>
#include <vector>

namespace flowtap::kernel {
namespace {

constexpr std::size_t kRing = 256;

// A ring as the kernel would leave it, in two copies in a row.
class Ring {
 public:
  void put(const std::string& bytes, std::uint32_t flags = 0) {
    const std::uint32_t head = static_cast<std::uint32_t>(bytes.size()) | flags;
    std::string record(reinterpret_cast<const char*>(&head), sizeof(head));
    record += std::string(4, '?') + bytes;
    record.resize((record.size() + 7) / 8 * 8);
    for (const char c : record) {
      memory_[to % kRing] = memory_[to % kRing + kRing] = static_cast<std::byte>(c);
      ++to;
    }
  }

  Result<std::uint64_t> walk(std::size_t limit = kRing) {
    got.clear();
    return walk_ring(memory_, from, to, limit, [this](std::span<const std::byte> record) {
      got.emplace_back(reinterpret_cast<const char*>(record.data()), record.size());
    });
  }

  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::vector<std::string> got;

 private:
  std::vector<std::byte> memory_ = std::vector<std::byte>(2 * kRing);
};

TEST(RingWalk, GivesRecordsInOrderAndAcrossTheEdge) {
  Ring ring;
  ring.from = ring.to = 1000 * kRing + 232;  // the second record begins in one copy and ends in the next
  ring.put("one");
  ring.put(std::string(40, 'x'));
  ring.put("");
  EXPECT_EQ(ring.walk(), ring.to);
  EXPECT_EQ(ring.got, (std::vector<std::string>{"one", std::string(40, 'x'), ""}));
}

TEST(RingWalk, StopsAtARecordThatIsBeingWritten) {
  Ring ring;
  ring.put("done");
  const auto there = ring.to;
  ring.put("half", BPF_RINGBUF_BUSY_BIT);
  ring.put("done later");
  EXPECT_EQ(ring.walk(), there);
  EXPECT_EQ(ring.got, std::vector<std::string>{"done"});
}

TEST(RingWalk, LeavesOutWhatWasDiscarded) {
  Ring ring;
  ring.put("no", BPF_RINGBUF_DISCARD_BIT);
  ring.put("yes");
  EXPECT_EQ(ring.walk(), ring.to);
  EXPECT_EQ(ring.got, std::vector<std::string>{"yes"});
}

TEST(RingWalk, StopsBehindTheRecordThatReachesTheLimit) {
  Ring ring;
  ring.put("12345");
  ring.put("67890");
  ring.put("more");
  EXPECT_EQ(ring.walk(6), 32U);
  EXPECT_EQ(ring.got.size(), 2U);
}

TEST(RingWalk, RefusesWhatTheKernelWouldNotWrite) {
  Ring ring;
  ring.put("cut off");
  ring.to -= 8;
  EXPECT_FALSE(ring.walk());
  EXPECT_TRUE(ring.got.empty());
  ring.to = ring.from + kRing + 8;
  EXPECT_FALSE(ring.walk()) << "more than the ring";
  ring.from = 8;
  ring.to = 0;
  EXPECT_FALSE(ring.walk()) << "backwards";
  ring.from = 4;
  ring.to = 64;
  EXPECT_FALSE(ring.walk()) << "records begin at multiples of 8";
}

}  // namespace
}  // namespace flowtap::kernel
