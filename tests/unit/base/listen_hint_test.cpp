// The advice for an address at which nobody can listen fits the reason, and names the key to change.
#include "base/node/listen_hint.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace flowtap {
namespace {

TEST(ListenHint, FitsTheReasonAndNamesTheKey) {
  EXPECT_EQ(
      listen_hint(EADDRINUSE, 9000, "prometheus.address"),
      "another process has port 9000 (ss -ltnp 'sport = :9000'); choose another one in prometheus.address");
  EXPECT_EQ(listen_hint(EACCES, 443, "api.address"),
            "ports below 1024 need CAP_NET_BIND_SERVICE; choose a higher one in api.address, or start "
            "flowtapd anew "
            "with that right");
  EXPECT_TRUE(listen_hint(EPERM, 9000, "api.address").starts_with("a security profile "));
  for (const int error : {EADDRINUSE, EACCES, EADDRNOTAVAIL, EAFNOSUPPORT, EINVAL})
    EXPECT_TRUE(listen_hint(error, 9000, "api.address").contains("api.address")) << error;
}

}  // namespace
}  // namespace flowtap
