// A server on a Unix socket and, where that is asked for, over TCP; with a thread of its own.
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

/// Over TCP every request goes through a gate; beyond this machine's own addresses it is TLS, too.
struct TcpOptions {
  std::string host = {};  ///< a numeric address
  std::uint16_t port = 0;
  /// Called once, when what the address says is known to be safe. An Error: nobody is served over TCP.
  std::function<Result<std::unique_ptr<Gate>>()> open_gate = {};
  std::string tls_certificate = {};  ///< empty: no TLS
  std::string tls_key = {};
  std::size_t max_connections =
      64;  ///< of which one sender has half, and a quarter, or 4, for those that have shown no token
  std::uint64_t rate = 0;  ///< requests a second of one sender, as RateLimit counts them; 0: without a limit
  std::chrono::milliseconds greeting{5'000};  ///< SessionLimits::greeting
  std::chrono::milliseconds refusal{500};     ///< SessionLimits::refusal
};

struct ServerOptions {
  std::string socket_path;           ///< in a directory that exists
  std::string socket_group;          ///< whose members may connect, besides root; empty: none
  std::size_t max_connections = 64;  ///< at a time; those that follow a stream are not counted here
  std::chrono::milliseconds session_time{30'000};  ///< SessionLimits::time
  /// Connections that follow a stream, besides: each takes two descriptors, up to 64 KiB of memory and 64 KiB of the
  /// kernel's.
  std::size_t max_followers = 256;
  std::chrono::milliseconds drain{1'000};  ///< at the end, for the answers that are being written
  std::optional<TcpOptions> tcp = {};      ///< absent: the Unix socket alone
  /// Where answers are counted on; null: nobody looks.
  std::shared_ptr<ServerCounts> counts = nullptr;
};

/// Serves from start() until it is destroyed: then nobody is let in any more, connections without a request end at once, what is
/// followed ends where it stands, other answers have ServerOptions::drain to be completed, and the rest is cut off.
class Server {
 public:
  static Result<Server> start(const ServerOptions& options, std::unique_ptr<const Handler> handler);

  /// Where TCP is listened on: absent where it was not asked for, an Error where it could not be.
  [[nodiscard]] const std::optional<Result<std::string>>& tcp() const;
  /// As Gate::health(), where there is one. From any thread.
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
