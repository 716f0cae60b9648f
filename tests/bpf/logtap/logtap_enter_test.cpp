// Containers register themselves: the first program in a mount namespace and cgroup of its own is found at its exec,
// and what it writes is captured from the first byte. What only looks like a container is not captured.
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "base/result.hpp"
#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/support/containers/cgroup.hpp"

namespace flowtap {
namespace {

using Arguments = std::vector<const char*>;

class LogTapEnter : public ::testing::TestWithParam<kernel::LogBackend> {
 protected:
  void SetUp() override {
    FLOWTAP_SKIP_IF_REFUSED(GetParam());
    tap_.emplace(64U << 20U, GetParam());
  }

  struct Outputs {
    std::string out;
    std::string err;
    pid_t pid = 0;
  };

  // Runs a program with a pipe for each output, and reads both to their ends.
  Outputs run(Arguments arguments, const test::ScratchCgroup* cgroup, int namespaces) {
    arguments.push_back(nullptr);
    test::Pipe out;
    test::Pipe err;
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (cgroup != nullptr) cgroup->join();
      if (namespaces != 0 && ::unshare(namespaces) != 0) ::_exit(126);
      ::dup2(out.in.get(), STDOUT_FILENO);
      ::dup2(err.in.get(), STDERR_FILENO);
      ::execvp(arguments[0], const_cast<char**>(arguments.data()));
      ::_exit(127);
    }
    out.in.reset();
    err.in.reset();
    Outputs outputs{test::read_all(out.out.get(), 8192), test::read_all(err.out.get(), 8192), pid};
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
    return outputs;
  }

  // The entries of this test's own processes: the machine may have others.
  std::vector<flow::Enter> enters_of(std::uint64_t cgroup) {
    std::vector<flow::Enter> found = tap_->captured().enters();
    std::erase_if(found, [cgroup](const flow::Enter& enter) { return enter.cgroup != cgroup; });
    return found;
  }

  std::size_t streams_of(std::uint64_t cgroup) {
    const auto slots = tap_->streams().sweep();
    return static_cast<std::size_t>(std::ranges::count_if(
        slots, [cgroup](const kernel::LogStream& slot) { return slot.target.cgroup == cgroup; }));
  }

  std::optional<test::RunningTap> tap_;
};

constexpr const char* kScript = "echo first; echo wrong >&2; sh -c 'echo from a child'; cat /proc/self/maps";

TEST_P(LogTapEnter, FromTheFirstByte) {
  std::optional<test::ScratchCgroup> cgroup(std::in_place);
  const std::uint64_t id = cgroup->id();
  const Outputs outputs = run({"sh", "-c", kScript}, &*cgroup, CLONE_NEWNS);
  const auto enters = enters_of(id);
  ASSERT_EQ(enters.size(), 1U) << "one entry, in spite of its children's execs";
  EXPECT_EQ(enters[0].comm, "sh");
  EXPECT_EQ(enters[0].pid, static_cast<std::uint32_t>(outputs.pid));
  EXPECT_NE(enters[0].start_time, 0U);
  EXPECT_FALSE(enters[0].nested);
  EXPECT_TRUE(enters[0].cgroup_name.starts_with("flowtap-test-")) << enters[0].cgroup_name;
  const auto& captured = tap_->captured();
  for (int i = 0; i < 2; ++i) {
    const auto& output = enters[0].outputs.at(static_cast<std::size_t>(i));
    EXPECT_EQ(output.kind, FTAP_KIND_PIPE);
    const auto& got = captured.of(output.stream);
    EXPECT_TRUE(got.whole() == (i == 0 ? outputs.out : outputs.err)) << got.whole();
    EXPECT_EQ(got.ends.size(), 1U);
    const auto slot = tap_->slot(output.stream);
    EXPECT_EQ(slot.target.fds, i == 0 ? FTAP_STDOUT : FTAP_STDERR);
    EXPECT_EQ(slot.target.cgroup, id);
    EXPECT_EQ(slot.state, FTAP_STREAM_ENDED);
  }
  EXPECT_NE(enters[0].outputs[0].stream, enters[0].outputs[1].stream);

  cgroup.reset();
  EXPECT_EQ(std::ranges::count(tap_->captured().gone(), id), 1);
}

TEST_P(LogTapEnter, BothOutputsInOnePipeAreOneStream) {
  const test::ScratchCgroup cgroup;
  test::Pipe pipe;
  const pid_t pid = ::fork();
  if (pid == 0) {
    cgroup.join();
    if (::unshare(CLONE_NEWNS) != 0) ::_exit(126);
    ::dup2(pipe.in.get(), STDOUT_FILENO);
    ::dup2(pipe.in.get(), STDERR_FILENO);
    ::execlp("sh", "sh", "-c", "echo out; echo err >&2", nullptr);
    ::_exit(127);
  }
  pipe.in.reset();
  const std::string read = test::read_all(pipe.out.get(), 8192);
  ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
  const auto enters = enters_of(cgroup.id());
  ASSERT_EQ(enters.size(), 1U);
  EXPECT_EQ(enters[0].outputs[0], enters[0].outputs[1]);
  EXPECT_EQ(tap_->slot(enters[0].outputs[0].stream).target.fds, FTAP_STDOUT | FTAP_STDERR);
  EXPECT_EQ(tap_->captured().of(enters[0].outputs[0].stream).whole(), read);
}

TEST_P(LogTapEnter, WhatComesLaterIntoTheSameCgroupIsNoContainer) {
  // This is how `kubectl exec` and exec probes come: another process, other pipes, the same cgroup.
  const test::ScratchCgroup cgroup;
  run({"echo", "entrypoint"}, &cgroup, CLONE_NEWNS);
  run({"echo", "probe"}, &cgroup, CLONE_NEWNS);
  EXPECT_EQ(enters_of(cgroup.id()).size(), 1U);
  EXPECT_EQ(streams_of(cgroup.id()), 2U);
}

// Two cgroups, one below the other.
class Nested {
 public:
  [[nodiscard]] const test::ScratchCgroup& inner() const { return inner_; }
  [[nodiscard]] std::string outer() const { return std::filesystem::path(inner_.path()).parent_path(); }
  [[nodiscard]] std::uint64_t outer_id() const {
    struct stat status{};
    EXPECT_EQ(::stat(outer().c_str(), &status), 0);
    return status.st_ino;
  }

