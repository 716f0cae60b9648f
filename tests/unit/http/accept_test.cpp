// A server that has no descriptor left says so, and serves whoever waits as soon as it has one.
#include <gtest/gtest.h>

#include <optional>

#include "base/fd.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/few_descriptors.hpp"
#include "tests/unit/http/server_fixture.hpp"

namespace flowtap::api {
namespace {

TEST_F(ServerTest, SaysThatItHasNoDescriptorLeft) {
  start();
  EXPECT_TRUE(server_->accepting());
  // A client that begins while there are some.
  const Fd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path().copy(static_cast<char*>(name.sun_path), sizeof(name.sun_path) - 1);
  {
    const test::FewDescriptors none(0);
    ASSERT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
    Status accepting;
    EXPECT_TRUE(test::eventually([&] { return !(accepting = server_->accepting()); }));
    ASSERT_FALSE(accepting);
    EXPECT_EQ(accepting.error().what, "no client can be let in: Too many open files");
    EXPECT_TRUE(accepting.error().hint.contains("LimitNOFILE=")) << accepting.error().hint;
  }
  EXPECT_TRUE(test::eventually([&] { return server_->accepting().has_value(); }));
  const std::string_view request = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(::send(client.get(), request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::array<char, 4096> answer{};
  const ssize_t size = ::recv(client.get(), answer.data(), answer.size(), 0);
  EXPECT_TRUE(std::string_view(answer.data(), size > 0 ? static_cast<std::size_t>(size) : 0)
                  .starts_with("HTTP/1.1 200 OK"));
}

}  // namespace
}  // namespace flowtap::api
