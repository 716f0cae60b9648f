// The flows have what the streams say, whatever the pieces are and their order, whenever the names come, and wherever it is
// killed.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <new>
#include <random>
#include <thread>

#include "tests/support/seed.hpp"
#include "tests/unit/stream/store/pipeline_kit.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

// The content of a stream is a function of its number, so that a reader knows what it has to be.
constexpr StreamNo kStreams = 8;
constexpr std::size_t kSize = 400'000;

const std::string& text_of(StreamNo stream) {
  static std::map<StreamNo, std::string> texts;
  std::string& text = texts[stream];
  for (std::size_t line = 0; text.size() < kSize; ++line) {
    text += std::to_string(stream) + ":" + std::to_string(line);
    text.append((line * 7919 + stream * 104'729) % (line % 50 == 0 ? 20'000 : 150), 'x');
    text += "\n";
  }
  text.resize(kSize);
  return text;
}

Lines lines_of_text(const std::string& text) {
  Lines lines;
  LineAssembler assembler;
  const auto take = [&](const LineView& line) {
    lines.push_back(std::string(line.text) + (line.full ? "" : "~"));
  };
  assembler.add(text, 1, take);
  assembler.finish(take);
  return lines;
}

// Streams 2n-1 and 2n are the two outputs of flow n.
std::string flow_of(StreamNo stream) {
  return "pod/" + std::to_string((stream + 1) / 2);
}

// Appends random pieces of all streams, from where the journal has each, in nearly the right order.
void write_on(Journal& journal, std::mt19937& random, std::size_t most, const std::function<void()>& each) {
  std::map<StreamNo, std::uint64_t> at;
  for (StreamNo stream = 1; stream <= kStreams; ++stream) {
    const auto known = journal.stream(stream);
    at[stream] = known ? known->sums.passed : 0;
  }
  Batch batch;
  while (std::ranges::any_of(at, [](const auto& stream) { return stream.second < kSize; })) {
    std::vector<std::pair<StreamNo, std::pair<std::uint64_t, std::string>>> pieces;
    for (StreamNo stream = 1; stream <= kStreams; ++stream) {
      for (int i = 0; i < 3 && at[stream] < kSize; ++i) {
        const std::string piece =
            text_of(stream).substr(at[stream], std::uniform_int_distribution<std::size_t>(1, most)(random));
        pieces.push_back({stream, {at[stream], piece}});
        at[stream] += piece.size();
      }
    }
    for (std::size_t i = 1; i < pieces.size(); ++i)
      if (random() % 4 == 0) std::swap(pieces[i - 1], pieces[i]);
    for (const auto& [stream, piece] : pieces)
      batch.add(BytesEntry{stream, piece.first, 5'000'000'000, 0, as_bytes(piece.second)});
    for (StreamNo stream = 1; stream <= kStreams; ++stream) {
      const auto known = journal.stream(stream);
      // The first name is not the last one.
      if (!known && random() % 3 == 0)
        batch.add(StreamEntry{stream,
                              {.flow = "container/" + flow_of(stream).substr(4),
                               .output = stream % 2 == 0 ? "stderr" : "stdout",
                               .identity = {}}});
      if (known && (!known->name || known->name->flow != flow_of(stream)) && random() % 3 == 0)
        batch.add(StreamEntry{
            stream,
            {.flow = flow_of(stream), .output = stream % 2 == 0 ? "stderr" : "stdout", .identity = {}}});
      if (at[stream] == kSize && known && known->name && known->name->flow == flow_of(stream) &&
          !known->sums.ended)
        batch.add(EndEntry{stream, kSize, 6'000'000'000, {}});
    }
    ASSERT_TRUE(journal.append(batch));
    batch.clear();
    each();
  }
  for (StreamNo stream = 1; stream <= kStreams; ++stream) {
    batch.add(StreamEntry{
        stream, {.flow = flow_of(stream), .output = stream % 2 == 0 ? "stderr" : "stdout", .identity = {}}});
    batch.add(EndEntry{stream, kSize, 6'000'000'000, {}});
  }
  ASSERT_TRUE(journal.append(batch));
  each();
}

void expect_all(const FlowStore& store, const std::string& dir) {
  for (StreamNo stream = 1; stream < kStreams; stream += 2) {
    std::map<std::string, Lines> by_output;
    const std::string all = log_of(store, flow_of(stream));
    for (std::string_view rest = all; !rest.empty();) {
      const std::size_t newline = rest.find('\n');
      const auto line = parse_cri_line(rest.substr(0, newline));
      ASSERT_TRUE(line);
      by_output[std::string(line->output)].push_back(std::string(line->missing ? "gap" : line->text) +
                                                     (line->full ? "" : "~"));
      rest.remove_prefix(newline + 1);
    }
    EXPECT_TRUE(by_output["stdout"] == lines_of_text(text_of(stream))) << stream;
    EXPECT_TRUE(by_output["stderr"] == lines_of_text(text_of(stream + 1))) << stream + 1;
    EXPECT_EQ(file_of(dir, flow_of(stream)), all);
    EXPECT_FALSE(store.summary(flow_of(stream))->open());
  }
}

TEST_F(PipelineTest, WhateverThePiecesAre) {
  for (const std::size_t most : {300U, 3000U, 10'000U}) {
    SCOPED_TRACE(most);
    std::mt19937 random(static_cast<unsigned>(most));
    write_on(*journal_, random, most, [&] {
      if (most > 3000 || random() % 2 == 0) take();
      if (random() % 5 == 0) store_->flush(Clock::now(), 1, random() % 2 == 0);
    });
    take();
    store_->flush({}, 1, true);
    expect_all(*store_, dir_ / "flows");
    open();
    expect_all(*store_, dir_ / "flows");
    journal_.reset();
    std::filesystem::remove_all(dir_ / "journal"), std::filesystem::remove_all(dir_ / "flows");
    std::filesystem::create_directory(dir_ / "flows");
    open();
  }
}

// A process that appends, takes and flushes is killed again and again, at any moment after some steps.
TEST_F(PipelineTest, KilledAtAnyMomentNothingIsMissingAndNothingDouble) {
  const unsigned seed = test::seed();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  void* const shared =
      ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto& steps = *new (shared) std::atomic<int>(0);
  int kills = 0;
  for (bool done = false; !done; ++kills) {
    const int wanted = std::uniform_int_distribution(1, 30)(random);
    const auto longer = std::chrono::microseconds(std::uniform_int_distribution(0, 300)(random));
    const auto its_seed = static_cast<unsigned>(random());
    steps = 0;
    const pid_t child = ::fork();
    if (child == 0) {
      std::mt19937 its(its_seed);
      open();
      write_on(*journal_, its, 500, [&] {
        // This gives the killing process time to come.
        if (++steps > wanted) std::this_thread::sleep_for(100us);
        if (its() % 3 == 0) take();
        if (its() % 3 == 0) store_->flush(Clock::now(), 1, its() % 3 == 0);
      });
      ::_exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    while (steps < wanted && !done) {
      done = ::waitpid(child, &status, WNOHANG) == child;
      std::this_thread::yield();
    }
    if (!done) {
      std::this_thread::sleep_for(longer);
      ::kill(child, SIGKILL);
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      done = WIFEXITED(status);
    }
    if (done) {
      EXPECT_EQ(WEXITSTATUS(status), 0);
    }
  }
  ::munmap(shared, sizeof(std::atomic<int>));
  EXPECT_GE(kills, 10);
  open();
  expect_all(*store_, dir_ / "flows");
}

}  // namespace
}  // namespace flowtap::flow
