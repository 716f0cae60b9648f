// Asks servers over HTTP/1.1: on kept connections, with TLS, through proxies, and within limits of time and memory.
#pragma once

#include <functional>
#include <memory>

#include "base/result.hpp"
#include "http/outbound/client_message.hpp"
#include "http/outbound/client_options.hpp"

namespace flowtap::http {

/// What one thread waits for: the requests of any number of clients.
class ClientLoop {
 public:
  ClientLoop();
  ~ClientLoop();
  ClientLoop(const ClientLoop&) = delete;
  ClientLoop& operator=(const ClientLoop&) = delete;

  /// Returns when each request has been answered.
  void run();
  /// Ends all requests at once, and each later one. Safe from any thread.
  void stop();

 private:
  friend class HttpClient;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Asks one server. Used by the thread of its loop, which must live longer.
class HttpClient {
 public:
  using Answered = std::function<void(Result<ClientResponse> answer)>;

  /// An Error: `url` or its proxy is no URL.
  [[nodiscard]] static Result<HttpClient> open(ClientLoop& loop, ClientOptions options);

  /// Sends it when the loop runs. `answered` is called once, by run(), and may ask again; it must not throw. An Error is a sentence about
  /// the server, such as "its certificate expired on 2026-11-20", with a hint if there is something to do about it: there was no whole
  /// answer within the limits. `answered` is not called if the loop is destroyed before.
  void ask(ClientRequest request, Answered answered);

  /// How many connections were made so far, to the server or its proxy.
  [[nodiscard]] std::size_t connections() const;

  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

 private:
  class Impl;
  explicit HttpClient(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace flowtap::http
