// The API on its Unix socket, with a thread of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "api/views.hpp"
#include "base/result.hpp"

namespace flowtap::api {

struct ServerOptions {
  std::string socket_path;           ///< in a directory that exists
  std::string socket_group;          ///< whose members may connect, besides root; empty: none
  std::size_t max_connections = 64;  ///< at a time; those that follow a stream are not counted here
  std::chrono::milliseconds session_time{30'000};  ///< SessionLimits::time
  /// Connections that follow a stream, besides: each takes two descriptors, up to 64 KiB of memory and 64 KiB of the
  /// kernel's.
  std::size_t max_followers = 256;
};

/// Serves from start() until it is destroyed, which ends all connections, joins the thread and removes the
/// socket.
class ApiServer {
 public:
  /// `node` is read from the server's thread and must outlive the server.
  static Result<ApiServer> start(const ServerOptions& options, const NodeView& node);

  ApiServer(ApiServer&&) noexcept;
  ApiServer& operator=(ApiServer&&) = delete;
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;
  ~ApiServer();

 private:
  class Impl;
  explicit ApiServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace flowtap::api
