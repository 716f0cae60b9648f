// The other end of the socket for bodies that are taken while they come.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/client/client.hpp"

namespace flowtap::http {

/// How a stream ended.
struct StreamEnd {
  Reply reply;  ///< the status; the body is there only for a refusal, that is for a status other than 200
  std::optional<std::uint64_t>
      missing_bytes;  ///< in everything that passed; absent if the end was not reached
};

/// One GET whose body goes to `take`.
struct StreamRequest {
  std::string target;
  std::function<bool(std::string_view bytes)> take;  ///< false: no more is wanted
  /// Called once. An Error: there is no daemon (see fetch()), or it ended in the middle of the body.
  std::function<void(Result<StreamEnd> end)> end;
};

/// Streams that are followed at the same time, in the thread that calls run(). A request waits while many others have
/// no answer yet, since a daemon answers only so many at a time.
class StreamClient {
 public:
  explicit StreamClient(std::string socket_path, std::chrono::milliseconds timeout = std::chrono::seconds(5));
  ~StreamClient();
  StreamClient(const StreamClient&) = delete;
  StreamClient& operator=(const StreamClient&) = delete;

  /// May be called before run(), or from the functions that run() calls.
  void add(StreamRequest request);
  /// Ends all of them, as if `stop` had become readable. Also from the functions that run() calls.
  void end();
  /// See fetch_streams().
  [[nodiscard]] Status run(int stop);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Follows all of `requests` at the same time in this thread until each has ended. When `stop` (a descriptor, or -1)
/// becomes readable, the daemon is asked to end them, and has a second for that. `timeout` is for the head of each
/// answer; bodies take the time they take.
[[nodiscard]] Status fetch_streams(const std::string& socket_path, std::span<const StreamRequest> requests,
                                   int stop, std::chrono::milliseconds timeout = std::chrono::seconds(5));

}  // namespace flowtap::http
