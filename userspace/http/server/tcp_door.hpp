// The API over TCP: the address on which it listens, and which clients find a place.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "http/server/accept_trouble.hpp"
#include "http/server/server.hpp"
#include "http/server/service.hpp"
#include "http/server/tls_keys.hpp"

namespace flowtap::http {

/// Used by the thread of `io`, except for health(). It outlives the connections and therefore their loop; end() ends
/// the parts that need the loop. It has many members, since it counts and bounds everybody who comes in over TCP.
class TcpDoor {
 public:
  /// Options of the whole server.
  struct Of {
    const Handler& handler;
    const LoopWaker& waker;
    Closing& closing;
    AnswerCounts& counts;
    std::chrono::milliseconds session_time;
    std::size_t max_followers;
  };

  /// Starts to listen; nobody is let in before accept().
  [[nodiscard]] static Result<std::unique_ptr<TcpDoor>> open(const TcpOptions& options,
                                                             boost::asio::io_context& io, const Of& of);

  /// "https://127.0.0.1:8443".
  [[nodiscard]] const std::string& where() const { return where_; }
  /// See AcceptTrouble::now(), TlsKeys::health() and Gate::health(). May be called from any thread.
  [[nodiscard]] Status health();

  void accept();
  /// From now on nobody is let in.
  void close();
  /// From now on no connection's questions are answered. To be called before the loop ends.
  void end();

 private:
  TcpDoor(const TcpOptions& options, const Of& of);
  Status admit(const TcpOptions& options);
  Status listen(const TcpOptions& options, boost::asio::io_context& io);
  void take(boost::asio::ip::tcp::socket socket);
  /// Null: it is served without TLS.
  [[nodiscard]] std::shared_ptr<boost::asio::ssl::context> keys();

  // TCP has places of its own, so that remote clients take none from local ones.
  std::size_t max_connections_;
  Seats followers_;
  Seats connections_;  ///< including followers
  Seats turned_away_;
  NetworkShares shares_;
  NetworkShares follower_shares_;
  NetworkShares guests_;
  RateLimit rate_;
  RateLimit guest_rate_;
  RateLimit handshakes_;
  AcceptTrouble trouble_;
  Service service_;
  std::mutex keys_mutex_;
  std::optional<TlsKeys> keys_;
  std::string where_;
  std::optional<boost::asio::ip::tcp::acceptor> acceptor_;
  std::unique_ptr<Gate> gate_;
};

}  // namespace flowtap::http
