// Listed processes that write into files, which several may share. Each has what it wrote itself.
#include <bpf/bpf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <set>

#include "bpf/abi/log.h"
#include "tests/node/stream/sources/listed.hpp"
#include "tests/support/net/http_client.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;

TEST_F(Listed, EachRunIntoTheSameFile) {
  start("processes: [/bin/sched]");
  const Fd log = open_log();
  auto loop =
      run({"/bin/sh", "-c",
           lines(0, 300) + "; " + lines(300, 300) + "; " + lines(600, 300) + "; echo done; exec sleep 60"},
          log.get());
  const std::multiset<std::string> wanted{writer_lines(0, 300), writer_lines(300, 300),
                                          writer_lines(600, 300)};
  EXPECT_TRUE(eventually([&] { return texts() == wanted; }));
  EXPECT_EQ(texts(), wanted);
  EXPECT_EQ(root_.read("log"), writer_lines(0, 900) + "done\n");
  EXPECT_TRUE(eventually([this] { return open_flows() == 0; }))
      << "though the file is still the shell's output";
  loop->signal(SIGKILL);
  EXPECT_EQ(loop->wait(), 128 + SIGKILL);
}

TEST_F(Listed, WhatRunsAlreadyAndGoesOnInTheBackground) {
  const Fd log = open_log();
  const std::string go = root_.file("go");
  auto parent = run({root_.file("bin/itself"), "-c",
                     "(echo before; while [ ! -e " + go + " ]; do sleep 0.05; done; echo after; " +
                         lines(0, 300) + ") & wait"},
                    log.get());
  EXPECT_TRUE(eventually([this] { return root_.read("log") == "before\n"; }));
  start("processes: [/bin/itself]");
  EXPECT_TRUE(eventually([this] { return flows("proc").size() == 1; }));
  parent->signal(SIGKILL);
  EXPECT_EQ(parent->wait(), 128 + SIGKILL);
  const Fd file(::open(go.c_str(), O_CREAT | O_CLOEXEC, 0600));
  expect_flow("proc", "after\n" + writer_lines(0, 300));
}

TEST_F(Listed, WhatWentIntoTheBackgroundBeforeAnotherBuildCame) {
  start("processes: [/bin/itself]");
  const Fd log = open_log();
  const std::string go = root_.file("go");
  const std::string script =
      "(echo before; while [ ! -e " + go + " ]; do sleep 0.05; done; echo after; " + lines(0, 300) + ") &";
  EXPECT_EQ(run({root_.file("bin/itself"), "-c", script}, log.get())->wait(), 0);
  expect_flow("proc", "before\n");
  start("processes: [/bin/itself]", paths::flowtapd_next());
  EXPECT_EQ(daemon_->status().at("stream").at("reason").as_string(), "took over from another build");
  const Fd file(::open(go.c_str(), O_CREAT | O_CLOEXEC, 0600));
  expect_flow("proc", "before\nafter\n" + writer_lines(0, 300));
  EXPECT_EQ(flows("proc").size(), 1U);
}

