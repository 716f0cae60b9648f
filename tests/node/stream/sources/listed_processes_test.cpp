// Processes that are listed by their executable, as the node itself sees it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "bpf/abi/log.h"
#include "kernel/log/log_pins.hpp"
#include "kernel/map_view.hpp"
#include "tests/node/stream/sources/listed.hpp"
#include "tests/support/net/silent_server.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;

TEST_F(Listed, ProcessesThatWriteIntoAPipe) {
  start("processes: [/bin/sched]");
  const std::string file = root_.file("copy");
  const ScratchCgroup nowhere(slice_);
  EXPECT_EQ(live(lines(0, 20'000) + " | tee " + file, nowhere), writer_lines(0, 20'000));
  // Its standard error is the place where tee writes, so this one is not its own.
  expect_flow("proc", writer_lines(0, 20'000));
  EXPECT_EQ(listed(), 1U) << "tee is not listed";
  // Next it writes into a file.
  EXPECT_EQ(live(lines(0, 1000) + " > " + file, nowhere), "");
  const auto sizes = [this] {
    std::set<std::size_t> all;
    for (const FlowSeen& flow : flows("proc")) all.insert(raw_bytes(*daemon_, flow.id).size());
    return all;
  };
  const std::set<std::size_t> wanted{writer_lines(0, 20'000).size(), writer_lines(0, 1000).size()};
  EXPECT_TRUE(eventually([&] { return sizes() == wanted; }));
  EXPECT_TRUE(eventually([this] {
    for (const FlowSeen& flow : flows("proc"))
      if (flow.open) return false;
    return true;
  })) << "the file is nobody's output any more";
}

TEST_F(Listed, AProcessThatStartsItselfAnewIsTakenOnce) {
  start("processes: [/bin/itself]");
  Journal journal;
  const std::string self = root_.file("bin/itself");
  EXPECT_EQ(run({self, "-c",
                 "echo one; " + self + " -c 'echo two; echo three >&2'; exec " + self + " -c 'echo four'"},
                journal.unit())
                ->wait(),
            0);
  EXPECT_EQ(journal.end(), "one\ntwo\nthree\nfour\n");
  expect_flow("proc", "one\ntwo\nthree\nfour\n");
  settle();
  EXPECT_EQ(listed(), 1U);
}

TEST_F(Listed, AnExecutableInOtherMountsIsNotTheNodes) {
  start("processes: [/bin/sched]");
  const Journal journal;
  EXPECT_EQ(run({root_.file("bin/sched"), "write", "0", "10"}, journal.unit(), nullptr, CLONE_NEWNS)->wait(),
            0);
  settle();
  EXPECT_EQ(listed(), 0U);
}

TEST_F(Listed, AnExecutableThatIsReplacedAndOneThatRunsAlready) {
  const Journal journal;
  const std::string go = root_.file("go");
  const std::string self = root_.file("bin/itself");
  const std::string script = "echo before; while [ ! -e " + go + " ]; do sleep 0.05; done; echo after";
  auto running = run({self, "-c", script}, journal.unit());
  EXPECT_TRUE(becomes(*running, self));
  start("processes: [/bin/itself]");
  const Fd file(::open(go.c_str(), O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(running->wait(), 0);
  expect_flow("proc", "after\n");

  fs::copy_file("/bin/bash", root_.file("bin/new"));
  fs::rename(root_.file("bin/new"), self);
  // If it is found only after it has spoken, its flow has not a single byte.
  EXPECT_TRUE(eventually([&] {
    const Journal other;
    (void)run({self, "-c", "echo upgraded; sleep 0.1"}, other.unit())->wait();
    return std::ranges::any_of(
        flows("proc"), [this](const FlowSeen& flow) { return raw_bytes(*daemon_, flow.id) == "upgraded\n"; });
  }));
}

// flowtapd looks at all that runs when it starts, and at listed executables again and again.
TEST_F(Listed, WhatIsOnAFileSystemThatDoesNotAnswerHoldsUpNobody) {
  fs::create_directory(root_.file("hung"));
  std::ifstream cat("/bin/cat", std::ios::binary);
  SilentServer server(root_.file("hung"), {std::istreambuf_iterator<char>(cat), {}});
  if (!server.mounted()) GTEST_SKIP() << "there is no FUSE here";
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const Fd said(ends[0]);
  const Fd out(ends[1]);
  const std::string gate = root_.file("gate");
  ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
  const Fd to(::open(gate.c_str(), O_RDWR | O_CLOEXEC));
  const Process running({.argv = {root_.file("hung/file")},
                         .in = gate,
                         .out = "/dev/null",
                         .err = "/dev/null",
                         .before_exec = [&out] { ::dup2(out.get(), 1); }});
  char echoed = 0;
  ASSERT_EQ(::write(to.get(), "x", 1), 1);
  ASSERT_EQ(::read(said.get(), &echoed, 1), 1);
  server.fall_silent();

  start("processes: [/bin/sched, /hung/file]");
  const Fd log = open_log();
  EXPECT_EQ(run({"/bin/sh", "-c", lines(0, 300)}, log.get())->wait(), 0);
  expect_flow("proc", writer_lines(0, 300));
  list("processes: [/bin/sched, /hung/other]");
  settle();
  using boost::json::array;
  EXPECT_EQ(daemon_->status().at("stream").at("sources").at("refused"),
            (array{{{"name", "/hung/other"},
                    {"why", "/hung/other is on fuse, which may keep its readers waiting for ever"}}}));
}

// Leaves no free slot in the table of streams. Each one looks as if somebody were just taking it.
class TakenSlots {
 public:
  explicit TakenSlots(const std::string& bpffs) {
    const kernel::LogPins pins(bpffs);
    const auto pinned = pins.find(pins.layouts().value().at(0)).value();
    for (const kernel::Pin& pin : pinned)
      if (pin.name == "streams")
        slots_ = kernel::MapView<ftap_stream>::map(pin.object.get(), FTAP_MAX_STREAMS).value();
    for (ftap_stream& slot : slots_.elements()) {
      __u64 free = 0;
      taken_ +=
          __atomic_compare_exchange_n(&slot.id, &free, kNobody, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    }
  }
  ~TakenSlots() { give_back(); }
  TakenSlots(const TakenSlots&) = delete;
  TakenSlots& operator=(const TakenSlots&) = delete;

  void give_back() {
    for (ftap_stream& slot : slots_.elements()) {
      __u64 ours = kNobody;
      (void)__atomic_compare_exchange_n(&slot.id, &ours, __u64{0}, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    }
  }
  [[nodiscard]] std::size_t taken() const { return taken_; }

 private:
  static constexpr __u64 kNobody = ~__u64{0};
  kernel::MapView<ftap_stream> slots_;
  std::size_t taken_ = 0;
};

TEST_F(Listed, WhoFindsNoSlotIsLookedForAgain) {
  const std::string gate = root_.file("gate");
  ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
  const Fd to(::open(gate.c_str(), O_RDWR | O_CLOEXEC));
  // The script starts nothing, since it would be seen again with that.
  const std::string script = "echo before; read -r <" + gate + "; echo after";
  Daemon& daemon = start("processes: [/bin/itself]");
  TakenSlots slots(root_.file("bpffs"));
  EXPECT_EQ(slots.taken(), FTAP_MAX_STREAMS);
  const Journal journal;
  auto running = run({root_.file("bin/itself"), "-c", script}, journal.unit());
  const auto refused = [&daemon] { return daemon.stats().series.at("flowtap_log_refused_streams_total"); };
  EXPECT_TRUE(eventually([&] { return refused() >= 1; }));
  settle();
  EXPECT_EQ(open_flows(), 0U);
  slots.give_back();
  EXPECT_TRUE(eventually([this] { return open_flows() == 1; }));
  ASSERT_EQ(::write(to.get(), "\n", 1), 1);
  EXPECT_EQ(running->wait(), 0);
  expect_flow("proc", "after\n");
}

}  // namespace
}  // namespace flowtap::test
