// A server whose every step on a connection is written by the test.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "tests/support/net/sockets.hpp"

namespace flowtap::http {

/// The server's end of one connection. All functions return when the server ends.
class Peer {
 public:
  Peer(int fd, SSL* session) : fd_(fd), session_(session) {}

  /// One request with its body; "" when there is none.
  std::string read_request() {
    std::size_t head = 0;
    while ((head = read_.find("\r\n\r\n")) == std::string::npos)
      if (!read_more()) return {};
    const std::size_t length = read_.find("Content-Length: ");
    const std::size_t size = head + 4 + (length < head ? std::stoul(read_.substr(length + 16)) : 0);
    while (read_.size() < size)
      if (!read_more()) return {};
    return std::exchange(read_, read_.substr(size)).substr(0, size);
  }
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto n = session_ != nullptr
                         ? ::SSL_write(session_, bytes.data(), static_cast<int>(bytes.size()))
                         : static_cast<int>(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  /// Waits until the client goes.
  void fall_silent() {
    while (read_more()) continue;
  }
  /// The client learns of it as an error.
  void reset() const {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }
  /// Hands all bytes on in both directions, until one of the two ends.
  void join(int other) const {
    std::string chunk(65536, '\0');
    pollfd ends[2] = {{fd_, POLLIN, 0}, {other, POLLIN, 0}};
    while (::poll(ends, 2, -1) > 0) {
      for (int i = 0; i < 2; ++i) {
        if (ends[i].revents == 0) continue;
        const ssize_t n = ::recv(ends[i].fd, chunk.data(), chunk.size(), 0);
        if (n <= 0) return;
        if (::send(ends[1 - i].fd, chunk.data(), static_cast<std::size_t>(n), MSG_NOSIGNAL) != n) return;
      }
    }
  }

 private:
  bool read_more() {
    std::string chunk(65536, '\0');
    const auto n = session_ != nullptr ? ::SSL_read(session_, chunk.data(), static_cast<int>(chunk.size()))
                                       : static_cast<int>(::recv(fd_, chunk.data(), chunk.size(), 0));
    if (n > 0) read_.append(chunk, 0, static_cast<std::size_t>(n));
    return n > 0;
  }

  int fd_;
  SSL* session_;
  std::string read_;
};

/// The files of a server with TLS.
struct ServerTls {
  std::string certificate;
  std::string key;
  std::string client_ca = {};  ///< it wants a client's certificate from this authority
  int newest = TLS1_3_VERSION;
};

class ScriptedServer {
 public:
  using Script = std::function<void(Peer& peer)>;

  /// `script` is called for each connection, in a thread of its own.
  explicit ScriptedServer(Script script, const ServerTls* tls = nullptr, const char* address = "127.0.0.1",
                          int port = 0)
      : script_(std::move(script)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (tls != nullptr) use(*tls);
    const int on = 1;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, address, &at.sin_addr);
    if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&at), sizeof(at)) != 0 ||
        ::listen(listener_.get(), 64) != 0)
      throw std::runtime_error("cannot listen");
    port_ = stats::test::port_of(listener_);
    acceptor_ = std::thread([this] { accept(); });
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;
  ~ScriptedServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    {
      const std::scoped_lock lock(mutex_);
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    for (auto& thread : threads_) thread.join();
  }

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::string url() const { return scheme() + "127.0.0.1:" + std::to_string(port_); }
  /// For a name that the test's resolver knows.
  [[nodiscard]] std::string url(const std::string& name) const {
    return scheme() + name + ':' + std::to_string(port_);
  }
  /// Connections that came, whatever became of them.
  [[nodiscard]] int connections() const { return connections_; }
  /// Those that the server has closed.
  [[nodiscard]] int ended() const { return ended_; }
  /// Takes another certificate from the next connection on.
  void use(const ServerTls& tls) {
    std::shared_ptr<SSL_CTX> context(::SSL_CTX_new(::TLS_server_method()), &::SSL_CTX_free);
    SSL_CTX_set_max_proto_version(context.get(), tls.newest);
    if (::SSL_CTX_use_certificate_chain_file(context.get(), tls.certificate.c_str()) != 1 ||
        ::SSL_CTX_use_PrivateKey_file(context.get(), tls.key.c_str(), SSL_FILETYPE_PEM) != 1)
      throw std::runtime_error("cannot use " + tls.certificate);
    if (!tls.client_ca.empty()) {
      ::SSL_CTX_load_verify_locations(context.get(), tls.client_ca.c_str(), nullptr);
      ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    const std::scoped_lock lock(mutex_);
    context_ = std::move(context);
  }

 private:
  [[nodiscard]] std::string scheme() const {
    const std::scoped_lock lock(mutex_);
    return context_ ? "https://" : "http://";
  }
  void accept() {
    while (true) {
      const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      ++connections_;
      const std::scoped_lock lock(mutex_);
      open_.push_back(fd);
      threads_.emplace_back([this, fd, context = context_] { serve(fd, context); });
    }
  }
  void serve(int fd, const std::shared_ptr<SSL_CTX>& context) {
    // OpenSSL writes to clients that have gone. SIGPIPE would end the test, and it stays blocked until this thread ends.
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    std::unique_ptr<SSL, decltype(&::SSL_free)> session(nullptr, &::SSL_free);
    if (context) {
      session.reset(::SSL_new(context.get()));
      ::SSL_set_fd(session.get(), fd);
    }
    Peer peer(fd, session.get());
    if (!session || ::SSL_accept(session.get()) == 1) script_(peer);
    const std::scoped_lock lock(mutex_);
    std::erase(open_, fd);
    ::close(fd);
    ++ended_;
  }

  const Script script_;
  Fd listener_;
  int port_ = 0;
  std::atomic<int> connections_{0};
  std::atomic<int> ended_{0};
  mutable std::mutex mutex_;
  std::shared_ptr<SSL_CTX> context_;
  std::vector<int> open_;
  std::list<std::thread> threads_;
  std::thread acceptor_;
};

/// Answers each request with `answer`, until the client goes.
inline ScriptedServer::Script always(std::string answer) {
  return [answer = std::move(answer)](Peer& peer) {
    while (!peer.read_request().empty() && peer.send(answer)) continue;
  };
}

inline const std::string kFine = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine";

}  // namespace flowtap::http
