// The scheduler's side of scx_stats: a UNIX socket on which each connection gets the counts since its last question.
// The numbers are those of scx_rusty, or a test sets them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/fd.hpp"

namespace flowtap::test {

class ScxServer {
 public:
  /// The answer to a line, without the newline; it is called in the server's thread.
  using Answer = std::function<std::string(std::string_view request)>;

  /// Listens at `path`, whose directory is made. One connection at a time; throws std::runtime_error.
  explicit ScxServer(const std::string& path, Answer answer = {});
  /// Acts like a scheduler that ends: the socket stays, and nobody listens.
  ~ScxServer();
  ScxServer(const ScxServer&) = delete;
  ScxServer& operator=(const ScxServer&) = delete;

  /// Adds dispatches with scx_rusty's names.
  void count(std::uint64_t dispatches) { total_ += dispatches; }
  void set_slice_us(std::uint64_t value) { slice_us_ = value; }
  [[nodiscard]] int connections() const { return connections_; }
  [[nodiscard]] int questions() const { return questions_; }  ///< the answered questions for statistics
  /// Everything that was sent to the connections.
  [[nodiscard]] std::uint64_t told() const { return told_; }

 private:
  void serve(const std::stop_token& stop);
  void talk(const Fd& connection, const std::stop_token& stop);
  [[nodiscard]] std::string rusty(std::string_view request, std::optional<std::uint64_t>& before);

  Fd listener_;
  Answer answer_;
  std::atomic<std::uint64_t> total_ = 0;
  std::atomic<std::uint64_t> slice_us_ = 20000;
  std::atomic<std::uint64_t> told_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<int> questions_ = 0;
  std::jthread thread_;
};

/// Wraps `args` in the envelope of an answer, in one line.
[[nodiscard]] std::string scx_answer(std::string_view body);

/// The metadata of scx_rusty's statistics, shortened.
extern const std::string_view kRustyMeta;

}  // namespace flowtap::test
