// What a start learns of the runs that earlier services have flows of.
#include "stream/known_runs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "base/wall_clock.hpp"
#include "stream/store/file_name.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kClocks = 20'000'000;  // ns
const std::string kAgain = "container/again-c55c4ecf3dea";

class KnownRunsTest : public testing::Test {
 protected:
  void name(flow::StreamNo stream, const std::string& flow, const std::string& output,
            const std::string& labels) {
    flow::Batch batch;
    batch.add(flow::StreamEntry{stream, {.flow = flow, .output = output, .identity = labels}});
    ASSERT_TRUE(journal_->append(batch));
  }
  void write(flow::StreamNo stream, std::uint64_t seconds) {
    flow::Batch batch;
    batch.add(flow::BytesEntry{stream, 0, seconds * kSecond, 0, std::as_bytes(std::span(kLine))});
    ASSERT_TRUE(journal_->append(batch));
  }
  // Adds to the flow of the second run, which only the store has.
  void line(const std::string& output, std::uint64_t seconds) {
    flow::FlowStore::Writing writing(*store_, {});
    const std::uint64_t begin = end_of(output);
    const std::uint64_t end = begin + 10;
    writing.add(*writing.flow(kAgain + "@2"), number_of(output), output,
                {"123456789", true, begin, end, seconds * kSecond});
    end_of(output) = end;
  }
  void gap(const std::string& output, std::uint64_t seconds) {
    flow::FlowStore::Writing writing(*store_, {});
    const std::uint64_t end = end_of(output) + 10;
    writing.add_gap(*writing.flow(kAgain + "@2"), number_of(output), output, end, seconds * kSecond);
    end_of(output) = end;
  }
  static flow::StreamNo number_of(const std::string& output) { return output == "stderr" ? 2 : 1; }
  std::uint64_t& end_of(const std::string& output) { return ends_.at(number_of(output) - 1); }

  identity::ContainerRuns& learn() {
    known_.learn(*journal_, *store_);
    return named_->runs();
  }
  // When the second run began, as a start finds it.
  std::optional<std::uint64_t> begin_of_second() {
    const auto span = learn().span(kAgain + "@2");
    return span ? std::optional(span->from) : std::nullopt;
  }

  static constexpr std::string_view kLine = "line\n";
  test::TempDir dir_;
  std::unique_ptr<flow::Journal> journal_ = std::move(*flow::Journal::open({.dir = dir_ / "journal"}));
  std::unique_ptr<flow::FlowStore> store_ = flow::FlowStore::open({.dir = dir_ / "store", .flow_bytes = 400});
  std::shared_ptr<NamedContainers> named_ = std::make_shared<NamedContainers>();
  KnownRuns known_{named_};
  std::array<std::uint64_t, 2> ends_{};
};

// The name of one output may be from an older build, or may not have had all.
TEST_F(KnownRunsTest, AreThoseOfAllStreamsOfTheJournal) {
  const std::string other = "container/other-c55c4ecf3deb";
  for (flow::StreamNo stream = 0; const std::string& flow : {kAgain, other})
    for (const std::string output : {"stdout", "stderr"}) {
      const bool has_all = (flow == other) == (output == "stderr");
      name(++stream, flow, output, has_all ? R"({"cgroup":7,"started":5000000000})" : "{}");
      write(stream, 6);
    }
  auto& runs = learn();
  for (const std::string& flow : {kAgain, other}) {
    EXPECT_EQ(runs.take(flow, {.cgroup = 7}), flow);
    EXPECT_EQ(runs.span(flow), (RunSpan{.from = 5 * kSecond}));
    EXPECT_EQ(runs.take(flow, {.cgroup = 9}), flow + "@2");
  }
}

// An older build has noted no cgroup. What it has captured is another run's than what comes, and what it has only listed is not.
TEST_F(KnownRunsTest, OfABuildThatToldNoRunsApart) {
  name(1, kAgain, "stdout", "{}");
  write(1, 6);
  name(2, "container/silent-c55c4ecf3deb", "stdout", "{}");
  auto& runs = learn();
  EXPECT_EQ(runs.take(kAgain, {.cgroup = 7, .started = 9 * kSecond}), kAgain + "@2");
  EXPECT_EQ(runs.take("container/silent-c55c4ecf3deb", {.cgroup = 8}), "container/silent-c55c4ecf3deb");
}

TEST_F(KnownRunsTest, BeganBeforeTheFirstLineOfAWholeFlow) {
  line("stdout", 50);
  line("stderr", 51);
  EXPECT_EQ(begin_of_second(), 50 * kSecond - kClocks);
}

TEST_F(KnownRunsTest, BeganBeforeTheFirstLineAlsoIfSomethingLaterIsMissing) {
  line("stdout", 50);
  line("stderr", 51);
  gap("stdout", 52);
  gap("stderr", 53);
  EXPECT_EQ(begin_of_second(), 50 * kSecond - kClocks);
}

// As soon as both outputs have begun, no more is read, however the flow goes on.
TEST_F(KnownRunsTest, BeganBeforeTheFirstLinesOfBothWhateverFollows) {
  line("stdout", 50);
  line("stderr", 51);
  line("stdout", 52);
  store_->flush({}, 53 * kSecond, true);
  const std::string file = (dir_ / "store") + "/" + flow::flow_file_name(kAgain + "@2");
  std::fstream text(file, std::ios::in | std::ios::out);
  const std::string all{std::istreambuf_iterator<char>(text), {}};
  const std::size_t third = all.rfind("1970-");
  ASSERT_GT(third, all.find("stderr"));
  text.clear();
  text.seekp(static_cast<std::streamoff>(third));
  text << "nobody knows what";
  text.close();
  EXPECT_EQ(begin_of_second(), 50 * kSecond - kClocks);
}

TEST_F(KnownRunsTest, BeganNobodyKnowsWhenWhereTheFlowBeginsWithAGap) {
  gap("stdout", 49);
  line("stdout", 50);
  EXPECT_FALSE(begin_of_second());
  EXPECT_EQ(named_->runs().take(kAgain, {.cgroup = 9}), kAgain + "@3") << "its number is known";
}

TEST_F(KnownRunsTest, BeganNobodyKnowsWhenWhereOneOutputBeginsWithAGap) {
  line("stdout", 50);
  gap("stderr", 51);
  line("stderr", 52);
  EXPECT_FALSE(begin_of_second());
}

TEST_F(KnownRunsTest, BeganNobodyKnowsWhenWhereTheBeginningHasMadeRoom) {
  for (std::uint64_t second = 50; second < 70; ++second) line("stdout", second);
  store_->flush({}, 70 * kSecond, true);
  ASSERT_FALSE(store_->bounds(*store_->find(kAgain + "@2"))->from_start);
  EXPECT_FALSE(begin_of_second());
}

TEST_F(KnownRunsTest, BeganNobodyKnowsWhenWhereItWasNotCapturedFromItsBeginning) {
  line("stdout", 50);
  store_->set_before(kAgain + "@2", {.state = flow::Before::State::kUncounted});
  EXPECT_FALSE(begin_of_second());
}

}  // namespace
}  // namespace flowtap
