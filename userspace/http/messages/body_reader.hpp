// What a body is read from while it is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace flowtap::http {

/// Reads the bytes of one body from the oldest that are kept (or from now) to their end. Used by one thread.
class BodyReader {
 public:
  BodyReader() = default;
  BodyReader(const BodyReader&) = delete;
  BodyReader& operator=(const BodyReader&) = delete;
  virtual ~BodyReader() = default;

  /// Does some of what is to be done before the first read(), as much as others may wait for. False: to be called again.
  [[nodiscard]] virtual Result<bool> prepare() { return true; }

  struct Piece {
    std::string bytes;  ///< empty: there are none now
    std::uint64_t missing_before =
        0;               ///< bytes that passed before these and cannot be had (lost, or evicted)
    bool end = false;    ///< nothing more can come behind these
    bool again = false;  ///< there is more, whether these are empty or not: read() goes on at once
  };
  /// The next bytes, at most `limit`; does not wait for new ones.
  [[nodiscard]] virtual Result<Piece> read(std::size_t limit) = 0;

  /// Calls `wake` once, from any thread, when read() may have more than it had. At once if it has already. The
  /// call is cheap, takes no lock of the caller's and may come after this reader is gone.
  virtual void when_more(std::function<void()> wake) = 0;

  /// Of the bytes from here to the newest of this moment, how many cannot be had: the sum of the missing_before
  /// that reading them now would give. Absent where nobody knows it ahead. To be asked behind prepare().
  [[nodiscard]] virtual std::optional<std::uint64_t> missing_bytes() const { return std::nullopt; }
};

}  // namespace flowtap::http
