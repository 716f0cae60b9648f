// The source of a body that is read while it is sent.
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

  /// Does a part of the work before the first read(), as much as others can wait for. False: call it again.
  [[nodiscard]] virtual Result<bool> prepare() { return true; }

  struct Piece {
    std::string bytes;                 ///< empty: there are none now
    std::uint64_t missing_before = 0;  ///< bytes that passed before these and are gone (lost, or evicted)
    bool end = false;                  ///< nothing more can come after these
    bool again = false;  ///< there is more, even if these bytes are empty: read() can go on at once
  };
  /// The next bytes, at most `limit`; does not wait for new ones.
  [[nodiscard]] virtual Result<Piece> read(std::size_t limit) = 0;

  /// Calls `wake` once, from any thread, when read() may have more than before; at once if that is so already. The call
  /// is cheap, takes no lock of the caller and may come after this reader is gone.
  virtual void when_more(std::function<void()> wake) = 0;

  /// How many of the bytes from here to the newest one at this moment are gone: the sum of the missing_before that
  /// reading them now would give. Absent if this is not known in advance. To be called after prepare().
  [[nodiscard]] virtual std::optional<std::uint64_t> missing_bytes() const { return std::nullopt; }
};

}  // namespace flowtap::http
