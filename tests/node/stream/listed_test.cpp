// Units of systemd and processes by configuration. A unit is a cgroup with its name below a slice, and a process that comes
// into it from outside with a connected socket as its outputs, as systemd and journald wire it.
#include <bpf/bpf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <thread>

#include "base/fd.hpp"
#include "bpf/abi/log.h"
#include "tests/support/cgroup.hpp"
#include "tests/support/flows.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/silent_server.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;

// As journald has it: a connected stream socket, read at its other end.
class Journal {
 public:
  Journal() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::runtime_error("no socket");
    unit_ = Fd(ends[0]);
    own_ = Fd(ends[1]);
    reader_ = std::thread([this] {
      std::array<char, 65536> chunk{};
      for (ssize_t n = 0; (n = ::read(own_.get(), chunk.data(), chunk.size())) > 0;)
        text_.append(chunk.data(), static_cast<std::size_t>(n));
    });
  }
  ~Journal() { (void)end(); }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  [[nodiscard]] int unit() const { return unit_.get(); }
  // All that was written, once nobody can write any more.
  std::string end() {
    unit_.reset();
    if (reader_.joinable()) reader_.join();
    return text_;
  }

 private:
  Fd unit_;
  Fd own_;
  std::string text_;
  std::thread reader_;
};

class Listed : public testing::Test {
 protected:
  Listed() {
    fs::create_directory(root_.file("bin"));
    fs::copy_file(FLOWTAP_LOG_WRITER, root_.file("bin/sched"));
    fs::copy_file("/bin/bash", root_.file("bin/itself"));
  }

  Daemon& start(const std::string& sources, const std::string& program = {}) {
    daemon_.reset();
    daemon_ = std::make_unique<Daemon>(root_,
                                       DaemonOptions{.stream = true, .sources = sources, .program = program});
    return daemon_->wait_ready();
  }
  Daemon& start_with_unit() { return start("units: [" + unit_ + "]"); }

  std::unique_ptr<Process> run(std::vector<std::string> argv, int out, const ScratchCgroup* cgroup = nullptr,
                               int namespaces = 0) {
    return std::make_unique<Process>(Command{.argv = std::move(argv),
                                             .out = "/dev/null",
                                             .err = "/dev/null",
                                             .before_exec = [out, cgroup, namespaces] {
                                               if (cgroup != nullptr) cgroup->join();
                                               if (namespaces != 0 && ::unshare(namespaces) != 0)
                                                 ::_exit(126);
                                               if (::dup2(out, 1) < 0 || ::dup2(out, 2) < 0) ::_exit(124);
                                             }});
  }
  // A unit's life: returns what journald has of it.
  std::string live(const std::string& script, const ScratchCgroup& cgroup, int namespaces = 0) {
    Journal journal;
    EXPECT_EQ(run({"/bin/sh", "-c", script}, journal.unit(), &cgroup, namespaces)->wait(), 0);
    return journal.end();
  }
  [[nodiscard]] std::string lines(int first, int count, const std::string& how = "write") const {
    return root_.file("bin/sched") + " " + how + " " + std::to_string(first) + " " + std::to_string(count);
  }

