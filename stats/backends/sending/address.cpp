#include "stats/backends/sending/address.hpp"

#include <arpa/inet.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <optional>

#include "base/ascii.hpp"
#include "base/printable.hpp"

namespace flowtap::stats {
namespace {

constexpr std::size_t kMaxHost = 253;                                     // RFC 1035, section 2.3.4
constexpr std::size_t kMaxUnixPath = sizeof(sockaddr_un{}.sun_path) - 1;  // without its final 0

bool numeric(const std::string& host) {
  in6_addr storage{};
  return ::inet_pton(AF_INET, host.c_str(), &storage) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &storage) == 1;
}

bool host_name(std::string_view host) {
  return std::ranges::all_of(host,
                             [](char c) { return is_alphanumeric(c) || c == '.' || c == '-' || c == '_'; });
}

std::unexpected<Error> refuse(std::string_view text, std::string_view why, std::string hint) {
  return fail("address " + in_quotes(text) + " " + std::string(why), std::move(hint));
}

std::optional<std::uint16_t> port_number(std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return port;
}

Result<Address> host_and_port(std::string_view whole, std::string_view rest, AddressKind kind,
                              std::string hint) {
  Address address{kind, {}, 0, {}};
  std::string_view port;
  if (rest.starts_with('[')) {
    const auto close = rest.find("]:");
    if (close == std::string_view::npos) return refuse(whole, "has no ']:' before its port", std::move(hint));
    address.host = rest.substr(1, close - 1);
    port = rest.substr(close + 2);
    in6_addr storage{};
    if (address.host.find('\0') != std::string::npos ||
        ::inet_pton(AF_INET6, address.host.c_str(), &storage) != 1)
      return refuse(whole, "has no IPv6 address between its brackets", std::move(hint));
  } else {
    const auto colon = rest.rfind(':');
    if (colon == std::string_view::npos) return refuse(whole, "has no port", std::move(hint));
    address.host = rest.substr(0, colon);
    port = rest.substr(colon + 1);
    if (address.host.empty() || address.host.size() > kMaxHost || !host_name(address.host))
      return refuse(whole, "has no usable host", "an IPv6 address stands in brackets; " + hint);
  }
  const auto number = port_number(port);
  if (!number) return refuse(whole, "has a port that is not a number from 1 to 65535", std::move(hint));
  address.port = *number;
  return address;
}

Result<Address> path_of(std::string_view whole, std::string_view path, AddressKind kind, std::size_t limit,
                        std::string hint) {
  if (path.empty()) return refuse(whole, "has no path", std::move(hint));
  if (path.find('\0') != std::string_view::npos) return refuse(whole, "has a zero byte", std::move(hint));
  if (path.size() > limit)
    return refuse(whole, "has a path longer than " + std::to_string(limit) + " bytes", std::move(hint));
  return Address{kind, {}, 0, std::string(path)};
}

/// Removes the prefix; false if `text` does not begin with it.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

Result<Address> with_port(Result<Address> address, std::string_view text, std::string hint) {
  if (address && address->port == 0)
    return refuse(text, "has a port that is not a number from 1 to 65535", std::move(hint));
  return address;
}

}  // namespace

Result<Address> parse_datagram_address(std::string_view text) {
  static const std::string kHint = "accepted: udp://HOST:PORT or unix:///PATH";
  std::string_view rest = text;
  if (take(rest, "udp://"))
    return with_port(host_and_port(text, rest, AddressKind::kUdp, kHint), text, kHint);
  if (take(rest, "unix://")) return path_of(text, rest, AddressKind::kUnixDatagram, kMaxUnixPath, kHint);
  return refuse(text, "names no packet receiver", kHint);
}

Result<Address> parse_stream_address(std::string_view text) {
  static const std::string kHint =
      "accepted: - (standard output), /PATH, unix-stream:///PATH or tcp://HOST:PORT";
  std::string_view rest = text;
  if (text == "-") return Address{AddressKind::kStdout, {}, 0, {}};
  if (take(rest, "tcp://"))
    return with_port(host_and_port(text, rest, AddressKind::kTcp, kHint), text, kHint);
  if (take(rest, "unix-stream://")) return path_of(text, rest, AddressKind::kUnixStream, kMaxUnixPath, kHint);
  if (text.starts_with('/') || text.starts_with("./"))
    return path_of(text, rest, AddressKind::kFile, PATH_MAX - 1, kHint);
  return refuse(text, "names no receiver of lines", kHint);
}

Result<Address> parse_listen_address(std::string_view text) {
  static const std::string kHint =
      "accepted: HOST:PORT with a numeric host, such as 0.0.0.0:9000 or [::1]:9000";
  auto address = host_and_port(text, text, AddressKind::kTcp, kHint);
  if (address && !numeric(address->host)) return refuse(text, "has a host that is not an IP address", kHint);
  return address;
}

std::string to_string(const Address& address) {
  const std::string host =
      address.host.find(':') == std::string::npos ? address.host : "[" + address.host + "]";
  const std::string port = ":" + std::to_string(address.port);
  switch (address.kind) {
    case AddressKind::kUdp:
      return "udp://" + host + port;
    case AddressKind::kTcp:
      return "tcp://" + host + port;
    case AddressKind::kUnixDatagram:
      return "unix://" + address.path;
    case AddressKind::kUnixStream:
      return "unix-stream://" + address.path;
    case AddressKind::kFile:
      return address.path;
    case AddressKind::kStdout:
      return "-";
  }
  return {};
}

}  // namespace flowtap::stats
