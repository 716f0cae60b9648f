#include "stats/backends/sending/datagram.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "stats/backends/sending/connect.hpp"

namespace flowtap::stats {
namespace {

constexpr int kProbeMs = 20;

}  // namespace

DatagramSocket::DatagramSocket(Address address, std::chrono::milliseconds patience)
    : address_(std::move(address)), patience_(patience) {}

Status DatagramSocket::ready() {
  patience_.renew();
  if (!fd_.valid()) FTAP_TRY(connect());
  if (was_refused_) FTAP_TRY(probe());
  return {};
}

Status DatagramSocket::connect() {
  auto fd = connect_socket(address_);
  if (!fd) {
    last_error_ = fd.error();
    return std::unexpected(std::move(fd).error());
  }
  fd_ = std::move(*fd);
  ++generation_;
  return {};
}

/// An empty packet, which receivers ignore, tells whether a UDP port is open again without risking a count. On this
/// machine the refusal arrives at once. A remote refusal that comes later costs no more than it did before.
Status DatagramSocket::probe() {
  if (address_.kind == AddressKind::kUdp) {
    int error = ::send(fd_.get(), "", 0, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? errno : 0;
    pollfd waiting{fd_.get(), 0, 0};
    if (error == 0 && ::poll(&waiting, 1, kProbeMs) > 0) {
      socklen_t size = sizeof(error);
      ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error != 0) {
      refused(error);
      return std::unexpected(last_error_);
    }
  }
  was_refused_ = false;
  return {};
}

Sent DatagramSocket::send(std::string_view packet) {
  while (fd_.valid()) {
    if (::send(fd_.get(), packet.data(), packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
      return Sent::kAccepted;
    const int error = errno;
    if (error == EINTR) continue;
    if (error != EAGAIN && error != ENOBUFS) return refused(error);
    if (patience_.wait_for_room(fd_.get())) continue;
    last_error_ = fail_errno(error, to_string(address_) + " does not read its packets").error();
    return Sent::kWouldBlock;
  }
  return Sent::kRefused;
}

Sent DatagramSocket::refused(int error) {
  last_error_ = fail_errno(error, to_string(address_) + " refuses packets", receiver_hint(error)).error();
  was_refused_ = true;
  fd_.reset();
  return Sent::kRefused;
}

}  // namespace flowtap::stats
