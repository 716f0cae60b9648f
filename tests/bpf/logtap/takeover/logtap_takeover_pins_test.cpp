// Pins that are half made, belong to others or to earlier builds, or cannot be made: none of them is taken for what it
// is not.
#include <bpf/bpf.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/bpf/logtap/takeover/logtap_takeover.hpp"

namespace flowtap {
namespace {

using test::kPrograms;
using test::LogTapTakeover;

TEST_F(LogTapTakeover, HalfAPinIsNone) {
  // A start that was killed between two pins.
  const std::string part = options_.bpffs + "/flowtap/" + kernel::log_abi() + "_part";
  ASSERT_EQ(::mkdir((options_.bpffs + "/flowtap").c_str(), 0700), 0);
  ASSERT_EQ(::mkdir(part.c_str(), 0700), 0);
  EXPECT_FALSE(start().taken_over());
  EXPECT_FALSE(std::filesystem::exists(part));
  EXPECT_TRUE(start().taken_over());
}

// A process that died while it pinned or removed one more hook: there is an array that nothing calls through.
TEST_F(LogTapTakeover, AHookWithoutItsLinkIsMadeAnew) {
  for (const std::string hook : {"calls", "exec", "exit", "fork", "rmdir"}) {
    SCOPED_TRACE(hook);
    const test::Pipe pipe;
    flow::StreamNo stream = 0;
    {
      const auto live = start();
      const auto opened = live.streams()->open(test::target_of(pipe.out.get(), FTAP_KIND_PIPE));
      ASSERT_TRUE(opened);
      stream = *opened;
    }
    const std::string link = options_.bpffs + "/flowtap/hooks/link_" + hook;
    ASSERT_TRUE(std::filesystem::remove(link));
    auto live = start();
    EXPECT_FALSE(live.taken_over());
    EXPECT_TRUE(std::filesystem::exists(link));
    EXPECT_EQ(live.program_stats(false).size(), kPrograms);
    auto all = live.relieve();
    ASSERT_TRUE(all) << all.error().what;
    const auto relieved = test::opened(std::move(*all));
    ASSERT_EQ(relieved.size(), 1U);
    EXPECT_EQ(relieved.front().before.stream, stream);
    live.forget_older();
    EXPECT_FALSE(live.left_over()) << live.left_over()->what;

    const std::string text = test::lines(100);
    test::write_all(pipe.in.get(), text);
    std::string buffer(text.size(), ' ');
    ASSERT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), static_cast<ssize_t>(text.size()));
    test::Captured captured;
    ASSERT_TRUE((*live.ring())->drain(1U << 20U, [&](std::span<const std::byte> raw) { captured.add(raw); }));
    EXPECT_EQ(captured.of(relieved.front().number).whole(), text);
    EXPECT_TRUE(start().taken_over());
    ASSERT_TRUE(kernel::detach_log_tap(options_.bpffs));
  }
}

TEST_F(LogTapTakeover, AHookWithoutItsArrayIsToldAndLeft) {
  EXPECT_FALSE(start().taken_over());
  ASSERT_TRUE(std::filesystem::remove(options_.bpffs + "/flowtap/hooks/at_calls"));
  const auto live = kernel::start_log_tap(options_);
  ASSERT_FALSE(live);
  EXPECT_NE(live.error().what.find("the pinned hook calls of the log tap lacks its array"), std::string::npos)
      << live.error().what;
  EXPECT_EQ(live.error().hint, kernel::kDetachHint);
}

TEST_F(LogTapTakeover, NothingIsPinnedIntoAFolderOfSomebodyElse) {
  const std::string folder = options_.bpffs + "/flowtap";
  const auto is_refused = [&](uid_t owner, mode_t mode) {
    EXPECT_EQ(::mkdir(folder.c_str(), 0700), 0);
    EXPECT_EQ(::chown(folder.c_str(), owner, 0), 0);
    EXPECT_EQ(::chmod(folder.c_str(), mode), 0);
    const auto live = kernel::start_log_tap(options_);
    EXPECT_TRUE(live) << live.error().what;
    EXPECT_EQ(::rmdir(folder.c_str()), live && live->unpinned() ? 0 : -1);
    return live && live->unpinned() &&
           live->unpinned()->what.find("belongs to somebody else") != std::string::npos;
  };
  EXPECT_TRUE(is_refused(65534, 0700));
  EXPECT_TRUE(is_refused(0, 0770));
  EXPECT_TRUE(is_refused(0, 0702));
  EXPECT_FALSE(is_refused(0, 0750));
}

