// What flowtapd has under a name and somebody removes while it runs (`rm -rf`, a cleaner of temporary files, `umount`): it comes
// back, and the log says so.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/fd.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/net/http_client.hpp"
#include "tests/support/occurrences.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;

const std::string kFlow = "file/log/x.log";

class Vanished : public testing::Test {
 protected:
  Vanished() { fs::create_directory(root_.file("log")); }

  void start() {
    DaemonOptions options = kCapturing;
    options.sources = "files: [/log/x.log]";
    daemon_ = std::make_unique<Daemon>(root_, options);
    daemon_->wait_ready();
  }
  void write(unsigned first, unsigned count) {
    const std::string text = writer_lines(first, count);
    std::ofstream(root_.file("log/x.log"), std::ios::app) << text << std::flush;
    written_ += text;
  }
  // All that was written is served, once.
  void expect_all() {
    std::string got;
    EXPECT_TRUE(eventually([&] {
      try {
        got = raw_bytes(*daemon_, kFlow);
      } catch (const std::exception&) {
        return false;  // not listed yet
      }
      return got.size() >= written_.size();
    })) << daemon_->err();
    EXPECT_EQ(difference(got, written_), "");
    for (const FlowSeen& flow : flows_of(*daemon_))
      EXPECT_TRUE(flow.id != kFlow || flow.missing == 0) << flow.missing;
  }
  [[nodiscard]] bool answers() const {
    return fs::exists(daemon_->socket()) && get_unix(daemon_->socket(), "/readyz").status == 200;
  }
  [[nodiscard]] double up(const std::string& component) const {
    return daemon_->scrape().all.at(series_key("flowtap_component_up", {{"component", component}}));
  }
  [[nodiscard]] bool says(const std::string& sentence) const {
    return daemon_->err().find(sentence) != std::string::npos;
  }
  [[nodiscard]] bool is_mounted() const {
    struct stat flows{};
    struct stat above{};
    return ::stat(root_.file("state/flows").c_str(), &flows) == 0 &&
           ::stat(root_.file("state").c_str(), &above) == 0 && flows.st_dev != above.st_dev;
  }
  void unmount() { ASSERT_EQ(::umount2(root_.file("state/flows").c_str(), MNT_DETACH), 0); }

  ScratchRoot root_;
  std::unique_ptr<Daemon> daemon_;
  std::string written_;
};

