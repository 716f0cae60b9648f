// Listed log files on file systems that do not answer. They are not followed, and nothing else waits for them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>

#include <filesystem>
#include <fstream>

#include "tests/node/stream/captured.hpp"
#include "tests/support/files/hung_file_system.hpp"
#include "tests/support/held_thread.hpp"

namespace flowtap::test {
namespace {

namespace json = boost::json;

class HungFiles : public testing::Test {
 protected:
  HungFiles() {
    std::filesystem::create_directory(root_.file("log"));
    std::filesystem::create_directory(root_.file("hung"));
  }
  void start(const std::string& files) {
    DaemonOptions options = kCapturing;
    options.sources = "files: " + files;
    daemon_ = std::make_unique<Daemon>(root_, options);
    daemon_->wait_ready();
  }
  void list(const std::string& files) {
    root_.write("flowtap.yaml", "stream: {bpffs: " + root_.file("bpffs") + ", files: " + files + "}\n");
    daemon_->signal(SIGHUP);
  }
  void write(const std::string& text) { std::ofstream(root_.file("log/x.log"), std::ios::app) << text; }
  [[nodiscard]] bool captured(const std::string& text) const {
    return eventually([&] {
      for (const FlowSeen& flow : flows_of(*daemon_, "?kind=file"))
        if (flow.id == "file/log/x.log") return raw_bytes(*daemon_, flow.id) == text;
      return false;
    });
  }
  [[nodiscard]] json::object sources() const {
    return daemon_->status().at("stream").at("sources").as_object();
  }

  ScratchRoot root_;
  std::unique_ptr<Daemon> daemon_;
};

TEST_F(HungFiles, AFileSystemThatMayHangIsNotAskedAndTold) {
  const HungFileSystem hung(root_.file("hung"));
  if (!hung.mounted()) GTEST_SKIP() << "there is no FUSE here";
  std::filesystem::create_symlink("../hung/sub", root_.file("log/through"));
  start("[/log/x.log, /hung/y.log, /log/through/z.log]");
  write("as ever\n");
  EXPECT_TRUE(captured("as ever\n"));
  EXPECT_TRUE(eventually([this] { return sources().at("not_found").as_array().empty(); }));
  const auto why = [](const std::string& name) {
    return json::object{{"name", name},
                        {"why", name + " is on fuse, which may keep its readers waiting for ever"}};
  };
  EXPECT_EQ(sources().at("refused"), (json::array{why("/hung/y.log"), why("/log/through/z.log")}));
}

TEST_F(HungFiles, AThreadThatWaitsForAFileSystemHoldsUpNobody) {
  write("old\n");
  start("[/log/x.log]");
  write("before\n");
  ASSERT_TRUE(captured("before\n"));
  {
    const HeldThread held(daemon_->pid(), "ftap-files", SYS_openat);
    (void)daemon_->settled_stats();
    write("meanwhile\n");
    EXPECT_TRUE(captured("before\nmeanwhile\n"));
    list("[/log/x.log, /log/y.log]");
    (void)daemon_->settled_stats();
    EXPECT_TRUE(sources().at("not_found").as_array().empty()) << "as it was seen last";
  }
  EXPECT_TRUE(eventually([this] { return sources().at("not_found") == json::array{"/log/y.log"}; }));
  write("after\n");
  EXPECT_TRUE(captured("before\nmeanwhile\nafter\n"));
}

TEST_F(HungFiles, TheEndDoesNotWaitForAFileSystem) {
  start("[/log/x.log]");
  write("before\n");
  ASSERT_TRUE(captured("before\n"));
  {
    const HeldThread held(daemon_->pid(), "ftap-files", SYS_openat);
    write("meanwhile\n");
    ASSERT_TRUE(captured("before\nmeanwhile\n"));
    daemon_->signal(SIGTERM);
    EXPECT_TRUE(eventually([&held] { return held.has_ended(); }));
    EXPECT_EQ(daemon_->wait(), 0);
    EXPECT_NE(daemon_->err().find("flowtapd ends without waiting for it"), std::string::npos)
        << daemon_->err();
  }
  const std::string log = root_.read("state/flows/file__log__x.log.log");
  EXPECT_TRUE(log.find(" before\n") < log.find(" meanwhile\n")) << log;
  start("[/log/x.log]");
  write("after\n");
  EXPECT_TRUE(captured("before\nmeanwhile\nafter\n"));
}

}  // namespace
}  // namespace flowtap::test
