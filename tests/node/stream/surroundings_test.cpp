// The log tap says what it cannot work with around it.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "tests/node/stream/captured.hpp"
#include "tests/support/may_miss.hpp"

namespace flowtap::test {
namespace {

// The backend that the status names; empty: nothing is captured.
std::string backend_of(const Daemon& daemon) {
  const auto status = daemon.status();
  const auto* const stream = status.if_contains("stream");
  if (stream == nullptr || !stream->is_object()) return {};
  return std::string(stream->at("backend").as_string());
}

// A service that is to use this backend, or with "auto" the one that it chooses.
class WithBackend {
 public:
  explicit WithBackend(const std::string& backend)
      : daemon_(root_, {.flags = {"--tap-backend", backend}, .stream = true}) {
    daemon_.wait_ready();
    const auto component = daemon_.component("stream");
    if (!component) throw std::runtime_error("there is no component stream");
    stream_ = *component;
  }
  [[nodiscard]] const Daemon& daemon() const { return daemon_; }
  [[nodiscard]] const Component& stream() const { return stream_; }
  [[nodiscard]] std::string reason() const {
    return std::string(daemon_.status().at("stream").at("reason").as_string());
  }

 private:
  ScratchRoot root_;
  Daemon daemon_;
  Component stream_;
};

void expect_in_use(const WithBackend& service, const std::string& backend) {
  EXPECT_TRUE(service.stream().up) << service.stream().detail;
  EXPECT_EQ(backend_of(service.daemon()), backend);
  EXPECT_TRUE(service.stream().detail.starts_with("every container's output, through " + backend))
      << service.stream().detail;
}

bool is_pinned(const Daemon& daemon) {
  return daemon.status().at("stream").at("pinned").as_bool();
}

TEST(StreamSurroundings, PinsOfAMountNamespaceOfItsOwnGoWithIt) {
  const ScratchRoot root;
  DaemonOptions options = kCapturing;
  options.before_exec = [] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      ::_exit(126);
  };
  Daemon daemon(root, options);
  daemon.wait_ready();
  EXPECT_FALSE(is_pinned(daemon));
  const auto component = daemon.component("stream");
  ASSERT_TRUE(component);
  EXPECT_NE(component->detail.find("ends with the mount namespace"), std::string::npos) << component->detail;
  EXPECT_NE(daemon.err().find("ends with the mount namespace"), std::string::npos) << daemon.err();
}

// As in a shell that was given a mount namespace: it is still there when flowtapd is started again.
TEST(StreamSurroundings, PinsOfAMountNamespaceThatOthersShareStayAsLongAsThese) {
  const ScratchRoot root;
  DaemonOptions options = kCapturing;
  options.before_exec = [] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      ::_exit(126);
    // Somebody who is not flowtapd's child, and ends with it.
    const pid_t flowtapd = ::getpid();
    const pid_t between = ::fork();
    if (between != 0) {
      ::waitpid(between, nullptr, 0);
      return;
    }
    if (::fork() != 0) ::_exit(0);
    ::_exit(eventually([flowtapd] { return ::kill(flowtapd, 0) != 0; }) ? 0 : 1);
  };
  Daemon daemon(root, options);
  daemon.wait_ready();
  EXPECT_TRUE(is_pinned(daemon));
  EXPECT_TRUE(daemon.status().at("stream").at("pinned_in_namespace").as_bool());
  EXPECT_NE(daemon.err().find("ends with the mount namespace"), std::string::npos) << daemon.err();
}

TEST(StreamSurroundings, PinsOnTheNodeStay) {
  const ScratchRoot root;
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  EXPECT_TRUE(is_pinned(daemon));
  EXPECT_FALSE(daemon.status().at("stream").at("pinned_in_namespace").as_bool());
  EXPECT_EQ(daemon.err().find("mount namespace"), std::string::npos) << daemon.err();
}

TEST(StreamSurroundings, ABackendThatIsForcedIsTheOneInUse) {
  const WithBackend calls("sys_exit");
  expect_in_use(calls, "sys_exit");
  EXPECT_EQ(calls.reason(), "as configured");
  const WithBackend functions("fexit");
  if (!functions.stream().up) return;  // the next test is about this
  expect_in_use(functions, "fexit");
  EXPECT_EQ(functions.reason(), "as configured");
}

// It is not replaced by the other backend, which would promise something else. The rest runs.
TEST(StreamSurroundings, ABackendThatIsForcedAndRefusedIsSaid) {
  const WithBackend functions("fexit");
  if (functions.stream().up)
    GTEST_SKIP() << "this kernel lets fexit in; where it does not, as on the machines that run the node's "
                    "tests, this is tested";
  EXPECT_EQ(backend_of(functions.daemon()), "");
  const std::string& why = functions.stream().detail;
  EXPECT_FALSE(why.empty());
  EXPECT_EQ(why.find('\n'), std::string::npos) << "more than one sentence: " << why;
  EXPECT_FALSE(functions.stream().hint.empty());
  EXPECT_NE(functions.daemon().err().find("stream is not running: " + why), std::string::npos);
  const auto count = functions.daemon().component("count");
  EXPECT_TRUE(count && count->up);
  const Stats stats = functions.daemon().settled_stats();
  EXPECT_EQ(stats.series.at(R"(flowtap_component_up{component="stream"})"), 0);
  EXPECT_EQ(stats.series.at(R"(flowtap_component_up{component="count"})"), 1);
}

// It is fexit if the kernel lets that in, but for kernels that preempt its programs and not the other's. The virtual machines
// know which kernels those are.
TEST(StreamSurroundings, WhatGoesOnFromBeforeAndIsConfiguredOtherwiseIsSaid) {
  const ScratchRoot root;
  Daemon(root, kCapturing).wait_ready();
  DaemonOptions other = kCapturing;
  other.sources = "ring_bytes: 16777216, backend: fexit";
  Daemon daemon(root, other);
  daemon.wait_ready();
  EXPECT_TRUE(daemon.err().contains("the ring still has 67108864 bytes, not 16777216; flowtapd --detach"))
      << daemon.err();
  EXPECT_EQ(daemon.err().contains("the backend is still sys_exit, not fexit; "),
            backend_of(daemon) == "sys_exit")
      << daemon.err();
}

TEST(StreamSurroundings, TheBackendThatIsChosen) {
  const WithBackend chosen("auto");
  const char* const of_old_kernels = std::getenv("FTAP_CHOSEN_BACKEND");
  const std::string wanted = of_old_kernels == nullptr ? (WithBackend("fexit").stream().up ? "" : "sys_exit")
                             : may_miss()              ? "fexit"
                                                       : of_old_kernels;
  if (!wanted.empty()) expect_in_use(chosen, wanted);
  const bool preempted = chosen.reason().find("where tasks are preempted in the kernel") != std::string::npos;
  EXPECT_FALSE(chosen.reason().empty());
  if (of_old_kernels == nullptr) return;
  EXPECT_EQ(preempted, may_miss() || wanted == "sys_exit") << chosen.reason();
}

}  // namespace
}  // namespace flowtap::test