TEST_F(Vanished, TheSocketIsMadeAgain) {
  start();
  ASSERT_TRUE(fs::remove(daemon_->socket()));
  EXPECT_TRUE(eventually([this] { return answers(); }, std::chrono::seconds(10))) << daemon_->err();
  EXPECT_TRUE(says("warning: api: " + daemon_->socket() + " was removed; it is made again"))
      << daemon_->err();
  EXPECT_EQ(up("api"), 1);
  struct stat made{};
  ASSERT_EQ(::stat(daemon_->socket().c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 07777U, 0660U);
}

TEST_F(Vanished, WhoAskedBeforeGoesOn) {
  start();
  write(0, 100);
  expect_all();
  const LogFollower follower(*daemon_, root_, kFlow);
  ASSERT_TRUE(follower.gets(written_.size()));
  ASSERT_TRUE(fs::remove(daemon_->socket()));
  ASSERT_TRUE(eventually([this] { return answers(); }));
  write(100, 100);
  EXPECT_TRUE(follower.gets(written_.size())) << follower.complaint();
  EXPECT_EQ(difference(follower.text(), written_), "");
}

TEST_F(Vanished, WhatTakesTheSocketsPlaceIsToldUntilItGoes) {
  start();
  ASSERT_TRUE(fs::remove(daemon_->socket()));
  std::ofstream(daemon_->socket() + ".new") << "precious";
  fs::rename(daemon_->socket() + ".new", daemon_->socket());
  EXPECT_TRUE(eventually([this] { return up("api") == 0; })) << daemon_->err();
  EXPECT_TRUE(says("exists and is not a socket")) << daemon_->err();
  ASSERT_TRUE(fs::remove(daemon_->socket()));
  EXPECT_TRUE(eventually([this] { return answers() && up("api") == 1; })) << daemon_->err();
  EXPECT_EQ(occurrences(daemon_->err(), "exists and is not a socket"), 1U) << "each trouble is told once";
}

TEST_F(Vanished, TheStateDirectoryAndAllThatIsInIt) {
  start();
  write(0, 1000);
  expect_all();
  // At once, so that nothing is mended in between.
  fs::rename(root_.file("state"), root_.file("away"));
  ASSERT_EQ(::umount2(root_.file("away/flows").c_str(), MNT_DETACH), 0);
  fs::remove_all(root_.file("away"));
  EXPECT_TRUE(eventually([this] { return answers() && is_mounted(); }, std::chrono::seconds(10)))
      << daemon_->err();
  for (const char* told : {" was removed; it is made again", "api.sock was removed",
                           "flows was unmounted; it is mounted again, with all that is in it"})
    EXPECT_TRUE(says(told)) << told << "\n" << daemon_->err();
  write(1000, 1000);
  expect_all();
  // The next start finds all of it.
  daemon_->signal(SIGKILL);
  (void)daemon_->wait();
  start();
  write(2000, 10);
  expect_all();
}

// More than once, and with much in between.
TEST_F(Vanished, NothingIsLostWhereFlowsAreUnmounted) {
  start();
  for (unsigned turn = 0; turn < 4; ++turn) {
    if (is_mounted()) unmount();
    write(turn * 40'000, 40'000);
    EXPECT_TRUE(eventually([this] { return is_mounted(); })) << daemon_->err();
  }
  expect_all();
  EXPECT_EQ(difference(log_text(*daemon_, kFlow), written_), "");
  daemon_->signal(SIGKILL);
  (void)daemon_->wait();
  start();
  expect_all();
  EXPECT_EQ(difference(log_text(*daemon_, kFlow), written_), "");
}

TEST_F(Vanished, WhatIsInTheStateDirectory) {
  start();
  write(0, 100);
  expect_all();
  std::error_code busy;  // the tmpfs itself is in use
  for (const auto& entry : fs::directory_iterator(root_.file("state/flows"))) fs::remove_all(entry, busy);
  fs::remove_all(root_.file("state"), busy);
  EXPECT_TRUE(eventually([this] { return answers() && says("flows was emptied"); })) << daemon_->err();
  const std::string rest = writer_lines(100, 50);
  std::ofstream(root_.file("log/x.log"), std::ios::app) << rest << std::flush;
  EXPECT_TRUE(eventually([&] { return raw_bytes(*daemon_, kFlow).ends_with(rest); })) << daemon_->err();
}

TEST_F(Vanished, WhatIsPinned) {
  start();
  const auto pinned = [this] {
    std::size_t pins = 0;
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(root_.file("bpffs/flowtap"), none))
      pins += entry.is_directory() ? 0 : 1;
    return pins;
  };
  const std::size_t before = pinned();
  ASSERT_GT(before, 0U);
  fs::remove_all(root_.file("bpffs/flowtap"));
  // Pins are made in a folder of another name, which is then renamed.
  const std::string hooks = root_.file("bpffs/flowtap/hooks");
  EXPECT_TRUE(eventually([&] { return pinned() == before && fs::exists(hooks); })) << daemon_->err();
  fs::remove(fs::recursive_directory_iterator(hooks)->path());
  EXPECT_TRUE(eventually([&] { return pinned() == before; })) << daemon_->err();
  EXPECT_TRUE(says("what was pinned was removed; it is pinned again")) << daemon_->err();
  // The next one goes on with it.
  write(0, 100);
  expect_all();
  daemon_->signal(SIGKILL);
  (void)daemon_->wait();
  write(100, 100);
  start();
  expect_all();
  EXPECT_NE(daemon_->component("stream")->detail.find("taken over"), std::string::npos);
}

