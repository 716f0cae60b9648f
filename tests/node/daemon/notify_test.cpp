// sd_notify(3). The test takes systemd's place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstring>

#include "tests/support/daemon/daemon.hpp"
#include "tests/support/net/http_client.hpp"

namespace flowtap::test {
namespace {

using testing::HasSubstr;

/// NOTIFY_SOCKET: a path, or a name in the abstract namespace that begins with '@'.
class NotifySocket {
 public:
  explicit NotifySocket(std::string name)
      : name_(std::move(name)), fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, name_.data(), name_.size());
    if (name_.starts_with('@')) at.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
    if (::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&at), size) != 0)
      throw std::runtime_error("cannot bind " + name_);
  }

  [[nodiscard]] std::string variable() const { return "NOTIFY_SOCKET=" + name_; }

  /// The next message; empty if none has come.
  [[nodiscard]] std::string next(std::chrono::milliseconds limit = kPatience) const {
    pollfd fd{fd_.get(), POLLIN, 0};
    if (::poll(&fd, 1, static_cast<int>(limit.count())) != 1) return {};
    std::array<char, 4096> message{};
    const ssize_t n = ::recv(fd_.get(), message.data(), message.size(), 0);
    return {message.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
  }
  /// The next message that has `part` in it. Others before it are dropped.
  [[nodiscard]] std::string next_with(const std::string& part) const {
    std::string message;
    do message = next();
    while (!message.empty() && message.find(part) == std::string::npos);
    return message;
  }

 private:
  std::string name_;
  Fd fd_;
};

void expect_a_whole_life(const ScratchRoot& root, const NotifySocket& systemd) {
  Daemon daemon(root, {.env = {systemd.variable()}});
  const std::string ready = systemd.next();
  EXPECT_THAT(ready, HasSubstr("READY=1"));
  EXPECT_EQ(get_unix(daemon.socket(), "/readyz").status, 200) << "it said READY before it was";
  EXPECT_EQ(get_tcp(daemon.port(), "/metrics").status, 200);
  EXPECT_THAT(ready, HasSubstr("\nSTATUS=")) << "systemctl status shows nothing";

  daemon.signal(SIGHUP);
  EXPECT_THAT(systemd.next(), testing::MatchesRegex("RELOADING=1\nMONOTONIC_USEC=[0-9]+"));
  EXPECT_THAT(systemd.next(), HasSubstr("READY=1"));

  daemon.signal(SIGTERM);
  EXPECT_THAT(systemd.next(), HasSubstr("STOPPING=1"));
  EXPECT_EQ(daemon.wait(), 0);
  EXPECT_EQ(systemd.next(std::chrono::milliseconds(0)), "")
      << "without a watchdog there is nothing more to say";
}

TEST(Notify, TellsItsWholeLifeToASocketInTheFileSystem) {
  const ScratchRoot root;
  expect_a_whole_life(root, NotifySocket(root.file("notify")));
}

TEST(Notify, TellsItsWholeLifeToAnAbstractSocket) {
  const ScratchRoot root;
  expect_a_whole_life(root, NotifySocket("@" + root.path()));
}

TEST(Notify, FeedsTheWatchdogHoweverLongTheCycleIs) {
  const ScratchRoot root;
  const NotifySocket systemd(root.file("notify"));
  const Daemon daemon(root,
                      {.flags = {"--cycle", "1m"}, .env = {systemd.variable(), "WATCHDOG_USEC=300000"}});
  for (int i = 0; i < 5; ++i) ASSERT_EQ(systemd.next_with("WATCHDOG=1"), "WATCHDOG=1") << "after " << i;
}

TEST(Notify, TheStatusNamesWhatIsMissing) {
  const ScratchRoot root;
  const NotifySocket systemd(root.file("notify"));
  // No machine has this address: it is of TEST-NET-1 of RFC 5737.
  const Daemon daemon(root, {.flags = {"--enable-prometheus", "--prometheus-address", "192.0.2.1:9000"},
                             .prometheus = std::nullopt,
                             .env = {systemd.variable()}});
  EXPECT_THAT(systemd.next_with("STATUS="), HasSubstr("prometheus"));
}

}  // namespace
}  // namespace flowtap::test
