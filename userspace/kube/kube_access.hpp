// Asks Kubernetes who may read logs: which user a token belongs to, and whether that user may `get pods/log`. The
// answers are kept for seconds. If Kubernetes cannot be asked, nobody may.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/lru.hpp"
#include "base/result.hpp"
#include "kube/kube_reviews.hpp"
#include "kube/kube_server.hpp"

namespace flowtap::kube {

enum class Access {
  kYes,
  kNobody,   ///< the token belongs to nobody
  kNo,       ///< the token's user may not
  kUnknown,  ///< Kubernetes could not be asked
};

/// Safe from any thread. It has a thread of its own, which asks one question after the other.
class KubeAccess {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    std::chrono::milliseconds kept{
        10'000};  ///< an answer; a token that was revoked may be accepted for this long
    std::chrono::milliseconds kept_unknown{
        1'000};  ///< that there was no answer, and that the server cannot be reached
    std::chrono::milliseconds kept_trouble{
        60'000};  ///< that the server did not answer, when no more questions come
    std::size_t answers = 4096;
    std::size_t waiting = 64;  ///< questions; more are answered with kUnknown
  };

  [[nodiscard]] static Result<std::unique_ptr<KubeAccess>> start(KubeOptions options, Limits limits);
  [[nodiscard]] static Result<std::unique_ptr<KubeAccess>> start(KubeOptions options) {
    return start(std::move(options), Limits());
  }

  /// Whether the token's user has that right, as far as it is known; nothing: ask().
  [[nodiscard]] std::optional<Access> known(std::string_view token, const Right& right);

  /// `answered` is called once, from another thread or from here. Then known() has the answer, unless Kubernetes could
  /// not be asked. It is not called after the destructor, which waits for the question that is being asked.
  void ask(std::string_view token, const Right& right, std::function<void()> answered);

  /// How the last question went: an Error if there was no answer, unless that is long ago and nobody has asked since.
  [[nodiscard]] Status health() const;

  KubeAccess(const KubeAccess&) = delete;
  KubeAccess& operator=(const KubeAccess&) = delete;
  ~KubeAccess();

 private:
  struct Question {
    std::string token;
    Right right;
    std::function<void()> answered;
  };
  /// Tokens are kept as their digests.
  struct Whose {
    std::optional<Subject> subject;
    Clock::time_point until;
  };
  struct Answered {
    Access access = Access::kUnknown;
    Clock::time_point until;
  };

  KubeAccess(KubeServer server, Limits limits);
  void run() noexcept;
  void answer(const Question& question);
  [[nodiscard]] bool stopping() const;
  [[nodiscard]] Result<Answered> review(const Question& question);
  [[nodiscard]] Result<Whose> whose(const std::string& token);

  // Used only by the thread, apart from stop().
  KubeServer server_;
  Clock::time_point next_try_{};  // after the server could not be reached
  Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Question> waiting_;
  Lru<Whose> subjects_;
  Lru<Answered> rights_;
  Status health_;
  Clock::time_point told_{};  // when it was
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace flowtap::kube
