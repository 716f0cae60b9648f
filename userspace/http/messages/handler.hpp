// What the server asks of whoever uses it: an answer to each request, and whether a request may be answered.
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
  std::optional<Answer> refusal = std::nullopt;  ///< what it is refused with; absent: it may be answered
};

/// Says who may be answered, by the value of the Authorization header and the target of a request. The server's thread calls it,
/// but for health().
class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  /// No question's `done` is called any more once this has returned.
  virtual ~Gate() = default;

  /// What is known at once. Absent: somebody has to be asked.
  [[nodiscard]] virtual std::optional<Verdict> known(std::string_view authorization,
                                                     std::string_view target) = 0;
  /// Asks. `done` is called once, from another thread or from here.
  virtual void ask(std::string_view authorization, std::string_view target, std::function<void()> done) = 0;
  /// What is known behind ask(). A request of which nothing is known yet is refused.
  [[nodiscard]] virtual Verdict answered(std::string_view authorization, std::string_view target) = 0;

  /// What a request is refused with that has no token, or could not be read so far.
  [[nodiscard]] virtual Answer no_token() const = 0;
  /// An Error where whoever is asked did not answer. From any thread.
  [[nodiscard]] virtual Status health() const = 0;
};

}  // namespace flowtap::http
