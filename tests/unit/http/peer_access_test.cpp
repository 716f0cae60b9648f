// Who may use the API: requests from processes of other users and groups.
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "tests/unit/http/server_fixture.hpp"

namespace flowtap::api {
namespace {

using PeerAccessTest = ServerTest;

/// The status that a process with these ids gets, or 0 where it could not even connect.
int status_as(const std::string& path, uid_t uid, gid_t gid, const std::vector<gid_t>& groups) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgroups(groups.size(), groups.data()) != 0 || ::setgid(gid) != 0 || ::setuid(uid) != 0)
      ::_exit(99);
    RawClient client(path);
    if (!client.connected()) ::_exit(0);
    client.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const std::string answer = client.read_all();
    ::_exit(answer.starts_with("HTTP/1.1 200") ? 20 : answer.starts_with("HTTP/1.1 403") ? 43 : 98);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(PeerAccessTest, PeersAreHeldAgainstTheKernelsWord) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become somebody else";
  start(10s, 64, "adm");
  const gid_t adm = ::getgrnam("adm")->gr_gid;
  ::chmod(dir_.path().c_str(), 0755);
  EXPECT_EQ(status_as(path(), 12345, 12345, {}), 0) << "the file's mode";
  EXPECT_EQ(status_as(path(), 12345, adm, {}), 20);
  EXPECT_EQ(status_as(path(), 12345, 12345, {7777, adm}), 20);
  ::chmod(path().c_str(), 0666);  // the mode must not be the only protection
  EXPECT_EQ(status_as(path(), 12345, 12345, {7777}), 43);
  EXPECT_EQ(status_as(path(), 0, 0, {}), 20);
}

TEST_F(PeerAccessTest, AnUnknownGroupIsToldAtTheStart) {
  const auto server = ApiServer::start({path(), "no_such_group"}, node_);
  ASSERT_FALSE(server);
  EXPECT_FALSE(server.error().hint.empty());
}

}  // namespace
}  // namespace flowtap::api