 private:
  test::ScratchCgroup inner_{"flowtap-enter-" + std::to_string(::getpid()) + "/init"};
};

// systemd in a container keeps its processes in cgroups of their own, and so does whoever starts containers there. A
// runtime puts probes and shells into these, too.
TEST_P(LogTapEnter, WhatComesFromOutsideIntoAContainersOwnCgroupIsNoContainer) {
  const Nested nested;
  ASSERT_TRUE(tap_->streams().mark(nested.outer_id()));
  run({"echo", "probe"}, &nested.inner(), CLONE_NEWNS);
  EXPECT_TRUE(enters_of(nested.inner().id()).empty());
  EXPECT_EQ(streams_of(nested.inner().id()), 0U);
}

// A container with `docker run --cgroup-parent` below another container's cgroup, and a process that execs into a
// container with cgroups of its own.
TEST_P(LogTapEnter, WhatIsPutBelowAContainerIsOneUnlessItSharesItsMounts) {
  for (const bool shares : {false, true}) {
    SCOPED_TRACE(shares);
    const Nested nested;
    const test::Pipe marked;
    test::Pipe mounts;
    test::Pipe out;
    const pid_t pid = ::fork();
    if (pid == 0) {
      nested.inner().join();
      struct stat status{};
      if (::unshare(CLONE_NEWNS) != 0 || ::stat("/proc/self/ns/mnt", &status) != 0) ::_exit(126);
      const auto number = static_cast<std::uint32_t>(status.st_ino);
      char go = 0;
      if (::write(mounts.in.get(), &number, sizeof(number)) != sizeof(number) ||
          ::read(marked.out.get(), &go, 1) != 1)
        ::_exit(125);
      ::dup2(out.in.get(), STDOUT_FILENO);
      ::execlp("echo", "echo", "inner", nullptr);
      ::_exit(127);
    }
    out.in.reset();
    std::uint32_t number = 0;
    ASSERT_EQ(::read(mounts.out.get(), &number, sizeof(number)), static_cast<ssize_t>(sizeof(number)));
    ASSERT_TRUE(tap_->streams().mark(nested.outer_id(), shares ? number : number + 1));
    test::write_all(marked.in.get(), "x");
    EXPECT_EQ(test::read_all(out.out.get(), 64), "inner\n");
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_EQ(status, 0);
    const auto enters = enters_of(nested.inner().id());
    ASSERT_EQ(enters.size(), shares ? 0U : 1U);
    for (const flow::Enter& enter : enters) EXPECT_FALSE(enter.nested);
  }
}

TEST_P(LogTapEnter, WhatAContainerStartsInACgroupOfItsOwnIsOne) {
  const Nested nested;
  const std::string script = "echo $$ > " + nested.outer() + "/cgroup.procs; sh -c 'echo $$ > " +
                             nested.inner().path() + "/cgroup.procs; exec unshare -m echo inside'; true";
  ASSERT_TRUE(tap_->streams().mark(nested.outer_id()));
  run({"sh", "-c", script.c_str()}, nullptr, 0);
  const auto enters = enters_of(nested.inner().id());
  ASSERT_EQ(enters.size(), 1U);
  EXPECT_FALSE(enters[0].users_names);
  EXPECT_TRUE(enters[0].nested);
}

// Each container has a devpts of its own, so the next one's terminal has the same number, and its inode may stand at
// the same address: here it is the same one. A container that still exists has handed its terminal on.
TEST_P(LogTapEnter, ATerminalOfAContainerThatIsGoneIsTheNextOnes) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr), 0);
  const Fd master(ends[0]);
  const Fd slave(ends[1]);
  const auto stream_in = [&](const test::ScratchCgroup& cgroup, const test::ScratchCgroup* from = nullptr) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (from != nullptr) {
        from->join();
        const pid_t inner = ::fork();
        int status = 1;
        if (inner != 0) ::_exit(::waitpid(inner, &status, 0) == inner && status == 0 ? 0 : 1);
      }
      cgroup.join();
      if (::unshare(CLONE_NEWNS) != 0) ::_exit(126);
      ::dup2(slave.get(), STDOUT_FILENO);
      ::execlp("echo", "echo", "mine", nullptr);
      ::_exit(127);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
    const auto enters = enters_of(cgroup.id());
    EXPECT_EQ(enters.size(), 1U);
    return enters.empty() ? 0 : enters[0].outputs[0].stream;
  };
  std::optional<test::ScratchCgroup> cgroup(std::in_place, "flowtap-enter-" + std::to_string(::getpid()));
  const flow::StreamNo gone = stream_in(*cgroup);
  cgroup.reset();
  const test::ScratchCgroup next;
  const flow::StreamNo fresh = stream_in(next);
  EXPECT_NE(fresh, gone);
  EXPECT_EQ(tap_->captured().of(gone).whole(), "mine\n");
  EXPECT_EQ(tap_->captured().of(gone).ends.size(), 1U);
  EXPECT_EQ(tap_->captured().of(fresh).whole(), "mine\n");
  const test::ScratchCgroup heir(std::filesystem::path(next.path()).filename().string() + "/heir");
  EXPECT_EQ(stream_in(heir, &next), fresh);
  EXPECT_EQ(tap_->captured().of(fresh).whole(), "mine\nmine\n");
}

