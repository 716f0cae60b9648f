#include "stats/backends/sending/address.hpp"

#include <gtest/gtest.h>

namespace flowtap::stats {
namespace {

TEST(Address, PacketReceivers) {
  EXPECT_EQ(parse_datagram_address("udp://127.0.0.1:8125").value(),
            (Address{AddressKind::kUdp, "127.0.0.1", 8125, {}}));
  EXPECT_EQ(parse_datagram_address("udp://[::1]:8125").value(),
            (Address{AddressKind::kUdp, "::1", 8125, {}}));
  EXPECT_EQ(parse_datagram_address("udp://statsd.monitoring.svc:1").value().host, "statsd.monitoring.svc");
  EXPECT_EQ(parse_datagram_address("unix:///run/s.sock").value(),
            (Address{AddressKind::kUnixDatagram, {}, 0, "/run/s.sock"}));
}

TEST(Address, LineReceivers) {
  EXPECT_EQ(parse_stream_address("-").value().kind, AddressKind::kStdout);
  EXPECT_EQ(parse_stream_address("/var/log/x").value(), (Address{AddressKind::kFile, {}, 0, "/var/log/x"}));
  EXPECT_EQ(parse_stream_address("./x").value().path, "./x");
  EXPECT_EQ(parse_stream_address("unix-stream:///x").value(),
            (Address{AddressKind::kUnixStream, {}, 0, "/x"}));
  EXPECT_EQ(parse_stream_address("tcp://h:65535").value(), (Address{AddressKind::kTcp, "h", 65535, {}}));
}

TEST(Address, ListenersHaveNumericHostsAndMayTakeAnyPort) {
  EXPECT_EQ(parse_listen_address("0.0.0.0:9000").value().port, 9000);
  EXPECT_EQ(parse_listen_address("[::]:0").value(), (Address{AddressKind::kTcp, "::", 0, {}}));
  EXPECT_FALSE(parse_listen_address("localhost:9000"));
  EXPECT_FALSE(parse_listen_address("9000"));
  EXPECT_FALSE(parse_listen_address("0.0.0.0:9000,9001"));  // CivetWeb would listen at both
  EXPECT_FALSE(parse_listen_address("0.0.0.0:9000s"));
}

TEST(Address, RefusalsNameTheTextAndWhatIsAccepted) {
  for (const std::string text :
       {"", "udp://", "udp://:1", "udp://h", "udp://h:", "udp://h:0", "udp://h:65536", "udp://h:1x",
        "udp://h: 1", "udp://h:-1", "udp://::1:8125", "udp://[::1]", "udp://[]:1", "udp://[zz]:1",
        "udp://a b:1", "unix://", "tcp://h:1", "statsd", "UDP://h:1"}) {
    const auto parsed = parse_datagram_address(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().what.find('"' + text + '"'), std::string::npos) << parsed.error().what;
    EXPECT_NE(parsed.error().hint.find("udp://HOST:PORT"), std::string::npos) << parsed.error().hint;
  }
  EXPECT_FALSE(parse_stream_address("relative"));
  EXPECT_FALSE(parse_stream_address("udp://h:1"));
}

TEST(Address, PathsMustFitTheSocketAddress) {
  EXPECT_TRUE(parse_datagram_address("unix://" + std::string(107, 'p')));
  EXPECT_FALSE(parse_datagram_address("unix://" + std::string(108, 'p')));
  EXPECT_FALSE(parse_datagram_address(std::string_view("unix://a\0b", 10)));
  EXPECT_FALSE(parse_stream_address("/" + std::string(5000, 'p')));
}

TEST(Address, HostileBytesDoNotReachTheMessage) {
  const auto parsed = parse_datagram_address("udp://\x1b[2J\n:1");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().what.find('\x1b'), std::string::npos);
  EXPECT_EQ(parsed.error().what.find('\n'), std::string::npos);
}

TEST(Address, TextOfAnAddressReadsBack) {
  for (const std::string text : {"udp://[::1]:8125", "udp://h:1", "unix:///a"})
    EXPECT_EQ(to_string(parse_datagram_address(text).value()), text);
  for (const std::string text : {"tcp://h:1", "unix-stream:///a", "/f", "-"})
    EXPECT_EQ(to_string(parse_stream_address(text).value()), text);
}

}  // namespace
}  // namespace flowtap::stats