  [[nodiscard]] std::vector<FlowSeen> flows(const std::string& kind) const {
    return flows_of(*daemon_, "?kind=" + kind);
  }
  // The machine may have containers of others.
  [[nodiscard]] std::size_t listed() const { return flows("unit").size() + flows("proc").size(); }
  // One flow of this kind, once it has all these bytes.
  void expect_flow(const std::string& kind, const std::string& text, const std::string& id = {}) {
    const auto find = [&]() -> std::optional<FlowSeen> {
      for (const FlowSeen& flow : flows(kind))
        if (flow.id.find(id) != std::string::npos) return flow;
      return std::nullopt;
    };
    EXPECT_TRUE(eventually([&] {
      const auto flow = find();
      return flow && flow->bytes >= text.size();
    }));
    const auto flow = find();
    ASSERT_TRUE(flow) << daemon_->err();
    EXPECT_EQ(difference(raw_bytes(*daemon_, flow->id), text), "");
    EXPECT_EQ(flow->missing, 0U);
  }
  // As `>> log` opens it.
  [[nodiscard]] Fd open_log() const {
    return Fd(::open(root_.file("log").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
  }
  // What each listed process has written.
  [[nodiscard]] std::multiset<std::string> texts() const {
    std::multiset<std::string> all;
    for (const FlowSeen& flow : flows("proc")) all.insert(raw_bytes(*daemon_, flow.id));
    return all;
  }
  [[nodiscard]] std::size_t open_flows() const {
    return static_cast<std::size_t>(std::ranges::count_if(flows("proc"), &FlowSeen::open));
  }
  void list(const std::string& sources) {
    root_.write("flowtap.yaml", "stream: {bpffs: " + root_.file("bpffs") + ", " + sources + "}\n");
    daemon_->signal(SIGHUP);
    EXPECT_TRUE(
        eventually([this] { return daemon_->err().find("configuration reloaded") != std::string::npos; }));
  }
  // Long enough for what would be captured by mistake.
  void settle() const { (void)daemon_->settled_stats(); }

  ScratchRoot root_;
  std::string slice_ = "ftap" + std::to_string(::getpid()) + ".slice";
  std::string unit_ = "ftap" + std::to_string(::getpid()) + ".service";
  std::unique_ptr<Daemon> daemon_;
};

TEST_F(Listed, AUnitFromItsFirstByteOverRestarts) {
  start_with_unit();
  EXPECT_TRUE(eventually([this] {
    return daemon_->status().at("stream").at("sources").at("not_found").as_array().size() == 1;
  }));
  std::optional<ScratchCgroup> cgroup(slice_ + "/" + unit_);
  std::string written =
      live("echo first; echo wrong >&2; " + lines(0, 5000) + "; " + lines(5000, 1000, "writev"), *cgroup);
  EXPECT_EQ(written, "first\nwrong\n" + writer_lines(0, 6000));
  expect_flow("unit", written);
  EXPECT_EQ(flows("unit").front().id, "unit/" + unit_);
  EXPECT_EQ(flows("unit").front().text.at("runtime"), "systemd");
  for (int i = 0; i < 3; ++i) {
    written += live("echo again " + std::to_string(i), *cgroup);
    expect_flow("unit", written);
  }
  EXPECT_EQ(flows("unit").size(), 1U);
  cgroup.reset();
  EXPECT_TRUE(eventually([this] { return !flows("unit").front().open; }));
  // A unit with mounts of its own (PrivateTmp=) looks like a container, but is none.
  const ScratchCgroup again(slice_ + "/" + unit_);
  written += live("echo with mounts of its own", again, CLONE_NEWNS);
  expect_flow("unit", written);
  EXPECT_EQ(listed(), 1U);
}

TEST_F(Listed, WhatTheUnitsProcessesPassOnIsTakenOnce) {
  start_with_unit();
  const ScratchCgroup cgroup(slice_ + "/" + unit_);
  const std::string file = root_.file("copy");
  const std::string written = live(lines(0, 20'000) + " | tee " + file + "; true", cgroup);
  EXPECT_EQ(written, writer_lines(0, 20'000));
  EXPECT_EQ(root_.read("copy"), written);
  expect_flow("unit", written);
  settle();
  EXPECT_EQ(listed(), 1U);
}

TEST_F(Listed, AUnitThatRunsAlready) {
  const ScratchCgroup cgroup(slice_ + "/" + unit_);
  Journal journal;
  const std::string go = root_.file("go");
  auto unit =
      run({"/bin/sh", "-c", "echo before; while [ ! -e " + go + " ]; do sleep 0.05; done; " + lines(0, 3000)},
          journal.unit(), &cgroup);
  // The program at its end is the one that was named.
  EXPECT_TRUE(eventually([&unit] {
    std::error_code error;
    return fs::read_symlink("/proc/" + std::to_string(unit->pid()) + "/exe", error).filename() !=
           "node_listed_test";
  }));
  start_with_unit();
  const Fd file(::open(go.c_str(), O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(unit->wait(), 0);
  expect_flow("unit", writer_lines(0, 3000));
  EXPECT_EQ(journal.end(), "before\n" + writer_lines(0, 3000));
}

TEST_F(Listed, WhoIsOnlyNamedLikeTheUnitIsNot) {
  start_with_unit();
  // Below what is no slice, and not below anything; with mounts of their own as containers have, and without.
  for (const std::string& place :
       {"ftap-container-" + unit_ + "/" + slice_ + "/" + unit_, unit_, slice_ + "/ftap.scope/" + unit_,
        slice_ + "/x.service/" + slice_ + "/" + unit_}) {
    const ScratchCgroup cgroup(place);
    EXPECT_EQ(live("echo not the unit", cgroup), "not the unit\n");
    EXPECT_EQ(live("echo not the unit", cgroup, CLONE_NEWNS), "not the unit\n");
  }
  settle();
  EXPECT_TRUE(flows("unit").empty());
  const ScratchCgroup cgroup(slice_ + "/" + unit_);
  expect_flow("unit", live("echo the unit", cgroup));
}

TEST_F(Listed, ProcessesThatWriteIntoAPipe) {
  start("processes: [/bin/sched]");
  const std::string file = root_.file("copy");
  const ScratchCgroup nowhere(slice_);
  EXPECT_EQ(live(lines(0, 20'000) + " | tee " + file, nowhere), writer_lines(0, 20'000));
  // Its standard error is where tee writes: that is not its own.
  expect_flow("proc", writer_lines(0, 20'000));
  EXPECT_EQ(listed(), 1U) << "tee is not listed";
  // And into a file.
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
  EXPECT_TRUE(eventually([&] {
    std::error_code error;
    return fs::read_symlink("/proc/" + std::to_string(running->pid()) + "/exe", error).filename() == "itself";
  }));
  start("processes: [/bin/itself]");
  const Fd file(::open(go.c_str(), O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(running->wait(), 0);
  expect_flow("proc", "after\n");

  fs::copy_file("/bin/bash", root_.file("bin/new"));
  fs::rename(root_.file("bin/new"), self);
  EXPECT_TRUE(eventually([&] {
    const Journal other;
    (void)run({self, "-c", "echo upgraded; sleep 0.1"}, other.unit())->wait();
    return flows("proc").size() > 1;
  }));
  EXPECT_TRUE(eventually([&] { return raw_bytes(*daemon_, flows("proc").back().id) == "upgraded\n"; }));
}

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

TEST_F(Listed, AUnitStartedAgainIntoTheSameFile) {
  start_with_unit();
  const Fd log = open_log();
  std::string written;
  for (int i = 0; i < 5; ++i) {
    const ScratchCgroup cgroup(slice_ + "/" + unit_);
    EXPECT_EQ(run({"/bin/sh", "-c", lines(i * 300, 300)}, log.get(), &cgroup)->wait(), 0);
    written += writer_lines(i * 300, 300);
  }
  EXPECT_EQ(root_.read("log"), written);
  expect_flow("unit", written);
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
  start("processes: [/bin/itself]", FLOWTAPD_NEXT_PATH);
  EXPECT_EQ(daemon_->status().at("stream").at("reason").as_string(), "relieved another build's");
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

// procfs is one that programs at functions do not see.
TEST_F(Listed, AFileThatTheBackendMayNotSee) {
  const std::string go = root_.file("go");
  const auto script = [this](const std::string& what) {
    return "exec " + root_.file("bin/itself") + " -c '" + what + "' >/proc/self/comm 2>&1";
  };
  const Fd nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  auto running = run({"/bin/sh", "-c", script("while [ ! -e " + go + " ]; do sleep 0.05; done; echo after")},
                     nothing.get());
  EXPECT_TRUE(eventually([&running] {
    std::error_code error;
    return fs::read_symlink("/proc/" + std::to_string(running->pid()) + "/exe", error).filename() == "itself";
  }));
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

// All that runs is looked at when flowtapd starts, and listed executables again and again.
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

// Of the log tap that is pinned below `pins`.
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
  // As if the programs had not seen these end: one that is gone, and one whose pid another has by now.
  auto gone = run({"/bin/true"}, log.get());
  EXPECT_EQ(gone->wait(), 0);
  ASSERT_TRUE(members.set(gone->pid(), *member));
  ASSERT_TRUE(members.set(::getpid(), *member));
  // Whose output it is beside, so that the file is not nobody's.
  const auto other = run({"/bin/sleep", "600"}, log.get());
  const Fd file(::open(go.c_str(), O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(first->wait(), 0);
  EXPECT_TRUE(eventually([&] { return !members.of(gone->pid()) && !members.of(::getpid()); }));

  auto second = run({self, "-c", "echo two"}, log.get());
  EXPECT_EQ(second->wait(), 0);
  const std::multiset<std::string> wanted{"one\n", "two\n"};
  EXPECT_TRUE(eventually([&] { return texts() == wanted; }));
  EXPECT_EQ(texts(), wanted);
}

TEST_F(Listed, ListsThatChange) {
  start("processes: [/bin/sched]");
  list("units: [" + unit_ + "]");
  const ScratchCgroup cgroup(slice_ + "/" + unit_);
  const std::string written = live(lines(0, 100), cgroup);
  expect_flow("unit", written);
  settle();
  EXPECT_EQ(listed(), 1U);
}

}  // namespace
}  // namespace flowtap::test
