// If something is missing or refused, flowtapd says so in one sentence with a hint, and the rest runs.
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <sstream>
#include <tuple>

#include "tests/node/daemon/surroundings.hpp"
#include "tests/support/daemon/daemon.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/net/http_client.hpp"
#include "tests/support/net/sockets.hpp"

namespace flowtap::test {
namespace {

double component_up(const SeriesMap& series, const std::string& name) {
  return series.at(series_key("flowtap_component_up", {{"component", name}}));
}

// The lines of the log that have `part` behind their time and level.
std::vector<std::string> lines_with(const std::string& log, const std::string& part) {
  std::vector<std::string> all;
  std::istringstream in(log);
  for (std::string line; std::getline(in, line);)
    if (line.find(" error: " + part) != std::string::npos) all.push_back(line);
  return all;
}

// The log, the status and the metric say it in the same words.
void expect_down(const Daemon& daemon, const std::string& name, const std::vector<const char*>& says,
                 const char* hint) {
  const auto component = daemon.component(name);
  ASSERT_TRUE(component);
  EXPECT_FALSE(component->up);
  for (const char* part : says)
    EXPECT_NE(component->detail.find(part), std::string::npos) << component->detail;
  EXPECT_NE(component->hint.find(hint), std::string::npos) << component->hint;
  EXPECT_EQ(component->detail.find('\n'), std::string::npos) << "more than one sentence";
  EXPECT_EQ(component_up(daemon.stats().series, name), 0);

  const std::string log = daemon.err();
  EXPECT_EQ(lines_with(log, name + " is not running: " + component->detail).size(), 1U) << log;
  EXPECT_EQ(lines_with(log, "hint: " + component->hint).size(), 1U) << log;
  EXPECT_EQ(lines_with(log, "").size(), 2U) << "nothing else is wrong\n" << log;
}

void expect_up(const Daemon& daemon, const std::string& name) {
  const auto component = daemon.component(name);
  ASSERT_TRUE(component) << name;
  EXPECT_TRUE(component->up) << name << ": " << component->detail;
  EXPECT_EQ(component_up(daemon.stats().series, name), 1);
}

// Everything but counting.
void expect_the_rest_runs(const Daemon& daemon) {
  expect_up(daemon, "api");
  expect_up(daemon, "prometheus");
  EXPECT_EQ(component_up(daemon.scrape().all, "count"), 0);
  EXPECT_GT(daemon.scrape().all.at("process_threads"), 0);
}

TEST(Faults, APortInUse) {
  const ScratchRoot root;
  const Fd other = stats::test::bind_inet(SOCK_STREAM, 0);
  ASSERT_TRUE(other.valid() && ::listen(other.get(), 1) == 0);
  const auto port = static_cast<std::uint16_t>(stats::test::port_of(other));
  Daemon daemon(root, {.prometheus = port});
  daemon.wait_ready();
  const std::string where = "127.0.0.1:" + std::to_string(port);
  expect_down(daemon, "prometheus", {where.c_str(), "Address already in use"}, "another process has port");
  expect_up(daemon, "count");
  EXPECT_GT(sum_of(daemon.settled_stats().series, "dispatched_tasks_total"), 0);
}

TEST(Faults, NoCapabilities) {
  const ScratchRoot root;
  Daemon daemon(root, {.before_exec = without_capabilities({CAP_SYS_ADMIN, CAP_BPF, CAP_PERFMON})});
  daemon.wait_ready();
  expect_down(daemon, "count", {"CAP_BPF and CAP_PERFMON"}, "as root, or with CAP_BPF and CAP_PERFMON");
  expect_the_rest_runs(daemon);
}

TEST(Faults, TheCapabilityThatIsMissingIsNamed) {
  const ScratchRoot root;
  Daemon daemon(root, {.before_exec = without_capabilities({CAP_SYS_ADMIN, CAP_PERFMON})});
  daemon.wait_ready();
  expect_down(daemon, "count", {"needs CAP_PERFMON, which"}, "or with CAP_PERFMON;");
  expect_the_rest_runs(daemon);
}

TEST(Faults, NoBtf) {
  const ScratchRoot root;
  Daemon daemon(root, {.before_exec = hiding({"/sys/kernel/btf"})});
  daemon.wait_ready();
  expect_down(daemon, "count", {"no BTF", "/sys/kernel/btf/vmlinux"}, "CONFIG_DEBUG_INFO_BTF=y");
  expect_the_rest_runs(daemon);
}

TEST(Faults, NoTracefsIsNone) {
  const ScratchRoot root;
  Daemon daemon(root, {.before_exec = hiding({"/sys/kernel/tracing", "/sys/kernel/debug"})});
  daemon.wait_ready();
  expect_up(daemon, "count");
  EXPECT_GT(sum_of(daemon.settled_stats().series, "dispatched_tasks_total"), 0);
  EXPECT_EQ(lines_with(daemon.err(), "").size(), 0U) << daemon.err();
}

TEST(Faults, AKernelThatRefusesBpf) {
  const ScratchRoot root;
  Daemon daemon(root, {.before_exec = refusing_bpf(EPERM)});
  daemon.wait_ready();
  expect_down(daemon, "count", {"the kernel refused to", "Operation not permitted"}, "CAP_BPF");
  expect_the_rest_runs(daemon);
}

// Nobody should have to report these.
TEST(Faults, WhatIsUsedUp) {
  const ScratchRoot root;
  for (const auto& [error, says, hint] : {std::tuple(ENOMEM, "Cannot allocate memory", "MemoryMax="),
                                          {EMFILE, "Too many open files", "LimitNOFILE="}}) {
    Daemon daemon(root, {.before_exec = refusing_bpf(error, BPF_MAP_CREATE)});
    daemon.wait_ready();
    expect_down(daemon, "count", {says}, hint);
  }
}

// The lowest number that no descriptor of the process has.
rlim_t lowest_free(pid_t pid) {
  rlim_t free = 0;
  while (std::filesystem::exists(
      std::filesystem::symlink_status("/proc/" + std::to_string(pid) + "/fd/" + std::to_string(free))))
    ++free;
  return free;
}

// Clients wait meanwhile, and are answered when there is one again.
TEST(Faults, NoDescriptorIsLeftForClients) {
  const ScratchRoot root;
  Daemon daemon(root);
  daemon.wait_ready();
  rlimit before{};
  ASSERT_EQ(::prlimit(daemon.pid(), RLIMIT_NOFILE, nullptr, &before), 0);
  const rlimit few{.rlim_cur = lowest_free(daemon.pid()), .rlim_max = before.rlim_max};
  ASSERT_EQ(::prlimit(daemon.pid(), RLIMIT_NOFILE, &few, nullptr), 0);
  // Some were only in use for a moment, so the first clients may find a place. They ask nothing, and keep it.
  std::deque<Fd> clients;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  daemon.socket().copy(static_cast<char*>(name.sun_path), sizeof(name.sun_path) - 1);
  const std::string says = "api: no client can be let in: Too many open files";
  EXPECT_TRUE(eventually([&] {
    const Fd& one = clients.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    (void)::connect(one.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name));
    return lines_with(daemon.err(), says).size() == 1;
  })) << daemon.err();
  const Fd last = ask_unix(daemon.socket(), "/readyz");
  EXPECT_EQ(lines_with(daemon.err(), "hint: let it have more open files").size(), 1U) << daemon.err();
  ASSERT_EQ(::prlimit(daemon.pid(), RLIMIT_NOFILE, &before, nullptr), 0);
  clients.clear();
  EXPECT_EQ(read_answer(last).status, 200) << daemon.err();
  EXPECT_TRUE(eventually([&] {
    const auto api = daemon.component("api");
    return api && api->up;
  })) << daemon.err();
  EXPECT_EQ(lines_with(daemon.err(), says).size(), 1U) << "it is told once";
}

TEST(Faults, EachErrnoSaysWhatToDo) {
  const ScratchRoot root;
  struct Row {
    int error;
    unsigned command;
    const char* hint;
  };
  for (const Row& row : {Row{ENFILE, BPF_MAP_CREATE, "fs.file-max"},
                         {ENOSPC, BPF_MAP_CREATE, "bpftool map"},
                         {E2BIG, BPF_MAP_CREATE, "telemetry.max_cgroups"},
                         {ENODEV, BPF_LINK_CREATE, ">= 6.1"},
                         {EBUSY, BPF_LINK_CREATE, "bpftool"}}) {
    Daemon daemon(root, {.before_exec = refusing_bpf(row.error, row.command)});
    daemon.wait_ready();
    expect_down(daemon, "count", {std::strerror(row.error)}, row.hint);
    EXPECT_EQ(daemon.component("count")->hint.find("report"), std::string::npos) << row.hint;
  }
}

TEST(Faults, AMountThatIsRefusedSaysWhatToDo) {
  const ScratchRoot root;
  for (const auto& [error, hint] : {std::pair(EPERM, "CAP_SYS_ADMIN"), {ENOSPC, "fs.mount-max"}}) {
    Daemon daemon(root, {.stream = true, .before_exec = refusing_call(__NR_mount, error)});
    daemon.wait_ready();
    const auto stream = daemon.component("stream");
    ASSERT_TRUE(stream && stream->up) << daemon.err();
    EXPECT_NE(stream->detail.find("is not a tmpfs of its own"), std::string::npos) << stream->detail;
    EXPECT_NE(stream->detail.find(hint), std::string::npos) << stream->detail;
  }
}

// The part that refuses is asked at the start, and its answer is shown when it is needed.
TEST(Faults, AMountThatCannotBePutBackSaysWhatToDo) {
  for (const auto& [error, hint] : {std::pair(EPERM, "CAP_SYS_ADMIN"),
                                    {ENOSPC, "fs.mount-max"},
                                    {EINVAL, "restart flowtapd, which mounts it anew"}}) {
    const ScratchRoot root;
    Daemon daemon(root, {.stream = true, .before_exec = refusing_call(__NR_open_tree, error)});
    daemon.wait_ready();
    ASSERT_EQ(::umount2(root.file("state/flows").c_str(), MNT_DETACH), 0);
    EXPECT_TRUE(eventually([&] {
      const std::string said = daemon.err();
      return said.contains("flowtapd cannot mount it again: cannot hold the mount") &&
             said.contains(std::strerror(error)) && said.contains(hint);
    })) << hint
        << "\n"
        << daemon.err();
    EXPECT_EQ(daemon.err().contains("CAP_SYS_ADMIN"), error == EPERM) << daemon.err();
  }
}

// The standard library throws here.
TEST(Faults, ThreadsThatAreRefused) {
  const ScratchRoot root;
  // The C library calls the one where there is no other.
  const auto no_clone = refusing_call(__NR_clone, EAGAIN);
  const auto no_clone3 = refusing_call(__NR_clone3, EAGAIN);
  Daemon daemon(root, {.before_exec = [&] {
                  no_clone();
                  no_clone3();
                }});
  EXPECT_EQ(daemon.wait(), 1) << daemon.err();
  EXPECT_EQ(lines_with(daemon.err(), "cannot start a thread: Resource temporarily unavailable").size(), 1U)
      << daemon.err();
  EXPECT_NE(daemon.err().find("TasksMax="), std::string::npos) << daemon.err();
}

// inotify has limits of its own, with the errnos of others.
TEST(Faults, WatchesThatAreUsedUp) {
  const ScratchRoot root;
  std::filesystem::create_directory(root.file("log"));
  root.write("log/x.log", "");
  for (const auto& [call, error, hint] :
       {std::tuple(__NR_inotify_init1, EMFILE, "fs.inotify.max_user_instances"),
        {__NR_inotify_add_watch, ENOSPC, "fs.inotify.max_user_watches"}}) {
    Daemon daemon(root, {.stream = true,
                         .sources = "files: [/log/x.log]",
                         .before_exec = refusing_call(static_cast<unsigned>(call), error)});
    daemon.wait_ready();
    EXPECT_TRUE(eventually([&] { return boost::json::serialize(daemon.status()).contains(hint); }))
        << boost::json::serialize(daemon.status());
  }
}

TEST(Faults, AVerifierThatRefusesAProgram) {
  const ScratchRoot root;
  Daemon daemon(root, {.before_exec = refusing_bpf(EINVAL, BPF_PROG_LOAD)});
  daemon.wait_ready();
  expect_down(daemon, "count", {"the kernel refused to load the dispatch programs", "Invalid argument"},
              "report");
  expect_the_rest_runs(daemon);
}

TEST(Faults, AKernelThatRefusesToAttach) {
  const ScratchRoot root;
  Daemon daemon(root, {.before_exec = refusing_bpf(EACCES, BPF_LINK_CREATE)});
  daemon.wait_ready();
  expect_down(daemon, "count", {"the kernel refused to attach", "Permission denied"}, "CAP_BPF");
  expect_the_rest_runs(daemon);
}

TEST(Faults, AKernelThatTakesNoFilter) {
  const ScratchRoot root;
  Daemon daemon(root, {.before_exec = refusing_call(__NR_seccomp, EINVAL)});
  daemon.wait_ready();
  expect_down(daemon, "seccomp", {"does not accept a system call filter", "Invalid argument"},
              "CONFIG_SECCOMP_FILTER");
  for (const char* name : {"api", "count", "prometheus"}) expect_up(daemon, name);
}

// Without a state directory nobody could be told of what else works.
void expect_refused_state_dir(const std::string& directory) {
  SCOPED_TRACE(directory);
  const ScratchRoot root;
  root.write("file", "");
  const std::string state = directory.starts_with('/') ? directory : root.file(directory);
  const Ended ended = run_flowtapd(root, {"--host-root", root.path(), "--state-dir", state});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(lines_with(ended.err, "cannot make the state directory " + state).size(), 1U) << ended.err;
  EXPECT_EQ(lines_with(ended.err, "hint: ").size(), 1U) << ended.err;
}

TEST(Faults, AStateDirectoryThatCannotBeMade) {
  expect_refused_state_dir("file/state");
  expect_refused_state_dir("none/state");
  expect_refused_state_dir("file");
  expect_refused_state_dir("/sys/flowtap");
}

// It counts, so "nothing could be started" would be wrong.
TEST(Faults, NobodyCouldSeeWhatItDoes) {
  const ScratchRoot root;
  std::filesystem::create_directory(root.file("state"));
  root.write("state/api.sock", "precious");
  const std::string config = root.write("quiet.yaml", "stream: {enabled: false}\n");
  const Ended ended =
      run_flowtapd(root, {"--host-root", root.path(), "--state-dir", root.file("state"), "--config", config});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(lines_with(ended.err, "nobody could see what flowtapd does").size(), 1U) << ended.err;
  EXPECT_EQ(lines_with(ended.err, "nothing that flowtapd was asked for").size(), 0U) << ended.err;
  EXPECT_EQ(root.read("state/api.sock"), "precious");
}

TEST(Faults, AHostRootThatIsNone) {
  const ScratchRoot root;
  const Ended ended =
      run_flowtapd(root, {"--host-root", root.file("none"), "--state-dir", root.file("state")});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(lines_with(ended.err, "cannot open " + root.file("none")).size(), 1U) << ended.err;
  EXPECT_EQ(lines_with(ended.err, "hint: ").size(), 1U) << ended.err;
}

TEST(Faults, AnUnknownSocketGroup) {
  const ScratchRoot root;
  Daemon daemon(root, {.config = "api: {socket_group: flowtap-no-such-group}\n"});
  // Nobody can ask over the socket; Prometheus can.
  ASSERT_TRUE(eventually([&daemon] { return get_tcp(daemon.port(), "/metrics").status == 200; }))
      << daemon.err();
  const SeriesMap page = daemon.scrape().all;
  EXPECT_EQ(component_up(page, "api"), 0);
  EXPECT_EQ(component_up(page, "count"), 1);
  EXPECT_EQ(lines_with(daemon.err(), "api is not running: ").size(), 1U) << daemon.err();
}

}  // namespace
}  // namespace flowtap::test
