// Connections that wait for the next request to the same server.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>

#include "http/connection/connection.hpp"
#include "http/outbound/client_options.hpp"

namespace flowtap::http {

/// A connection, and what it was made with.
struct ClientConnection {
  std::unique_ptr<Connection> connection;
  std::shared_ptr<TlsContext> tls;
  std::chrono::steady_clock::time_point made = std::chrono::steady_clock::now();
};

class KeptConnections {
 public:
  explicit KeptConnections(const ClientLimits& limits) : limits_(limits) {}

  /// One that was made with `tls` and on which nothing has come since; without a connection if there is none. All that cannot be used
  /// any more end.
  [[nodiscard]] ClientConnection take(const std::shared_ptr<TlsContext>& tls);
  void put(ClientConnection connection);
  void clear() { kept_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    ClientConnection connection;
    Clock::time_point since;
  };

  const ClientLimits& limits_;
  std::list<Kept>
      kept_;  // the one that was used last is in front: a server ends those first that were not used for long
};

}  // namespace flowtap::http
