// How much memory thousands of streams and their flows keep when all that they have said is written.
#include <malloc.h>

#include "tests/unit/stream/store/pipeline_kit.hpp"

namespace flowtap::flow {
namespace {

class PipelineMemory : public PipelineTest {
 protected:
  // Under a sanitizer's allocator this is always 0.
  static std::int64_t allocated() {
    const auto info = ::mallinfo2();
    return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
  }
};

// All streams are amid a line at once.
TEST_F(PipelineMemory, IsGivenBackBehindLongLinesThatWritesCut) {
  constexpr StreamNo kFlows = 500;
  constexpr std::size_t kHalf = std::size_t{6} << 10U;
  constexpr std::int64_t kMost = 4096;  // of each stream: what is known of it, and room for short lines
  const std::string half(kHalf, 'x');
  const std::int64_t before = allocated();
  for (StreamNo stream = 1; stream <= kFlows; ++stream)
    name(stream, "pod/" + std::to_string(stream)), bytes(stream, 0, half), append();
  for (StreamNo stream = 1; stream <= kFlows; ++stream) {
    bytes(stream, kHalf, half + "\n"), append();
    if (stream % 50 == 0) store_->flush(Clock::now(), 1, true);
  }
  EXPECT_EQ(store_->summary("pod/1")->bytes, 2 * kHalf + 1);
  EXPECT_LE(allocated() - before, kMost * static_cast<std::int64_t>(kFlows));
}

}  // namespace
}  // namespace flowtap::flow
