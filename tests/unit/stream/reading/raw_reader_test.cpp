// Flows as the API sees them, over a real journal.
#include "stream/reading/raw_reader.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>

#include "identity/flow_labels.hpp"
#include "stream/reading/flow_list.hpp"
#include "tests/support/event_wait.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;
using api::Outputs;
using api::ReadOptions;

class JournalFlowsTest : public testing::Test {
 protected:
  JournalFlowsTest() {
    journal_ = std::move(*flow::Journal::open({.dir = dir_ / "journal"}));
    waker_ = std::move(*ReaderWaker::start());
    std::filesystem::create_directory(dir_ / "flows");
    store_ = flow::FlowStore::open({.dir = dir_ / "flows"});
  }

  void name(flow::StreamNo stream, const std::string& flow, const std::string& output,
            const FlowLabels& labels = {}) {
    batch_.add(flow::StreamEntry{stream,
                                 {.flow = flow,
                                  .output = output,
                                  .identity = render_labels(labels),
                                  .inode = stream,
                                  .device = 15,
                                  .kind = FTAP_KIND_PIPE}});
  }
  void bytes(flow::StreamNo stream, std::uint64_t offset, std::string_view text) {
    batch_.add(flow::BytesEntry{stream, offset, ++time_, 0, std::as_bytes(std::span(text))});
  }
  void end(flow::StreamNo stream, std::uint64_t passed) {
    batch_.add(flow::EndEntry{stream, passed, ++time_, {}});
  }
  void append() {
    ASSERT_TRUE(journal_->append(batch_));
    batch_.clear();
  }
  // All that can be read now, each gap as "<n>".
  static std::string drain(api::BodyReader& reader, bool* ended = nullptr) {
    std::string all;
    while (true) {
      const auto piece = reader.read(5);
      if (!piece) return all + "!" + piece.error().what;
      if (piece->missing_before > 0) all += "<" + std::to_string(piece->missing_before) + ">";
      all += piece->bytes;
      if (ended != nullptr) *ended = piece->end;
      if (piece->end || (piece->bytes.empty() && piece->missing_before == 0 && !piece->again)) return all;
    }
  }
  std::unique_ptr<RawReader> open(const std::string& flow, const ReadOptions& options = {}) {
    auto reader = RawReader::open(*journal_, *waker_, flow, options);
    EXPECT_TRUE(reader) << reader.error().what;
    return std::move(*reader);
  }

  test::TempDir dir_;
  std::unique_ptr<flow::Journal> journal_;
  std::unique_ptr<flow::FlowStore> store_;
  std::unique_ptr<ReaderWaker> waker_;
  flow::Batch batch_;
  std::uint64_t time_ = 1'000'000'000;
};

TEST_F(JournalFlowsTest, AFlowIsItsStreams) {
  name(1, "pod/a/b/c/d/0", "stdout", {.ns = "a", .pod = "b", .restart = 0});
  name(2, "pod/a/b/c/d/0", "stderr", {.ns = "a", .pod = "b", .restart = 0});
  name(3, "container/x", "both");
  bytes(1, 0, "hello");
  bytes(2, 2, "lost two");
  end(1, 5);
  append();
  const auto all = list_flows(*journal_, *store_, {}, {});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, "container/x");
  EXPECT_EQ(all[0].kind, "container");
  const api::FlowStatus& pod = all[1];
  EXPECT_EQ(pod.pod, "b");
  EXPECT_EQ(pod.restart, 0U);
  EXPECT_EQ(pod.bytes, 15U);
  EXPECT_EQ(pod.missing_bytes, 2U);
  EXPECT_TRUE(pod.open) << "its stderr is";
  ASSERT_EQ(pod.streams.size(), 2U);
  EXPECT_EQ(pod.streams[0].capture, "pipe");
  EXPECT_FALSE(pod.streams[0].open);
  EXPECT_EQ(list_flows(*journal_, *store_, {}, {.ns = "a", .pod = {}, .group = {}, .kind = {}}).size(), 1U);
  EXPECT_EQ(list_flows(*journal_, *store_, {}, {.ns = "z", .pod = {}, .group = {}, .kind = {}}).size(), 0U);
}

