// Who may use the API over TCP: whoever knows a token of a file.
#pragma once

#include <sys/stat.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flowtap::api {

/// The token in an Authorization header's value (RFC 6750, 2.1); nothing where that is of another scheme, or empty.
[[nodiscard]] std::optional<std::string_view> bearer_token(std::string_view authorization);

/// Bearer tokens (RFC 6750), one on each line of a file; empty lines and those that begin with # are none. The file is read again
/// when it has changed, so that a token can be replaced without a restart: put the new one beside the old, and take that away
/// later. Safe from any thread.
class BearerTokens {
 public:
  static constexpr std::size_t kLeastToken = 16;  ///< bytes; what is shorter can be guessed
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10U;

  /// An Error: it cannot be read, others than its owner and group can read it, or it has no token that will do.
  [[nodiscard]] static Result<BearerTokens> load(std::string path);

  /// `authorization` is that header's value. How long it takes tells nothing of the tokens.
  [[nodiscard]] bool accepts(std::string_view authorization);

  BearerTokens(BearerTokens&& other) noexcept
      : path_(std::move(other.path_)), digests_(std::move(other.digests_)), seen_(other.seen_) {}
  BearerTokens& operator=(BearerTokens&&) = delete;
  BearerTokens(const BearerTokens&) = delete;
  BearerTokens& operator=(const BearerTokens&) = delete;
  ~BearerTokens() = default;

 private:
  using Digest = std::array<std::uint8_t, 32>;
  using Clock = std::chrono::steady_clock;

  /// Tells a file that was changed from the one that was read.
  struct Version {
    std::uint64_t inode = 0;
    std::int64_t changed = 0;  // ns
    bool operator==(const Version&) const = default;
  };
  [[nodiscard]] static Version version_of(const struct stat& status);

  explicit BearerTokens(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] Status read();
  void look();

  std::string path_;
  std::mutex mutex_;
  std::vector<Digest> digests_;
  Version seen_;
  Clock::time_point next_look_{};
};

}  // namespace flowtap::api
