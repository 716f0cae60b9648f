// Asks a server and waits for the answer.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "http/outbound/client.hpp"

namespace flowtap::http {

/// Limits that a test can wait for, and that an answer on this machine never meets.
inline ClientOptions options_for(std::string url) {
  using std::chrono_literals::operator""s;
  return {.url = std::move(url), .limits = {.connect = 20s, .whole = 60s, .silence = 60s}};
}

class Asking {
 public:
  explicit Asking(ClientOptions options) {
    auto client = HttpClient::open(loop_, std::move(options));
    EXPECT_TRUE(client) << client.error().what;
    if (client) client_.emplace(std::move(*client));
  }
  [[nodiscard]] HttpClient& client() { return *client_; }
  [[nodiscard]] ClientLoop& loop() { return loop_; }

  [[nodiscard]] Result<ClientResponse> ask(ClientRequest request = {.target = "/"}) {
    std::optional<Result<ClientResponse>> answer;
    client_->ask(std::move(request), [&](Result<ClientResponse> came) { answer = std::move(came); });
    loop_.run();
    EXPECT_TRUE(answer) << "it was never answered";
    return answer ? std::move(*answer) : fail("never answered");
  }
  /// The sentence, and the hint in parentheses; "" if there was an answer.
  [[nodiscard]] std::string why_not(ClientRequest request = {.target = "/"}) {
    const auto answer = ask(std::move(request));
    if (answer) return {};
    return answer.error().what + (answer.error().hint.empty() ? "" : " (" + answer.error().hint + ")");
  }

 private:
  ClientLoop loop_;
  std::optional<HttpClient> client_;
};

}  // namespace flowtap::http
