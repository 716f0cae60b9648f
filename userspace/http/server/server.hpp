// A server on a Unix socket and, if configured, over TCP; it has a thread of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "http/limits/answer_counts.hpp"
#include "http/messages/handler.hpp"

namespace flowtap::http {

/// Over TCP every request goes through a gate; addresses beyond this machine need TLS as well.
struct TcpOptions {
  std::string host = {};  ///< a numeric address
  std::uint16_t port = 0;
  /// Called once, when the address is known to be safe. An Error: nobody is served over TCP.
  std::function<Result<std::unique_ptr<Gate>>()> open_gate = {};
  std::string tls_certificate = {};  ///< empty: no TLS
  std::string tls_key = {};
  std::size_t max_connections =
      64;                  ///< one sender gets half of them, and without a token a quarter, but at least 4
  std::uint64_t rate = 0;  ///< requests a second of one sender, as RateLimit counts them; 0: no limit
  std::chrono::milliseconds greeting{5'000};  ///< SessionLimits::greeting
  std::chrono::milliseconds refusal{500};     ///< SessionLimits::refusal
};

struct ServerOptions {
  std::string socket_path;           ///< in a directory that exists
  std::string socket_group;          ///< its members may connect, besides root; empty: nobody else
  std::size_t max_connections = 64;  ///< at a time, not counting those that follow a stream
  std::chrono::milliseconds session_time{30'000};  ///< SessionLimits::time
  /// Connections that follow a stream: each takes two descriptors, up to 64 KiB of memory and 64 KiB in the kernel.
  std::size_t max_followers = 256;
  std::chrono::milliseconds drain{1'000};  ///< given at the end to answers that are being written
  std::optional<TcpOptions> tcp = {};      ///< absent: only the Unix socket
  /// Where answers are counted; null: they are not counted.
  std::shared_ptr<ServerCounts> counts = nullptr;
};

/// Serves from start() until it is destroyed. Then nobody is let in any more, connections without a request end at
/// once, followed streams end where they are, other answers have ServerOptions::drain to be completed, and the rest is
/// cut off.
class Server {
 public:
  static Result<Server> start(const ServerOptions& options, std::unique_ptr<const Handler> handler);

  /// Makes the Unix socket again if it was removed; connections go on. True: it was, and is there again. An Error: clients
  /// do not find it.
  [[nodiscard]] Result<bool> keep_socket();
  /// An Error if clients of the Unix socket wait and cannot be let in, such as for want of descriptors. May be called from any
  /// thread.
  [[nodiscard]] Status accepting() const;
  /// The address that is served over TCP; absent if TCP is not configured, an Error if it could not be served.
  [[nodiscard]] const std::optional<Result<std::string>>& tcp() const;
  /// The same for TCP, or Gate::health() if there is a gate. May be called from any thread.
  [[nodiscard]] Status tcp_health() const;

  Server(Server&&) noexcept;
  Server& operator=(Server&&) = delete;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace flowtap::http
