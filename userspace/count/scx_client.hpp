// The socket on which a scheduler written with the scx_stats library answers: one line for each question. This client
// never waits.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap {

class ScxClient {
 public:
  /// The answer of scx_layered with 100 layers takes a fifth of this.
  static constexpr std::size_t kLongestAnswer = 1U << 20U;

  explicit ScxClient(std::string path) : path_(std::move(path)) {}

  /// False: nobody listens there. The scheduler keeps an account for each connection, of what happened since that
  /// connection last asked.
  [[nodiscard]] Result<bool> connect();
  [[nodiscard]] bool connected() const { return socket_.valid(); }
  /// One question at a time. `request`: "stats_meta" or "stats".
  [[nodiscard]] Status ask(std::string_view request);
  /// The whole line once it is there. An Error with errno ECONNRESET: the scheduler ended.
  [[nodiscard]] Result<std::optional<std::string>> answer();
  void close();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  Fd socket_;
  std::string received_;
};

}  // namespace flowtap
