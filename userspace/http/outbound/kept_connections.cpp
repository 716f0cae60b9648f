#include "http/outbound/kept_connections.hpp"

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace flowtap::http {
namespace {

// The end of a connection can be read, and so can what nobody asked for. OpenSSL may have taken it from the socket.
bool is_silent(Connection& connection) {
  if (connection.is_tls() &&
      (::SSL_has_pending(connection.tls()) == 1 || BIO_pending(::SSL_get_rbio(connection.tls())) > 0))
    return false;
  char byte = 0;
  return ::recv(connection.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace

ClientConnection KeptConnections::take(const std::shared_ptr<TlsContext>& tls) {
  const auto now = Clock::now();
  kept_.remove_if([&](const Kept& one) {
    return now - one.since > limits_.kept_for || now - one.connection.made > limits_.lives ||
           one.connection.tls != tls || !is_silent(*one.connection.connection);
  });
  if (kept_.empty()) return {};
  ClientConnection first = std::move(kept_.front().connection);
  kept_.pop_front();
  return first;
}

void KeptConnections::put(ClientConnection connection) {
  kept_.push_front({std::move(connection), Clock::now()});
  while (kept_.size() > limits_.kept) kept_.pop_back();
}

}  // namespace flowtap::http
