// One connection, of a client or to a server: over a Unix socket or TCP, with TLS or without.
#pragma once

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/buffers_suffix.hpp>
#include <boost/beast/core/string_type.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace flowtap::http {

using Socket = boost::asio::generic::stream_protocol::socket;
using TlsContext = boost::asio::ssl::context;

/// Errors come back as values: nothing that a peer does makes this throw.
inline constexpr auto kAwait = boost::asio::as_tuple(boost::asio::use_awaitable);

/// Beast has its own type for text.
inline boost::beast::string_view beast_view(std::string_view text) {
  return {text.data(), text.size()};
}

/// The first of several buffers: a read or a write may always take less than it is given.
template <typename Buffer>
class Few {
 public:
  template <typename Buffers>
  explicit Few(const Buffers& buffers) {
    for (const Buffer buffer : boost::beast::buffers_range_ref(buffers)) {
      if (size_ == all_.size()) break;
      if (buffer.size() > 0) all_.at(size_++) = buffer;
    }
  }
  [[nodiscard]] const Buffer* begin() const { return all_.data(); }
  [[nodiscard]] const Buffer* end() const { return all_.data() + size_; }

 private:
  std::array<Buffer, 16> all_{};
  std::size_t size_ = 0;
};

/// A stream of Asio, with a deadline on each of its reads and writes.
class Connection {
 public:
  using executor_type = Socket::executor_type;

  /// With `tls`, call handshake() before reading or writing.
  explicit Connection(Socket socket, std::shared_ptr<TlsContext> tls = nullptr)
      : context_(std::move(tls)), plain_(std::move(socket)) {
    if (context_) tls_.emplace(plain_, *context_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] executor_type get_executor() { return plain_.get_executor(); }
  [[nodiscard]] Socket& socket() { return plain_.socket(); }
  [[nodiscard]] bool is_tls() const { return tls_.has_value(); }
  /// Only with TLS.
  [[nodiscard]] SSL* tls() { return tls_->native_handle(); }
  void expires_after(std::chrono::milliseconds time) { plain_.expires_after(time); }
  /// Ends the operations that are being waited for.
  void cancel() { plain_.cancel(); }
  /// The same, and all later ones fail.
  void close() { plain_.close(); }
  void expires_never() { plain_.expires_never(); }

  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto&& done, const Few<boost::asio::mutable_buffer>& few) {
          read_some(few, done_of(std::forward<decltype(done)>(done)));
        },
        token, Few<boost::asio::mutable_buffer>(buffers));
  }
  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto&& done, const Few<boost::asio::const_buffer>& few) {
          write_some(few, done_of(std::forward<decltype(done)>(done)));
        },
        token, Few<boost::asio::const_buffer>(buffers));
  }

  /// For a socket that is not open yet.
  boost::asio::awaitable<boost::system::error_code> connect(const Socket::endpoint_type& to) {
    const auto [error] = co_await plain_.async_connect(to, kAwait);
    co_return error;
  }
  /// From here on it speaks TLS, beginning with a handshake. The session is there for settings of this connection alone.
  SSL* start_tls(std::shared_ptr<TlsContext> context) {
    context_ = std::move(context);
    return tls_.emplace(plain_, *context_).native_handle();
  }
  /// An error: the peer does not speak TLS correctly, or one of the two refuses the other. None without TLS.
  boost::asio::awaitable<boost::system::error_code> handshake(
      boost::asio::ssl::stream_base::handshake_type as) {
    if (!tls_) co_return boost::system::error_code();
    const auto [error] = co_await tls_->async_handshake(as, kAwait);
    co_return error;
  }
  /// Tells the peer that nothing more comes.
  boost::asio::awaitable<void> shut() {
    if (tls_) {
      co_await tls_->async_shutdown(kAwait);
    } else {
      boost::system::error_code gone;
      (void)plain_.socket().shutdown(boost::asio::socket_base::shutdown_send, gone);
    }
  }

 private:
  // Asio and Beast compile a read or a write anew for each type of buffers and of completion handlers, and that is most
  // of the time that they take to compile. Here each has one type, so it is compiled once, in connection.cpp.
  struct Done {
    using executor_type = Connection::executor_type;  // NOLINT(readability-identifier-naming): Asio's name
    executor_type executor;
    std::move_only_function<void(boost::system::error_code, std::size_t)> call;

    [[nodiscard]] executor_type get_executor() const noexcept { return executor; }
    void operator()(boost::system::error_code error, std::size_t size) { call(error, size); }
  };
  template <typename Handler>
  [[nodiscard]] Done done_of(Handler&& handler) {
    executor_type executor = boost::asio::get_associated_executor(handler, get_executor());
    return {std::move(executor), std::forward<Handler>(handler)};
  }
  void read_some(const Few<boost::asio::mutable_buffer>& buffers, Done done);
  void write_some(const Few<boost::asio::const_buffer>& buffers, Done done);

  using Plain = boost::beast::basic_stream<boost::asio::generic::stream_protocol>;

  std::shared_ptr<TlsContext> context_;
  Plain plain_;
  std::optional<boost::asio::ssl::stream<Plain&>> tls_;
};

inline constexpr std::chrono::milliseconds kEndless{0};

/// Sends all of `buffers`. False when the client is gone, or has taken nothing at all for `patience`, which may be
/// kEndless; a client that takes something now and then may be as slow as it likes.
template <typename Buffers>
boost::asio::awaitable<bool> send_patiently(Connection& connection, Buffers buffers,
                                            std::chrono::milliseconds patience) {
  boost::beast::buffers_suffix<Buffers> rest(buffers);
  while (boost::beast::buffer_bytes(rest) > 0) {
    if (patience == kEndless)
      connection.expires_never();
    else
      connection.expires_after(patience);
    const auto [error, sent] = co_await connection.async_write_some(rest, kAwait);
    if (error) co_return false;
    rest.consume(sent);
  }
  co_return true;
}

}  // namespace flowtap::http
