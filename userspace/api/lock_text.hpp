// What stands in the file that a running flowtapd keeps locked. Clients find by it where it listens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/node/on_host.hpp"

namespace flowtap::api {

/// There is one on a node, whatever the state directory is.
[[nodiscard]] inline std::string lock_path(std::string_view host_root) {
  return on_host(host_root, "/run/flowtapd.lock");
}

/// More than any text of it has.
inline constexpr std::size_t kMostLockText = 4096;

/// A line each. Earlier builds wrote the first one only.
struct LockText {
  std::string pid;        ///< in flowtapd's own pid namespace
  std::string state_dir;  ///< as flowtapd sees it; empty: not told

  [[nodiscard]] std::string text() const { return pid + "\n" + state_dir + "\n"; }
};

/// What is not there is empty. The text is not trusted: show it with printable().
[[nodiscard]] inline LockText parse_lock_text(std::string_view text) {
  const auto line = [&text] {
    const std::string_view one = text.substr(0, text.find('\n'));
    text.remove_prefix(one.size() < text.size() ? one.size() + 1 : text.size());
    return std::string(one);
  };
  LockText lock;
  lock.pid = line();
  lock.state_dir = line();
  return lock;
}

}  // namespace flowtap::api
