// Who follows a flow over the API.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "tests/support/daemon/daemon.hpp"

namespace flowtap::test {

/// Follows a flow's log from its first line on, and reads when it is told to.
class FlowFollower {
 public:
  /// Of one output or of both. Returns when the daemon follows for it; throws std::runtime_error when it does not.
  FlowFollower(const Daemon& daemon, const std::string& flow, const std::string& stream = {});

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Takes what is there. What is as `wanted` has it is counted and thrown away; false at the first byte that is not.
  bool take(std::string_view wanted);
  [[nodiscard]] std::size_t seen() const { return seen_; }
  /// All that comes until that is enough, or the end. What take() threw away is not in it.
  [[nodiscard]] std::string read_until(const std::function<bool(std::string_view)>& enough);
  /// The same to the end, which may be far off: gives up only when nothing comes.
  [[nodiscard]] std::string read_to_end();
  /// Follows no more; whoever reads in another thread is at the end.
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
