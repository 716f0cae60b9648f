// `flowtap tap PID` as people run it. What the process writes comes out, its two outputs apart.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <thread>

#include "base/fd.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/node/stream/sources/told_writer.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

class TapProgram : public testing::Test {
 protected:
  TapProgram() { daemon_.wait_ready(); }

  void start_tap(pid_t pid) {
    tap_ = std::make_unique<Process>(
        Command{.argv = {paths::flowtap(), "--state-dir", root_.file("state"), "tap", std::to_string(pid)},
                .out = root_.file("tap.out"),
                .err = root_.file("tap.err")});
  }
  // Once the tap has these places, the writer writes. Both end by themselves.
  void tap(Writer& writer, std::uint64_t places) {
    start_tap(writer.pid());
    ASSERT_TRUE(eventually([&] {
      return daemon_.status().at("stream").at("taps").to_number<std::uint64_t>() == places;
    })) << err();
    writer.go();
    EXPECT_EQ(writer.wait(), 0);
    EXPECT_EQ(tap_->wait(), 0) << err();
  }
  [[nodiscard]] std::string out() const { return root_.read("tap.out"); }
  [[nodiscard]] std::string err() const { return root_.read("tap.err"); }

  ScratchRoot root_;
  Daemon daemon_{root_, kCapturing};
  std::unique_ptr<Process> tap_;
};

std::string read_all(const Fd& fd) {
  std::string text;
  std::array<char, 65536> chunk{};
  for (ssize_t n = 0; (n = ::read(fd.get(), chunk.data(), chunk.size())) > 0;)
    text.append(chunk.data(), static_cast<std::size_t>(n));
  return text;
}

TEST_F(TapProgram, ATerminalAndASocket) {
  int master = -1;
  int slave = -1;
  ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  const Fd screen(master);
  Fd keyboard(slave);
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
  const Fd peer(pair[0]);
  Fd socket(pair[1]);
  ::fcntl(master, F_SETFD, FD_CLOEXEC);
  ::fcntl(slave, F_SETFD, FD_CLOEXEC);
  Writer writer(root_, "writer", keyboard.get(), socket.get());
  keyboard.reset();
  socket.reset();
  std::string shown;
  std::string sent;
  std::thread looks([&] { shown = read_all(screen); });
  std::thread receives([&] { sent = read_all(peer); });
  tap(writer, 2);
  looks.join();
  receives.join();
  const WriterOutputs wanted = Writer::outputs();
  EXPECT_EQ(difference(out(), wanted.out), "") << "as it was written, without the terminal's own \\r";
  EXPECT_EQ(difference(err(), wanted.err), "");
  std::erase(shown, '\r');
  EXPECT_EQ(difference(shown, wanted.out), "") << "whoever looked at it has the same";
  EXPECT_EQ(difference(sent, wanted.err), "");
}

TEST_F(TapProgram, OnePlaceForBoth) {
  const Fd file(::open(root_.file("both").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
  Writer writer(root_, "writer", file.get(), file.get());
  tap(writer, 1);
  EXPECT_EQ(difference(out(), writer_lines(0, Writer::kLines)), "") << "in its order, once";
  EXPECT_EQ(err(), "flowtap: stderr is not followed: process " + std::to_string(writer.pid()) +
                       " writes both its outputs to one place, which is followed as stdout\n");
  EXPECT_EQ(root_.read("both"), writer_lines(0, Writer::kLines));
}

// The place has a flow already, which goes on when nobody taps it any more.
TEST_F(TapProgram, AContainerThatIsCaptured) {
  Podman podman(root_);
  const std::string id = podman.start(
      {.name = "tapped",
       .command = shell("i=0; while [ -e /bin ] && [ ! -e /stop ]; do log_writer both $i 50; i=$((i + 50)); "
                        "sleep 0.05; done; echo $i >/count")});
  const std::string flow = "container/tapped-" + id.substr(0, 12);
  const auto captured = [&] {
    const auto seen = flow_called(daemon_, flow);
    return seen ? seen->bytes : 0;
  };
  ASSERT_TRUE(eventually([&] { return captured() > 0; }));
  start_tap(podman.pid("tapped"));
  ASSERT_TRUE(eventually([&] { return out().size() > 5000 && err().size() > 5000; })) << err();
  tap_->signal(SIGINT);
  EXPECT_EQ(tap_->wait(), 0) << err();
  const std::uint64_t before = captured();
  EXPECT_TRUE(eventually([&] { return captured() > before + 5000; })) << "its own flow has ended";
  root_.write("busybox/stop", "");
  EXPECT_EQ(podman.wait("tapped"), 0);

  const auto ended = ended_flow(daemon_, flow);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->missing, 0U);
  const WriterOutputs all = writer_outputs(0, static_cast<unsigned>(std::stoul(root_.read("busybox/count"))));
  expect_stream(daemon_, *ended, "stdout", all.out);
  expect_stream(daemon_, *ended, "stderr", all.err);
  EXPECT_NE(all.out.find(out()), std::string::npos) << "a part of it, without a hole";
  EXPECT_NE(all.err.find(err()), std::string::npos);
}

}  // namespace
}  // namespace flowtap::test