TEST_F(JournalFlowsTest, AStreamThatIsNotCapturedSaysWhyAndHasNothing) {
  const auto word = [this](ftap_log_kind kind, flow::Capture capture) {
    static flow::StreamNo stream = 0;
    const std::string flow = "f" + std::to_string(++stream);
    batch_.add(flow::StreamEntry{
        stream, {.flow = flow, .output = "stdout", .identity = "{}", .kind = kind, .capture = capture}});
    end(stream, 0);
    append();
    bool ended = false;
    EXPECT_EQ(drain(*open(flow), &ended), "");
    EXPECT_TRUE(ended);
    for (const api::FlowStatus& status : list_flows(*journal_, *store_, {}, {}))
      if (status.id == flow) return status.streams.at(0).capture;
    return std::string("not listed");
  };
  EXPECT_EQ(word(FTAP_KIND_NONE, flow::Capture::kNot), "none");
  EXPECT_EQ(word(FTAP_KIND_OTHER, flow::Capture::kNot), "uncaptured");
  EXPECT_EQ(word(FTAP_KIND_PIPE, flow::Capture::kNot), "uncaptured_pipe");
  EXPECT_EQ(word(FTAP_KIND_SOCKET, flow::Capture::kNot), "uncaptured_socket");
  EXPECT_EQ(word(FTAP_KIND_PIPE, flow::Capture::kElsewhere), "inherited");
  EXPECT_EQ(word(FTAP_KIND_TTY, flow::Capture::kTaken), "tty");
}

TEST_F(JournalFlowsTest, BothOutputsInTheOrderOfCaptureAndEachAlone) {
  name(1, "f", "stdout");
  name(2, "f", "stderr");
  bytes(1, 0, "one ");
  bytes(2, 0, "two ");
  bytes(1, 4, "three");
  end(1, 9);
  end(2, 4);
  append();
  bool ended = false;
  EXPECT_EQ(drain(*open("f"), &ended), "one two three");
  EXPECT_TRUE(ended);
  EXPECT_EQ(drain(*open("f", {.outputs = Outputs::kStdout}), &ended), "one three");
  EXPECT_EQ(drain(*open("f", {.outputs = Outputs::kStderr}), &ended), "two ");
  EXPECT_TRUE(ended);
}

TEST_F(JournalFlowsTest, GapsAreSaidBeforeWhatFollowsThem) {
  name(1, "f", "stdout");
  bytes(1, 0, "abc");
  bytes(1, 10, "xyz");
  end(1, 15);
  append();
  const auto reader = open("f");
  EXPECT_EQ(reader->missing_bytes(), 9U);
  EXPECT_EQ(drain(*reader), "abc<7>xyz<2>");
}

TEST_F(JournalFlowsTest, ToNowEndsWhereItStood) {
  name(1, "f", "stdout");
  bytes(1, 0, "before");
  append();
  const auto reader = open("f", {.to_now = true});
  bytes(1, 6, "after");
  append();
  bool ended = false;
  EXPECT_EQ(drain(*reader, &ended), "before");
  EXPECT_TRUE(ended);
}

TEST_F(JournalFlowsTest, AFollowerIsToldOfMoreAndFromNowLeavesOutWhatWas) {
  name(1, "f", "stdout");
  bytes(1, 0, "history");
  append();
  const auto reader = open("f", {.from_now = true});
  bool ended = true;
  EXPECT_EQ(drain(*reader, &ended), "");
  EXPECT_FALSE(ended);
  std::atomic<int> woken = 0;
  reader->when_more([&woken] { ++woken; });
  bytes(1, 7, "live");
  append();
  EXPECT_TRUE(test::eventually([&] { return woken == 1; }));
  EXPECT_EQ(drain(*reader), "live");
}

TEST_F(JournalFlowsTest, AStreamThatJoinsTheFlowIsReadToo) {
  name(1, "f", "stdout");
  bytes(1, 0, "old file ");
  append();
  const auto reader = open("f");
  EXPECT_EQ(drain(*reader), "old file ");
  // The old stream is open as long as its writer has it.
  const auto wait = [&] {
    auto woken = std::make_shared<std::promise<void>>();
    reader->when_more([woken] { woken->set_value(); });
    return woken->get_future();
  };
  auto woken = wait();
  name(3, "other", "stdout");
  append();
  bytes(2, 0, "new ");
  append();
  EXPECT_EQ(woken.wait_for(0s), std::future_status::timeout) << "nobody knows whose they are";
  name(2, "f", "stdout");
  append();
  EXPECT_EQ(woken.wait_for(30s), std::future_status::ready);
  EXPECT_EQ(drain(*reader), "new ");
  woken = wait();
  bytes(2, 4, "file");
  append();
  EXPECT_EQ(woken.wait_for(30s), std::future_status::ready);
  EXPECT_EQ(drain(*reader), "file");
}

