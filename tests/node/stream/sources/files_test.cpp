// Log files by configuration. What is written to them is what comes out: over rotations, whatever way it was written, and while
// flowtapd is away.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/fd.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() { fs::create_directory(root_.file("log")); }

  Daemon& start(DaemonOptions options = kCapturing) {
    if (options.sources.empty()) options.sources = "files: [/log/x.log]";
    daemon_ = std::make_unique<Daemon>(root_, options);
    return daemon_->wait_ready();
  }
  void kill() {
    daemon_->signal(SIGKILL);
    (void)daemon_->wait();
  }

  [[nodiscard]] Fd open(int flags = O_APPEND) const {
    Fd file(::open(path_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC | flags, 0644));
    if (!file.valid()) throw std::runtime_error("no log file");
    return file;
  }
  void write(const Fd& file, const std::string& text) {
    ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    written_ += text;
  }
  // Appends lines in a writer's own way.
  void log_writer(const char* how, unsigned first, unsigned count) {
    Process writer({.argv = {paths::log_writer(), how, std::to_string(first), std::to_string(count)},
                    .out = path_,
                    .err = "/dev/null"});
    ASSERT_EQ(writer.wait(), 0);
    written_ += writer_lines(first, count);
  }

  [[nodiscard]] std::optional<FlowSeen> flow(const std::string& id = "file/log/x.log") const {
    for (const FlowSeen& flow : flows_of(*daemon_, "?kind=file"))
      if (flow.id == id) return flow;
    return std::nullopt;
  }
  void kill_amid_a_log(const std::vector<DaemonOptions>& next);
  // Expects that all that was written is captured, and once.
  void expect_all() {
    EXPECT_TRUE(eventually([this] {
      const auto seen = flow();
      return (seen ? seen->bytes : 0) >= written_.size();
    }));
    const auto seen = flow();
    ASSERT_TRUE(seen) << daemon_->err();
    EXPECT_EQ(difference(raw_bytes(*daemon_, seen->id), written_), "");
    EXPECT_EQ(seen->bytes, written_.size());
    EXPECT_EQ(seen->missing, 0U);
  }
  // Writes bytes that the tap does not see. They are captured once flowtapd has looked at its files in vain for a while.
  void send(const Fd& file, const std::string& text) const {
    const Fd source(::open(root_.write("source", text).c_str(), O_RDONLY | O_CLOEXEC));
    off_t at = 0;
    ASSERT_EQ(::sendfile(file.get(), source.get(), &at, text.size()), static_cast<ssize_t>(text.size()));
  }
  // Starts it with another file, for be_idle().
  void start_with_other() {
    DaemonOptions options = kCapturing;
    options.sources = "files: [/log/x.log, /log/other.log]";
    start(options);
  }
  // Returns when flowtapd has looked at its idle files. The other file shows it, as only such a look tells of what is sent into it.
  void be_idle() const {
    const auto captured = [this] {
      const auto seen = flow("file/log/other.log");
      return seen ? seen->bytes : 0;
    };
    const Fd other(::open(root_.file("log/other.log").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    const auto size = static_cast<std::uint64_t>(::lseek(other.get(), 0, SEEK_END));
    ASSERT_EQ(::write(other.get(), "a\n", 2), 2);
    ASSERT_TRUE(eventually([&] { return captured() == size + 2; }));
    send(other, "look\n");
    ASSERT_TRUE(eventually([&] { return captured() == size + 7; }));
  }
  [[nodiscard]] std::uint64_t source_count(const char* name) const {
    return daemon_->status().at("stream").at("sources").at(name).to_number<std::uint64_t>();
  }
  [[nodiscard]] std::uint64_t filled() const { return source_count("filled_bytes"); }
  [[nodiscard]] std::uint64_t lost_files() const { return source_count("lost_files"); }

  ScratchRoot root_;
  std::string path_ = root_.file("log/x.log");
  std::unique_ptr<Daemon> daemon_;
  std::string written_;
};

TEST_F(Files, FromItsEndAndFromTheFirstByteOfAllThatFollow) {
  {
    const Fd old = open();
    ASSERT_EQ(::write(old.get(), "old\n", 4), 4);
  }
  start();
  const Fd file = open();
  write(file, "first\n");
  expect_all();
  log_writer("write", 0, 20'000);
  log_writer("writev", 20'000, 1000);
  expect_all();
  // The status may be one cycle old.
  ASSERT_TRUE(eventually([this] {
    return daemon_->status().at("stream").at("journal").at("bytes").to_number<std::uint64_t>() >=
           written_.size();
  }));
  EXPECT_LT(filled(), 4096U) << "it was the tap that saw it";
  EXPECT_EQ(flow()->kind, "file");
  EXPECT_TRUE(flow()->open);
}

TEST_F(Files, AFileThatIsNotThereYetNorItsDirectory) {
  fs::remove(root_.file("log"));
  start();
  const auto missing = [this] {
    return daemon_->status().at("stream").at("sources").at("not_found").as_array().size();
  };
  EXPECT_TRUE(eventually([&] { return missing() == 1; }));
  EXPECT_FALSE(flow());
  fs::create_directory(root_.file("log"));
  log_writer("write", 0, 1000);
  expect_all();
  EXPECT_TRUE(eventually([&] { return missing() == 0; }));
}

TEST_F(Files, RotatedByRenamingAtFullSpeed) {
  start();
  // Loggers that rotate by themselves do this: x.log.1 becomes x.log.2, and x.log becomes x.log.1.
  constexpr unsigned kLines = 10'000;
  constexpr int kFiles = 12;
  for (int i = 0; i < kFiles; ++i) {
    for (int old = kFiles; old > 0 && i > 0; --old) {
      const std::string from = path_ + (old == 1 ? "" : "." + std::to_string(old - 1));
      if (fs::exists(from)) fs::rename(from, path_ + "." + std::to_string(old));
    }
    log_writer("write", static_cast<unsigned>(i) * kLines, kLines);
  }
  expect_all();
}

TEST_F(Files, RotatedFasterThanAnybodyCanLook) {
  start();
  for (int i = 0; i < 50; ++i) {
    if (i > 0) fs::rename(path_, path_ + "-" + std::to_string(i));
    const Fd file = open();
    write(file, "in file " + std::to_string(i) + "\n");
  }
  expect_all();
}

TEST_F(Files, AMadRotatorTakesNoMoreThanItsShare) {
  start();
  // Those of the path: flowtapd may open others meanwhile, for containers of tests that run beside this one.
  const auto descriptors = [this] {
    std::error_code closed;  // a descriptor may be closed before we have looked
    return std::ranges::count_if(fs::directory_iterator("/proc/" + std::to_string(daemon_->pid()) + "/fd"),
                                 [&](const auto& entry) {
                                   return fs::read_symlink(entry.path(), closed).string().starts_with(path_);
                                 });
  };
  std::ptrdiff_t most = 0;
  constexpr std::size_t kFiles = 4000;
  for (std::size_t i = 0; i < kFiles; ++i) {
    if (i > 0) fs::rename(path_, path_ + "-" + std::to_string(i));
    const std::string line = std::to_string(i) + "\n";
    ASSERT_EQ(::write(open().get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
    if (i % 100 == 0) most = std::max(most, descriptors());
  }
  // Each file is captured in its turn, or counted as lost.
  std::vector<std::size_t> seen;
  EXPECT_TRUE(eventually([&] {
    most = std::max(most, descriptors());
    seen.clear();
    std::istringstream lines(flow() ? raw_bytes(*daemon_, flow()->id) : "");
    for (std::size_t number = 0; lines >> number;) seen.push_back(number);
    return seen.size() + lost_files() >= kFiles;
  }));
  EXPECT_EQ(seen.size() + lost_files(), kFiles);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
  EXPECT_EQ(seen.empty() ? 0 : seen.back(), kFiles - 1);
  EXPECT_GT(most, 0);
  EXPECT_LE(most, 100);
}

TEST_F(Files, DirectoriesThatWereMovedAwayAreWatchedNoMore) {
  start();
  const auto watches = [this] {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(daemon_->pid()) + "/fdinfo")) {
      std::ifstream info(entry.path());
      for (std::string line; std::getline(info, line);) count += line.starts_with("inotify ") ? 1 : 0;
    }
    return count;
  };
  EXPECT_TRUE(eventually([&] { return watches() == 1; }));
  for (int i = 0; i < 4; ++i) {
    write(open(), "in directory " + std::to_string(i) + "\n");
    expect_all();
    fs::rename(root_.file("log"), root_.file("log" + std::to_string(i)));
    fs::create_directory(root_.file("log"));
  }
  write(open(), "in the last one\n");
  expect_all();
  EXPECT_TRUE(eventually([&] { return watches() == 1; })) << watches();
}

TEST_F(Files, TheWriterGoesOnInTheFileThatWasMoved) {
  start();
  Fd file = open();
  write(file, "before\n");
  fs::rename(path_, path_ + ".1");
  write(file, "still there\n");
  expect_all();
  file = open();
  write(file, "opened again\n");
  expect_all();
}

TEST_F(Files, CopiedAndTruncated) {
  start_with_other();
  const Fd file = open();
  for (int i = 0; i < 6; ++i) {
    write(file, writer_lines(static_cast<unsigned>(i) * 100, 100));
    expect_all();
    fs::copy_file(path_, path_ + "." + std::to_string(i));
    ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
    if (i % 2 == 0) be_idle();
  }
  write(file, "after all\n");
  expect_all();
}

TEST_F(Files, TruncatedUnderAWriterThatDoesNotAppend) {
  start_with_other();
  const Fd file = open(0);
  write(file, "one\n");
  expect_all();
  for (const bool seen : {false, true}) {
    ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
    if (seen) be_idle();
    write(file, "more\n");
    expect_all();
  }
}

TEST_F(Files, WhatTheTapCannotSee) {
  start();
  const Fd file = open(0);
  write(file, "seen\n");
  const std::string unseen = writer_lines(0, 5000);
  send(file, unseen);
  written_ += unseen;
  write(file, "seen again\n");
  expect_all();
  log_writer("uring", 5000, 2000);  // the hooks of functions see this
  expect_all();
  ASSERT_GT(::lseek(file.get(), 0, SEEK_END), 0);
  write(file, "and seen\n");
  expect_all();
  EXPECT_TRUE(eventually([&] { return filled() >= unseen.size(); })) << filled();
}

TEST_F(Files, HolesAreNotReadAsZeros) {
  constexpr off_t kFar = off_t{1} << 40U;
  start();
  const Fd file = open(0);
  write(file, "before\n");
  ASSERT_EQ(::ftruncate(file.get(), kFar), 0);
  ASSERT_EQ(::lseek(file.get(), kFar, SEEK_SET), kFar);
  write(file, "behind a hole\n");
  expect_all();
  const std::string unseen = "sent behind another\n";
  ASSERT_EQ(::lseek(file.get(), 2 * kFar, SEEK_SET), 2 * kFar);
  send(file, unseen);
  written_ += unseen;
  expect_all();
  ASSERT_EQ(::truncate(path_.c_str(), 3 * kFar), 0) << "room for more";
  write(file, "and in it\n");
  expect_all();
}

// Kills flowtapd again and again amid 100,000 lines, and starts these one after the other. Each kill comes when some of the ten
// thousand lines that are being written have been captured, and others have not. More lines are written before the next start.
void Files::kill_amid_a_log(const std::vector<DaemonOptions>& next) {
  start();
  const std::string gate = root_.file("gate");
  ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
  const Fd go_on(::open(gate.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(go_on.valid());
  Process writer({.argv = {"/bin/sh", "-c",
                           "for i in 0 1 2 3 4 5 6 7 8 9; do read -r go && " + paths::log_writer() +
                               " write ${i}0000 10000 || exit 1; done"},
                  .in = gate,
                  .out = path_,
                  .err = "/dev/null"});
  written_ = writer_lines(0, 100'000);
  const auto write_more = [&go_on](std::size_t times) {
    const std::string words(times, '\n');
    ASSERT_EQ(::write(go_on.get(), words.data(), times), static_cast<ssize_t>(times));
  };
  const auto captured = [this] { return flow() ? flow()->bytes : 0; };
  const auto size = [this] { return fs::exists(path_) ? fs::file_size(path_) : 0; };
  for (const DaemonOptions& options : next) {
    // By now the journal has all, so that what is captured next belongs to the lines that come.
    EXPECT_TRUE(eventually([&] { return captured() == size(); }));
    const std::uint64_t before = captured();
    write_more(1);
    std::uint64_t amid = before;
    EXPECT_TRUE(eventually([&] { return (amid = captured()) > before; }));
    kill();
    EXPECT_GT(amid, 0U);
    EXPECT_LT(amid, written_.size());
    const auto at_kill = size();
    write_more(1);
    EXPECT_TRUE(eventually([&] { return size() > at_kill; })) << "while it is away";
    start(options);
  }
  write_more(10 - 2 * next.size());
  EXPECT_EQ(writer.wait(), 0);
  expect_all();
}

TEST_F(Files, KilledAmidALogAndStartedAgain) {
  kill_amid_a_log({kCapturing, kCapturing, kCapturing, kCapturing});
}

TEST_F(Files, RelievedByAnotherLayoutAmidALog) {
  DaemonOptions next = kCapturing;
  next.program = paths::flowtapd_next();
  kill_amid_a_log({next, kCapturing, next});
}

TEST_F(Files, RotatedAndTruncatedWhileFlowtapdIsAway) {
  start();
  Fd file = open();
  write(file, "before\n");
  expect_all();
  kill();
  write(file, "while it is away\n");
  fs::rename(path_, path_ + ".1");
  write(file, "in the moved file\n");
  file = open();
  write(file, "in a new file\n");
  start();
  expect_all();
  write(file, "and on\n");
  expect_all();
  kill();
  ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
  write(file, "short\n");
  start();
  expect_all();
}

TEST_F(Files, AListThatChanges) {
  start();
  const Fd file = open();
  write(file, "one\n");
  expect_all();
  root_.write("flowtap.yaml", "stream: {bpffs: " + root_.file("bpffs") + ", files: [/log/y.log]}\n");
  daemon_->signal(SIGHUP);
  EXPECT_TRUE(eventually([this] { return !flow()->open; }));
  ASSERT_EQ(::write(file.get(), "not this\n", 9), 9);
  std::ofstream(root_.file("log/y.log")) << "but this\n" << std::flush;
  EXPECT_TRUE(eventually([this] { return flow("file/log/y.log").has_value(); }));
  EXPECT_TRUE(eventually([this] { return raw_bytes(*daemon_, "file/log/y.log") == "but this\n"; }));
  expect_all();
}

}  // namespace
}  // namespace flowtap::test
