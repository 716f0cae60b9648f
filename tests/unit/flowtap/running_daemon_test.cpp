// What a user is told who has not reached the daemon.
#include "tools/flowtap/running_daemon.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "api/lock_text.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/unit/flowtap/flowtap_fixture.hpp"
#include "tools/flowtap/client.hpp"

namespace flowtap::cli {
namespace {

// A node on which process 25291, called so, has locked the file of this inode number.
class OtherNode {
 public:
  explicit OtherNode(const std::string& text, const std::string& name = "flowtapd") {
    tree_.file("run/flowtapd.lock", text);
    struct stat lock{};
    EXPECT_EQ(::stat((tree_.root() + "/run/flowtapd.lock").c_str(), &lock), 0);
    tree_.file("proc/locks", "1: POSIX  ADVISORY  WRITE 7 00:19:" + std::to_string(lock.st_ino) +
                                 " 0 EOF\n2: FLOCK  ADVISORY  READ 8 00:19:" + std::to_string(lock.st_ino) +
                                 " 0 EOF\n2: -> FLOCK  ADVISORY  WRITE 9 00:19:1 0 EOF\n"
                                 "3: FLOCK  ADVISORY  WRITE 25291 00:19:" +
                                 std::to_string(lock.st_ino) + " 0 EOF\n");
    tree_.file("proc/25291/comm", name + "\n");
  }
  [[nodiscard]] std::optional<RunningDaemon> daemon() const { return running_daemon(tree_.root()); }
  [[nodiscard]] const std::string& root() const { return tree_.root(); }
  test::FileTree& tree() { return tree_; }