TEST_F(JournalFlowsTest, StreamsThatTheJournalWillKnow) {
  name(1, "proc/1-1", "stdout");
  bytes(1, 0, "before");
  append();
  Fd self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0U)));
  ASSERT_TRUE(self.valid());
  auto opened = RawReader::open(*journal_, *waker_, {1, 2}, {.from_now = true}, std::move(self), {});
  ASSERT_TRUE(opened) << opened.error().what;
  const std::unique_ptr<RawReader> reader = std::move(*opened);
  bool ended = true;
  EXPECT_EQ(drain(*reader, &ended), "");
  EXPECT_FALSE(ended);
  end(1, 6);
  append();
  EXPECT_EQ(drain(*reader, &ended), "");
  EXPECT_FALSE(ended) << "the other one is yet to come";
  std::atomic<bool> woken = false;
  reader->when_more([&woken] {
    woken = true;
    woken.notify_one();
  });
  name(2, "proc/1-1", "stderr");
  bytes(2, 0, "all of it");
  end(2, 9);
  append();
  woken.wait(false);
  EXPECT_EQ(drain(*reader, &ended), "all of it");
  EXPECT_TRUE(ended);
}

TEST_F(JournalFlowsTest, NobodyLooksUntilASilentProcessEnds) {
  batch_.add(flow::StreamEntry{
      1, {.flow = "proc/1-1", .output = "stdout", .identity = {}, .inode = 1, .kind = FTAP_KIND_FILE}});
  append();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  Fd process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0U)));
  ASSERT_TRUE(process.valid());
  auto opened = RawReader::open(*journal_, *waker_, {1}, {.from_now = true}, std::move(process), {});
  ASSERT_TRUE(opened) << opened.error().what;
  const std::unique_ptr<RawReader> reader = std::move(*opened);
  bool ended = false;
  const auto wait = [&] {
    auto woken = std::make_shared<std::promise<void>>();
    reader->when_more([woken, done = std::make_shared<std::atomic<bool>>(false)] {
      if (!done->exchange(true)) woken->set_value();
    });
    return woken->get_future();
  };
  EXPECT_EQ(drain(*reader, &ended), "");
  const auto woken = wait();
  EXPECT_TRUE(test::eventually([] { return test::waits_for_events_alone("ftap-follow"); }));
  EXPECT_EQ(::kill(child, SIGKILL), 0);
  EXPECT_EQ(woken.wait_for(30s), std::future_status::ready);
  // The last bytes of the process may still be on their way.
  for (drain(*reader, &ended); !ended; drain(*reader, &ended))
    ASSERT_EQ(wait().wait_for(30s), std::future_status::ready);
  ::waitpid(child, nullptr, 0);
}

TEST_F(JournalFlowsTest, LinesWithTheTimesOfTheirBytes) {
  name(1, "f", "stdout"), name(2, "f", "stderr");
  bytes(1, 0, "two lin"), bytes(2, 0, "err\n"), bytes(1, 7, "es\nand\nhalf");
  append();
  const auto reader = open("f", {.lines = true, .timestamps = true});
  EXPECT_EQ(drain(*reader),
            "1970-01-01T00:00:01.000000002Z err\n1970-01-01T00:00:01.000000003Z two lines\n"
            "1970-01-01T00:00:01.000000003Z and\n");
  bytes(1, 18, "rest"), end(2, 4);
  append();
  end(1, 25);
  append();
  bool ended = false;
  std::string all;
  while (!ended) all += drain(*reader, &ended);
  EXPECT_EQ(all,
            "<3>1970-01-01T00:00:01.000000004Z halfrest [flowtap: cut]\n"
            "1970-01-01T00:00:01.000000004Z [flowtap: 3 bytes are missing here]\n");
}

TEST_F(JournalFlowsTest, WhatNobodyKnowsIsAnError) {
  const auto reader = RawReader::open(*journal_, *waker_, "none", {});
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ENOENT);
}

}  // namespace
}  // namespace flowtap
