// The API over TCP: where it listens, and who of those that come finds a place.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "http/server/server.hpp"
#include "http/server/service.hpp"
#include "http/server/tls_keys.hpp"

namespace flowtap::http {

/// Used by the thread of `io`, but for health(). Outlives the connections, and so their loop: what needs that goes with end().
class TcpDoor {
 public:
  /// Of the server as a whole.
  struct Of {
    const Handler& handler;
    const Bell& bell;
    Closing& closing;
    AnswerCounts& counts;
    std::chrono::milliseconds session_time;
    std::size_t max_followers;
  };

  /// Listens; nobody is let in before accept().
  [[nodiscard]] static Result<std::unique_ptr<TcpDoor>> open(const TcpOptions& options,
                                                             boost::asio::io_context& io, const Of& of);

  /// "https://127.0.0.1:8443".
  [[nodiscard]] const std::string& where() const { return where_; }
  /// As Gate::health().
  [[nodiscard]] Status health() const { return gate_->health(); }

  void accept();
  /// Nobody is let in any more.
  void close();
  /// No connection's questions are answered any more. Before the loop's end.
  void end();

 private:
  TcpDoor(const TcpOptions& options, const Of& of);
  Status admit(const TcpOptions& options);
  Status listen(const TcpOptions& options, boost::asio::io_context& io);
  void take(boost::asio::ip::tcp::socket socket);

  // Their own: who comes from afar takes no place of who is here.
  std::size_t max_connections_;
  Seats followers_;
  Seats connections_;  ///< followers among them
  Seats turned_away_;
  NetworkShares shares_;
  NetworkShares follower_shares_;
  NetworkShares guests_;
  RateLimit rate_;
  RateLimit guest_rate_;
  RateLimit handshakes_;
  Service service_;
  std::optional<TlsKeys> keys_;
  std::string where_;
  std::optional<boost::asio::ip::tcp::acceptor> acceptor_;
  std::unique_ptr<Gate> gate_;
};

}  // namespace flowtap::http
