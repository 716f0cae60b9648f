// A runtime keeps all runs of a container in one file, and each run has a flow.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>

#include "base/rfc3339.hpp"
#include "stream/reading/log_reader.hpp"
#include "stream/repair/before_counter.hpp"
#include "stream/repair/flow_audit.hpp"
#include "stream/repair/gaps/flow_gaps.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
const std::string kId = "c55c4ecf3dea" + std::string(52, '0');
const std::string kUserdata = "var/lib/containers/storage/overlay-containers/" + kId + "/userdata/";
const std::string kAgain = "container/again-" + kId.substr(0, 12);

std::string run_line(std::uint64_t n) {
  return "line " + std::to_string(n) + "\n";
}
std::string run_lines(std::uint64_t from, std::uint64_t to) {
  std::string all;
  for (std::uint64_t n = from; n < to; ++n) all += run_line(n);
  return all;
}

// Line n is written at n seconds. The runs begin half a second before lines 1, 101 and 201.
class ContainerRunsLog : public testing::Test {
 protected:
  void SetUp() override {
    tree_.file(kUserdata + "config.json", R"({"annotations":{"io.container.manager":"libpod"}})");
    for (const std::uint64_t run : {0U, 1U, 2U})
      (void)runs_.take(kAgain, {.cgroup = 10 + run, .started = begin_of(run)});
  }
  static std::uint64_t begin_of(std::uint64_t run) { return (100 * run + 1) * kSecond - kSecond / 2; }

  void keep(std::uint64_t from, std::uint64_t to) {
    std::string text;
    for (std::uint64_t n = from; n < to; ++n)
      text += rfc3339_nano(std::chrono::system_clock::time_point(std::chrono::seconds(n))) + " stdout F " +
              run_line(n);
    tree_.file(kUserdata + "ctr.log", text);
  }
  void capture(const std::string& flow, std::uint64_t from, std::uint64_t to) {
    flow::FlowStore::Writing writing(*store_, {});
    const auto of = writing.flow(flow);
    for (std::uint64_t n = from; n < to; ++n) {
      const std::string text = run_line(n);
      const std::uint64_t end = at_ + text.size();
      writing.add(*of, stream_, "stdout",
                  {std::string_view(text).substr(0, text.size() - 1), true, at_, end, n * kSecond - 50'000});
      at_ = end;
    }
  }
  void next_stream() {
    ++stream_;
    at_ = 0;
  }
  std::string log(const std::string& flow, const api::LogReadOptions& options = {}) {
    auto reader = LogReader::open(*store_, *waker_, flow, options, history_.get());
    if (!reader) return reader.error().what;
    for (auto done = (*reader)->prepare(); !done || !*done; done = (*reader)->prepare())
      if (!done) return done.error().what;
    std::string all;
    for (bool end = false; !end;) {
      const auto piece = (*reader)->read(1000);
      if (!piece) return piece.error().what;
      all += piece->bytes;
      end = piece->end;
    }
    return all;
  }

  test::TempDir dir_;
  test::FileTree tree_;
  identity::ContainerRuns runs_;
  std::unique_ptr<flow::FlowStore> store_ = flow::FlowStore::open({.dir = dir_ / ""});
  std::unique_ptr<ReaderWaker> waker_ = std::move(*ReaderWaker::start());
  std::unique_ptr<Histories> history_ = std::move(*Histories::open(tree_.root(), {}, &runs_));
  flow::StreamNo stream_ = 1;
  std::uint64_t at_ = 0;
};

TEST_F(ContainerRunsLog, HasNoLineOfAnotherRun) {
  keep(1, 300);
  capture(kAgain, 1, 101), next_stream();
  capture(kAgain + "@2", 150, 201), next_stream();
  capture(kAgain + "@3", 201, 300);
  EXPECT_EQ(log(kAgain), run_lines(1, 101));
  EXPECT_EQ(log(kAgain + "@2"), run_lines(101, 201)) << "its beginning was not captured";
  EXPECT_EQ(log(kAgain + "@3"), run_lines(201, 300));
  for (const std::uint64_t n : {5U, 60U, 100U, 200U})
    EXPECT_EQ(log(kAgain + "@2", {.tail_lines = n}), run_lines(201 - std::min<std::uint64_t>(n, 100), 201))
        << n;
  EXPECT_EQ(log(kAgain + "@2", {.since = std::chrono::system_clock::time_point(std::chrono::seconds(50))}),
            run_lines(101, 201));
}

// What the flow of a run had made room, and the runtime still has it.
TEST_F(ContainerRunsLog, ComesFromTheFileAloneWhereItsFlowIsGone) {
  keep(1, 300);
  EXPECT_EQ(log(kAgain), run_lines(1, 101));
  EXPECT_EQ(log(kAgain + "@2"), run_lines(101, 201));
  EXPECT_EQ(log(kAgain + "@3"), run_lines(201, 300));
  EXPECT_EQ(log(kAgain + "@2", {.tail_lines = 7}), run_lines(194, 201));
  EXPECT_EQ(log(kAgain + "@4"), "the flow \"" + kAgain + "@4\" is not known on this node");
}

TEST_F(ContainerRunsLog, IsAuditedAgainstItsOwnLines) {
  keep(1, 300);
  capture(kAgain, 1, 101), next_stream();
  capture(kAgain + "@2", 101, 201);
  const auto audit = [&](const std::string& flow) {
    return audit_flow(*store_, *history_, flow, [] { return true; }).result;
  };
  EXPECT_EQ(audit(kAgain), AuditResult::kEqual) << "what came after its end is another run's";
  EXPECT_EQ(audit(kAgain + "@2"), AuditResult::kEqual);
}

TEST_F(ContainerRunsLog, GapsAreFilledFromItsOwnLines) {
  keep(1, 106);
  capture(kAgain, 1, 96);
  {
    // As many bytes as its last five lines and the first five of the next run, which is all that the file has.
    flow::FlowStore::Writing writing(*store_, {});
    at_ += run_lines(96, 101).size() + run_lines(101, 106).size();
    const auto flow = writing.flow(kAgain);
    writing.open_stream(*flow);
    writing.add_gap(*flow, stream_, "stdout", at_, 100 * kSecond);
    writing.end_stream(*flow, 100 * kSecond);
  }
  GapsDecided decided;
  (void)fill_gaps(*store_, *history_, kAgain, decided, {.last = true});
  const std::string text = log(kAgain);
  EXPECT_TRUE(text.starts_with(run_lines(1, 96))) << text;
  EXPECT_FALSE(text.contains(run_line(101))) << text;
}

TEST_F(ContainerRunsLog, OnlyWhatItWroteBeforeIsCounted) {
  keep(1, 300);
  capture(kAgain + "@3", 211, 300);
  BeforeCounter counter(*store_, *history_, std::chrono::milliseconds(10));
  counter.add(kAgain + "@3", 211 * kSecond);
  flow::Before before;
  EXPECT_TRUE(test::eventually([&] {
    before = store_->summary(kAgain + "@3")->before;
    return before.state == flow::Before::State::kCounted;
  }));
  EXPECT_EQ(before.lines, 10U);
  EXPECT_EQ(before.bytes, run_lines(201, 211).size());
}

}  // namespace
}  // namespace flowtap
