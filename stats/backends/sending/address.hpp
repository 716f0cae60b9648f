// The address to which a backend sends or on which it listens: text from the configuration → a checked value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace flowtap::stats {

enum class AddressKind : std::uint8_t { kUdp, kUnixDatagram, kTcp, kUnixStream, kFile, kStdout };

/// Host and port, or a path, depending on the kind; the other members are empty.
struct Address {
  AddressKind kind = AddressKind::kStdout;
  std::string host;  ///< a name, an IPv4 or an IPv6 address (without brackets)
  std::uint16_t port = 0;
  std::string path;

  bool operator==(const Address&) const = default;
};

/// A packet receiver: `udp://HOST:PORT` or `unix://PATH`. IPv6 addresses stand in brackets.
[[nodiscard]] Result<Address> parse_datagram_address(std::string_view text);

/// A receiver of lines: `-` (standard output), `/PATH` or `./PATH` (a file or FIFO), `unix-stream://PATH` or
/// `tcp://HOST:PORT`.
[[nodiscard]] Result<Address> parse_stream_address(std::string_view text);

/// An address to listen on: `HOST:PORT`, with a numeric host; port 0 takes a free one. The kind is kTcp.
[[nodiscard]] Result<Address> parse_listen_address(std::string_view text);

/// The address as a person writes it.
[[nodiscard]] std::string to_string(const Address& address);

}  // namespace flowtap::stats