 private:
  test::FileTree tree_;
};

std::string text_of(const Error& error) {
  return error.what + "\n" + error.hint;
}

TEST(RunningDaemon, IsTheOneThatHoldsTheLock) {
  const auto daemon = OtherNode("1\n/run/other\n").daemon();
  ASSERT_TRUE(daemon);
  EXPECT_EQ(daemon->pid, "25291") << "the lock's own number is of another pid namespace";
  EXPECT_EQ(daemon->state_dir, "/run/other");
  EXPECT_EQ(OtherNode("25291\n").daemon()->state_dir, "") << "an earlier build";
  EXPECT_EQ(OtherNode("25291\nother\n").daemon()->state_dir, "") << "no path";
  EXPECT_FALSE(OtherNode("25291\n/run/other\n", "sh").daemon()) << "another program";
  EXPECT_FALSE(running_daemon(test::FileTree().root()));
}

TEST(RunningDaemon, MayHaveItsDirectoryInAContainer) {
  OtherNode node("1\n/run/there\n");
  const api::ScriptedNode scripted;
  test::FileTree& tree = node.tree();
  tree.file("proc/25291/root/run/there/x", "");
  const auto server =
      test::must(api::ApiServer::start({tree.root() + "/proc/25291/root/run/there/api.sock", ""}, scripted));
  EXPECT_EQ(node.daemon()->state_dir, tree.root() + "/proc/25291/root/run/there");
}

TEST(RunningDaemon, ThatHoldsALockElsewhereIsFoundByItsOpenFiles) {
  test::FileTree tree;
  tree.file("host/run/flowtapd.lock", "25291\n/run/elsewhere\n");
  tree.file("proc/locks", "3: FLOCK  ADVISORY  WRITE 25291 00:19:5 0 EOF\n");
  tree.file("proc/25291/comm", "flowtapd\n");
  tree.file("proc/25291/fd/0", "");
  std::filesystem::create_symlink(tree.root() + "/host/run/flowtapd.lock", tree.root() + "/proc/25291/fd/5");
  const auto daemon = running_daemon(tree.root());
  ASSERT_TRUE(daemon);
  EXPECT_EQ(daemon->state_dir, "/run/elsewhere");
}

TEST(RunningDaemon, HasAUnitWhereSystemdRuns) {
  test::FileTree tree;
  EXPECT_FALSE(has_unit(tree.root()));
  tree.file("usr/lib/systemd/system/flowtapd.service", "[Service]\n");
  EXPECT_FALSE(has_unit(tree.root())) << "systemd does not run";
  tree.file("run/systemd/system/x", "");
  EXPECT_TRUE(has_unit(tree.root()));
  std::filesystem::create_directories(tree.root() + "/etc/systemd/system");
  std::filesystem::create_symlink("/dev/null", tree.root() + "/etc/systemd/system/flowtapd.service");
  EXPECT_FALSE(has_unit(tree.root())) << "it is masked";
}

TEST(RunningDaemon, IsNamedToWhoeverDidNotReachIt) {
  EXPECT_EQ(text_of(nobody_listens("/run/flowtap", std::nullopt, true)),
            "no flowtapd is running here: nobody listens on /run/flowtap/api.sock\n"
            "start it (systemctl start flowtapd), or name its directory with --state-dir");
  EXPECT_EQ(text_of(nobody_listens("/run/flowtap", std::nullopt, false)),
            "no flowtapd is running here: nobody listens on /run/flowtap/api.sock\n"
            "start it (as root: flowtapd), or name its directory with --state-dir");
  EXPECT_TRUE(text_of(nobody_listens("/run/x", std::nullopt, false))
                  .contains("(as root: flowtapd --state-dir /run/x)"));
  EXPECT_TRUE(
      text_of(nobody_listens("a/../x", std::nullopt, false))
          .contains("(as root: flowtapd --state-dir " + std::filesystem::current_path().string() + "/x)"))
      << "flowtapd refuses a path that is not absolute";
  EXPECT_EQ(text_of(nobody_listens("/run/flowtap", RunningDaemon{"7", "/run/other\x1b"}, true)),
            "nobody listens on /run/flowtap/api.sock: the state directory of the flowtapd that runs here "
            "(process 7) is "
            "/run/other\\x1b\n"
            "name that directory: --state-dir /run/other\\x1b");
  EXPECT_EQ(
      text_of(nobody_listens("/tmp", RunningDaemon{"7", "/tmp/"}, true)),
      "nobody listens on /tmp/api.sock, though flowtapd runs (process 7)\n"
      "if it has just been started, try again in a moment; if not, its log says why its API is not there");
  EXPECT_TRUE(text_of(nobody_listens("/run/flowtap", RunningDaemon{"7", ""}, true))
                  .contains("(process 7) seems to have another state directory\nname it with --state-dir"));
}

TEST(FailureOf, SaysWhatIsWrongWithThePath) {
  const std::string longest = "/run/" + std::string(120, 'a') + "/api.sock";
  const Failure too_long = failure_of(Error{"cannot connect", {}, 0}, longest);
  EXPECT_TRUE(too_long.error.what.starts_with("the path of the socket is too long: /run/aaa"));
  EXPECT_TRUE(too_long.error.hint.contains("shorter path")) << too_long.error.hint;
  const Failure file = failure_of(Error{"cannot connect", {}, ENOTDIR}, "/etc/passwd/x/api.sock");
  EXPECT_EQ(file.error.what, "a part of the path /etc/passwd/x/api.sock is no directory");
  EXPECT_TRUE(file.error.hint.contains("--state-dir")) << file.error.hint;
}

TEST(FailureOf, TellsAnEndedDaemonFromOneThatDoesNotWell) {
  const test::FileTree tree;
  const std::string socket = tree.root() + "/api.sock";
  const Error broken{"cut off by it", {}, 0};
  const Failure ended = failure_of(broken, socket, tree.root());
  EXPECT_EQ(ended.error.what, "cut off by it");
  EXPECT_TRUE(ended.error.hint.starts_with("flowtapd has ended, and ")) << ended.error.hint;
  EXPECT_EQ(ended.exit, kFailure);
  const api::ScriptedNode scripted;
  const auto server = test::must(api::ApiServer::start({socket, ""}, scripted));
  const Failure ill = failure_of(broken, socket, tree.root());
  EXPECT_EQ(ill.error.what, "cut off by it");
  EXPECT_EQ(ill.error.hint,
            "ask again; if that fails, too, is process " + std::to_string(::getpid()) +
                " (flowtap_cli_tes), which listens there, flowtapd and in good health? its log may "
                "say more");
}

// A reset connection says nothing of flowtapd; its lock does.
TEST(FailureOf, DoesNotCallADaemonEndedThatHoldsTheLock) {
  test::FileTree other;
  const std::string socket = other.root() + "/api.sock";
  const OtherNode node("1\n" + other.root() + "\n");
  const Failure running = failure_of({"no answer from it: end of stream", {}, 0}, socket, node.root());
  EXPECT_EQ(running.error.what, "no answer from it: end of stream, and now nobody listens on " + socket +
                                    ", though flowtapd runs (process 25291)");
  EXPECT_TRUE(running.error.hint.contains("its log says why its API is not there")) << running.error.hint;
  EXPECT_EQ(running.exit, kFailure);
  const Failure of_another =
      failure_of({"cut off by it", {}, 0}, socket, OtherNode("1\n/run/other\n").root());
  EXPECT_TRUE(of_another.error.hint.starts_with("flowtapd has ended, and ")) << of_another.error.hint;
}

TEST(FailureOf, NamesWhoeverListensInThePlaceOfFlowtapd) {
  test::FileTree other;
  const std::string socket = other.root() + "/api.sock";
  const OtherNode node("1\n" + other.root() + "\n");
  const api::ScriptedNode scripted;
  const auto server = test::must(api::ApiServer::start({socket, ""}, scripted));  // by this process
  const Failure stranger = failure_of({"no answer from it: it took too long", {}, 0}, socket, node.root());
  EXPECT_EQ(stranger.error.what,
            "no answer from it: it took too long: process " + std::to_string(::getpid()) +
                " (flowtap_cli_tes) listens there, and not flowtapd, which runs (process 25291)");
  EXPECT_EQ(stranger.error.hint, "end that process; flowtapd then makes its socket again");
}

}  // namespace
}  // namespace flowtap::cli