TEST_F(LogTapTakeover, APinThatFailsLeavesNothing) {
  const kernel::LogPins pins(options_.bpffs);
  ASSERT_TRUE(pins.check());
  const Fd map(bpf_map_create(BPF_MAP_TYPE_ARRAY, "test", 4, 8, 1, nullptr));
  ASSERT_TRUE(map.valid());
  EXPECT_FALSE(pins.pin("some", {{"first", map.get()}, {"second", -1}}));
  EXPECT_TRUE(std::filesystem::is_empty(options_.bpffs + "/flowtap"));
  EXPECT_TRUE(pins.pin("some", {{"first", map.get()}}));
  EXPECT_EQ(pins.find("some")->size(), 1U);
}

TEST_F(LogTapTakeover, AFolderIsRemovedAsAWhole) {
  const kernel::LogPins pins(options_.bpffs);
  ASSERT_TRUE(pins.check());
  const Fd map(bpf_map_create(BPF_MAP_TYPE_ARRAY, "test", 4, 8, 1, nullptr));
  ASSERT_TRUE(map.valid());
  std::vector<std::pair<std::string, int>> objects;
  for (int i = 0; i < 50; ++i) objects.emplace_back("map_" + std::to_string(i), map.get());
  int cut_short = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(pins.remove_folder("some"));
    ASSERT_TRUE(pins.pin("some", objects));
    const pid_t child = ::fork();
    if (child == 0) ::_exit(pins.remove_folder("some") ? 0 : 1);
    std::this_thread::sleep_for(std::chrono::microseconds(20 * i));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    cut_short += WIFSIGNALED(status) ? 1 : 0;
    const auto left = pins.find("some");
    ASSERT_TRUE(left);
    EXPECT_TRUE(left->empty() || left->size() == objects.size()) << left->size();
  }
  EXPECT_GT(cut_short, 0);
}

// The first builds left it like this: links in the layout's folder, and no hooks.
TEST_F(LogTapTakeover, LayoutsWithoutHooksGo) {
  const std::string ours = options_.bpffs + "/flowtap/" + kernel::log_abi();
  const std::string other = options_.bpffs + "/flowtap/0123456789abcdef";
  EXPECT_FALSE(start().taken_over());
  std::filesystem::rename(ours, other);
  std::filesystem::remove_all(options_.bpffs + "/flowtap/hooks");
  std::filesystem::create_directories(other + "_part");
  const auto live = start();
  EXPECT_FALSE(live.taken_over());
  EXPECT_FALSE(live.left_over()) << live.left_over()->what;
  EXPECT_FALSE(std::filesystem::exists(other));
  EXPECT_FALSE(std::filesystem::exists(other + "_part"));
  EXPECT_TRUE(std::filesystem::exists(ours));
}

TEST_F(LogTapTakeover, OnlyWithoutABpfFileSystemIsThereNothingToDetach) {
  EXPECT_TRUE(kernel::detach_log_tap(root_)) << "some other file system";
  EXPECT_TRUE(kernel::detach_log_tap(root_ + "/nowhere"));
  EXPECT_FALSE(start().taken_over());
  // A caller that may not see what is pinned, or may not remove it, has not ended the capture.
  for (const mode_t mode : {0700U, 0755U}) {
    ASSERT_EQ(::chmod(root_.c_str(), mode), 0);
    const bool right = test::holds_in_child([this] {
      ASSERT_EQ(::setresuid(65534, 65534, 65534), 0);
      const auto detached = kernel::detach_log_tap(options_.bpffs);
      ASSERT_FALSE(detached);
      EXPECT_EQ(detached.error().code, EACCES) << detached.error().what;
      EXPECT_TRUE(detached.error().hint.starts_with("run flowtapd as root")) << detached.error().hint;
    });
    EXPECT_TRUE(right) << std::oct << mode;
  }
  EXPECT_TRUE(start().taken_over());
}

TEST_F(LogTapTakeover, WithoutABpfFileSystemItRunsAndSaysSo) {
  options_.bpffs = root_;
  const auto live = kernel::start_log_tap(options_);
  ASSERT_TRUE(live) << live.error().what;
  ASSERT_TRUE(live->unpinned());
  EXPECT_NE(live->unpinned()->what.find("no BPF file system is mounted on " + root_), std::string::npos);
  options_.bpffs = root_ + "/bpf";
}

}  // namespace
}  // namespace flowtap