// flowtapd has no right to mount it again.
TEST_F(Vanished, TheBpfFileSystemIsToldUntilItIsBack) {
  start();
  const std::string bpffs = root_.file("bpffs");
  ASSERT_EQ(::umount2(bpffs.c_str(), MNT_DETACH), 0);
  EXPECT_TRUE(eventually([this] {
    return daemon_->component("stream")->detail.contains(
        "capture ends when flowtapd ends: no BPF file system");
  })) << daemon_->err();
  EXPECT_TRUE(says("hint: mount -t bpf bpf " + bpffs)) << daemon_->err();
  write(0, 100);
  expect_all();
  ASSERT_EQ(::mount("bpf", bpffs.c_str(), "bpf", 0, "mode=0700"), 0);
  EXPECT_TRUE(eventually([this] { return says("what was pinned was removed; it is pinned again"); }))
      << daemon_->err();
  EXPECT_TRUE(eventually([this] { return !daemon_->component("stream")->detail.contains("capture ends"); }));
  daemon_->signal(SIGKILL);
  (void)daemon_->wait();
  write(100, 100);
  start();
  expect_all();
}

// Each by itself, and the rest stays: what is written from then on is served, and the next start goes on.
TEST_F(Vanished, EachFileOfTheFlowsAlone) {
  start();
  std::vector<std::string> parts;
  const auto add = [&] {
    parts.push_back(writer_lines(static_cast<unsigned>(parts.size()) * 50, 50));
    std::ofstream(root_.file("log/x.log"), std::ios::app) << parts.back() << std::flush;
    EXPECT_TRUE(eventually([&] {
      try {
        return raw_bytes(*daemon_, kFlow).ends_with(parts.back());
      } catch (const std::exception&) {
        return false;  // not listed yet
      }
    })) << daemon_->err();
  };
  add();
  std::vector<std::string> names;
  ASSERT_TRUE(eventually([&] {
    names.clear();
    for (const auto& entry : fs::recursive_directory_iterator(root_.file("state/flows")))
      if (entry.is_regular_file()) names.push_back(entry.path().string());
    return names.size() >= 4;
  })) << "a log, the index, since when there are flows, the journal";
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    fs::remove(name);
    add();
    daemon_->signal(SIGKILL);
    (void)daemon_->wait();
    start();
    add();
    EXPECT_TRUE(eventually([&] { return log_text(*daemon_, kFlow).ends_with(parts.back()); }))
        << daemon_->err();
  }
}

