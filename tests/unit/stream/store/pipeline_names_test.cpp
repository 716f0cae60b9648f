// Whenever a stream's name comes, and even if it is corrected, its lines are in the flow of its last name.
#include "tests/unit/stream/store/pipeline_kit.hpp"

namespace flowtap::flow {
namespace {

TEST_F(PipelineTest, FirstBytesWaitForTheName) {
  bytes(1, 0, "one\n"), bytes(2, 0, "nobody's\n"), bytes(3, 0, "elsewhere\n");
  append();
  EXPECT_EQ(store_->stats().flows, 0U);
  bytes(1, 4, "two\n");
  name(1, "pod/a"), name(3, "pod/b", "stdout", Capture::kElsewhere);
  end(2, 9), end(3, 10);
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "two"}));
  EXPECT_EQ(store_->stats().flows, 1U);
}

TEST_F(PipelineTest, ManyFirstBytesLoseTheOldest) {
  const std::string block(1023, 'x');
  std::uint64_t at = 0;
  for (int i = 0; i < 400; ++i, at += 1024) bytes(1, at, block + "\n");
  name(1, "pod/a");
  append();
  const Lines left = lines("pod/a");
  ASSERT_GT(left.size(), 200U);
  EXPECT_EQ(left.front(), "<" + std::to_string(pipeline_->stats().unnamed) + ">");
  EXPECT_EQ(left.size() - 1, (at - pipeline_->stats().unnamed) / 1024);
}

// However many streams have no name yet, the bytes that came first go, whichever stream's they are.
TEST_F(PipelineTest, ManyStreamsFirstBytesLoseTheOldestOfAll) {
  constexpr StreamNo kMany = 300;
  constexpr std::uint64_t kFirst = std::uint64_t{60} << 10U;
  constexpr std::uint64_t kHeld = std::uint64_t{8} << 20U;
  const std::string line(kFirst - 1, 'x');
  for (StreamNo stream = 1; stream <= kMany; ++stream) bytes(stream, 0, line + "\n"), append();
  const std::uint64_t unnamed = pipeline_->stats().unnamed;
  EXPECT_LE(kMany * kFirst - unnamed, kHeld);
  EXPECT_GT(kMany * kFirst - unnamed, kHeld - 2 * kFirst) << "no more than must";
  for (StreamNo stream = 1; stream <= kMany; ++stream)
    name(stream, "pod/" + std::to_string(stream)), end(stream, kFirst), append();
  for (StreamNo stream = 1; stream <= kMany; ++stream)
    EXPECT_EQ(store_->summary("pod/" + std::to_string(stream))->missing,
              stream * kFirst <= unnamed ? kFirst : 0)
        << stream;
  // Streams that have names by now leave room.
  bytes(kMany + 1, 0, "one\n"), append();
  EXPECT_EQ(pipeline_->stats().unnamed, unnamed);
}

TEST_F(PipelineTest, ANameMayBeCorrected) {
  name(1, "container/1234"), name(2, "container/1234", "stderr");
  bytes(1, 0, "one\n"), bytes(2, 0, "two\n");
  append();
  name(1, "pod/a"), name(2, "pod/a", "stderr");
  bytes(1, 4, "three\n"), bytes(2, 4, "four\n");
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "2:two", "three", "2:four"}));
  EXPECT_FALSE(store_->find("container/1234"));
  open();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "2:two", "three", "2:four"}))
      << "the name that was said last counts";
  EXPECT_EQ(store_->stats().flows, 1U);
  bytes(1, 10, "five\n");
  append();
  EXPECT_EQ(lines("pod/a").back(), "five");
  end(1, 15), end(2, 9);
  append();
  EXPECT_FALSE(store_->summary("pod/a")->open());
}

// A container is started again under the same id, and its name is found out late.
TEST_F(PipelineTest, ANameMayBeCorrectedToThatOfAFlowThatIsThere) {
  name(1, "container/web");
  bytes(1, 0, "before\n");
  end(1, 7);
  append();
  name(2, "container/1234"), name(3, "container/1234", "stderr");
  bytes(2, 0, "one\n"), bytes(3, 0, "two\n");
  append();
  store_->flush({}, 1, true);
  name(2, "container/web"), name(3, "container/web", "stderr");
  bytes(2, 4, "three\n"), bytes(3, 4, "four\n");
  append();
  const Lines wanted{"before", "one", "2:two", "three", "2:four"};
  EXPECT_EQ(lines("container/web"), wanted);
  EXPECT_FALSE(store_->find("container/1234"));
  EXPECT_TRUE(store_->summary("container/web")->open());
  open();
  EXPECT_EQ(lines("container/web"), wanted);
  end(2, 10), end(3, 9);
  append();
  EXPECT_FALSE(store_->summary("container/web")->open());
  EXPECT_EQ(lines("container/web"), wanted);
}

TEST_F(PipelineTest, ANameThatComesAfterTheEndIsInTime) {
  bytes(1, 0, "last\nwords");
  end(1, 12);
  append();
  name(1, "pod/a");
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"last", "words~", "<2>"}));
  EXPECT_FALSE(store_->summary("pod/a")->open());
}

}  // namespace
}  // namespace flowtap::flow