TEST_F(Listed, WhatRunsAlreadyWhereARunHasEnded) {
  start("processes: [/bin/sched]");
  const Fd log = open_log();
  const std::string go = root_.file("go");
  auto running =
      run({root_.file("bin/itself"), "-c", "while [ ! -e " + go + " ]; do sleep 0.05; done; echo after"},
          log.get());
  EXPECT_EQ(run({"/bin/sh", "-c", lines(0, 300)}, log.get())->wait(), 0);
  EXPECT_TRUE(eventually([&] { return texts() == std::multiset{writer_lines(0, 300)}; }));
  list("processes: [/bin/itself]");
  const Fd file(::open(go.c_str(), O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(running->wait(), 0);
  const std::multiset<std::string> wanted{writer_lines(0, 300), "after\n"};
  EXPECT_TRUE(eventually([&] { return texts() == wanted; }));
}

TEST_F(Listed, WhatATapHasIsCapturedWhenTheTapHasEnded) {
  start("processes: [/bin/itself]");
  const Fd log = open_log();
  const std::string go = root_.file("go");
  auto tapped = run({"/bin/sleep", "600"}, log.get());
  EXPECT_TRUE(eventually([&] {
    std::error_code error;
    return fs::read_symlink("/proc/" + std::to_string(tapped->pid()) + "/fd/1", error) == root_.file("log");
  }));
  const auto tap = std::async(std::launch::async, [this, &tapped] {
    return get_unix(daemon_->socket(),
                    "/api/v1/processes/" + std::to_string(tapped->pid()) + "/raw?stream=stdout");
  });
  ASSERT_TRUE(eventually([this] { return daemon_->status().at("stream").at("taps").to_number<int>() == 1; }));
  auto listed = run({root_.file("bin/itself"), "-c",
                     "echo during; while [ ! -e " + go + " ]; do sleep 0.05; done; echo after"},
                    log.get());
  EXPECT_TRUE(eventually([this] { return root_.read("log") == "during\n"; }));
  const std::string own = "proc/" + std::to_string(listed->pid()) + "-";
  const auto is_captured = [&] {
    return std::ranges::any_of(flows("proc"), [&own](const FlowSeen& f) { return f.id.starts_with(own); });
  };
  EXPECT_FALSE(is_captured()) << "the place is the tap's";
  tapped->signal(SIGKILL);
  EXPECT_EQ(tapped->wait(), 128 + SIGKILL);
  ASSERT_TRUE(eventually(is_captured));
  const Fd file(::open(go.c_str(), O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(listed->wait(), 0);
  expect_flow("proc", "after\n", own);
}

// procfs has such files: programs at functions do not see them.
TEST_F(Listed, AFileThatTheBackendMayNotSee) {
  const std::string go = root_.file("go");
  const auto script = [this](const std::string& what) {
    return "exec " + root_.file("bin/itself") + " -c '" + what + "' >/proc/self/comm 2>&1";
  };
  const Fd nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  auto running = run({"/bin/sh", "-c", script("while [ ! -e " + go + " ]; do sleep 0.05; done; echo after")},
                     nothing.get());
  EXPECT_TRUE(becomes(*running, root_.file("bin/itself")));
  start("backend: auto, processes: [/bin/itself]");
  const bool seen = daemon_->status().at("stream").at("backend").as_string() == "sys_exit";
  EXPECT_TRUE(eventually([this] { return flows("proc").size() == 1; }));
  const Fd file(::open(go.c_str(), O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(running->wait(), 0);
  EXPECT_EQ(run({"/bin/sh", "-c", script("echo later")}, nothing.get())->wait(), 0);
  const std::multiset<std::string> wanted =
      seen ? std::multiset<std::string>{"after\n", "later\n"} : std::multiset<std::string>{"", ""};
  EXPECT_TRUE(eventually([&] { return texts() == wanted; }));
  for (const FlowSeen& flow : flows("proc"))
    EXPECT_EQ(flow.capture,
              (std::map<std::string, std::string>{{"both", seen ? "file" : "uncaptured_file"}}));
}

// The members in the log tap that is pinned below `pins`.
class Members {
 public:
  explicit Members(const std::string& pins) {
    for (const auto& entry : fs::recursive_directory_iterator(pins))
      if (entry.path().filename() == "members") map_ = Fd(::bpf_obj_get(entry.path().c_str()));
  }
  [[nodiscard]] std::optional<ftap_member> of(pid_t pid) const {
    ftap_member member{};
    if (::bpf_map_lookup_elem(map_.get(), &pid, &member) != 0) return std::nullopt;
    return member;
  }
  [[nodiscard]] bool set(pid_t pid, const ftap_member& member) const {
    return ::bpf_map_update_elem(map_.get(), &pid, &member, BPF_ANY) == 0;
  }

 private:
  Fd map_;
};

TEST_F(Listed, ARunWhoseEndWasMissedLeavesItsPlace) {
  start("processes: [/bin/itself]");
  const Members members(root_.file("bpffs"));
  const Fd log = open_log();
  const std::string go = root_.file("go");
  const std::string self = root_.file("bin/itself");
  auto first = run({self, "-c", "echo one; while [ ! -e " + go + " ]; do sleep 0.05; done"}, log.get());
  EXPECT_TRUE(eventually([&] { return texts() == std::multiset<std::string>{"one\n"}; }));
  const auto member = members.of(first->pid());
  ASSERT_TRUE(member);
  // The programs seem not to have seen these end: one process is gone, and another one has the pid of the second by now.
  auto gone = run({"/bin/true"}, log.get());
  EXPECT_EQ(gone->wait(), 0);
  ASSERT_TRUE(members.set(gone->pid(), *member));
  ASSERT_TRUE(members.set(::getpid(), *member));
  // The file is this one's output as well, so that it is not nobody's.
  const auto other = run({"/bin/sleep", "600"}, log.get());
  const Fd file(::open(go.c_str(), O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(first->wait(), 0) << first->last_words();
  EXPECT_TRUE(eventually([&] { return !members.of(gone->pid()) && !members.of(::getpid()); }));

  auto second = run({self, "-c", "echo two"}, log.get());
  EXPECT_EQ(second->wait(), 0) << second->last_words();
  const std::multiset<std::string> wanted{"one\n", "two\n"};
  EXPECT_TRUE(eventually([&] { return texts() == wanted; }));
  EXPECT_EQ(texts(), wanted);
}

}  // namespace
}  // namespace flowtap::test