// Others' files take the room of what is captured.
TEST_F(Vanished, WhoFillsTheFlowsIsToldUntilItGoes) {
  start();
  write(0, 100);
  expect_all();
  const std::string hog = root_.file("state/flows/hog");
  {
    const Fd file(::open(hog.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::vector<char> block(std::size_t{64} * 1024, 'x');
    while (::write(file.get(), block.data(), block.size()) > 0) continue;
    ASSERT_EQ(errno, ENOSPC);
  }
  const auto is_told = [this] {
    return daemon_->component("stream")->detail.contains("\"hog\" there is not flowtapd's");
  };
  EXPECT_TRUE(eventually(is_told)) << daemon_->err();
  EXPECT_TRUE(says("hint: remove what is not flowtapd's (")) << daemon_->err();
  ASSERT_TRUE(fs::remove(hog));
  EXPECT_TRUE(eventually([&] { return !is_told(); })) << daemon_->component("stream")->detail;
  EXPECT_EQ(occurrences(daemon_->err(), "is not flowtapd's:"), 1U) << "each trouble is told once";
  write(100, 100);
  expect_all();
}

// A link would say where flowtapd writes, and says nothing of the trouble by errno alone.
TEST_F(Vanished, LinksInTheirPlacesAreCalledSo) {
  start();
  ASSERT_TRUE(fs::remove(daemon_->socket()));
  fs::create_symlink("/nonexistent", daemon_->socket());
  EXPECT_TRUE(eventually([this] {
    return says("cannot make the socket " + daemon_->socket() +
                ": a symbolic link stands there, and flowtapd follows none");
  })) << daemon_->err();
  ASSERT_TRUE(fs::remove(daemon_->socket()));
  EXPECT_TRUE(eventually([this] { return answers() && up("api") == 1; })) << daemon_->err();
  // In one step, so that nothing is mended in between.
  fs::create_symlink("/nonexistent/x", root_.file("away"));
  ASSERT_EQ(::renameat2(AT_FDCWD, root_.file("away").c_str(), AT_FDCWD, root_.file("state").c_str(),
                        RENAME_EXCHANGE),
            0);
  ASSERT_EQ(::umount2(root_.file("away/flows").c_str(), MNT_DETACH), 0);
  for (const char* what : {"cannot make the state directory ", "cannot make the directory for flows, ",
                           "cannot create the API's socket in "})
    EXPECT_TRUE(eventually([&] {
      const std::string said = daemon_->err();
      const std::size_t at = said.find(what);
      return at != std::string::npos &&
             said.substr(at, said.find('\n', at) - at).contains("that leads to nothing (/nonexistent/x)");
    })) << what
        << daemon_->err();
  ASSERT_TRUE(fs::remove(root_.file("state")));
  EXPECT_TRUE(eventually([this] { return answers() && is_mounted(); })) << daemon_->err();
}

// flowtapd goes on, and says who has its place.
TEST_F(Vanished, AStrangerAtTheSocketIsNamed) {
  start();
  {
    const Fd stranger(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    root_.file("state/x").copy(static_cast<char*>(name.sun_path), sizeof(name.sun_path) - 1);
    ASSERT_EQ(::bind(stranger.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
    ASSERT_EQ(::listen(stranger.get(), 8), 0);
    fs::rename(root_.file("state/x"), daemon_->socket());
    EXPECT_TRUE(eventually([this] { return up("api") == 0; })) << daemon_->err();
    EXPECT_TRUE(
        says("process " + std::to_string(::getpid()) + " (node_vanished_t) listens on " + daemon_->socket()))
        << daemon_->err();
  }
  fs::remove(daemon_->socket());
  EXPECT_TRUE(eventually([this] { return answers() && up("api") == 1; })) << daemon_->err();
}

// It is read at a start and at SIGHUP alone.
TEST_F(Vanished, TheConfigurationsFile) {
  start();
  ASSERT_TRUE(fs::remove(root_.file("flowtap.yaml")));
  daemon_->signal(SIGHUP);
  EXPECT_TRUE(eventually([this] { return says("the configuration stays as it was"); })) << daemon_->err();
  write(0, 100);
  expect_all();
}

TEST_F(Vanished, TheLockKeepsOthersOut) {
  start();
  ASSERT_TRUE(fs::remove(root_.file("run/flowtapd.lock")));
  EXPECT_TRUE(eventually([this] { return says("the node's lock file was removed"); })) << daemon_->err();
  const Ended second = run_flowtapd(root_, {"--host-root", root_.path(), "--state-dir", root_.file("other")});
  EXPECT_EQ(second.status, 1);
  EXPECT_NE(second.err.find("(pid " + std::to_string(daemon_->pid()) + ") is already running"),
            std::string::npos)
      << second.err;
}

TEST_F(Vanished, AnotherOneThatWasFasterIsTold) {
  start();
  const std::string lock = root_.file("run/flowtapd.lock");
  const Fd other(::open((lock + ".new").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  fs::rename(lock + ".new", lock);
  EXPECT_TRUE(eventually([this] {
    const auto component = daemon_->component("node_lock");
    return component && !component->up && !component->hint.empty() &&
           component->detail.contains("process " + std::to_string(::getpid()) +
                                      " (node_vanished_t), which is no flowtapd, holds the lock");
  })) << daemon_->err();
  fs::remove(lock);
  EXPECT_TRUE(eventually([this] { return !daemon_->component("node_lock"); })) << daemon_->err();
}

}  // namespace
}  // namespace flowtap::test