// Whoever owns a cgroup chooses the names of those below it.
TEST_P(LogTapEnter, WhoMayHaveChosenTheNamesIsTold) {
  const Nested nested;
  ASSERT_EQ(::chown(nested.outer().c_str(), 1000, 1000), 0);
  run({"echo", "somebody's"}, &nested.inner(), CLONE_NEWNS);
  const auto enters = enters_of(nested.inner().id());
  ASSERT_EQ(enters.size(), 1U);
  EXPECT_EQ(enters[0].cgroup_name, "init");
  EXPECT_TRUE(enters[0].users_names);
}

TEST_P(LogTapEnter, WhoIsMarkedIsNotFoundAgain) {
  const test::ScratchCgroup cgroup;
  ASSERT_TRUE(tap_->streams().mark(cgroup.id()));
  run({"echo", "probe"}, &cgroup, CLONE_NEWNS);
  EXPECT_TRUE(enters_of(cgroup.id()).empty());
  EXPECT_EQ(streams_of(cgroup.id()), 0U);
}

// A v1 hierarchy without controllers, because every kernel can mount one more of these, whatever the host uses.
class NamedHierarchy {
 public:
  NamedHierarchy() {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
    const std::string options = "none,name=flowtap-test-" + std::to_string(::getpid());
    EXPECT_EQ(::mount("cgroup", path_.c_str(), "cgroup", 0, options.c_str()), 0) << errno_text(errno);
  }
  ~NamedHierarchy() {
    ::umount(path_.c_str());
    ::rmdir(path_.c_str());
  }
  NamedHierarchy(const NamedHierarchy&) = delete;
  NamedHierarchy& operator=(const NamedHierarchy&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/flowtap-test-XXXXXX";
};

TEST_P(LogTapEnter, ACgroupOfAnotherHierarchyTakesNoMark) {
  const NamedHierarchy hierarchy;
  const std::string cgroup = hierarchy.path() + "/gone";
  ASSERT_EQ(::mkdir(cgroup.c_str(), 0755), 0) << errno_text(errno);
  struct stat st{};
  ASSERT_EQ(::stat(cgroup.c_str(), &st), 0);
  // This marks the number as if a v2 cgroup had it.
  ASSERT_TRUE(tap_->streams().mark(st.st_ino));
  ASSERT_EQ(::rmdir(cgroup.c_str()), 0) << errno_text(errno);
  // Whoever takes a mark away would report it.
  EXPECT_EQ(std::ranges::count(tap_->captured().gone(), st.st_ino), 0);
}

TEST_P(LogTapEnter, WithoutAMountNamespaceOfItsOwnItIsNone) {
  const test::ScratchCgroup cgroup;
  run({"echo", "a unit"}, &cgroup, 0);
  run({"echo", "another pid namespace"}, &cgroup, CLONE_NEWPID);
  EXPECT_TRUE(enters_of(cgroup.id()).empty());
}

TEST_P(LogTapEnter, UnshareOnTheHostIsNone) {
  EXPECT_EQ(run({"unshare", "-pf", "echo", "pid"}, nullptr, 0).out, "pid\n");
  EXPECT_EQ(run({"unshare", "-mpf", "echo", "mount and pid"}, nullptr, 0).out, "mount and pid\n");
  EXPECT_EQ(run({"unshare", "-m", "echo", "mount"}, nullptr, 0).out, "mount\n");
  EXPECT_TRUE(tap_->streams().sweep().empty());
}

TEST_P(LogTapEnter, AnInheritedPipeStaysOneStream) {
  // A container in a container, with the outer one's stdout: the inner one's entry names the outer one's stream.
  const test::ScratchCgroup cgroup;
  test::Pipe pipe;
  const flow::StreamNo outer = tap_->tap(pipe.out.get());
  const pid_t pid = ::fork();
  if (pid == 0) {
    cgroup.join();
    if (::unshare(CLONE_NEWNS) != 0) ::_exit(126);
    ::dup2(pipe.in.get(), STDOUT_FILENO);
    ::execlp("echo", "echo", "inner", nullptr);
    ::_exit(127);
  }
  test::write_all(pipe.in.get(), "outer\n");
  ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
  pipe.in.reset();
  const std::string read = test::read_all(pipe.out.get(), 8192);
  const auto enters = enters_of(cgroup.id());
  ASSERT_EQ(enters.size(), 1U);
  EXPECT_EQ(enters[0].outputs[0].stream, outer);
  EXPECT_EQ(tap_->captured().of(outer).whole(), read);
  EXPECT_EQ(read.size(), 12U);
}

// It closes its outputs, reads its own pipe to the end, and goes on writing: from its cgroup, or from one below.
TEST_P(LogTapEnter, AContainerDoesNotEndItsOwnLog) {
  for (const std::string below : {"", "/below", "/below/deep"}) {
    SCOPED_TRACE(below);
    const test::ScratchCgroup cgroup;
    const test::ScratchCgroup reader(cgroup.path().substr(cgroup.path().rfind('/') + 1) + below);
    const std::string script = "exec 3</proc/self/fd/1 1>&- 2>&-; sh -c 'echo $$ >" + reader.path() +
                               "/cgroup.procs; exec cat' <&3 >/dev/null; "
                               "exec 1>/proc/self/fd/3 3<&-; echo later";
    test::Pipe pipe;
    const pid_t pid = ::fork();
    if (pid == 0) {
      cgroup.join();
      if (::unshare(CLONE_NEWNS) != 0) ::_exit(126);
      ::dup2(pipe.in.get(), STDOUT_FILENO);
      ::execlp("sh", "sh", "-c", script.c_str(), nullptr);
      ::_exit(127);
    }
    pipe.in.reset();
    // This is what a late runtime does: nothing is read before.
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(test::read_all(pipe.out.get(), 8192), "later\n");
    const auto enters = enters_of(cgroup.id());
    ASSERT_EQ(enters.size(), 1U);
    const auto& got = tap_->captured().of(enters[0].outputs[0].stream);
    EXPECT_EQ(got.whole(), "later\n");
    EXPECT_EQ(got.ends.size(), 1U) << "which its reader outside saw";
  }
}

FLOWTAP_EACH_BACKEND(LogTapEnter);

}  // namespace
}  // namespace flowtap
