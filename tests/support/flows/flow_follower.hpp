// A client that follows a flow over the API.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "tests/support/daemon/daemon.hpp"

namespace flowtap::test {

/// Follows a flow's log from its first line on, and reads only when it is told to.
class FlowFollower {
 public:
  /// Follows one output or both. Returns when the daemon has begun to follow; throws std::runtime_error if it does not.
  FlowFollower(const Daemon& daemon, const std::string& flow, const std::string& stream = {});

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Takes the bytes that are there. As long as they match `wanted` they are counted and dropped; false at the first
  /// byte that differs.
  bool take(std::string_view wanted);
  [[nodiscard]] std::size_t seen() const { return seen_; }
  /// Returns everything that comes until `enough` is true, or until the end, without the bytes that take() dropped.
  [[nodiscard]] std::string read_until(const std::function<bool(std::string_view)>& enough);
  /// The same until the end, which may be far away: it gives up only when nothing comes any more.
  [[nodiscard]] std::string read_to_end();
  /// Stops following; a read in another thread reaches the end.
  void leave() const;

 private:
  static constexpr std::size_t kChunk = 65'536;
  bool read_some(std::size_t limit = kChunk);  // without waiting
  [[nodiscard]] bool wait() const;

  Fd fd_;
  std::string bytes_;
  std::size_t seen_ = 0;
  bool closed_ = false;
};

}  // namespace flowtap::test
