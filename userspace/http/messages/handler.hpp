// What the server asks its user for: an answer to each request, and whether a request may be answered.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "http/messages/message.hpp"

namespace flowtap::http {

/// Answers requests. The server's thread calls it.
class Handler {
 public:
  Handler() = default;
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;
  virtual ~Handler() = default;

  [[nodiscard]] virtual Answer answer(const Request& request) const noexcept = 0;
  /// The answer in place of a stream whose reader failed before its first byte.
  [[nodiscard]] virtual Answer not_readable(const Error& why) const = 0;
};

/// Whether a request may be answered.
struct Verdict {
  std::optional<Answer> refusal = std::nullopt;  ///< the refusal; absent: the request may be answered
};

/// Says who may be answered, by the value of the Authorization header and the target of a request. The server's thread
/// calls everything but health().
class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  /// After this has returned, `done` of no question is called any more.
  virtual ~Gate() = default;

  /// The verdict that is known at once. Absent: ask() is needed.
  [[nodiscard]] virtual std::optional<Verdict> known(std::string_view authorization,
                                                     std::string_view target) = 0;
  /// Asks. `done` is called once, from another thread or from within this call.
  virtual void ask(std::string_view authorization, std::string_view target, std::function<void()> done) = 0;
  /// The verdict after ask(). A request about which nothing is known yet is refused.
  [[nodiscard]] virtual Verdict answered(std::string_view authorization, std::string_view target) = 0;

  /// The refusal of a request that has no token, or that could not be read up to its token.
  [[nodiscard]] virtual Answer no_token() const = 0;
  /// An Error if the server that is asked did not answer. May be called from any thread.
  [[nodiscard]] virtual Status health() const = 0;
};

}  // namespace flowtap::http
