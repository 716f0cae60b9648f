// The socket as a file: who may use it, and which files it replaces.
#include "http/unix/listen_socket.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "http/unix/peer.hpp"
#include "tests/unit/api/scripted_node.hpp"

namespace flowtap::http {
namespace {

using api::RawClient;
using api::TempDir;

TEST(ListenSocket, IsForOwnerAndGroupAlone) {
  const TempDir dir;
  const mode_t before = ::umask(0);
  const auto socket = ListenSocket::open(dir / "api.sock", std::nullopt);
  ::umask(before);
  ASSERT_TRUE(socket) << socket.error().what;
  struct stat made{};
  ASSERT_EQ(::stat((dir / "api.sock").c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 07777U, 0660U);
  EXPECT_EQ(made.st_uid, ::geteuid());
  EXPECT_TRUE(RawClient(dir / "api.sock").connected());
}

TEST(ListenSocket, GivesTheFileToTheGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  const TempDir dir;
  const auto socket = ListenSocket::open(dir / "api.sock", gid_t{12345});
  ASSERT_TRUE(socket) << socket.error().what;
  struct stat made{};
  ASSERT_EQ(::stat((dir / "api.sock").c_str(), &made), 0);
  EXPECT_EQ(made.st_gid, 12345U);
}

TEST(ListenSocket, LeavesNothingBehind) {
  const TempDir dir;
  {
    const auto socket = ListenSocket::open(dir / "api.sock", std::nullopt);
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(ListenSocket, ReplacesTheSocketOfADeadDaemon) {
  const TempDir dir;
  {
    const Fd dead(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = dir / "api.sock";
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    ASSERT_EQ(::bind(dead.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  const auto socket = ListenSocket::open(dir / "api.sock", std::nullopt);
  ASSERT_TRUE(socket) << socket.error().what;
  EXPECT_TRUE(RawClient(dir / "api.sock").connected());
}

TEST(ListenSocket, WhoeverListensThereIsNamed) {
  const TempDir dir;
  const auto first = ListenSocket::open(dir / "api.sock", std::nullopt);
  const auto second = ListenSocket::open(dir / "api.sock", std::nullopt);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what,
            "process " + std::to_string(::getpid()) + " (http_test) listens on " + (dir / "api.sock"));
  EXPECT_EQ(second.error().hint, "end that process, or choose another state_dir");
  EXPECT_TRUE(RawClient(dir / "api.sock").connected());
}

TEST(ListenSocket, DoesNotTouchWhatIsNoSocket) {
  const TempDir dir;
  std::ofstream(dir / "api.sock") << "precious";
  const auto socket = ListenSocket::open(dir / "api.sock", std::nullopt);
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().what, dir / "api.sock" + std::string(" exists and is not a socket"));
  EXPECT_EQ(std::filesystem::file_size(dir / "api.sock"), 8U);
}

TEST(ListenSocket, FollowsNoLink) {
  const TempDir dir;
  std::ofstream(dir / "precious") << "precious";
  std::filesystem::create_symlink("precious", dir / "api.sock");
  const auto socket = ListenSocket::open(dir / "api.sock", std::nullopt);
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().what, "cannot make the socket " + (dir / "api.sock") +
                                     ": a symbolic link stands there, and flowtapd follows none");
  EXPECT_EQ(socket.error().hint, "remove the link, or choose another state_dir");
}

TEST(ListenSocket, ADirectoryThatIsALinkToNothingIsCalledOne) {
  const TempDir dir;
  std::filesystem::create_symlink("/nonexistent", dir / "state");
  const auto socket = ListenSocket::open(dir / "state/api.sock", std::nullopt);
  ASSERT_FALSE(socket);
  EXPECT_TRUE(
      socket.error().what.contains("a symbolic link stands at " + (dir / "state") + " that leads to nothing"))
      << socket.error().what;
}

TEST(ListenSocket, DoesNotRemoveItsSuccessor) {
  const TempDir dir;
  auto first = std::make_unique<Result<ListenSocket>>(ListenSocket::open(dir / "api.sock", std::nullopt));
  std::filesystem::remove(dir / "api.sock");
  const auto second = ListenSocket::open(dir / "api.sock", std::nullopt);
  first.reset();
  EXPECT_TRUE(RawClient(dir / "api.sock").connected());
}

TEST(ListenSocket, SaysWhatIsWrongWithTheDirectory) {
  const TempDir dir;
  const auto missing = ListenSocket::open(dir / "no/api.sock", std::nullopt);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ENOENT);
  EXPECT_FALSE(missing.error().hint.empty());
  EXPECT_FALSE(ListenSocket::open(dir / std::string(120, 'x'), std::nullopt));
}

TEST(MayUse, RootSelfAndTheGroupOnly) {
  const Peer root{0, 0, {}};
  const Peer self{1000, 1000, {}};
  const Peer member{2000, 50, {}};
  const Peer supplementary{2000, 2000, {7, 50, 9}};
  const Peer stranger{2000, 2000, {7, 9}};
  EXPECT_TRUE(may_use(root, 1000, std::nullopt));
  EXPECT_TRUE(may_use(self, 1000, std::nullopt));
  EXPECT_TRUE(may_use(member, 0, gid_t{50}));
  EXPECT_TRUE(may_use(supplementary, 0, gid_t{50}));
  EXPECT_FALSE(may_use(stranger, 0, gid_t{50}));
  EXPECT_FALSE(may_use(member, 0, std::nullopt));
  EXPECT_FALSE(may_use(Peer{2000, 0, {0}}, 1000, std::nullopt));
}

TEST(FindGroup, KnowsTheMachinesGroups) {
  EXPECT_EQ(find_group("root").value(), std::optional<gid_t>(0));
  EXPECT_EQ(find_group("").value(), std::nullopt);
  const auto unknown = find_group("no_such_group");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().what, "api.socket_group: there is no group \"no_such_group\" on this machine");
}

}  // namespace
}  // namespace flowtap::http
