// Who may use the API over TCP: clients that know a token of a file.
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

/// The token in an Authorization header's value (RFC 6750, 2.1); nothing where the value is empty or has another
/// scheme.
[[nodiscard]] std::optional<std::string_view> bearer_token(std::string_view authorization);

/// Bearer tokens (RFC 6750), one on each line of a file; empty lines and lines that begin with # are skipped. The file
/// is read again when it has changed, so that a token can be replaced without a restart: add the new one, and remove
/// the old one later. Safe from any thread.
class BearerTokens {
 public:
  static constexpr std::size_t kLeastToken = 16;  ///< bytes; a shorter one can be guessed
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10U;

  /// An Error: the file cannot be read, not only its owner and group can read it, or it has no usable token.
  [[nodiscard]] static Result<BearerTokens> load(std::string path);

  /// `authorization` is the value of that header. The time that this takes tells nothing about the tokens.
  [[nodiscard]] bool accepts(std::string_view authorization);

  /// Looks at the file. An Error: it is gone, so that nobody is let in, or has no list any more, so that the one before counts.
  [[nodiscard]] Status health();

  BearerTokens(BearerTokens&& other) noexcept
      : path_(std::move(other.path_)), digests_(std::move(other.digests_)), seen_(other.seen_) {}
  BearerTokens& operator=(BearerTokens&&) = delete;
  BearerTokens(const BearerTokens&) = delete;
  BearerTokens& operator=(const BearerTokens&) = delete;
  ~BearerTokens() = default;

 private:
  using Digest = std::array<std::uint8_t, 32>;
  using Clock = std::chrono::steady_clock;

  /// Tells whether the file has changed since it was read.
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
  Status health_;
  Clock::time_point next_look_{};
};

}  // namespace flowtap::api
